//! The last alerts as JSON, for the script of every page.

use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response};
use serde_json::json;
use toolwright_port::InsideBody;

use crate::query::PageQuery;
use crate::{Dashboard, whole};

pub fn answer(dashboard: &Dashboard, query: &PageQuery) -> Response<InsideBody> {
    let after = query.get("after").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut response = Response::new(whole(json!({ "notices": dashboard.notices.after(after) }).to_string()));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
