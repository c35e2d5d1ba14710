//! Rules and suggestions that several gateways share: each change has a version, and all see the changes in order.

use std::time::Duration;

use sqlx::postgres::{PgListener, PgPool};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use toolwright_base::unix_micros;

use super::Store;
use super::database::{Database, Row, Statement, Work};
use super::error::StoreError;
use super::sql::{Dialect, POSTGRES_NOTIFY};

/// The channel on which gateways tell each other of changes; the words are the rule and its version.
pub const CHANNEL: &str = "toolwright";

/// The status of a rule that is no longer in force.
pub const RETIRED: &str = "retired";

/// How many changes are read, and wait to be taken, at once.
const CHANGES: usize = 64;
/// How often SQLite is looked at. Nobody tells there.
const LOOK: Duration = Duration::from_millis(250);
/// How often PostgreSQL is looked at although it tells: a connection may be dead without saying so.
const LOOK_ANYWAY: Duration = Duration::from_secs(5);
/// How long to wait before a database that is away is tried again.
const TRY_AGAIN: Duration = Duration::from_millis(500);
/// The bytes of a message to others; PostgreSQL takes fewer than 8000.
const NOTE_BYTES: usize = 7_000;

/// A rule or a suggestion, as all gateways see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedRule {
    /// Its name.
    pub id: String,
    /// `rule` or `suggestion`, or what the caller tells apart.
    pub kind: String,
    /// Such as `active`, `suggested`, `dismissed` or [`RETIRED`].
    pub status: String,
    /// What it is, as JSON.
    pub body: String,
    /// The version of its last change. Given by the store, higher than all before it.
    pub version: i64,
    /// When it was changed, in microseconds since 1970. Given by the store.
    pub changed_at: i64,
    /// Who changed it: a gateway or a person.
    pub changed_by: String,
}

/// Changes of rules as they come, each rule in its newest version. Ends when it is dropped.
#[derive(Debug)]
pub struct RuleWatch {
    changes: mpsc::Receiver<SharedRule>,
    task: AbortHandle,
}

impl RuleWatch {
    /// The next change. A database that is away only delays it.
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
    /// Writes a rule. `expected` is the version that the change was made from, 0 for a new rule; a retired
    /// rule may be put again. The new version.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when somebody was faster; others when the database cannot be reached or refuses.
    pub async fn put_rule(&self, rule: &SharedRule, expected: i64) -> Result<i64, StoreError> {
        let mut work = self.begin().await?;
        let version = next_version(&mut work).await?;
        let found = read_rule(&mut work, &rule.id).await?.map_or(0, |found| found.version);
        if found != expected {
            return Err(StoreError::Conflict { id: rule.id.clone(), expected, found });
        }
        let put = SharedRule { version, changed_at: unix_micros(), ..rule.clone() };
        write_rule(&mut work, &put).await?;
        work.commit().await?;
        Ok(version)
    }

    /// Takes a rule out of force; it stays to be seen. The new version.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when somebody was faster or there is no such rule; others when the database cannot
    /// be reached or refuses.
    pub async fn retire_rule(&self, id: &str, expected: i64, by: &str) -> Result<i64, StoreError> {
        let mut work = self.begin().await?;
        let version = next_version(&mut work).await?;
        let conflict = |found| StoreError::Conflict { id: id.to_owned(), expected, found };
        let found = read_rule(&mut work, id).await?.ok_or_else(|| conflict(0))?;
        if found.version != expected {
            return Err(conflict(found.version));
        }
        let changed_at = unix_micros();
        let (status, changed_by) = (RETIRED.to_owned(), by.to_owned());
        write_rule(&mut work, &SharedRule { status, changed_by, changed_at, version, ..found }).await?;
        work.commit().await?;
        Ok(version)
    }

    /// The rules that changed after a version, in the order of their changes; 0 asks for all. At most 64: ask
    /// again from the last one's version.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn rules_after(&self, version: i64) -> Result<Vec<SharedRule>, StoreError> {
        let ask = self.statement(|sql| sql.rules_after).with(version).with(CHANGES as i64);
        Ok(self.rows(ask).await?.into_iter().map(SharedRule::read).collect())
    }

    /// The version of the last change of all.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn rules_version(&self) -> Result<i64, StoreError> {
        let mut rows = self.rows(self.statement(|sql| sql.version)).await?;
        Ok(rows.first_mut().map_or(0, Row::int))
    }

    /// Follows the changes after a version, by all gateways and this one. None is missed: whoever was away reads
    /// on from the last version it saw.
    pub fn watch_rules(&self, after: i64) -> RuleWatch {
        let (sender, changes) = mpsc::channel(CHANGES);
        let store = self.clone();
        let task = tokio::spawn(async move { follow(&store, after, &sender).await }).abort_handle();
        RuleWatch { changes, task }
    }
}

/// Hands on changes until nobody takes them.
async fn follow(store: &Store, after: i64, sender: &mpsc::Sender<SharedRule>) {
    let mut seen = after;
    let mut was_away = false;
    loop {
        // Listening begins before looking, so that what changes between the two is heard.
        let mut listener = match store.database() {
            Database::Sqlite { .. } => None,
            Database::Postgres { pool, .. } => match listen(pool).await {
                Ok(listener) => Some(listener),
                Err(error) => {
                    if !was_away {
                        tracing::warn!("rules of other gateways are not seen for now: {error}");
                    }
                    was_away = true;
                    sleep(TRY_AGAIN).await;
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
                    sleep(TRY_AGAIN).await;
                    break;
                }
            }
            if was_away {
                tracing::info!("rules of other gateways are seen again");
                was_away = false;
            }
            match &mut listener {
                None => sleep(LOOK).await,
                Some(listener) => match timeout(LOOK_ANYWAY, listener.try_recv()).await {
                    Ok(Ok(Some(_))) | Err(_) => {}
                    // The connection is gone: what was said meanwhile is read when there is a new one.
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

/// Hands on everything new; whether somebody still takes it.
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

/// Takes the next version. Others wait here until this change is over, so that versions are seen in order.
async fn next_version(work: &mut Work) -> Result<i64, StoreError> {
    let next = work.statement(|sql| sql.next_version);
    Ok(work.rows(next).await?.first_mut().map_or(0, Row::int))
}

async fn read_rule(work: &mut Work, id: &str) -> Result<Option<SharedRule>, StoreError> {
    let ask = work.statement(|sql| sql.rule).with(id);
    Ok(work.rows(ask).await?.into_iter().next().map(SharedRule::read))
}

async fn write_rule(work: &mut Work, rule: &SharedRule) -> Result<(), StoreError> {
    let put = work
        .statement(|sql| sql.put_rule)
        .with(rule.id.as_str())
        .with(rule.kind.as_str())
        .with(rule.status.as_str())
        .with(rule.body.as_str())
        .with(rule.version)
        .with(rule.changed_at)
        .with(rule.changed_by.as_str());
    work.rows(put).await?;
    if work.dialect() == Dialect::Postgres {
        let id = &rule.id[..rule.id.floor_char_boundary(NOTE_BYTES)];
        let note = Statement::new(Dialect::Postgres, POSTGRES_NOTIFY)
            .with(CHANNEL)
            .with(format!("{id} {}", rule.version));
        work.rows(note).await?;
    }
    Ok(())
}

impl SharedRule {
    fn read(mut row: Row) -> SharedRule {
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
