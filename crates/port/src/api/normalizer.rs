//! `/api/normalizer`: the content of `normalizer_stats.json`, as it would be written now.

use std::sync::Arc;

use http::Response;

use super::query::Query;
use super::{Api, aside, json};
use crate::inside::InsideBody;
use crate::refusal::Refusal;

pub(super) async fn answer(api: &Api, query: &Query) -> Result<Response<InsideBody>, Refusal> {
    query.allow(&[])?;
    let ledger = Arc::clone(api.ledger()?);
    // The numbers of other gateways with the same folder are read from its files.
    json(&aside(move || ledger.normalizer_stats()).await?)
}
