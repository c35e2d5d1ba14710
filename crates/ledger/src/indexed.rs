//! The index of one gateway: opened when it can be, fed from the journal, and kept in bounds.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::{interval, sleep};
use tokio_util::sync::CancellationToken;

use crate::index::{Indexer, IndexerHandle, IndexerStatus, IndexerTimes, Iterated, Keep, Store, StoreError};
use crate::journal::{Journal, JournalOptions};

/// How long to wait before an index that cannot be opened is tried again.
const TRY_AGAIN: Duration = Duration::from_secs(5);
/// How often what is too old or too much goes.
const PRUNE: Duration = Duration::from_secs(60 * 60);

/// Where calls are looked up.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreAddress {
    /// A file of this machine.
    Sqlite(PathBuf),
    /// A database that several gateways share, such as `postgres://user@host/database`.
    Postgres(String),
}

impl std::fmt::Debug for StoreAddress {
    /// Without the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
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
    keep: Keep,
    max_age: Duration,
    store: OnceLock<Store>,
    handle: OnceLock<IndexerHandle>,
}

impl Indexed {
    /// `install` tells machines apart whose gateways have the same name.
    pub fn new(address: StoreAddress, node: &str, install: &str, options: &JournalOptions) -> Indexed {
        let (node, bytes) = match &address {
            StoreAddress::Sqlite(_) => (node.to_owned(), Some(options.total_bytes)),
            // What others wrote there is not for this one to weigh.
            StoreAddress::Postgres(_) => (format!("{install}.{node}"), None),
        };
        Indexed {
            address,
            node,
            keep: Keep { bytes, ..Keep::default() },
            max_age: options.keep,
            store: OnceLock::new(),
            handle: OnceLock::new(),
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
            match open(&self.address).await {
                Ok(store) => return Some(self.store.get_or_init(|| store).clone()),
                Err(error) => {
                    if !was_wrong {
                        tracing::warn!(
                            "calls cannot be looked up for now, they are only written down: {error}"
                        );
                    }
                    was_wrong = true;
                }
            }
            stop.run_until_cancelled(sleep(TRY_AGAIN)).await?;
        }
    }

    /// Feeds the index from the journal until `stop`, and a little longer for the last records.
    pub async fn feed(&self, store: Store, journal: &Journal, last_before: u64, stop: CancellationToken) {
        let (folder, node) = (journal.folder().to_path_buf(), self.node.clone());
        let source = Iterated::new(move |from| {
            let node = node.clone();
            Journal::read(&folder, from).map(move |read| {
                read.map(|mut record| {
                    record.node.clone_from(&node);
                    record
                })
            })
        });
        let times = IndexerTimes::default();
        let indexer = Indexer::start(store.clone(), &self.node, last_before, source, times, stop.clone());
        let _ = self.handle.set(indexer.handle().clone());
        stop.run_until_cancelled(self.prune(&store)).await;
        indexer.ended().await;
        store.close().await;
    }

    /// Takes out what is too old or too much, from time to time.
    async fn prune(&self, store: &Store) {
        let mut times = interval(PRUNE);
        loop {
            times.tick().await;
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let since = i64::try_from(now.saturating_sub(self.max_age).as_micros()).unwrap_or(0);
            match store.prune(Keep { since: Some(since), ..self.keep }).await {
                Ok(0) => {}
                Ok(gone) => tracing::info!("{gone} calls are old and no longer in the index"),
                Err(error) => tracing::debug!("what is old stays in the index for now: {error}"),
            }
        }
    }
}

/// Opens the database of an address.
///
/// # Errors
/// When the file cannot be made, or the address is none.
pub async fn open(address: &StoreAddress) -> Result<Store, StoreError> {
    match address {
        StoreAddress::Sqlite(file) => Ok(Store::sqlite(file).await?.0),
        StoreAddress::Postgres(address) => Store::postgres(address),
    }
}
