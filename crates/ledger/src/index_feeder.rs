//! Feeds the index of one gateway: opens the database, indexes the journal, and prunes old records.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use tokio::time::{interval, sleep};
use tokio_util::sync::CancellationToken;
use toolwright_base::IgnorePoison;

use crate::Record;
use crate::index::{
    BATCH_RECORDS, Indexer, IndexerHandle, IndexerStatus, IndexerTimes, Iterated, Store, StoreError,
};
use crate::journal::{Damage, Journal, begins};
use crate::ledger::{LedgerError, installation_id, load_or_create_salt};

/// Default index file in the state folder.
const INDEX_FILE: &str = "index.db";

/// Delay before a retry when the index cannot be opened.
const RETRY_DELAY: Duration = Duration::from_secs(5);
/// Interval of pruning.
const PRUNE_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// Address of the database for queries.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreAddress {
    /// The default file of this machine. A damaged one is set aside.
    Own(PathBuf),
    /// A file from the configuration. A file that is not an index is left unchanged.
    Sqlite(PathBuf),
    /// A database that several gateways share, such as `postgres://user@host/database`.
    Postgres(String),
}

impl std::fmt::Debug for StoreAddress {
    /// Omits the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StoreAddress::Own(file) => f.debug_tuple("Own").field(file).finish(),
            StoreAddress::Sqlite(file) => f.debug_tuple("Sqlite").field(file).finish(),
            StoreAddress::Postgres(_) => f.write_str("Postgres(…)"),
        }
    }
}

/// The connection between a journal and its index.
#[derive(Debug)]
pub(crate) struct IndexFeeder {
    address: StoreAddress,
    /// Node name of the gateway in the database.
    node: String,
    store: OnceLock<Store>,
    handle: OnceLock<IndexerHandle>,
    /// Error of the last attempt to open the database.
    problem: Mutex<Option<String>>,
}

impl IndexFeeder {
    /// `install` distinguishes machines whose gateways have the same node name.
    pub fn new(address: StoreAddress, node: &str, install: &str) -> IndexFeeder {
        IndexFeeder {
            node: address.node(node, install),
            address,
            store: OnceLock::new(),
            handle: OnceLock::new(),
            problem: Mutex::default(),
        }
    }

    /// The database, once it could be opened.
    pub fn store(&self) -> Option<&Store> {
        self.store.get()
    }

    /// Node name of the gateway in the database.
    pub fn node(&self) -> &str {
        &self.node
    }

    /// Status of the indexer.
    pub fn status(&self) -> Option<IndexerStatus> {
        self.handle.get().map(IndexerHandle::status)
    }

    /// The error that keeps the database from being opened or from accepting records.
    pub fn problem(&self) -> Option<String> {
        if let Some(status) = self.status() {
            return status.problem;
        }
        let problem = self.problem.lock().ignore_poison().clone();
        problem.filter(|_| self.store.get().is_none())
    }

    /// Wakes the indexer after a new record.
    pub fn nudge(&self) {
        if let Some(handle) = self.handle.get() {
            handle.nudge();
        }
    }

    /// Opens the database, with retries. `None` when `stop` is cancelled first.
    pub async fn open(&self, stop: &CancellationToken) -> Option<Store> {
        let mut has_failed = false;
        loop {
            match self.address.open().await {
                Ok(store) => return Some(self.store.get_or_init(|| store).clone()),
                Err(error) => {
                    if !has_failed {
                        tracing::warn!(
                            "calls cannot be looked up for now, they are only written down: {error}"
                        );
                    }
                    has_failed = true;
                    let mut problem = self.problem.lock().ignore_poison();
                    *problem = Some(error.to_string());
                }
            }
            stop.run_until_cancelled(sleep(RETRY_DELAY)).await?;
        }
    }

