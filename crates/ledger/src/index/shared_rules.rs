//! Rules and suggestions that several gateways share: each change has a version, and all gateways see the changes in
//! order.

use std::time::Duration;

use sqlx::postgres::{PgListener, PgPool};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use toolwright_base::unix_micros;

use super::Store;
use super::database::{Database, SqlRow, Statement, StoreTransaction};
use super::error::StoreError;
use super::sql::{POSTGRES_NOTIFY, SqlDialect};

/// The channel of change notifications; the payload is the rule and its version.
pub const CHANNEL: &str = "toolwright";

/// The status of a rule that is no longer active.
pub const RETIRED: &str = "retired";

/// Number of changes that are read, and buffered, at once.
const CHANGES: usize = 64;
/// Polling interval of SQLite, which has no notifications.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Polling interval of PostgreSQL in addition to notifications: a connection may be lost silently.
const FALLBACK_POLL: Duration = Duration::from_secs(5);
/// Retry delay when the database is unavailable.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// Maximum length of a notification; PostgreSQL accepts fewer than 8000 bytes.
const NOTE_BYTES: usize = 7_000;

/// A rule or a suggestion, as all gateways see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedRule {
    /// Its id.
    pub id: String,
    /// `rule` or `suggestion`, or another kind that the caller defines.
    pub kind: String,
    /// Such as `active`, `suggested`, `dismissed` or [`RETIRED`].
    pub status: String,
    /// Its content as JSON.
    pub body: String,
    /// The version of its last change. Assigned by the store, higher than all before it.
    pub version: i64,
    /// Time of the change in microseconds since 1970. Assigned by the store.
    pub changed_at: i64,
    /// Author of the change: a gateway or a person.
    pub changed_by: String,
}

/// Stream of rule changes, each rule in its newest version. Dropping it stops the task.
#[derive(Debug)]
pub struct RuleWatch {
    changes: mpsc::Receiver<SharedRule>,
    task: AbortHandle,
}

impl RuleWatch {
    /// Waits for the next change. An unavailable database only delays it.
    pub async fn next(&mut self) -> Option<SharedRule> {
        self.changes.recv().await
    }
}

impl Drop for RuleWatch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Store {
    /// Writes a rule. `expected` is the version that the change is based on, 0 for a new rule; a retired rule may be
    /// written again. Returns the new version.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when another writer was faster; others when the database cannot be reached or refuses.
    pub async fn put_rule(&self, rule: &SharedRule, expected: i64) -> Result<i64, StoreError> {
        let mut transaction = self.begin().await?;
        let version = next_version(&mut transaction).await?;
        let found = read_rule(&mut transaction, &rule.id).await?.map_or(0, |found| found.version);
        if found != expected {
            return Err(StoreError::Conflict { id: rule.id.clone(), expected, found });
        }
        let put = SharedRule { version, changed_at: unix_micros(), ..rule.clone() };
        write_rule(&mut transaction, &put).await?;
        transaction.commit().await?;
        Ok(version)
    }

    /// Deactivates a rule; it stays visible. Returns the new version.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when another writer was faster or there is no such rule; others when the database
    /// cannot be reached or refuses.
    pub async fn retire_rule(&self, id: &str, expected: i64, by: &str) -> Result<i64, StoreError> {
        let mut transaction = self.begin().await?;
        let version = next_version(&mut transaction).await?;
        let conflict = |found| StoreError::Conflict { id: id.to_owned(), expected, found };
        let found = read_rule(&mut transaction, id).await?.ok_or_else(|| conflict(0))?;
        if found.version != expected {
            return Err(conflict(found.version));
        }
        let changed_at = unix_micros();
        let (status, changed_by) = (RETIRED.to_owned(), by.to_owned());
        write_rule(&mut transaction, &SharedRule { status, changed_by, changed_at, version, ..found })
            .await?;
        transaction.commit().await?;
        Ok(version)
    }

