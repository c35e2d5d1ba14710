//! Calls: search and filters.

use http::StatusCode;
use maud::{Markup, html};
use toolwright_ledger::index::{Filter, FoundCall, Menu, Status, Store};

use crate::parts::{call_link, duration, moment, outcome};
use crate::query::PageQuery;
use crate::{Dashboard, DashboardPage, PageProblem};

/// Calls per page.
const ROWS: usize = 50;
/// Names per menu.
const NAMES: usize = 200;

pub async fn page(dashboard: &Dashboard, query: &PageQuery) -> Result<DashboardPage, PageProblem> {
    let store = dashboard.store()?;
    let filter = filter(query)?;
    let after = query.get("after").map(|text| text.parse::<i64>()).transpose().map_err(|_| {
        PageProblem::new(
            StatusCode::BAD_REQUEST,
            "The address names no place in the list.",
            "Open the page anew.",
        )
    })?;
    let found =
        store.calls(&filter, after, ROWS).await.map_err(|error| PageProblem::no_index(&error.to_string()))?;
    let body = html! {
        (form(&store, query).await)
        @if found.calls.is_empty() {
            p { "No call fits." }
        } @else {
            (table(&found.calls))
        }
        @if let Some(next) = found.next {
            p { a.button rel="next" href={ "/calls?" (query.with("after", &next.to_string())) } { "Older calls" } }
        }
    };
    Ok(DashboardPage { title: "Calls".to_owned(), body })
}

fn filter(query: &PageQuery) -> Result<Filter, PageProblem> {
    let text = |name: &str| query.get(name).map(str::to_owned);
    let status = query.get("outcome").map(str::parse::<Status>).transpose().map_err(|_| {
        PageProblem::new(StatusCode::BAD_REQUEST, "There is no such outcome.", "Choose one of the list.")
    })?;
    Ok(Filter {
        tool: text("tool"),
        server: text("server"),
        client: text("client"),
        rule: text("rule"),
        session: text("session"),
        status,
        text: text("q"),
        from: time(query, "from")?,
        to: time(query, "to")?,
        ..Filter::default()
    })
}

/// A time of the form: the value of a browser field, in UTC, or a time with its zone.
fn time(query: &PageQuery, name: &str) -> Result<Option<i64>, PageProblem> {
    let Some(text) = query.get(name) else { return Ok(None) };
    let zoned = text.parse::<jiff::Timestamp>().ok();
    let plain = || text.parse::<jiff::civil::DateTime>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
    let moment = zoned.or_else(|| plain().map(|zoned| zoned.timestamp()));
    moment.map(|moment| Some(moment.as_microsecond())).ok_or_else(|| {
        PageProblem::new(
            StatusCode::BAD_REQUEST,
            format!("\"{text}\" is no time."),
            "Write it as 2026-11-17T04:05 (UTC), or with a zone: 2026-11-17T05:05+01:00.",
        )
    })
}

async fn form(store: &Store, query: &PageQuery) -> Markup {
    let names = |menu: Menu| async move { store.values(menu, NAMES).await.unwrap_or_default() };
    let menus = [
        ("tool", "Tool", names(Menu::Tools).await),
        ("server", "Server", names(Menu::Servers).await),
        ("client", "Client", names(Menu::Clients).await),
    ];
    let outcomes = ["ok", "error", "changed", "interrupted", "running"];
    html! {
        form.filters method="get" action="/calls" role="search" {
            div { label for="q" { "Words" } input #q type="search" name="q" value=(query.get("q").unwrap_or_default()); }
            @for (name, label, values) in &menus {
                div {
                    label for=(name) { (label) }
                    select id=(name) name=(name) {
                        option value="" { "all" }
                        @for value in values {
                            option value=(value) selected[query.get(name) == Some(value)] { (value) }
                        }
                    }
                }
            }
            div {
                label for="outcome" { "Outcome" }
                select #outcome name="outcome" {
                    option value="" { "all" }
                    @for value in outcomes {
                        option value=(value) selected[query.get("outcome") == Some(value)] { (value) }
                    }
                }
            }
            @for (name, label) in [("from", "From (UTC)"), ("to", "Until (UTC)")] {
                div { label for=(name) { (label) } input id=(name) type="datetime-local" name=(name) value=(query.get(name).unwrap_or_default()); }
            }
            div { label for="rule" { "Rule" } input #rule name="rule" value=(query.get("rule").unwrap_or_default()); }
            button type="submit" { "Show" }
        }
    }
}

fn table(calls: &[FoundCall]) -> Markup {
    html! {
        div.wide tabindex="0" role="group" aria-label="A table that can be scrolled" {
            table.rows {
                caption { "Calls, the newest first" }
                thead { tr { th scope="col" { "Time" } th scope="col" { "Tool" } th scope="col" { "Server" } th scope="col" { "Client" } th scope="col" { "Outcome" } th.number scope="col" { "Changes" } th.number scope="col" { "Took" } } }
                tbody {
                    @for FoundCall { record, state, .. } in calls {
                        tr {
                            td { (moment(record.ts)) }
                            th scope="row" { (call_link(&record.call, &record.tool)) }
                            td { (record.server.as_deref().unwrap_or("built in")) }
                            td { (record.client.as_deref().unwrap_or_default()) }
                            td { (outcome(record, *state)) }
                            td.number { (record.changes.len()) }
                            td.number { (duration(record.duration_us)) }
                        }
                    }
                }
            }
        }
    }
}
