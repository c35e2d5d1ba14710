//! Live: calls as they end. The script fills the list; without it the page links to the last calls.

use maud::html;

use crate::query::PageQuery;
use crate::{Dashboard, DashboardPage, PageProblem};

pub fn page(dashboard: &Dashboard, query: &PageQuery) -> Result<DashboardPage, PageProblem> {
    dashboard.ledger()?;
    let body = html! {
        noscript { p { "Without scripts this page stands still: " a href="/calls" { "see the last calls" } "." } }
        div.tools {
            button #pause type="button" aria-pressed="false" { "Pause" }
            label for="filter" { "Only with" }
            input #filter type="search" placeholder="a tool, a client, a word" value=(query.get("q").unwrap_or_default());
            label { input #only-mended type="checkbox" checked[query.get("only").is_some()]; " mended or failed" }
        }
        p.quiet { "The address holds what you look for: it can be kept, or given to somebody." }
        p #live-state.quiet {}
        ol #feed.feed aria-label="Calls, the newest first" {}
    };
    Ok(DashboardPage { title: "Live".to_owned(), body })
}