    /// Indexes the journal until `stop`, and briefly longer for the last records.
    pub async fn feed(&self, store: Store, journal: &Journal, last_before: u64, stop: CancellationToken) {
        let source = Iterated::going_on(records_of(journal.folder().to_path_buf(), self.node.clone()));
        let times = IndexerTimes::default();
        let indexer = Indexer::start(store.clone(), &self.node, last_before, source, times, stop.clone());
        let _ = self.handle.set(indexer.handle().clone());
        // Records may have been written before the handle was set.
        self.nudge();
        stop.run_until_cancelled(self.prune(&store, journal.folder())).await;
        indexer.ended().await;
        store.close().await;
    }

    /// Removes records that the journal no longer contains, at an interval.
    async fn prune(&self, store: &Store, journal: &Path) {
        let mut times = interval(PRUNE_INTERVAL);
        loop {
            times.tick().await;
            // The journal's first sequence number decides, not a time: clocks jump, sequence numbers do not.
            let Some(first) = begins(journal).ok().and_then(|firsts| firsts.first().copied()) else {
                continue;
            };
            match store.forget_before(&self.node, first).await {
                Ok(0) => {}
                Ok(gone) => tracing::info!("{gone} calls are old and no longer in the index"),
                Err(error) => tracing::debug!("what is old stays in the index for now: {error}"),
            }
        }
    }
}

impl StoreAddress {
    /// The default index file in the state folder.
    pub fn in_folder(folder: &Path) -> StoreAddress {
        StoreAddress::Own(folder.join(INDEX_FILE))
    }

    /// Opens the database.
    ///
    /// # Errors
    /// When the file cannot be created, or the address is invalid.
    pub async fn open(&self) -> Result<Store, StoreError> {
        match self {
            StoreAddress::Own(file) => Ok(Store::sqlite(file).await?.0),
            StoreAddress::Sqlite(file) => Store::sqlite_named(file).await,
            StoreAddress::Postgres(address) => Store::postgres(address),
        }
    }

    /// Node name of a gateway in the database. `install` distinguishes machines whose gateways have the same node name.
    fn node(&self, node: &str, install: &str) -> String {
        match self {
            StoreAddress::Own(_) | StoreAddress::Sqlite(_) => node.to_owned(),
            StoreAddress::Postgres(_) => format!("{install}.{node}"),
        }
    }
}

/// Rebuilds an index from journals.
#[derive(Debug)]
pub struct Reindex {
    address: StoreAddress,
    install: String,
}

impl Reindex {
    /// `folder` is the state folder.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn new(folder: &Path, address: StoreAddress) -> Result<Reindex, LedgerError> {
        Ok(Reindex { address, install: installation_id(&load_or_create_salt(folder)?) })
    }

    /// Deletes the indexed records of a journal, and reads the whole journal again. Returns its node and the number of
    /// records. A gateway may write meanwhile: its records stay.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses; a retry adds the missing records.
    pub async fn journal(&self, journal: &Path) -> Result<(String, u64), StoreError> {
        let store = self.address.open().await?;
        let name = journal.file_name().unwrap_or_default().to_string_lossy();
        let node = self.address.node(&name, &self.install);
        store.forget(&node).await?;
        let mut records = records_of(journal.to_path_buf(), node.clone())(1).filter_map(Result::ok);
        let mut count = 0;
        loop {
            let batch: Vec<Record> = records.by_ref().take(BATCH_RECORDS).collect();
            if batch.is_empty() {
                store.close().await;
                return Ok((node, count));
            }
            store.insert(&batch).await?;
            count += batch.len() as u64;
        }
    }
}

/// The records of a journal from a sequence number on, with the node name of the database.
fn records_of(
    folder: PathBuf,
    node: String,
) -> impl FnMut(u64) -> Box<dyn Iterator<Item = Result<Record, Damage>> + Send> + Send {
    move |from| {
        let node = node.clone();
        Box::new(Journal::read(&folder, from).map(move |read| {
            read.map(|mut record| {
                record.node.clone_from(&node);
                record
            })
        }))
    }
}
