//! Models: requests, tokens, times and repairs of what was asked through the gateway.

use maud::{Markup, html};
use toolwright_ledger::index::{ExchangeFilter, ExchangeSum, ExchangesBy};

use crate::parts::{duration, moment, number, percent};
use crate::query::Query;
use crate::{Dashboard, Page, Problem};

/// How many models are shown.
const ROWS: usize = 100;

pub async fn page(dashboard: &Dashboard, _query: &Query) -> Result<Page, Problem> {
    let store = dashboard.store()?;
    let all = ExchangeFilter::default();
    let wrong = |error: toolwright_ledger::index::StoreError| Problem::no_index(&error.to_string());
    let models = store.exchange_sums(&all, ExchangesBy::Model, ROWS).await.map_err(wrong)?;
    let upstreams = store.exchange_sums(&all, ExchangesBy::Upstream, ROWS).await.map_err(wrong)?;
    let body = html! {
        @if models.is_empty() {
            p { "No model was asked yet. Point a client at this gateway: " code { "ANTHROPIC_BASE_URL=http://127.0.0.1:8484" } "." }
        } @else {
            (table("By model", &models))
            (table("By upstream", &upstreams))
        }
    };
    Ok(Page { title: "Models".to_owned(), body })
}

fn table(title: &str, sums: &[ExchangeSum]) -> Markup {
    html! {
        div.wide { table {
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
