//! Rules: active rules, their origin and their use.

use std::collections::HashMap;
use std::sync::Arc;

use maud::html;
use toolwright_normalizer::rules::LEARNED_SET;
use toolwright_port::builtin_rules_by_server;

use super::run_blocking;
use crate::parts::{badge, moment, number, shortened};
use crate::query::encode;
use crate::{Dashboard, DashboardPage, PageProblem};

/// Limit of decisions on the page.
const DECISIONS: usize = 50;

pub async fn page(dashboard: &Dashboard) -> Result<DashboardPage, PageProblem> {
    let active = Arc::clone(&dashboard.executor.rules().load());
    let of_models = dashboard.llm.as_ref().map(|llm| llm.own_rules()).unwrap_or_default();
    let every_call = active.normalizer().rules().in_order().into_iter().map(|rule| (rule, "every call"));
    let rules: Vec<_> = every_call.chain(of_models.iter().map(|rule| (rule, "model calls"))).collect();
    let settings = builtin_rules_by_server(&dashboard.executor);
    let others: Vec<_> = settings.iter().filter(|(_, setting)| **setting != "schema").collect();
    let rows = dashboard.ledger.as_ref().map(|ledger| ledger.stats().summary().rules).unwrap_or_default();
    let decided = match &dashboard.ledger {
        Some(ledger) => {
            let ledger = Arc::clone(ledger);
            run_blocking(move || ledger.learning().history()).await?
        }
        None => Vec::new(),
    };
    let fired: HashMap<&str, _> = rows.iter().map(|row| (row.rule_id.as_str(), row)).collect();
    let body = html! {
        @match &dashboard.rules {
            Some(text) => p { (rules.len()) " rules. Yours are in " code { (text.file().display().to_string()) } ": " a.button href="/rules/edit" { "Edit them" } },
            None => p { (rules.len()) " rules. Start the gateway with " code { "--rules FILE" } " to write rules of your own here. The file has to exist; " code { "[]" } " is one without rules." },
        }
        @if !others.is_empty() {
            p { "How far built-in rules go for the tools of a server is set by its " code { "builtinRules" } ": "
                @for (at, (server, setting)) in others.iter().enumerate() { @if at > 0 { ", " } (server) " " code { (setting) } }
                ". For all others it is " code { "schema" } "."
            }
        }
        div.wide tabindex="0" role="group" aria-label="A table that can be scrolled" { table.rows {
            caption { "Rules in the order in which they are applied" }
            thead { tr { th scope="col" { "Rule" } th scope="col" { "Type" } th scope="col" { "Tools" } th scope="col" { "From" } th scope="col" { "Active for" } th scope="col" { "State" } th.number scope="col" { "Calls" } th scope="col" { "Last fired" } } }
            tbody {
                @for (rule, active_for) in rules {
                    @let row = fired.get(rule.id.as_str());
                    tr {
                        th scope="row" { a href={ "/calls?rule=" (encode(&rule.id)) } { (rule.id) } @if let Some(note) = &rule.note { br; span.quiet { (shortened(note)) } } }
                        td { (rule.type_name()) }
                        td { (rule.tools.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")) }
                        td { (match rule.set { None => "a file".to_owned(), Some(LEARNED_SET) => "what calls taught".to_owned(), Some(set) => format!("built in: {set}") }) }
                        td { (active_for) }
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
    Ok(DashboardPage { title: "Rules".to_owned(), body })
}
