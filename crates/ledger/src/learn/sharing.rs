//! Decisions of several gateways on one database: each tells its own, and takes over those of the others.
//!
//! The file of decisions stays the truth of each gateway. A database that is away delays what others hear and
//! loses nothing: what it does not have yet is told when it is back.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::{Event, SharedLearning};
use crate::index::{SharedRule, Store, StoreError};

/// What decisions are called among the shared rules.
const KIND: &str = "decision";
/// How long to wait before a database that is away is tried again.
const TRY_AGAIN: Duration = Duration::from_millis(500);
/// How often decisions of other processes of this machine are told on.
const TELL_ANYWAY: Duration = Duration::from_secs(1);

/// Shares decisions. It does not end.
pub(super) async fn share(learning: &Arc<SharedLearning>, store: &Store) {
    tokio::join!(tell(learning, store), hear(learning, store));
}

async fn tell(learning: &Arc<SharedLearning>, store: &Store) {
    let mut told: HashSet<String> = HashSet::new();
    let mut was_away = false;
    loop {
        for event in learning.decisions_beside(&told) {
            let key = event.key();
            match put(store, &event, &key).await {
                Ok(()) => {
                    was_away = false;
                    told.insert(key);
                }
                Err(error) => {
                    if !was_away {
                        tracing::warn!("other gateways do not hear of decisions for now: {error}");
                    }
                    was_away = true;
                    break;
                }
            }
        }
        match was_away {
            true => sleep(TRY_AGAIN).await,
            // Somebody decided, or it is time to look.
            false => drop(timeout(TELL_ANYWAY, learning.decided.notified()).await),
        }
    }
}

async fn put(store: &Store, event: &Event, key: &str) -> Result<(), StoreError> {
    let body = serde_json::to_string(event).map_err(|error| StoreError::Refused(error.to_string()))?;
    let rule = SharedRule {
        id: key.to_owned(),
        kind: KIND.to_owned(),
        status: event.event.word().to_owned(),
        body,
        changed_by: event.by.clone(),
        ..SharedRule::default()
    };
    match store.put_rule(&rule, 0).await {
        // It is there: somebody told it before.
        Err(StoreError::Conflict { .. }) => Ok(()),
        put => put.map(|_| ()),
    }
}

async fn hear(learning: &Arc<SharedLearning>, store: &Store) {
    let mut changes = store.watch_rules(0);
    while let Some(change) = changes.next().await {
        if change.kind != KIND {
            continue;
        }
        let Ok(event) = serde_json::from_str::<Event>(&change.body) else {
            tracing::warn!("a decision of another gateway cannot be read: {}", change.id);
            continue;
        };
        let importing = Arc::clone(learning);
        match spawn_blocking(move || importing.import(vec![event])).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::error!("a decision of another gateway cannot be kept: {error}"),
            Err(error) => tracing::error!("taking over a decision broke off: {error}"),
        }
    }
}
