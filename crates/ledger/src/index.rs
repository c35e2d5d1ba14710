//! Query index over calls and exchanges with models: SQLite on one machine, PostgreSQL for several.
//!
//! Everything about calls is derived from the journal and can be rebuilt. [`Store`] is one interface to both databases,
//! with the same queries and the same results. The [`Indexer`] reads the journal and inserts records; calls never wait
//! for it. Only rules and suggestions are shared here without being in the journal.

mod call_queries;
mod call_rows;
mod database;
mod error;
mod exchange_queries;
mod exchange_rows;
mod filter;
mod indexer;
mod insert;
mod postgres;
mod prune;
mod record_source;
mod search_words;
mod shared_rules;
mod sql;
mod sqlite;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use database::{Database, SqlRow, Statement, StoreTransaction};
use sql::Sql;
use toolwright_base::{FileStamp, unix_micros};

pub use call_queries::{By, MOST_ROWS, Menu, Page, SameErrors, Sum};
pub use call_rows::{FoundCall, State};
pub use error::StoreError;
pub use exchange_queries::{ExchangeFilter, ExchangePage, ExchangeSum, ExchangesBy};
pub use exchange_rows::FoundExchange;
pub use filter::{Filter, Status};
pub use indexer::{Indexer, IndexerHandle, IndexerStatus, IndexerTimes};
pub use insert::{BATCH_BYTES, BATCH_RECORDS};
pub use record_source::{Iterated, Source, SourceError};
pub use shared_rules::{CHANNEL, RETIRED, RuleWatch, SharedRule};
pub use sqlite::SetAside;

/// Maximum number of listed nodes.
const NODES: i64 = 1_000;

/// Database of calls and shared rules. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    inner: Arc<StoreInner>,
}

#[derive(Debug)]
struct StoreInner {
    database: Database,
    /// The file, for SQLite.
    file: Option<PathBuf>,
}

/// A gateway that writes to the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Node name.
    pub node: String,
    /// Time of its last write in microseconds since 1970, by its own clock.
    pub last_seen: i64,
    /// Sequence number of its last indexed record.
    pub indexed: u64,
    /// Last sequence number before its current run.
    pub run_from: u64,
}

impl Store {
    /// Opens or creates the index file of one machine. A file that is damaged or has the schema of a later version is
    /// renamed to `*.broken`, which is logged and returned; the journal fills the new one.
    ///
    /// # Errors
    /// When the file cannot be created, or another process locks it for too long.
    pub async fn sqlite(file: &Path) -> Result<(Store, Option<SetAside>), StoreError> {
        let (database, set_aside) = sqlite::open(file).await?;
        let inner = StoreInner { database, file: Some(file.to_owned()) };
        Ok((Store { inner: Arc::new(inner) }, set_aside))
    }

    /// Opens or creates a file from the configuration. A file that is not an index is left unchanged.
    ///
    /// # Errors
    /// When the file is not an index, cannot be created, or another process locks it for too long.
    pub async fn sqlite_named(file: &Path) -> Result<Store, StoreError> {
        let inner = StoreInner { database: sqlite::open_named(file).await?, file: Some(file.to_owned()) };
        Ok(Store { inner: Arc::new(inner) })
    }

    /// Parses the address of a PostgreSQL database, such as `postgres://user@host/database`. The first query connects
    /// and creates the tables; the database may be unavailable until then.
    ///
    /// # Errors
    /// When the address is invalid.
    pub fn postgres(address: &str) -> Result<Store, StoreError> {
        let inner = StoreInner { database: postgres::open(address)?, file: None };
        Ok(Store { inner: Arc::new(inner) })
    }

    /// Checks that a PostgreSQL database accepts the credentials and responds. Nothing in it is changed.
    ///
    /// # Errors
    /// When the address is invalid, or the database cannot be reached or refuses.
    pub async fn postgres_answers(address: &str) -> Result<(), StoreError> {
        postgres::ping(address).await
    }

    /// Sequence number of the last indexed record of a node; 0 when there is none.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn indexed(&self, node: &str) -> Result<u64, StoreError> {
        let query = self.statement(|sql| sql.indexed).with(node);
        Ok(self.rows(query).await?.first_mut().map_or(0, SqlRow::count))
    }

    /// The gateways that write to this store.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn nodes(&self) -> Result<Vec<Node>, StoreError> {
        let rows = self.rows(self.statement(|sql| sql.nodes).with(NODES)).await?;
        let read = |mut row: SqlRow| Node {
            node: row.text(),
            last_seen: row.int(),
            indexed: row.count(),
            run_from: row.count(),
        };
        Ok(rows.into_iter().map(read).collect())
    }

    /// Whether other machines may write to this store too.
    pub fn is_shared(&self) -> bool {
        self.inner.file.is_none()
    }

    /// File stamps of the database and its write-ahead log: equal stamps mean no new records. `None` for a database
    /// that is not a file.
    pub(crate) fn file_stamps(&self) -> Option<[Option<FileStamp>; 2]> {
        let file = self.inner.file.as_ref()?;
        let mut wal = file.clone().into_os_string();
        wal.push("-wal");
        Some([FileStamp::of(file), FileStamp::of(Path::new(&wal))])
    }

    /// Registers the start of a node. Calls that started up to this sequence number without an end were interrupted;
    /// indexed records beyond it were lost from the journal and are deleted.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn begin_run(&self, node: &str, last_before: u64) -> Result<(), StoreError> {
        self.forget_beyond(node, last_before).await?;
        let mut transaction = self.begin().await?;
        let begin = transaction
            .statement(|sql| sql.begin_run)
            .with(node)
            .with(unix_micros())
            .with(call_rows::signed(last_before));
        transaction.rows(begin).await?;
        transaction.commit().await
    }

    /// Updates the time a node was last seen.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn seen(&self, node: &str) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        let seen = transaction.statement(|sql| sql.seen).with(node).with(unix_micros()).with(0);
        transaction.rows(seen).await?;
        transaction.commit().await
    }

    /// Closes its connections, after running statements have finished.
    pub async fn close(&self) {
        self.inner.database.close().await;
    }

    fn database(&self) -> &Database {
        &self.inner.database
    }

    fn statement(&self, pick: impl Fn(&Sql) -> &'static str) -> Statement {
        let dialect = self.inner.database.dialect();
        Statement::new(dialect, pick(dialect.sql()))
    }

    async fn rows(&self, statement: Statement) -> Result<Vec<SqlRow>, StoreError> {
        self.inner.database.rows(statement).await.inspect_err(|error| self.mark_if_damaged(error))
    }

    async fn begin(&self) -> Result<StoreTransaction, StoreError> {
        self.inner.database.begin().await.inspect_err(|error| self.mark_if_damaged(error))
    }

    /// Marks a damaged file, so that the next start rebuilds it.
    fn mark_if_damaged(&self, error: &StoreError) {
        if let (StoreError::Broken(_), Some(file)) = (error, &self.inner.file) {
            sqlite::mark_damaged(file);
        }
    }

    /// Returns empty pages to the file system.
    async fn release_free_pages(&self) -> Result<(), StoreError> {
        if let Database::Sqlite { writer, .. } = &self.inner.database {
            sqlx::query("PRAGMA incremental_vacuum(10000)").fetch_all(writer).await?;
        }
        Ok(())
    }
}
