//! One call that was written down: what came, what was changed and why, what went out, and what became of it; or one
//! exchange with a model.

use jiff::Timestamp;
use serde_json::json;
use toolwright_executor::printable;
use toolwright_ledger::{Change, Exchange, Kind, Record};
use toolwright_model::Code;

use crate::commands::audit::exchange_line;

pub fn as_json(record: &Record) -> String {
    json!({ "call": record.call, "record": record }).to_string()
}

pub fn as_text(record: &Record) -> String {
    let time =
        Timestamp::from_microsecond(record.ts).map_or_else(|_| "?".to_owned(), |time| time.to_string());
    if let Some(exchange) = &record.exchange {
        return exchange_text(record, exchange, &time);
    }
    let tool = match &record.server {
        Some(server) => format!("{server}/{}", record.tool),
        None => record.tool.clone(),
    };
    let of = |client: &String| format!(" from {client}");
    let mut lines = vec![
        format!("call      {}", record.call),
        format!("time      {time}"),
        format!(
            "tool      {tool}, by {}{}",
            record.front,
            record.client.as_ref().map(of).unwrap_or_default()
        ),
    ];
    if let Some(arguments) = &record.arguments {
        lines.push(format!("came      {}", arguments.get()));
    }
    match record.changes.is_empty() {
        true => lines.push("changes   none: it went on byte for byte".to_owned()),
        false => lines.push("changes".to_owned()),
    }
    lines.extend(record.changes.iter().map(change));
    if let Some(normalized) = &record.normalized {
        lines.push(format!("went out  {}", normalized.get()));
    }
    let took = std::time::Duration::from_micros(record.duration_us);
    lines.push(match (&record.error, record.kind) {
        (Some(error), _) => {
            let who = if error.is_from_tool { "the tool said" } else { "it was refused here" };
            format!("outcome   {} after {took:.1?}; {who}: {}", error.code, error.message)
        }
        (None, Kind::InProgress) => "outcome   begun, without an end: it runs, or was cut".to_owned(),
        (None, _) => format!("outcome   ok after {took:.1?}, {} bytes", record.bytes_out),
    });
    let mut next: Vec<&str> = record.changes.iter().map(|change| change.code.as_str()).collect();
    next.dedup();
    if let Some(code) = next.first() {
        lines.push(format!(
            "next      toolwright explain {code}; all of the record: toolwright audit show {}",
            record.call
        ));
    } else {
        lines.push(format!("next      toolwright audit show {}", record.call));
    }
    printable(&lines.join("\n"), &['\n', '\\']).into_owned()
}

/// A request to a model and its answer. Calls in it have records of their own.
fn exchange_text(record: &Record, exchange: &Exchange, time: &str) -> String {
    let of = |client: &String| format!(" from {client}");
    let took = std::time::Duration::from_micros(record.duration_us);
    let mut lines = vec![
        format!("exchange  {}", record.call),
        format!("time      {time}"),
        format!(
            "asked     {} in the dialect {}, by {}{}",
            exchange_line::asked(exchange),
            exchange.dialect,
            record.front,
            record.client.as_ref().map(of).unwrap_or_default()
        ),
        format!("outcome   {} after {took:.1?}", exchange_line::outcome(exchange)),
    ];
    lines.extend(record.error.iter().map(|error| format!("why       {}: {}", error.code, error.message)));
    lines.extend(exchange.notes.iter().map(|note| format!("note      {note}")));
    if exchange.calls > 0 {
        lines.push(format!(
            "calls     toolwright explain {0}-0 and so on, {1} of them",
            record.call, exchange.calls
        ));
    }
    lines.push(format!("next      toolwright audit show {}", record.call));
    printable(&lines.join("\n"), &['\n', '\\']).into_owned()
}

fn change(change: &Change) -> String {
    let title = Code::parse(&change.code).map_or("", |code| code.title());
    let rule = change.rule.as_ref().map(|rule| format!(" [rule {rule}]")).unwrap_or_default();
    format!(
        "  {:<3} {:<16} {} → {}  ({title}){rule}",
        change.code,
        change.path,
        change.from.as_deref().unwrap_or("nothing"),
        change.to.as_deref().unwrap_or("nothing"),
    )
}
