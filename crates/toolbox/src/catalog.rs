//! The tools of a server that is connected: listed at once, and again when it says that they changed.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, timeout};
use toolwright_jsonrpc::Json;
use toolwright_mcp::{Era, Filter, List, Peer, RequestError, RequestOptions, Subscription};

use crate::failure::{FailureCause, ServerFailure};
use crate::owner::Keeping;

/// Prepares a list of tools before it takes the place of the one before. It runs on a thread of its own, because the
/// work grows with the list, and the list before is served meanwhile.
pub type PrepareList = Arc<dyn Fn(&Arc<[Json]>) + Send + Sync>;

/// How long a page of tools may take.
const LIST_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the acknowledgement of a subscription may take.
const LISTEN_TIMEOUT: Duration = Duration::from_secs(2);
/// A list whose time is over is asked for again, but not more often than this: nobody waits for it.
const MIN_REFRESH: Duration = Duration::from_secs(60);
/// How long a change of tools waits for the next one: servers tell them one by one.
const SETTLE: Duration = Duration::from_millis(100);
/// The wait between two lists of a server whose tools keep changing. It doubles, up to
/// the longest wait of the policy, while the lists are the same: such a server tells changes that are none.
const PAUSE: Duration = Duration::from_secs(1);

/// Keeps the tools of a connected server.
pub(crate) async fn keep(peer: &Peer, keeping: &Keeping<'_>) -> Infallible {
    let Keeping { server, policy, told, prepare } = keeping;
    let mut signs = peer.connection().signs();
    let mut failures = 0;
    let mut pause = PAUSE;
    let mut next;
    // Before the list: what changes between the two is heard.
    let _subscription = subscribe(server, peer).await;
    loop {
        let seen_changes = signs.borrow_and_update().tools_changed;
        let begin = Instant::now();
        match list(server, peer).await {
            Ok(List { items, ttl, .. }) => {
                failures = 0;
                next = ttl.filter(|ttl| !ttl.is_zero()).map(|ttl| ttl.max(MIN_REFRESH));
                let before = Arc::clone(&told.borrow().tools.items);
                let items = prepared(items, Arc::clone(&before), prepare.clone()).await;
                let is_new = !Arc::ptr_eq(&before, &items);
                pause = if is_new { PAUSE } else { (pause * 2).min(policy.max_delay) };
                told.send_modify(|seen| seen.listed(items));
            }
            // Its end is told by others.
            Err(RequestError::Closed(_)) => return std::future::pending().await,
            Err(error) => {
                failures += 1;
                next = Some(policy.delay_before(failures + 1));
                let reason = format!("its tools cannot be listed: {error}");
                tracing::warn!(server, reason, "a server is degraded");
                let failure = ServerFailure::new(FailureCause::NoToolList, reason);
                told.send_modify(|seen| seen.troubled(|trouble| trouble.listing = Some(failure)));
            }
        }
        let has_changed = signs.wait_for(|signs| signs.tools_changed != seen_changes);
        // The sender lives as long as the connection, which `peer` holds.
        match next {
            Some(next) => drop(timeout(next, has_changed).await),
            None => drop(has_changed.await),
        }
        sleep(SETTLE.max(pause.saturating_sub(begin.elapsed()))).await;
    }
}

/// A list that is ready to be seen. One that says the same as the list before is that list, so that nobody has to
/// compare the two again.
async fn prepared(items: Vec<Json>, before: Arc<[Json]>, prepare: Option<PrepareList>) -> Arc<[Json]> {
    let preparing = spawn_blocking(move || {
        let items = if *items == *before { before } else { items.into() };
        if let Some(prepare) = prepare {
            prepare(&items);
        }
        items
    });
    match preparing.await {
        Ok(items) => items,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime ends.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Asks a modern server to tell when its tools change; a legacy one does it by itself.
async fn subscribe(server: &str, peer: &Peer) -> Option<Subscription> {
    let tools = peer.capabilities().get("tools");
    let is_told = tools.and_then(|tools| tools.get("listChanged"))?.as_str() == "true";
    if !is_told || peer.era() == Era::Legacy {
        return None;
    }
    let filter = Filter { tools: true, ..Filter::default() };
    match peer.subscribe(filter, &own(LISTEN_TIMEOUT)).await {
        Ok(subscription) => Some(subscription),
        Err(error) => {
            tracing::warn!(server, %error, "a server does not tell when its tools change");
            None
        }
    }
}

/// How a request on our own behalf is sent.
fn own(timeout: Duration) -> RequestOptions {
    RequestOptions { timeout: Some(timeout), is_background: true, ..RequestOptions::default() }
}

/// All tools. A server that announces none is asked as well: some only forget to say it.
async fn list(server: &str, peer: &Peer) -> Result<List, RequestError> {
    let is_announced = peer.capabilities().get("tools").is_some();
    match peer.listed("tools/list", "tools", &own(LIST_TIMEOUT)).await {
        Err(RequestError::Closed(closed)) => Err(RequestError::Closed(closed)),
        Err(error) if !is_announced => {
            tracing::debug!(server, %error, "a server that announces no tools lists none");
            Ok(List::default())
        }
        listed => listed,
    }
}
