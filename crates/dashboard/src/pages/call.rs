//! One call: the arguments as sent, the arguments that the tool received, and every step between.

use http::StatusCode;
use maud::{Markup, html};
use serde_json::{Value, json};
use toolwright_ledger::{Reached, Record};
use toolwright_redact::HIDDEN;

use crate::parts::{change, difference, duration, json_block, moment, number, outcome};
use crate::query::encode;
use crate::{Dashboard, DashboardPage, PageProblem};

pub async fn page(dashboard: &Dashboard, id: &str) -> Result<DashboardPage, PageProblem> {
    let store = dashboard.store()?;
    let found = store.call(id).await.map_err(|error| PageProblem::no_index(&error.to_string()))?;
    let Some(found) = found else {
        return Err(PageProblem::new(
            StatusCode::NOT_FOUND,
            "No such call was written down, or it is gone.",
            "It may take a moment until a call is found here: load the page again.",
        ));
    };
    let record = &found.record;
    let sent = record.arguments.as_deref().map_or("", |json| json.get());
    let got = record.normalized.as_deref().map_or(sent, |json| json.get());
    let body = html! {
        dl.facts {
            dt { "Outcome" } dd { (outcome(record, found.state)) }
            dt { "Time" } dd { (moment(record.ts)) }
            dt { "Tool" } dd { (record.tool) }
            dt { "Server" } dd { (record.server.as_deref().unwrap_or("built in")) }
            dt { "Client" } dd { (record.client.as_deref().unwrap_or("unknown")) }
            dt { "Came by" } dd { (record.front) }
            dt { "Took" } dd { (duration(record.duration_us)) }
            dt { "Size" } dd { (number(record.bytes_in)) " bytes in, " (number(record.bytes_out)) " bytes out" }
            dt { "Reached" } dd { (reached(record)) }
        }
        @if let Some(error) = &record.error {
            section aria-labelledby="error" {
                h2 #error { "What went wrong" }
                p.problem { (error.message) }
                p.quiet { "Code " code { (error.code) } @if error.is_from_tool { ", told by the tool itself" } }
            }
        }
        section aria-labelledby="arguments" {
            h2 #arguments { "Arguments" }
            @if record.is_refused() {
                p { "Toolwright refused the call: these arguments were sent to no tool." }
                (json_block(sent))
            } @else if record.changes.is_empty() {
                p { (unchanged(record)) }
                (json_block(sent))
            } @else {
                p { "Before " span.sign { "-" } " and after " span.sign { "+" } ":" }
                (difference(sent, got))
                ol { @for step in &record.changes { (change(step)) } }
            }
            (again(dashboard, record, sent))
            div.tools {
                a.button href={ "/playground?tool=" (encode(&tool_name(record))) "&arguments=" (encode(sent)) } { "Open in the playground" }
                button type="button" data-copy=(sent) { "Copy the arguments" }
                button type="button" data-copy=(command(record, sent)) { "Copy as a command" }
                @if let Some(rules) = rules(record) { button type="button" data-copy=(rules) { "Copy as a rule" } }
            }
        }
    };
    Ok(DashboardPage { title: format!("Call of {}", record.tool), body })
}

/// The form that repeats the call, with the same or other arguments.
fn again(dashboard: &Dashboard, record: &Record, sent: &str) -> Markup {
    let tool = tool_name(record);
    html! {
        details.again {
            summary { "Call it again" }
            @match may_be_called_again(dashboard, &tool) {
                Err(why) => p { (why) },
                Ok(()) => {
                    @if sent.contains(HIDDEN) { p.quiet { "Secrets were not written down: put them in where it says " code { (HIDDEN) } "." } }
                    form data-do="again" data-into="again-result" {
                        input type="hidden" name="tool" value=(tool);
                        label for="again-arguments" { "Arguments" }
                        textarea #again-arguments name="arguments" rows="6" spellcheck="false" { (sent) }
                        button type="submit" { "Call" }
                    }
                    noscript { p.quiet { "This needs scripts; the command below does the same." } }
                    div #again-result aria-live="polite" {}
                },
            }
        }
    }
}

