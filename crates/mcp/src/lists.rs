//! Lists that come in pages.

use std::collections::HashSet;

use toolwright_jsonrpc::Json;
use toolwright_jsonrpc::lines::NoiseKind;

use crate::{Peer, RequestError, RequestOptions};

/// How many pages are asked for: a server that always has another one does not keep us for ever.
const MAX_PAGES: usize = 1000;

/// Every item of a list. A cursor that comes again ends it: what follows is known already.
pub(crate) async fn all(
    peer: &Peer,
    method: &str,
    key: &str,
    options: &RequestOptions,
) -> Result<Vec<Json>, RequestError> {
    let mut found = Vec::new();
    let mut cursors = HashSet::new();
    let mut params = None;
    for _ in 0..MAX_PAGES {
        let page = peer.request(method, params.take(), options).await?;
        let items = page.get(key).and_then(|items| items.items());
        found.extend(items.ok_or(RequestError::Unreadable(NoiseKind::NotAMessage))?);
        let cursor = page.get("nextCursor").filter(|cursor| cursor.as_str() != "null");
        match cursor {
            Some(cursor) if cursors.insert(cursor.clone()) => {
                params = Some(Json::empty_object().with("cursor", &cursor));
            }
            _ => break,
        }
    }
    Ok(found)
}
