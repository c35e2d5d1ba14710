//! Indexer: copies records from the journal into the index in the background.
//!
//! It reads the journal and never delays a call: an unavailable database makes the index lag. Only the current batch is
//! held in memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::Store;
use super::error::StoreError;
use super::insert::BATCH_RECORDS;
use super::record_source::{Source, SourceError};
use crate::Record;

/// Intervals and timeouts of the indexer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexerTimes {
    /// Debounce time: records are inserted together when none came for this long. Calls have priority.
    pub gather: Duration,
    /// Maximum debounce time when records keep coming.
    pub longest_gather: Duration,
    /// Polling interval of the journal without a notification.
    pub look: Duration,
    /// First backoff after a failure; each further one doubles.
    pub first_wait: Duration,
    /// Maximum backoff after a failure.
    pub longest_wait: Duration,
    /// Heartbeat interval of an idle node.
    pub alive: Duration,
    /// Timeout for the last records at shutdown. The journal contains the rest.
    pub last: Duration,
}

impl Default for IndexerTimes {
    fn default() -> IndexerTimes {
        IndexerTimes {
            gather: Duration::from_millis(100),
            longest_gather: Duration::from_secs(2),
            look: Duration::from_secs(5),
            first_wait: Duration::from_millis(100),
            longest_wait: Duration::from_secs(5),
            alive: Duration::from_secs(10),
            last: Duration::from_secs(2),
        }
    }
}

/// Status of the indexer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexerStatus {
    /// Sequence number of the last indexed record; `None` while the database has not been reached.
    pub indexed: Option<u64>,
    /// Records that were inserted since the start.
    pub records: u64,
    /// Records that the database refused, each logged. The journal contains them.
    pub refused: u64,
    /// Number of retries.
    pub retries: u64,
    /// The current error.
    pub problem: Option<String>,
}

/// A running indexer. Dropping it leaves the task running until it is cancelled.
#[derive(Debug)]
pub struct Indexer {
    handle: IndexerHandle,
    task: JoinHandle<()>,
}

/// Handle of a running indexer. Cheap to clone.
#[derive(Clone, Debug)]
pub struct IndexerHandle {
    news: Arc<Notify>,
    status: watch::Receiver<IndexerStatus>,
}

impl Indexer {
    /// Starts to index the journal of a node, from the last indexed record on.
    ///
    /// `last_before` is the last sequence number in the journal at startup: calls that started up to there without an
    /// end were interrupted.
    pub fn start(
        store: Store,
        node: &str,
        last_before: u64,
        source: impl Source,
        times: IndexerTimes,
        cancel: CancellationToken,
    ) -> Indexer {
        let news = Arc::new(Notify::new());
        let (status, watched) = watch::channel(IndexerStatus::default());
        let run = IndexerTask {
            store,
            node: node.to_owned(),
            source: Some(Box::new(source)),
            times,
            cancel,
            news: Arc::clone(&news),
            status,
            next: 1,
            seen: Instant::now(),
        };
        Indexer { handle: IndexerHandle { news, status: watched }, task: tokio::spawn(run.run(last_before)) }
    }

    /// The handle of the indexer.
    pub fn handle(&self) -> &IndexerHandle {
        &self.handle
    }

    /// Waits for its exit, after it was cancelled.
    pub async fn ended(self) {
        if let Err(error) = self.task.await {
            tracing::error!("the indexer broke off: {error}; the next start reads on in the journal");
        }
    }
}

impl IndexerHandle {
    /// Wakes the indexer after a new record. Cheap and non-blocking.
    pub fn nudge(&self) {
        self.news.notify_one();
    }

    /// Current status.
    pub fn status(&self) -> IndexerStatus {
        self.status.borrow().clone()
    }

    /// Watches the status.
    pub fn watch(&self) -> watch::Receiver<IndexerStatus> {
        self.status.clone()
    }
}

struct IndexerTask {
    store: Store,
    node: String,
    source: Option<Box<dyn Source>>,
    times: IndexerTimes,
    cancel: CancellationToken,
    news: Arc<Notify>,
    status: watch::Sender<IndexerStatus>,
    next: u64,
    seen: Instant,
}

impl IndexerTask {
    async fn run(self, last_before: u64) {
        let (cancel, last) = (self.cancel.clone(), self.times.last);
        let too_long = async {
            cancel.cancelled().await;
            sleep(last).await;
        };
        // Dropping it in the middle of a batch is safe: the batch is a transaction, and is read again.
        tokio::select! {
            () = self.work(last_before) => {}
            () = too_long => {
                tracing::info!("the index is not up to date at the end; the next start reads on in the journal");
            }
        }
    }

