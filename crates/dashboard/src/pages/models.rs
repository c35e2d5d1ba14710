//! Models: requests, tokens, durations and repairs of requests through the gateway.

use http::StatusCode;
use maud::{Markup, html};
use toolwright_ledger::index::{ExchangeFilter, ExchangeSum, ExchangesBy};

use crate::parts::{duration, moment, number, percent};
use crate::query::PageQuery;
use crate::{Dashboard, DashboardPage, PageProblem};

/// Limit of models on the page.
const ROWS: usize = 100;

/// Limit of requests that are summed, so that the page loads fast.
const NEWEST: u64 = 10_000;
/// The periods, in hours; 0 is unlimited.
const PERIODS: [(&str, &str, i64); 4] = [
    ("hour", "the last hour", 1),
    ("day", "the last day", 24),
    ("week", "the last week", 168),
    ("all", "all", 0),
];
const HOUR_US: i64 = 3_600_000_000;

pub async fn page(dashboard: &Dashboard, query: &PageQuery) -> Result<DashboardPage, PageProblem> {
    let store = dashboard.store()?;
    let chosen = query.get("period").unwrap_or("day");
    let Some((_, words, hours)) = PERIODS.into_iter().find(|(name, ..)| *name == chosen) else {
        return Err(PageProblem::new(
            StatusCode::BAD_REQUEST,
            "There is no such period.",
            "Choose one of the list.",
        ));
    };
    let now = jiff::Timestamp::now().as_microsecond();
    let filter = ExchangeFilter {
        from: (hours > 0).then_some(now - hours * HOUR_US),
        newest: Some(NEWEST),
        ..ExchangeFilter::default()
    };
    let wrong = |error: toolwright_ledger::index::StoreError| PageProblem::no_index(&error.to_string());
    let (models, upstreams) = tokio::join!(
        store.exchange_sums(&filter, ExchangesBy::Model, ROWS),
        store.exchange_sums(&filter, ExchangesBy::Upstream, ROWS)
    );
    let (models, upstreams) = (models.map_err(wrong)?, upstreams.map_err(wrong)?);
    let is_cut = models.iter().map(|sum| sum.requests).sum::<u64>() >= NEWEST;
    let body = html! {
        form.filters method="get" action="/models" {
            div {
                label for="period" { "Time" }
                select #period name="period" {
                    @for (name, words, _) in PERIODS { option value=(name) selected[name == chosen] { (words) } }
                }
            }
            button type="submit" { "Show" }
        }
        @if is_cut { p { "Only the newest " (number(NEWEST)) " requests of " (words) " are summed." } }
        @if models.is_empty() {
            p { "No model was asked in this time. Point a client at this gateway: " code { "ANTHROPIC_BASE_URL=" (dashboard.url) } "." }
        } @else {
            (table("By model", &models))
            (table("By upstream", &upstreams))
        }
    };
    Ok(DashboardPage { title: "Models".to_owned(), body })
}

fn table(title: &str, sums: &[ExchangeSum]) -> Markup {
    html! {
        div.wide tabindex="0" role="group" aria-label="A table that can be scrolled" { table {
            caption { (title) }
            thead { tr { th scope="col" { "Name" } th.number scope="col" { "Requests" } th.number scope="col" { "Went well" } th.number scope="col" { "Tokens in" } th.number scope="col" { "of them cached" } th.number scope="col" { "Tokens out" } th.number scope="col" { "First token, p50" } th.number scope="col" { "Took, p50" } th.number scope="col" { "p95" } th.number scope="col" { "Calls" } th.number scope="col" { "Mended" } th.number scope="col" { "Refused" } th scope="col" { "Last" } } }
            tbody {
                @for sum in sums {
                    tr {
                        th scope="row" { (sum.key) }
                        td.number { (number(sum.requests)) }
                        td.number { (percent(sum.ok, sum.requests)) }
                        td.number { (number(sum.input_tokens + sum.cache_read_tokens + sum.cache_write_tokens)) }
                        td.number { (number(sum.cache_read_tokens)) }
                        td.number { (number(sum.output_tokens)) }
                        td.number { (sum.first_token_p50_us.map_or_else(|| "–".to_owned(), duration)) }
                        td.number { (duration(sum.p50_us)) }
                        td.number { (duration(sum.p95_us)) }
                        td.number { (number(sum.calls)) }
                        td.number { (number(sum.repaired)) }
                        td.number { (number(sum.refused)) }
                        td { (moment(sum.last)) }
                    }
                }
            }
        } }
    }
}
