//! Concurrent writers and readers.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::tempdir;
use toolwright_ledger::journal::{Durability, Journal, JournalOptions, verify};

use crate::support::{options, read, record, segments, seqs};

#[test]
fn concurrent_writers_and_readers_keep_one_chain() {
    let folder = tempdir().unwrap();
    let options = JournalOptions { segment_bytes: 64 << 10, ..options() };
    let (journal, _) = Journal::open(folder.path(), options).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|thread| {
                let journal = &journal;
                scope.spawn(move || {
                    let append = |number| journal.append(record(&format!("{thread}-{number}"))).unwrap();
                    (0..1000).map(append).collect::<Vec<u64>>()
                })
            })
            .collect();
        // A concurrent reader sees complete lines, in order, and no damage.
        scope.spawn(|| {
            let mut reader = Journal::read(folder.path(), 1);
            let mut next = 1;
            while next <= 8000 {
                for item in reader.by_ref() {
                    assert_eq!(item.unwrap().seq, next);
                    next += 1;
                }
                std::thread::yield_now();
            }
        });
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                assert_eq!(verify(folder.path()).unwrap().first_bad, None);
            }
        });
        let mut given: Vec<u64> = Vec::new();
        for writer in writers {
            let own = writer.join().unwrap();
            assert!(own.is_sorted(), "numbers of one thread go up");
            given.extend(own);
        }
        is_over.store(true, Ordering::Relaxed);
        given.sort_unstable();
        assert_eq!(given, (1..=8000).collect::<Vec<u64>>());
    });
    assert!(segments(folder.path()).len() > 10);
    let (records, damage) = read(folder.path());
    assert_eq!(damage, []);
    assert_eq!(seqs(&records), (1..=8000).collect::<Vec<u64>>());
    let calls: HashSet<&str> = records.iter().map(|record| record.call.as_str()).collect();
    assert_eq!(calls.len(), 8000);
    let verified = verify(folder.path()).unwrap();
    assert_eq!((verified.records, verified.bad, verified.lost), (8000, 0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn power_mode_under_load_with_rotation_loses_nothing() {
    let folder = tempdir().unwrap();
    let options = JournalOptions { durability: Durability::Power, segment_bytes: 16 << 10, ..options() };
    let (journal, _) = Journal::open(folder.path(), options).unwrap();
    let journal = std::sync::Arc::new(journal);
    let clients: Vec<_> = (0..8)
        .map(|client| {
            let journal = std::sync::Arc::clone(&journal);
            tokio::spawn(async move {
                for number in 0..50 {
                    journal.append_durable(record(&format!("{client}-{number}"))).await.expect("safe");
                }
            })
        })
        .collect();
    for client in clients {
        client.await.unwrap();
    }
    let verified = verify(folder.path()).unwrap();
    assert_eq!((verified.records, verified.bad), (400, 0));
    assert!(verified.segments > 5);
}
