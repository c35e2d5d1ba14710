//! About: version, how calls are written down, and how near each limit is.

use maud::html;
use toolwright_ledger::Ledger;

use crate::parts::number;
use crate::{Dashboard, Page, Problem};

pub fn page(dashboard: &Dashboard) -> Result<Page, Problem> {
    let seconds = dashboard.started.elapsed().as_secs();
    let limits = dashboard.executor.limits();
    let body = html! {
        dl.facts {
            dt { "Version" } dd { (env!("CARGO_PKG_VERSION")) }
            dt { "Runs for" } dd { (seconds / 3600) " h " (seconds / 60 % 60) " min" }
            dt { "Tools" } dd { (dashboard.executor.registry().snapshot().tools().len()) }
            dt { "Calls at work" } dd { (dashboard.executor.running()) " of " (limits.calls_in_all) }
            @if let Some(ledger) = &dashboard.ledger {
                @let health = ledger.health();
                dt { "Journal" } dd { (health.state.word()) ", " (number(ledger.journal().last_seq())) " records, durability " (ledger.journal().durability().word()) ", lost " (number(health.lost)) }
                dt { "Index" } dd { (ledger.index_problem().unwrap_or_else(|| ledger.indexer().map_or_else(|| "not open yet".to_owned(), |status| format!("{} refused, {} retries", status.refused, status.retries)))) }
                dt { "Learning" } dd { (policy(ledger)) }
            } @else {
                dt { "Journal" } dd { "none: calls are not written down" }
            }
        }
        p { "All limits with what is in use now: " a href="/api/health" { "/api/health" } ". What programs can ask: " a href="/api/openapi.json" { "/api/openapi.json" } "." }
        p { a href="/logout" { "Log out" } }
    };
    Ok(Page { title: "About".to_owned(), body })
}

/// The word for how what calls teach comes into force.
fn policy(ledger: &Ledger) -> String {
    let word = serde_json::to_value(ledger.learning().policy()).unwrap_or_default();
    word.as_str().unwrap_or_default().to_owned()
}
