//! The indexer: a growing journal, and a database that is temporarily unavailable.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolwright_ledger::Record;
use toolwright_ledger::index::{
    Filter, Indexer, IndexerStatus, IndexerTimes, Iterated, Source, SourceError, Store,
};

use crate::records::call;

/// A journal in memory.
#[derive(Clone, Default)]
pub struct Journal {
    records: Arc<Mutex<Vec<Record>>>,
}

impl Journal {
    pub fn append(&self, record: Record) {
        self.records.lock().expect("a lock").push(record);
    }

    pub fn fill(&self, node: &str, to: u64) {
        let from = self.records.lock().expect("a lock").len() as u64 + 1;
        (from..=to).for_each(|seq| self.append(call(node, seq)));
    }

    pub fn source(&self) -> impl Source + use<> {
        let records = Arc::clone(&self.records);
        Iterated::new(move |from| {
            let all = records.lock().expect("a lock").clone();
            all.into_iter().filter(move |record| record.seq >= from).map(Ok::<Record, String>)
        })
    }
}

pub fn quick() -> IndexerTimes {
    IndexerTimes {
        gather: Duration::from_millis(5),
        look: Duration::from_millis(50),
        first_wait: Duration::from_millis(10),
        longest_wait: Duration::from_millis(200),
        ..IndexerTimes::default()
    }
}

pub fn start(store: &Store, node: &str, source: impl Source, cancel: &CancellationToken) -> Indexer {
    Indexer::start(store.clone(), node, 0, source, quick(), cancel.clone())
}

/// Waits until the status matches, for a minute at most.
pub async fn until(indexer: &Indexer, is_there: impl Fn(&IndexerStatus) -> bool) {
    let mut watched = indexer.handle().watch();
    let reached =
        tokio::time::timeout(Duration::from_secs(60), watched.wait_for(|status| is_there(status))).await;
    assert!(reached.is_ok(), "not reached: {:?}", indexer.handle().status());
}

async fn store(folder: &tempfile::TempDir) -> Store {
    Store::sqlite(&folder.path().join("index.db")).await.expect("it opens").0
}

async fn count(store: &Store) -> usize {
    store.calls(&Filter::default(), None, 2_000).await.expect("an answer").calls.len()
}

#[tokio::test]
async fn indexer_follows_the_journal_and_resumes_after_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder).await;
    let journal = Journal::default();
    journal.fill("a", 1_200);
    for to in [1_200, 1_205, 1_300] {
        let cancel = CancellationToken::new();
        let indexer = start(&store, "a", journal.source(), &cancel);
        journal.fill("a", to);
        indexer.handle().nudge();
        until(&indexer, |status| status.indexed == Some(to)).await;
        cancel.cancel();
        indexer.ended().await;
    }
    assert_eq!(count(&store).await, 1_300);
}

#[tokio::test]
async fn last_records_are_indexed_at_shutdown() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder).await;
    let journal = Journal::default();
    let cancel = CancellationToken::new();
    let times = IndexerTimes { gather: Duration::from_secs(600), ..IndexerTimes::default() };
    let indexer = Indexer::start(store.clone(), "a", 0, journal.source(), times, cancel.clone());
    until(&indexer, |status| status.indexed == Some(0)).await;
    journal.fill("a", 700);
    indexer.handle().nudge();
    cancel.cancel();
    indexer.ended().await;
    assert_eq!(count(&store).await, 700);
}

