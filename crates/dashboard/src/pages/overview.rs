//! Overview: servers and calls.

use std::cmp::Reverse;
use std::sync::Arc;

use maud::html;
use toolwright_ledger::stats::Step;

use super::run_blocking;
use super::servers::state_badge;
use crate::parts::{duration, figure, number, percent, sparkline};
use crate::{Dashboard, DashboardPage, PageProblem};

/// Minutes in the charts.
const MINUTES: usize = 60;
/// Limit of tools on the page.
const TOOLS: usize = 15;

pub async fn page(dashboard: &Dashboard) -> Result<DashboardPage, PageProblem> {
    let views = dashboard.servers.views();
    let numbers = match &dashboard.ledger {
        Some(ledger) => {
            let ledger = Arc::clone(ledger);
            let now = jiff::Timestamp::now().as_microsecond();
            Some(
                run_blocking(move || {
                    let stats = ledger.stats();
                    (stats.summary(), stats.over_time(Step::Minute, now), stats.last_hour(now))
                })
                .await?,
            )
        }
        None => None,
    };
    let body = html! {
        section aria-labelledby="servers" {
            h2 #servers { "Servers" }
            @if views.is_empty() {
                p { "No server is configured. Name some in " code { "toolwright.json" } ", or take over those of your clients: " code { "toolwright import" } "." }
            } @else {
                ul.strip {
                    @for view in &views {
                        li { a href="/servers" { strong { (view.name) } " " (state_badge(view.state)) } }
                    }
                }
            }
        }
        @match &numbers {
            None => p.problem { "Calls are not written down, so there are no numbers." },
            Some((all, points, hour)) => {
                @let total = all.total.summary();
                @let last = &points[points.len().saturating_sub(MINUTES)..];
                section aria-labelledby="calls" {
                    h2 #calls { "Calls" }
                    div.figures {
                        (figure(&number(total.processed), "calls in all"))
                        (figure(&rate(last.iter().rev().take(2).map(|point| point.calls)), "calls a second"))
                        (figure(&percent(total.normalized, total.processed), "mended"))
                        (figure(&percent(total.errors, total.processed), "failed"))
                        (figure(&duration(total.p50_us), "p50"))
                        (figure(&duration(total.p95_us), "p95"))
                        (figure(&duration(total.p99_us), "p99"))
                    }
                    div.figures {
                        @for (what, values) in [
                            ("calls a minute", last.iter().map(|point| point.calls).collect::<Vec<_>>()),
                            ("mended a minute", last.iter().map(|point| point.normalized).collect()),
                            ("failed a minute", last.iter().map(|point| point.errors).collect()),
                            ("p50 in µs", hour.iter().map(|minute| minute.p50_us).collect()),
                            ("p95 in µs", hour.iter().map(|minute| minute.p95_us).collect()),
                            ("p99 in µs", hour.iter().map(|minute| minute.p99_us).collect()),
                        ] {
                            figure { (sparkline(&values, what)) figcaption { (what) ", the last hour" } }
                        }
                    }
                }
                section aria-labelledby="tools" {
                    h2 #tools { "Tools" }
                    @if all.tools.is_empty() {
                        p { "No call has come yet." }
                    } @else {
                        @let mut tools: Vec<_> = all.tools.iter().map(|row| (row, row.numbers.summary())).collect();
                        @let () = tools.sort_by_key(|(_, sum)| Reverse(sum.processed));
                        div.wide tabindex="0" role="group" aria-label="A table that can be scrolled" {
                            table {
                                caption { "The tools with the most calls" }
                                thead { tr { th scope="col" { "Tool" } th scope="col" { "Server" } th.number scope="col" { "Calls" } th.number scope="col" { "Mended" } th.number scope="col" { "Failed" } th.number scope="col" { "p50" } th.number scope="col" { "p95" } } }
                                tbody {
                                    @for (row, sum) in tools.iter().take(TOOLS) {
                                        tr {
                                            th scope="row" { (row.tool) }
                                            td { (row.server.as_deref().unwrap_or("built in")) }
                                            td.number { (number(sum.processed)) }
                                            td.number { (percent(sum.normalized, sum.processed)) }
                                            td.number { (percent(sum.errors, sum.processed)) }
                                            td.number { (duration(sum.p50_us)) }
                                            td.number { (duration(sum.p95_us)) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            },
        }
    };
    Ok(DashboardPage { title: "Overview".to_owned(), body })
}

/// Calls per second in the last minutes; the current minute is incomplete.
fn rate(calls: impl ExactSizeIterator<Item = u64>) -> String {
    let minutes = calls.len().max(1) as f64;
    format!("{:.1}", calls.sum::<u64>() as f64 / (60.0 * minutes))
}
