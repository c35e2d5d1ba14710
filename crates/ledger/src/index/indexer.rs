//! Brings what is in the journal into the index, behind the calls' backs.
//!
//! It reads the journal and never takes anything from a call: a database that is away makes it late, and no call
//! slow. Nothing is held in memory but the batch at hand.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::Store;
use super::error::StoreError;
use super::insert::BATCH_RECORDS;
use super::source::{Source, SourceError};
use crate::Record;

/// Times of the indexer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexerTimes {
    /// Records are put in together when none came for so long: calls are answered first.
    pub gather: Duration,
    /// How long records are gathered at most when they keep coming.
    pub longest_gather: Duration,
    /// How often the journal is looked at when nobody says that there is something new.
    pub look: Duration,
    /// The first wait after a failure; each further one is twice as long.
    pub first_wait: Duration,
    /// The longest wait after a failure.
    pub longest_wait: Duration,
    /// How often a node that has nothing to do says that it is alive.
    pub alive: Duration,
    /// How long the last records may take when the gateway ends. The journal has what does not make it.
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

/// How far the indexer is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexerStatus {
    /// The number of the last record in the index; nothing while the database has not been reached.
    pub indexed: Option<u64>,
    /// How many records were put in since the start.
    pub records: u64,
    /// Records that the database refused, each written to the log. The journal has them.
    pub refused: u64,
    /// How often something was tried again.
    pub retries: u64,
    /// What is wrong now.
    pub problem: Option<String>,
}

/// A running indexer. Dropping it leaves the task running until it is cancelled.
#[derive(Debug)]
pub struct Indexer {
    handle: IndexerHandle,
    task: JoinHandle<()>,
}

/// Speaks with a running indexer. Cheap to clone.
#[derive(Clone, Debug)]
pub struct IndexerHandle {
    news: Arc<Notify>,
    status: watch::Receiver<IndexerStatus>,
}

impl Indexer {
    /// Starts to index the journal of a node, from where the index ends.
    ///
    /// `last_before` is the last number in the journal when the gateway started: calls that were begun up to there
    /// and have no end were cut.
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
        let run = Run {
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

    /// What speaks with it.
    pub fn handle(&self) -> &IndexerHandle {
        &self.handle
    }

    /// Waits for its end, after it was cancelled.
    pub async fn ended(self) {
        if let Err(error) = self.task.await {
            tracing::error!("the indexer broke off: {error}; the next start reads on in the journal");
        }
    }
}

impl IndexerHandle {
    /// Says that there is something new in the journal. Costs next to nothing and never waits.
    pub fn nudge(&self) {
        self.news.notify_one();
    }

    /// How far it is.
    pub fn status(&self) -> IndexerStatus {
        self.status.borrow().clone()
    }

    /// Follows how far it is.
    pub fn watch(&self) -> watch::Receiver<IndexerStatus> {
        self.status.clone()
    }
}

struct Run {
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

impl Run {
    async fn run(self, last_before: u64) {
        let (cancel, last) = (self.cancel.clone(), self.times.last);
        let too_long = async {
            cancel.cancelled().await;
            sleep(last).await;
        };
        // Dropping it in the middle of a batch is safe: it is in or it is not, and is read again.
        tokio::select! {
            () = self.work(last_before) => {}
            () = too_long => {
                tracing::info!("the index is not up to date at the end; the next start reads on in the journal");
            }
        }
    }

    /// Works until it is cancelled and everything that was there then is in.
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
                        (false, false) => self.wait_for_news().await,
                    }
                }
                Err(_) if is_last => return,
                Err(problem) => {
                    if !is_behind {
                        tracing::warn!("the index stays behind the journal for now: {problem}");
                        is_behind = true;
                    }
                    self.wait_after(&problem.to_string(), &mut wait).await;
                }
            }
        }
    }

    /// Asks where the index ends, until the database answers.
    async fn begin(&mut self, last_before: u64) {
        let mut wait = self.times.first_wait;
        while !self.cancel.is_cancelled() {
            let asked = async {
                self.store.begin_run(&self.node, last_before).await?;
                self.store.indexed(&self.node).await
            };
            match asked.await {
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
                    self.wait_after(&error.to_string(), &mut wait).await;
                }
            }
        }
    }

    /// One batch: how many records came.
    async fn step(&mut self) -> Result<usize, Problem> {
        let records = self.read().await.map_err(Problem::Source)?;
        let Some(last) = records.last().map(|record| record.seq) else {
            self.say_alive().await?;
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

    /// Reads on a thread that may wait for the disk.
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

    async fn put(&mut self, records: &[Record]) -> Result<(), Problem> {
        match self.store.insert(records).await {
            Err(StoreError::Refused(_)) if records.len() > 1 => {
                // One of them does not fit: the others shall not wait for it.
                for record in records {
                    self.put_one(record).await?;
                }
                Ok(())
            }
            Err(StoreError::Refused(_)) => self.put_one(&records[0]).await,
            other => other.map(|_| ()).map_err(Problem::Store),
        }
    }

    async fn put_one(&mut self, record: &Record) -> Result<(), Problem> {
        match self.store.insert(std::slice::from_ref(record)).await {
            Err(StoreError::Refused(why)) => {
                tracing::error!("record {} of {} is not in the index: {why}", record.seq, record.node);
                self.status.send_modify(|status| status.refused += 1);
                Ok(())
            }
            other => other.map(|_| ()).map_err(Problem::Store),
        }
    }

    async fn say_alive(&mut self) -> Result<(), Problem> {
        if self.seen.elapsed() >= self.times.alive {
            self.store.seen(&self.node).await.map_err(Problem::Store)?;
            self.seen = Instant::now();
        }
        self.status.send_if_modified(|status| status.problem.take().is_some());
        Ok(())
    }

    async fn wait_for_news(&mut self) {
        let gathered = async {
            if timeout(self.times.look, self.news.notified()).await.is_err() {
                return;
            }
            let began = Instant::now();
            loop {
                sleep(self.times.gather).await;
                // One look in a while, and not a wake for each: who writes must not pay for who reads.
                let came_more = timeout(Duration::ZERO, self.news.notified()).await.is_ok();
                if !came_more || began.elapsed() >= self.times.longest_gather {
                    return;
                }
            }
        };
        self.cancel.run_until_cancelled(gathered).await;
    }

    async fn wait_after(&mut self, problem: &str, wait: &mut Duration) {
        self.status.send_modify(|status| {
            status.retries += 1;
            status.problem = Some(problem.to_owned());
        });
        self.cancel.run_until_cancelled(sleep(*wait)).await;
        *wait = (*wait * 2).min(self.times.longest_wait);
    }
}

/// Why a batch did not get in.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("the journal cannot be read: {0}")]
    Source(SourceError),
    #[error("{0}")]
    Store(StoreError),
}
