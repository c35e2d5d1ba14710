//! Synchronizes decisions between gateways that share a database: each publishes its own, and imports those of the
//! others.
//!
//! The decisions file stays the source of truth of each gateway. An unavailable database delays the synchronization and
//! loses nothing: missing decisions are published when it is back.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::{Event, SharedLearning};
use crate::index::{SharedRule, Store, StoreError};

/// Kind of decisions among the shared rules.
const KIND: &str = "decision";
/// Retry delay when the database is unavailable.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// Interval at which decisions of other processes of this machine are published.
const PUBLISH_INTERVAL: Duration = Duration::from_secs(1);

/// Synchronizes decisions. Does not return.
pub(super) async fn run(learning: &Arc<SharedLearning>, store: &Store) {
    tokio::join!(publish(learning, store), import(learning, store));
}

async fn publish(learning: &Arc<SharedLearning>, store: &Store) {
    let mut published: HashSet<String> = HashSet::new();
    let mut was_unavailable = false;
    loop {
        for event in learning.decisions_except(&published) {
            let key = event.key();
            match publish_one(store, &event, &key).await {
                Ok(()) => {
                    was_unavailable = false;
                    published.insert(key);
                }
                Err(error) => {
                    if !was_unavailable {
                        tracing::warn!("other gateways do not hear of decisions for now: {error}");
                    }
                    was_unavailable = true;
                    break;
                }
            }
        }
        match was_unavailable {
            true => sleep(RETRY_DELAY).await,
            // A new decision, or the interval is over.
            false => drop(timeout(PUBLISH_INTERVAL, learning.decision_made.notified()).await),
        }
    }
}

async fn publish_one(store: &Store, event: &Event, key: &str) -> Result<(), StoreError> {
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
        // It is already published by another gateway.
        Err(StoreError::Conflict { .. }) => Ok(()),
        publish_one => publish_one.map(|_| ()),
    }
}

async fn import(learning: &Arc<SharedLearning>, store: &Store) {
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