/// Only tools whose server declares them harmless.
pub fn may_be_called_again(dashboard: &Dashboard, tool: &str) -> Result<(), String> {
    match dashboard.executor.registry().get(tool).filter(|tool| dashboard.serves(tool)) {
        None => Err(format!("There is no tool \"{tool}\" now.")),
        Some(known) if known.definition().annotations.harmless => Ok(()),
        Some(_) => Err(
            "Its definition does not say that it changes nothing, so it is not called from here. The command below does it.".to_owned(),
        ),
    }
}

pub fn tool_name(record: &Record) -> String {
    match &record.server {
        Some(server) => format!("{server}/{}", record.tool),
        None => record.tool.clone(),
    }
}

/// The explanation for arguments that were not changed.
fn unchanged(record: &Record) -> &'static str {
    match record.stages.tool {
        Reached::NotReached if record.error.is_some() => {
            "They were not changed. The call failed before the tool answered: whether it got them is not known."
        }
        _ => "They were forwarded unchanged.",
    }
}

fn reached(record: &Record) -> Markup {
    if record.is_refused() {
        return html! { "no tool: Toolwright refused the call" };
    }
    let word = |reached: Reached| match reached {
        Reached::Passed => "✓ passed",
        Reached::Failed => "✕ failed",
        Reached::NotReached => "– not reached",
    };
    html! {
        "transport " (word(record.stages.transport)) ", protocol " (word(record.stages.protocol)) ", tool " (word(record.stages.tool))
    }
}

/// The renamed parameters as rules for a rules file; `None` if there are none.
fn rules(record: &Record) -> Option<String> {
    let rules: Vec<Value> = record
        .changes
        .iter()
        .filter_map(|change| {
            // Only parameter names: a nested name or a value is not an alias.
            let name = |json: &Option<String>| serde_json::from_str::<String>(json.as_deref()?).ok();
            let (from, to) = (name(&change.from)?, name(&change.to)?);
            let is_name = change.code.starts_with('N') && change.path == format!("/{from}") && from != to;
            let id = format!("own-{}-{from}", record.tool);
            is_name.then(
                || json!({"id": id, "tools": [record.tool], "type": "param_alias", "from": from, "to": to}),
            )
        })
        .collect();
    (!rules.is_empty()).then(|| Value::Array(rules).to_string())
}

/// The same call as a shell command.
fn command(record: &Record, arguments: &str) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    format!("toolwright call {} {}", quoted(&tool_name(record)), quoted(arguments))
}

#[cfg(test)]
mod tests {
    use toolwright_ledger::Change;

    use super::*;

    #[test]
    fn renamed_parameters_become_valid_rules() {
        let change = |code: &str, path: &str, from: &str, to: &str| Change {
            code: code.into(),
            path: path.into(),
            from: Some(format!("\"{from}\"")),
            to: Some(format!("\"{to}\"")),
            ..Change::default()
        };
        let mut record = Record { tool: "read_file".into(), ..Record::default() };
        assert_eq!(rules(&record), None);
        record.changes = vec![
            change("N3", "/file_path", "file_path", "path"),
            change("T1", "/n", "7", "7"),
            change("N3", "/a/b", "b", "c"),
        ];
        let text = rules(&record).expect("one");
        let read = toolwright_normalizer::rules::parse_file(&text).expect("a file takes it");
        assert_eq!((read.len(), read[0].id.as_str()), (1, "own-read_file-file_path"));
    }

    #[test]
    fn a_command_has_nothing_in_it_that_a_shell_would_run() {
        let record = Record { server: Some("files".into()), tool: "it's $(x)".into(), ..Record::default() };
        assert_eq!(
            command(&record, r#"{"a":"`y`"}"#),
            r#"toolwright call 'files/it'\''s $(x)' '{"a":"`y`"}'"#
        );
    }
}
