//! Lists that come in pages, and how long they may be kept.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;
use toolwright_base::{IgnorePoison, off_async};
use toolwright_jsonrpc::Json;

use crate::{Peer, RequestError, RequestOptions, Signs};

/// How many pages are asked for: a server that always has another one does not keep us for ever.
const MAX_PAGES: usize = 1000;
/// How large a list may be in all, in bytes of its items.
const MAX_BYTES: usize = 64 << 20;
/// The longest time that a list is kept, whatever the server says.
const MAX_TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// A whole list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// Its items, each as it was sent.
    pub items: Vec<Json>,
    /// How long it may be kept, by the shortest time of its pages; `None` when the server does not say.
    pub ttl: Option<Duration>,
    /// Whether it may be shown to those with another login: every page says `public`.
    pub is_public: bool,
}

/// The lists of one server that may still be used.
#[derive(Default)]
pub(crate) struct Cache {
    kept: Mutex<HashMap<String, Kept>>,
}

struct Kept {
    list: List,
    until: Instant,
    /// How often it had changed when it was asked for.
    changes: u64,
}

impl Cache {
    fn kept(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.kept.lock().ignore_poison()
    }

    fn find(&self, method: &str, changes: u64) -> Option<List> {
        let kept = self.kept();
        let found = kept.get(method).filter(|kept| kept.changes == changes && Instant::now() < kept.until)?;
        Some(found.list.clone())
    }

    fn keep(&self, method: &str, list: &List, changes: u64) {
        let Some(ttl) = list.ttl.filter(|ttl| !ttl.is_zero()) else { return };
        let kept = Kept { list: list.clone(), until: Instant::now() + ttl, changes };
        self.kept().insert(method.to_owned(), kept);
    }

    /// The next one asks the server.
    pub fn forget(&self, method: &str) {
        self.kept().remove(method);
    }
}

/// The options for a list that is asked for on our own behalf.
pub(crate) fn background(options: &RequestOptions) -> RequestOptions {
    RequestOptions { timeout: options.timeout, is_background: true, ..RequestOptions::default() }
}

/// How often the server said that a list changed.
fn changes(signs: &Signs, method: &str) -> u64 {
    match method {
        "tools/list" => signs.tools_changed,
        "prompts/list" => signs.prompts_changed,
        "resources/list" | "resources/templates/list" => signs.resources_changed,
        _ => 0,
    }
}

/// Every item of a list. A cursor that comes again ends it: what follows is known already.
pub(crate) async fn all(
    peer: &Peer,
    method: &str,
    key: &str,
    options: &RequestOptions,
) -> Result<List, RequestError> {
    let changes = changes(&peer.connection().signs_now(), method);
    // What is asked in the name of others may be answered otherwise.
    let is_ours = options.capabilities.is_none() && options.headers.is_empty();
    if let Some(list) = peer.about().lists.find(method, changes).filter(|_| is_ours) {
        return Ok(list);
    }
    let mut list = List { is_public: true, ..List::default() };
    let mut cursors = HashSet::new();
    let mut bytes = 0;
    let mut params = None;
    for number in 0..MAX_PAGES {
        let page = peer.ask(method, params.take(), options).await?;
        let items = || page.get(key).and_then(|items| items.items());
        let items = off_async(page.as_str().len(), items).ok_or(RequestError::misshapen())?;
        bytes += items.iter().map(|item| item.as_str().len()).sum::<usize>();
        if bytes > MAX_BYTES {
            let reason = format!("the list is larger than {} MiB", MAX_BYTES >> 20);
            return Err(RequestError::NoAnswer(reason));
        }
        list.items.extend(items);
        list.is_public &= page.get_text("cacheScope").as_deref() == Some("public");
        let ttl = ttl(&page);
        list.ttl = if number == 0 { ttl } else { list.ttl.min(ttl) };
        let cursor = page.get("nextCursor").filter(|cursor| cursor.as_str() != "null");
        match cursor {
            Some(cursor) if cursors.insert(cursor.clone()) => {
                params = Some(Json::empty_object().with("cursor", &cursor));
            }
            _ => {
                if is_ours {
                    peer.about().lists.keep(method, &list, changes);
                }
                return Ok(list);
            }
        }
    }
    Err(RequestError::NoAnswer(format!("the list has more than {MAX_PAGES} pages")))
}

/// How long a page may be kept; a time that is no number is none.
fn ttl(page: &Json) -> Option<Duration> {
    let ms: f64 = page.get("ttlMs")?.as_str().parse().ok()?;
    Some(Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default().min(MAX_TTL))
}
