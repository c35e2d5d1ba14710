//! One rule: what it does, where it comes from, how often it fired, and on what.

use std::path::PathBuf;

use jiff::Timestamp;
use serde_json::json;
use toolwright_executor::printable;
use toolwright_ledger::Record;
use toolwright_normalizer::rules::{LEARNED_SET, Rule};

use crate::commands::found_call;
use crate::commands::rules::describe;

/// How many calls are shown.
const EXAMPLES: usize = 3;

/// What is known of a rule from the journals.
pub struct Fired {
    count: u64,
    /// The last calls that it changed, the newest last.
    examples: Vec<Record>,
}

impl Fired {
    /// Reads all journals for calls that the rule changed.
    pub fn read(rule: &str, folders: &[PathBuf]) -> Fired {
        let mut fired = Fired { count: 0, examples: Vec::new() };
        let records = folders.iter().flat_map(|folder| found_call::read(folder, 1));
        for record in records {
            let changes = record.changes.iter().filter(|change| change.rule.as_deref() == Some(rule)).count();
            if changes > 0 {
                fired.count += changes as u64;
                fired.examples.push(record);
                if fired.examples.len() > EXAMPLES {
                    fired.examples.remove(0);
                }
            }
        }
        fired
    }
}

fn source(rule: &Rule) -> String {
    match rule.set {
        None => "the rules file that --rules names".to_owned(),
        Some(LEARNED_SET) => "learned from calls, and accepted (toolwright rules history)".to_owned(),
        Some(set) => format!("the built-in set \"{set}\" (--enable, --disable)"),
    }
}

pub fn as_json(rule: &Rule, is_in_force: bool, fired: &Fired) -> String {
    let tools: Vec<String> = rule.tools.iter().map(ToString::to_string).collect();
    let calls: Vec<&str> = fired.examples.iter().map(|record| record.call.as_str()).collect();
    json!({
        "rule": rule.id,
        "type": rule.type_name(),
        "tools": tools,
        "does": describe(&rule.action),
        "source": source(rule),
        "inForce": is_in_force,
        "note": rule.note,
        "hits": fired.count,
        "lastCalls": calls,
    })
    .to_string()
}

pub fn as_text(rule: &Rule, is_in_force: bool, fired: &Fired) -> String {
    let tools: Vec<String> = rule.tools.iter().map(ToString::to_string).collect();
    let mut lines = vec![
        format!("rule      {}", rule.id),
        format!("does      {} ({})", describe(&rule.action), rule.type_name()),
        format!("tools     {}", tools.join(", ")),
        format!("from      {}", source(rule)),
        format!("in force  {}", if is_in_force { "yes" } else { "no" }),
    ];
    if let Some(note) = &rule.note {
        lines.push(format!("note      {note}"));
    }
    lines.push(match fired.count {
        0 => "fired     never, as far as calls are written down".to_owned(),
        1 => "fired     once".to_owned(),
        count => format!("fired     {count} times"),
    });
    for record in fired.examples.iter().rev() {
        let time =
            Timestamp::from_microsecond(record.ts).map_or_else(|_| "?".to_owned(), |time| time.to_string());
        let came = record.arguments.as_ref().map_or("", |arguments| arguments.get());
        let went = record.normalized.as_ref().map_or("", |arguments| arguments.get());
        lines.push(format!("  {time}  {}  {}", record.call, record.tool));
        lines.push(format!("    - {came}"));
        lines.push(format!("    + {went}"));
    }
    lines.push("next      the types of rules: docs/rules.md; all rules: toolwright rules list".to_owned());
    printable(&lines.join("\n"), &['\n', '\\']).into_owned()
}
