//! Answers questions about calls and about exchanges with models: SQLite on one machine, PostgreSQL for several.
//!
//! Everything about calls here is made from the journal and can be made from it again. [`Store`] is one door to both
//! databases: the same questions get the same answers. The [`Indexer`] reads the journal and puts records in;
//! calls never wait for it. Rules and suggestions are the one thing that is shared and not in the journal.

mod database;
mod error;
mod exchange_rows;
mod exchanges;
mod filter;
mod indexer;
mod insert;
mod postgres;
mod prune;
mod query;
mod rows;
mod rules;
mod source;
mod sql;
mod sqlite;
mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use database::{Database, Row, Statement, Work};
use sql::Sql;
use toolwright_base::{FileStamp, unix_micros};

pub use error::StoreError;
pub use exchange_rows::FoundExchange;
pub use exchanges::{ExchangeFilter, ExchangePage, ExchangeSum, ExchangesBy};
pub use filter::{Filter, Status};
pub use indexer::{Indexer, IndexerHandle, IndexerStatus, IndexerTimes};
pub use insert::{BATCH_BYTES, BATCH_RECORDS};
pub use query::{By, MOST_ROWS, Menu, Page, SameErrors, Sum};
pub use rows::{FoundCall, State};
pub use rules::{CHANNEL, RETIRED, RuleWatch, SharedRule};
pub use source::{Iterated, Source, SourceError};
pub use sqlite::SetAside;

/// How many nodes are told of at most.
const NODES: i64 = 1_000;

/// Where calls are looked up and rules are shared. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    database: Database,
    /// The file, for SQLite.
    file: Option<PathBuf>,
}

/// A gateway that writes to the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub node: String,
    /// When it was last heard of, in microseconds since 1970, by its own clock.
    pub last_seen: i64,
    /// The number of its last record in the index.
    pub indexed: u64,
    /// The last number before its present run.
    pub run_from: u64,
}

impl Store {
    /// Opens the index file of one machine, or makes it. A file that is damaged or has the shape of a later
    /// version is set aside as `*.broken`, which is said in the log and in the answer; the journal fills the new one.
    ///
    /// # Errors
    /// When the file cannot be made, or another process holds it for too long.
    pub async fn sqlite(file: &Path) -> Result<(Store, Option<SetAside>), StoreError> {
        let (database, set_aside) = sqlite::open(file).await?;
        let inner = Inner { database, file: Some(file.to_owned()) };
        Ok((Store { inner: Arc::new(inner) }, set_aside))
    }

    /// Opens a file that somebody named, or makes it. Nothing but an index is ever touched.
    ///
    /// # Errors
    /// When the file is something else, cannot be made, or another process holds it for too long.
    pub async fn sqlite_named(file: &Path) -> Result<Store, StoreError> {
        let inner = Inner { database: sqlite::open_named(file).await?, file: Some(file.to_owned()) };
        Ok(Store { inner: Arc::new(inner) })
    }

    /// Takes the address of a PostgreSQL database, such as `postgres://user@host/database`. It is connected to with
    /// the first question, makes its tables then, and may be away.
    ///
    /// # Errors
    /// When the address is none.
    pub fn postgres(address: &str) -> Result<Store, StoreError> {
        let inner = Inner { database: postgres::open(address)?, file: None };
        Ok(Store { inner: Arc::new(inner) })
    }

    /// Whether a PostgreSQL database lets us in and answers. Nothing in it is made or changed.
    ///
    /// # Errors
    /// When the address is none, or the database cannot be reached or refuses.
    pub async fn postgres_answers(address: &str) -> Result<(), StoreError> {
        postgres::answers(address).await
    }

    /// The number of the last record of a node that is in; 0 when there is none.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn indexed(&self, node: &str) -> Result<u64, StoreError> {
        let ask = self.statement(|sql| sql.indexed).with(node);
        Ok(self.rows(ask).await?.first_mut().map_or(0, Row::count))
    }

    /// The gateways that write here.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn nodes(&self) -> Result<Vec<Node>, StoreError> {
        let rows = self.rows(self.statement(|sql| sql.nodes).with(NODES)).await?;
        let read = |mut row: Row| Node {
            node: row.text(),
            last_seen: row.int(),
            indexed: row.count(),
            run_from: row.count(),
        };
        Ok(rows.into_iter().map(read).collect())
    }

    /// Whether other machines may write here too.
    pub fn is_shared(&self) -> bool {
        self.inner.file.is_none()
    }

    /// How the newest of its files look: when that is as it was, nothing new is in it. Nothing for a database that
    /// can only be asked.
    pub(crate) fn looks(&self) -> Option<[Option<FileStamp>; 2]> {
        let file = self.inner.file.as_ref()?;
        let mut beside = file.clone().into_os_string();
        beside.push("-wal");
        Some([FileStamp::of(file), FileStamp::of(Path::new(&beside))])
    }

    /// A node starts: what it began up to this number and did not end was cut, and what is here beyond it its
    /// journal has lost.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn begin_run(&self, node: &str, last_before: u64) -> Result<(), StoreError> {
        self.forget_beyond(node, last_before).await?;
        let mut work = self.begin().await?;
        let begin = work
            .statement(|sql| sql.begin_run)
            .with(node)
            .with(unix_micros())
            .with(rows::signed(last_before));
        work.rows(begin).await?;
        work.commit().await
    }

    /// A node is alive.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn seen(&self, node: &str) -> Result<(), StoreError> {
        let mut work = self.begin().await?;
        let seen = work.statement(|sql| sql.seen).with(node).with(unix_micros()).with(0);
        work.rows(seen).await?;
        work.commit().await
    }

    /// Ends its connections; what is under way ends first.
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

    async fn rows(&self, statement: Statement) -> Result<Vec<Row>, StoreError> {
        self.inner.database.rows(statement).await.inspect_err(|error| self.remember_damage(error))
    }

    async fn begin(&self) -> Result<Work, StoreError> {
        self.inner.database.begin().await.inspect_err(|error| self.remember_damage(error))
    }

    /// A damage that is found while the file is in use is mended at the next start.
    fn remember_damage(&self, error: &StoreError) {
        if let (StoreError::Broken(_), Some(file)) = (error, &self.inner.file) {
            sqlite::mark_damaged(file);
        }
    }

    /// Gives pages that are empty now back to the disk.
    async fn give_room_back(&self) -> Result<(), StoreError> {
        if let Database::Sqlite { writer, .. } = &self.inner.database {
            sqlx::query("PRAGMA incremental_vacuum(10000)").fetch_all(writer).await?;
        }
        Ok(())
    }
}