#[tokio::test]
async fn continuous_records_are_indexed_without_a_pause() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder).await;
    let journal = Journal::default();
    let cancel = CancellationToken::new();
    let times = IndexerTimes {
        gather: Duration::from_millis(100),
        longest_gather: Duration::from_millis(300),
        ..IndexerTimes::default()
    };
    let indexer = Indexer::start(store.clone(), "a", 0, journal.source(), times, cancel.clone());
    until(&indexer, |status| status.indexed == Some(0)).await;
    journal.fill("a", 50);
    let handle = indexer.handle().clone();
    // Never a pause as long as the debounce time.
    let nudging = tokio::spawn(async move {
        loop {
            handle.nudge();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    until(&indexer, |status| status.indexed == Some(50)).await;
    nudging.abort();
    cancel.cancel();
    indexer.ended().await;
    assert_eq!(count(&store).await, 50);
}

#[tokio::test]
async fn forgotten_journal_is_reindexed() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder).await;
    let journal = Journal::default();
    journal.fill("a", 600);
    for _ in 0..2 {
        store.forget("a").await.expect("forgotten");
        let cancel = CancellationToken::new();
        let indexer = start(&store, "a", journal.source(), &cancel);
        until(&indexer, |status| status.indexed == Some(600)).await;
        cancel.cancel();
        indexer.ended().await;
        assert_eq!(count(&store).await, 600);
    }
}

/// Fails several times, between records.
struct Troubled {
    journal: Journal,
    failures: usize,
}

impl Source for Troubled {
    fn records(&mut self, from_seq: u64, at_most: usize) -> Result<Vec<Record>, SourceError> {
        if from_seq > 500 && self.failures > 0 {
            self.failures -= 1;
            return Err(SourceError("line 501 is not whole".to_owned()));
        }
        self.journal.source().records(from_seq, at_most)
    }
}

#[tokio::test]
async fn unreadable_journal_is_reported_and_retried() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(&folder).await;
    let journal = Journal::default();
    journal.fill("a", 510);
    let cancel = CancellationToken::new();
    let indexer = start(&store, "a", Troubled { journal, failures: 5 }, &cancel);
    until(&indexer, |status| status.problem.as_deref().is_some_and(|words| words.contains("line 501"))).await;
    until(&indexer, |status| status.indexed == Some(510) && status.problem.is_none()).await;
    assert!(indexer.handle().status().retries >= 5);
    cancel.cancel();
    indexer.ended().await;
}

#[tokio::test]
async fn shutdown_does_not_wait_for_an_unavailable_database() {
    let store = Store::postgres("postgres://nobody@127.0.0.1:1/none").expect("an address");
    let cancel = CancellationToken::new();
    let journal = Journal::default();
    journal.fill("a", 10);
    let indexer = start(&store, "a", journal.source(), &cancel);
    until(&indexer, |status| status.problem.is_some()).await;
    let begun = Instant::now();
    cancel.cancel();
    indexer.ended().await;
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn source_returns_records_before_an_error() {
    let mut opened = 0;
    let mut source = Iterated::new(move |from| {
        opened += 1;
        let records =
            (from..=3).map(|seq| Ok(call("a", seq))).chain([Err(format!("bad, opened {opened} times"))]);
        records.collect::<Vec<Result<Record, String>>>().into_iter()
    });
    assert_eq!(source.records(1, 2).expect("records").len(), 2);
    assert_eq!(source.records(3, 5).expect("records").len(), 1);
    // The iterator was cached from the first to the second call.
    assert_eq!(source.records(4, 5).expect_err("the error").to_string(), "bad, opened 2 times");
}

/// Opening a journal again reads its file from the start: with every poll that costs more, the longer the file is.
#[test]
fn continuing_source_is_opened_once() {
    let journal = Arc::new(std::sync::Mutex::new(0));
    let written = Arc::clone(&journal);
    let opened = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let times = Arc::clone(&opened);
    let mut source = Iterated::going_on(move |from| {
        times.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let (written, mut next) = (Arc::clone(&written), from);
        std::iter::from_fn(move || {
            let is_there = next <= *written.lock().expect("a lock");
            is_there.then(|| {
                next += 1;
                Ok::<Record, String>(call("a", next - 1))
            })
        })
    });
    let mut read = 0;
    for last in [0, 3, 3, 10] {
        *journal.lock().expect("a lock") = last;
        loop {
            let records = source.records(read + 1, 4).expect("records");
            let Some(newest) = records.last() else { break };
            assert_eq!(records[0].seq, read + 1);
            read = newest.seq;
        }
        assert_eq!(read, last);
    }
    assert_eq!(opened.load(std::sync::atomic::Ordering::Relaxed), 1);
}