    /// The rules that changed after a version, in the order of their changes; 0 returns all. At most 64: continue from
    /// the last one's version.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn rules_after(&self, version: i64) -> Result<Vec<SharedRule>, StoreError> {
        let query = self.statement(|sql| sql.rules_after).with(version).with(CHANGES as i64);
        Ok(self.rows(query).await?.into_iter().map(SharedRule::read).collect())
    }

    /// The version of the last change of all rules.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn rules_version(&self) -> Result<i64, StoreError> {
        let mut rows = self.rows(self.statement(|sql| sql.version)).await?;
        Ok(rows.first_mut().map_or(0, SqlRow::int))
    }

    /// Follows the changes after a version, of all gateways including this one. None is missed: after an interruption
    /// it continues from the last version it saw.
    pub fn watch_rules(&self, after: i64) -> RuleWatch {
        let (sender, changes) = mpsc::channel(CHANGES);
        let store = self.clone();
        let task = tokio::spawn(async move { follow(&store, after, &sender).await }).abort_handle();
        RuleWatch { changes, task }
    }
}

/// Forwards changes until the receiver is dropped.
async fn follow(store: &Store, after: i64, sender: &mpsc::Sender<SharedRule>) {
    let mut seen = after;
    let mut was_away = false;
    loop {
        // Listen before reading, so that a change between the two is notified.
        let mut listener = match store.database() {
            Database::Sqlite { .. } => None,
            Database::Postgres { pool, .. } => match listen(pool).await {
                Ok(listener) => Some(listener),
                Err(error) => {
                    if !was_away {
                        tracing::warn!("rules of other gateways are not seen for now: {error}");
                    }
                    was_away = true;
                    sleep(RETRY_DELAY).await;
                    continue;
                }
            },
        };
        loop {
            match catch_up(store, &mut seen, sender).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    if !was_away {
                        tracing::warn!("rules of other gateways are not seen for now: {error}");
                    }
                    was_away = true;
                    sleep(RETRY_DELAY).await;
                    break;
                }
            }
            if was_away {
                tracing::info!("rules of other gateways are seen again");
                was_away = false;
            }
            match &mut listener {
                None => sleep(POLL_INTERVAL).await,
                Some(listener) => match timeout(FALLBACK_POLL, listener.try_recv()).await {
                    Ok(Ok(Some(_))) | Err(_) => {}
                    // The connection is lost: changes in the meantime are read after reconnecting.
                    Ok(Ok(None) | Err(_)) => break,
                },
            }
        }
    }
}

async fn listen(pool: &PgPool) -> Result<PgListener, StoreError> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    Ok(listener)
}

/// Forwards all new changes; returns whether the receiver still exists.
async fn catch_up(
    store: &Store,
    seen: &mut i64,
    sender: &mpsc::Sender<SharedRule>,
) -> Result<bool, StoreError> {
    loop {
        let changes = store.rules_after(*seen).await?;
        let is_all = changes.len() < CHANGES;
        for change in changes {
            let version = change.version;
            if sender.send(change).await.is_err() {
                return Ok(false);
            }
            *seen = version;
        }
        if is_all {
            return Ok(!sender.is_closed());
        }
    }
}

/// Takes the next version. Other writers block here until this transaction ends, so that versions become visible in
/// order.
async fn next_version(transaction: &mut StoreTransaction) -> Result<i64, StoreError> {
    let next = transaction.statement(|sql| sql.next_version);
    Ok(transaction.rows(next).await?.first_mut().map_or(0, SqlRow::int))
}

async fn read_rule(transaction: &mut StoreTransaction, id: &str) -> Result<Option<SharedRule>, StoreError> {
    let query = transaction.statement(|sql| sql.rule).with(id);
    Ok(transaction.rows(query).await?.into_iter().next().map(SharedRule::read))
}

async fn write_rule(transaction: &mut StoreTransaction, rule: &SharedRule) -> Result<(), StoreError> {
    let put = transaction
        .statement(|sql| sql.put_rule)
        .with(rule.id.as_str())
        .with(rule.kind.as_str())
        .with(rule.status.as_str())
        .with(rule.body.as_str())
        .with(rule.version)
        .with(rule.changed_at)
        .with(rule.changed_by.as_str());
    transaction.rows(put).await?;
    if transaction.dialect() == SqlDialect::Postgres {
        let id = &rule.id[..rule.id.floor_char_boundary(NOTE_BYTES)];
        let note = Statement::new(SqlDialect::Postgres, POSTGRES_NOTIFY)
            .with(CHANNEL)
            .with(format!("{id} {}", rule.version));
        transaction.rows(note).await?;
    }
    Ok(())
}

impl SharedRule {
    fn read(mut row: SqlRow) -> SharedRule {
        SharedRule {
            id: row.text(),
            kind: row.text(),
            status: row.text(),
            body: row.text(),
            version: row.int(),
            changed_at: row.int(),
            changed_by: row.text(),
        }
    }
}
