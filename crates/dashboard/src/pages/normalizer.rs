//! Normalizer: processed and repaired calls, by tool and by rule.

use std::collections::HashMap;
use std::sync::Arc;

use maud::html;

use super::run_blocking;
use crate::parts::{figure, moment_text, number, percent, shortened};
use crate::query::encode;
use crate::{Dashboard, DashboardPage, PageProblem};

/// Limit of recent changes on the page.
const RECENT: usize = 20;

pub async fn page(dashboard: &Dashboard) -> Result<DashboardPage, PageProblem> {
    let ledger = Arc::clone(dashboard.ledger()?);
    let stats = run_blocking(move || ledger.normalizer_stats()).await?;
    let active = dashboard.executor.rules().load();
    let rules = active.normalizer().rules().in_order();
    let hits: HashMap<&str, u64> = stats.by_rule.iter().map(|(id, rule)| (id.as_str(), rule.hits)).collect();
    let fired = rules.iter().filter(|rule| hits.get(rule.id.as_str()).is_some_and(|hits| *hits > 0)).count();
    let body = html! {
        div.figures {
            (figure(&number(stats.total_processed), "processed"))
            (figure(&number(stats.total_normalized), "normalized"))
            (figure(&percent(stats.total_normalized, stats.total_processed), "rate"))
            (figure(&number(rules.len() as u64), "rules loaded"))
            (figure(&number(fired as u64), "rules that fired"))
            (figure(&number((rules.len() - fired) as u64), "never fired"))
        }
        section aria-labelledby="by-rule" {
            h2 #by-rule { "By rule" }
            @if stats.by_rule.is_empty() {
                p { "Nothing has been mended yet." }
            } @else {
                div.wide tabindex="0" role="group" aria-label="A table that can be scrolled" { table {
                    caption { "Rules and steps of the schema that changed calls" }
                    thead { tr { th scope="col" { "Rule" } th scope="col" { "Type" } th.number scope="col" { "Calls" } th scope="col" { "Tools" } } }
                    tbody {
                        @for (id, rule) in &stats.by_rule {
                            tr {
                                th scope="row" { a href={ "/calls?rule=" (encode(id)) } { (id) } }
                                td { (rule.rule_type) }
                                td.number { (number(rule.hits)) }
                                td { (shortened(&rule.tools.join(", "))) }
                            }
                        }
                    }
                } }
            }
        }
        section aria-labelledby="by-tool" {
            h2 #by-tool { "By tool" }
            div.wide tabindex="0" role="group" aria-label="A table that can be scrolled" { table {
                caption { "Calls and how many of them were mended" }
                thead { tr { th scope="col" { "Tool" } th.number scope="col" { "Processed" } th.number scope="col" { "Normalized" } th.number scope="col" { "Rate" } } }
                tbody {
                    @for (tool, counts) in &stats.by_tool {
                        tr {
                            th scope="row" { a href={ "/calls?outcome=changed&tool=" (encode(tool)) } { (tool) } }
                            td.number { (number(counts.processed)) }
                            td.number { (number(counts.normalized)) }
                            td.number { (percent(counts.normalized, counts.processed)) }
                        }
                    }
                }
            } }
        }
        section aria-labelledby="recent" {
            h2 #recent { "The last changes" }
            ul {
                @for recent in stats.recent_normalizations.iter().rev().take(RECENT) {
                    li {
                        (moment_text(&recent.ts)) " " strong { (recent.tool) } ": "
                        @for (at, applied) in recent.applied.iter().enumerate() {
                            @if at > 0 { ", " }
                            code { (applied.param) } " "
                            del { (shortened(applied.from.as_deref().unwrap_or("nothing"))) } " → " ins { (shortened(applied.to.as_deref().unwrap_or("nothing"))) }
                            @if applied.from == applied.to { " (another type)" }
                            " " span.quiet { "(" (applied.rule_id) ")" }
                        }
                    }
                }
            }
        }
    };
    Ok(DashboardPage { title: "Normalizer".to_owned(), body })
}
