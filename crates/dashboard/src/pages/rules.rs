//! Rules: which are in force, where they come from, and what they did.

use std::collections::HashMap;

use maud::html;
use toolwright_normalizer::rules::LEARNED_SET;

use crate::parts::{badge, moment, number, shortened};
use crate::query::encode;
use crate::{Dashboard, Page, Problem};

pub fn page(dashboard: &Dashboard) -> Result<Page, Problem> {
    let normalizer = dashboard.executor.normalizer();
    let rules = normalizer.rules().in_order();
    let rows = dashboard.ledger.as_ref().map(|ledger| ledger.stats().summary().rules).unwrap_or_default();
    let fired: HashMap<&str, _> = rows.iter().map(|row| (row.rule_id.as_str(), row)).collect();
    let body = html! {
        p { (rules.len()) " rules. Those of a file are edited in that file and are in force when it is saved; " code { "toolwright rules check FILE" } " looks for mistakes first." }
        div.wide { table.rows {
            caption { "Rules in the order in which they are applied" }
            thead { tr { th scope="col" { "Rule" } th scope="col" { "Type" } th scope="col" { "Tools" } th scope="col" { "From" } th scope="col" { "State" } th scope="col" { "Calls" } th scope="col" { "Last fired" } } }
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
    };
    Ok(Page { title: "Rules".to_owned(), body })
}
