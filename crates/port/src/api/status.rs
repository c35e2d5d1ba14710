//! `/api/status`: how the gateway is doing, in one piece, as `toolwright status` shows it.

use http::Response;

use super::query::Query;
use super::{Api, json};
use crate::inside::InsideBody;
use crate::refusal::Refusal;

pub(super) async fn answer(api: &Api, query: &Query) -> Result<Response<InsideBody>, Refusal> {
    query.allow(&[])?;
    let Some(status) = &api.status else { return Err(Refusal::no_status()) };
    json(&status.now().await)
}
