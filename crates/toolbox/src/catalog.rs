//! The tools of a server that is connected: listed at once, and again when it says that they changed.

use std::convert::Infallible;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use toolwright_jsonrpc::Json;
use toolwright_mcp::{Peer, RequestError, RequestOptions};

use crate::policy::Policy;
use crate::state::Seen;

/// How long a page of tools may take.
const LIST_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a change of tools waits for the next one: servers tell them one by one.
const SETTLE: Duration = Duration::from_millis(100);
/// The wait between two lists of a server whose tools keep changing. It doubles, up to
/// [`Policy::max_delay`], while the lists are the same: such a server tells changes that are none.
const PAUSE: Duration = Duration::from_secs(1);

/// Keeps the tools of a connected server.
pub(crate) async fn keep(peer: &Peer, policy: &Policy, told: &watch::Sender<Seen>) -> Infallible {
    let mut signs = peer.connection().signs();
    let mut failures = 0;
    let mut pause = PAUSE;
    loop {
        let seen_changes = signs.borrow_and_update().tools_changed;
        let begin = Instant::now();
        match list(peer).await {
            Ok(items) => {
                failures = 0;
                let is_new = told.borrow().tools.items != items;
                pause = if is_new { PAUSE } else { (pause * 2).min(policy.max_delay) };
                told.send_modify(|seen| seen.listed(items));
            }
            // Its end is told by others.
            Err(RequestError::Closed(_)) => return std::future::pending().await,
            Err(error) => {
                failures += 1;
                let reason = format!("its tools cannot be listed: {error}");
                tracing::warn!(reason, "a server is degraded");
                told.send_modify(|seen| seen.troubled(|trouble| trouble.listing = Some(reason)));
            }
        }
        let has_changed = signs.wait_for(|signs| signs.tools_changed != seen_changes);
        // The sender lives as long as the connection, which `peer` holds.
        if failures == 0 {
            let _ = has_changed.await;
        } else {
            let _ = timeout(policy.delay_before(failures + 1), has_changed).await;
        }
        sleep(SETTLE.max(pause.saturating_sub(begin.elapsed()))).await;
    }
}

/// All tools. A server that announces none is asked as well: some only forget to say it.
async fn list(peer: &Peer) -> Result<Vec<Json>, RequestError> {
    let options =
        RequestOptions { timeout: Some(LIST_TIMEOUT), is_background: true, ..RequestOptions::default() };
    let is_announced = peer.capabilities().get("tools").is_some();
    match peer.list("tools/list", "tools", &options).await {
        Err(RequestError::Closed(closed)) => Err(RequestError::Closed(closed)),
        Err(error) if !is_announced => {
            tracing::debug!(%error, "a server that announces no tools lists none");
            Ok(Vec::new())
        }
        listed => listed,
    }
}
