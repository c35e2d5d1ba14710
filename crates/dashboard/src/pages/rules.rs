//! Rules: which are in force, where they come from, and what they did.

use std::collections::HashMap;
use std::sync::Arc;

use maud::html;
use toolwright_normalizer::rules::LEARNED_SET;

use super::aside;
use crate::parts::{badge, moment, number, shortened};
use crate::query::encode;
use crate::{Dashboard, Page, Problem};

/// How many decisions are shown.
const DECISIONS: usize = 50;

pub async fn page(dashboard: &Dashboard) -> Result<Page, Problem> {
    let normalizer = dashboard.executor.normalizer();
    let rules = normalizer.rules().in_order();
    let rows = dashboard.ledger.as_ref().map(|ledger| ledger.stats().summary().rules).unwrap_or_default();
    let decided = match &dashboard.ledger {
        Some(ledger) => {
            let ledger = Arc::clone(ledger);
            aside(move || ledger.learning().history()).await?
        }
        None => Vec::new(),
    };
    let fired: HashMap<&str, _> = rows.iter().map(|row| (row.rule_id.as_str(), row)).collect();
    let body = html! {
        @match &dashboard.rules {
            Some(text) => p { (rules.len()) " rules. Yours are in " code { (text.file().display().to_string()) } ": " a.button href="/rules/edit" { "Edit them" } },
            None => p { (rules.len()) " rules. Start the gateway with " code { "--rules FILE" } " to write rules of your own here. The file has to exist; " code { "[]" } " is one without rules." },
        }
        div.wide tabindex="0" role="group" aria-label="A table that can be scrolled" { table.rows {
            caption { "Rules in the order in which they are applied" }
            thead { tr { th scope="col" { "Rule" } th scope="col" { "Type" } th scope="col" { "Tools" } th scope="col" { "From" } th scope="col" { "State" } th.number scope="col" { "Calls" } th scope="col" { "Last fired" } } }
            tbody {
                @for rule in rules {
                    @let row = fired.get(rule.id.as_str());
                    tr {
                        th scope="row" { a href={ "/calls?rule=" (encode(&rule.id)) } { (rule.id) } @if let Some(note) = &rule.note { br; span.quiet { (shortened(note)) } } }
                        td { (rule.type_name()) }
                        td { (rule.tools.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")) }
                        td { (match rule.set { None => "a file".to_owned(), Some(LEARNED_SET) => "what calls taught".to_owned(), Some(set) => format!("built in: {set}") }) }
                        td { @if rule.enabled { (badge("good", "✓", "on")) } @else { (badge("quiet", "–", "off")) } }
                        td.number { (number(row.map_or(0, |row| row.hits))) }
                        td { @match row.and_then(|row| row.last) { Some(last) => (moment(last)), None => "never" } }
                    }
                }
            }
        } }
        section aria-labelledby="history" {
            h2 #history { "What was decided" }
            @if decided.is_empty() { p { "Nothing yet: calls have taught no rule that somebody accepted or dismissed." } }
            @else { ul {
                @for event in decided.iter().rev().take(DECISIONS) {
                    li { (moment(event.ts)) ": " (event.event.word()) " by " (event.by) ", for " a href={ "/errors#suggestion-" (encode(&event.id)) } { (event.suggestion.tool) } ": " (shortened(&event.suggestion.reason)) }
                }
            } }
        }
    };
    Ok(Page { title: "Rules".to_owned(), body })
}
