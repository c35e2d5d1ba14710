//! The index of one gateway: opened when it can be, fed from the journal, and kept in bounds.

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
use crate::ledger::{LedgerError, install, salt};

/// The index of one machine.
const INDEX_FILE: &str = "index.db";

/// How long to wait before an index that cannot be opened is tried again.
const TRY_AGAIN: Duration = Duration::from_secs(5);
/// How often what is too old or too much goes.
const PRUNE: Duration = Duration::from_secs(60 * 60);

/// Where calls are looked up.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreAddress {
    /// The usual file of this machine. A damaged one is set aside.
    Own(PathBuf),
    /// A file that somebody named. What is no index is not touched.
    Sqlite(PathBuf),
    /// A database that several gateways share, such as `postgres://user@host/database`.
    Postgres(String),
}

impl std::fmt::Debug for StoreAddress {
    /// Without the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StoreAddress::Own(file) => f.debug_tuple("Own").field(file).finish(),
            StoreAddress::Sqlite(file) => f.debug_tuple("Sqlite").field(file).finish(),
            StoreAddress::Postgres(_) => f.write_str("Postgres(…)"),
        }
    }
}

/// The index beside a journal.
#[derive(Debug)]
pub(crate) struct Indexed {
    address: StoreAddress,
    /// What the gateway is called among those that share the database.
    node: String,
    store: OnceLock<Store>,
    handle: OnceLock<IndexerHandle>,
    /// Why it could not be opened yet.
    problem: Mutex<Option<String>>,
}

impl Indexed {
    /// `install` tells machines apart whose gateways have the same name.
    pub fn new(address: StoreAddress, node: &str, install: &str) -> Indexed {
        Indexed {
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

    /// What the gateway is called there.
    pub fn node(&self) -> &str {
        &self.node
    }

    /// How far the index is.
    pub fn status(&self) -> Option<IndexerStatus> {
        self.handle.get().map(IndexerHandle::status)
    }

    /// Why it could not be opened, or takes no records, while that is so.
    pub fn problem(&self) -> Option<String> {
        if let Some(status) = self.status() {
            return status.problem;
        }
        let problem = self.problem.lock().ignore_poison().clone();
        problem.filter(|_| self.store.get().is_none())
    }

    /// There is something new in the journal.
    pub fn nudge(&self) {
        if let Some(handle) = self.handle.get() {
            handle.nudge();
        }
    }

    /// Opens the database, as often as it takes. Nothing when `stop` comes first.
    pub async fn open(&self, stop: &CancellationToken) -> Option<Store> {
        let mut was_wrong = false;
        loop {
            match self.address.open().await {
                Ok(store) => return Some(self.store.get_or_init(|| store).clone()),
                Err(error) => {
                    if !was_wrong {
                        tracing::warn!(
                            "calls cannot be looked up for now, they are only written down: {error}"
                        );
                    }
                    was_wrong = true;
                    let mut problem = self.problem.lock().ignore_poison();
                    *problem = Some(error.to_string());
                }
            }
            stop.run_until_cancelled(sleep(TRY_AGAIN)).await?;
        }
    }

    /// Feeds the index from the journal until `stop`, and a little longer for the last records.
    pub async fn feed(&self, store: Store, journal: &Journal, last_before: u64, stop: CancellationToken) {
        let source = Iterated::going_on(records_of(journal.folder().to_path_buf(), self.node.clone()));
        let times = IndexerTimes::default();
        let indexer = Indexer::start(store.clone(), &self.node, last_before, source, times, stop.clone());
        let _ = self.handle.set(indexer.handle().clone());
        // What was written before somebody could say so.
        self.nudge();
        stop.run_until_cancelled(self.prune(&store, journal.folder())).await;
        indexer.ended().await;
        store.close().await;
    }

    /// Takes out what the journal has no longer, from time to time.
    async fn prune(&self, store: &Store, journal: &Path) {
        let mut times = interval(PRUNE);
        loop {
            times.tick().await;
            // What the journal still has stays: clocks jump, numbers do not.
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
    /// The index file of one machine, in the folder of everything that is kept.
    pub fn in_folder(folder: &Path) -> StoreAddress {
        StoreAddress::Own(folder.join(INDEX_FILE))
    }

    /// Opens the database.
    ///
    /// # Errors
    /// When the file cannot be made, or the address is none.
    pub async fn open(&self) -> Result<Store, StoreError> {
        match self {
            StoreAddress::Own(file) => Ok(Store::sqlite(file).await?.0),
            StoreAddress::Sqlite(file) => Store::sqlite_named(file).await,
            StoreAddress::Postgres(address) => Store::postgres(address),
        }
    }

    /// What a gateway is called in the database. `install` tells machines apart whose gateways have the same name.
    fn node(&self, node: &str, install: &str) -> String {
        match self {
            StoreAddress::Own(_) | StoreAddress::Sqlite(_) => node.to_owned(),
            StoreAddress::Postgres(_) => format!("{install}.{node}"),
        }
    }
}

/// Makes an index again from journals.
#[derive(Debug)]
pub struct Reindex {
    address: StoreAddress,
    install: String,
}

impl Reindex {
    /// `folder` is that of everything that is kept.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn new(folder: &Path, address: StoreAddress) -> Result<Reindex, LedgerError> {
        Ok(Reindex { address, install: install(&salt(folder)?) })
    }

    /// Forgets what the index has of a journal, and reads all of the journal again. Its node, and how many
    /// records were read. A gateway may write meanwhile: what it adds stays.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses; what is missing then comes with the next try.
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

/// The records of a journal from a number on, under the name that the gateway has in the database.
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