    /// Runs until it is cancelled and everything that was in the journal then is indexed.
    async fn work(mut self, last_before: u64) {
        self.begin(last_before).await;
        let mut wait = self.times.first_wait;
        let mut is_behind = false;
        loop {
            let is_last = self.cancel.is_cancelled();
            match self.step().await {
                Ok(count) => {
                    if is_behind {
                        tracing::info!("the index catches up with the journal");
                        (is_behind, wait) = (false, self.times.first_wait);
                    }
                    // After a full batch there is likely more.
                    match (count >= BATCH_RECORDS, is_last) {
                        (true, _) => {}
                        (false, true) => return,
                        (false, false) => self.wait_for_records().await,
                    }
                }
                Err(_) if is_last => return,
                Err(problem) => {
                    if !is_behind {
                        tracing::warn!("the index stays behind the journal for now: {problem}");
                        is_behind = true;
                    }
                    self.back_off(&problem.to_string(), &mut wait).await;
                }
            }
        }
    }

    /// Queries the last indexed record, until the database responds.
    async fn begin(&mut self, last_before: u64) {
        let mut wait = self.times.first_wait;
        while !self.cancel.is_cancelled() {
            let attempt = async {
                self.store.begin_run(&self.node, last_before).await?;
                self.store.indexed(&self.node).await
            };
            match attempt.await {
                Ok(indexed) => {
                    self.next = indexed + 1;
                    self.status.send_modify(|status| {
                        status.indexed = Some(indexed);
                        status.problem = None;
                    });
                    return;
                }
                Err(error) => {
                    if wait == self.times.first_wait {
                        tracing::warn!("the index cannot be reached yet: {error}");
                    }
                    self.back_off(&error.to_string(), &mut wait).await;
                }
            }
        }
    }

    /// Indexes one batch. Returns the number of records.
    async fn step(&mut self) -> Result<usize, IndexingError> {
        let records = self.read().await.map_err(IndexingError::Source)?;
        let Some(last) = records.last().map(|record| record.seq) else {
            self.send_heartbeat().await?;
            return Ok(0);
        };
        self.put(&records).await?;
        self.next = last + 1;
        self.seen = Instant::now();
        self.status.send_modify(|status| {
            status.indexed = Some(last);
            status.records += records.len() as u64;
            status.problem = None;
        });
        Ok(records.len())
    }

    /// Reads on a blocking thread.
    async fn read(&mut self) -> Result<Vec<Record>, SourceError> {
        let Some(mut source) = self.source.take() else {
            return Err(SourceError("reading the journal broke off".to_owned()));
        };
        let next = self.next;
        let read = tokio::task::spawn_blocking(move || {
            let records = source.records(next, BATCH_RECORDS);
            (source, records)
        });
        let (source, records) =
            read.await.map_err(|error| SourceError(format!("reading the journal broke off: {error}")))?;
        self.source = Some(source);
        records
    }

    async fn put(&mut self, records: &[Record]) -> Result<(), IndexingError> {
        match self.store.insert(records).await {
            Err(StoreError::Refused(_)) if records.len() > 1 => {
                // One record is invalid: insert the others one by one.
                for record in records {
                    self.put_one(record).await?;
                }
                Ok(())
            }
            Err(StoreError::Refused(_)) => self.put_one(&records[0]).await,
            other => other.map(|_| ()).map_err(IndexingError::Store),
        }
    }

    async fn put_one(&mut self, record: &Record) -> Result<(), IndexingError> {
        match self.store.insert(std::slice::from_ref(record)).await {
            Err(StoreError::Refused(why)) => {
                tracing::error!("record {} of {} is not in the index: {why}", record.seq, record.node);
                self.status.send_modify(|status| status.refused += 1);
                Ok(())
            }
            other => other.map(|_| ()).map_err(IndexingError::Store),
        }
    }

    async fn send_heartbeat(&mut self) -> Result<(), IndexingError> {
        if self.seen.elapsed() >= self.times.alive {
            self.store.seen(&self.node).await.map_err(IndexingError::Store)?;
            self.seen = Instant::now();
        }
        self.status.send_if_modified(|status| status.problem.take().is_some());
        Ok(())
    }

    async fn wait_for_records(&mut self) {
        let gathered = async {
            if timeout(self.times.look, self.news.notified()).await.is_err() {
                return;
            }
            let began = Instant::now();
            loop {
                sleep(self.times.gather).await;
                // Polls at an interval, and is not woken for each record: writers must not pay for the indexer.
                let came_more = timeout(Duration::ZERO, self.news.notified()).await.is_ok();
                if !came_more || began.elapsed() >= self.times.longest_gather {
                    return;
                }
            }
        };
        self.cancel.run_until_cancelled(gathered).await;
    }

    async fn back_off(&mut self, problem: &str, wait: &mut Duration) {
        self.status.send_modify(|status| {
            status.retries += 1;
            status.problem = Some(problem.to_owned());
        });
        self.cancel.run_until_cancelled(sleep(*wait)).await;
        *wait = (*wait * 2).min(self.times.longest_wait);
    }
}

/// Error of indexing a batch.
#[derive(Debug, thiserror::Error)]
enum IndexingError {
    #[error("the journal cannot be read: {0}")]
    Source(SourceError),
    #[error("{0}")]
    Store(StoreError),
}
