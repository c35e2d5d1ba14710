//! Writing, reading, following, and access.

use std::fs;
use std::time::Duration;

use tempfile::tempdir;
use toolwright_ledger::journal::{
    Begin, Durability, Journal, JournalError, JournalOptions, State, folders, interrupted, node_folder,
    verify,
};
use toolwright_ledger::{Kind, Record};

use crate::support::{filled, open, options, read, record, segments, seqs, small_segments};

#[test]
fn records_are_read_as_written_and_in_order() {
    let folder = tempdir().unwrap();
    let (journal, recovered) = open(folder.path());
    assert_eq!((recovered.records, recovered.first_seq, recovered.last_seq), (0, 1, 0));
    for number in 1..=3 {
        assert_eq!(journal.append(record(&format!("c{number}"))).unwrap(), number);
    }
    assert_eq!(journal.last_seq(), 3);
    let (records, damage) = read(folder.path());
    assert_eq!(damage, []);
    assert_eq!(seqs(&records), [1, 2, 3]);
    assert!(records.iter().all(|record| record.node == "here"));
    let mut sent = record("c2");
    (sent.seq, sent.node) = (2, "here".into());
    assert_eq!(serde_json::to_string(&records[1]).unwrap(), serde_json::to_string(&sent).unwrap());
    let verified = verify(folder.path()).unwrap();
    assert_eq!((verified.records, verified.segments, verified.first_bad.clone()), (3, 1, None));
    assert_eq!(verified.begin, Begin::First);
    assert_eq!(verified.last.unwrap().seq, 3);
}

#[test]
fn each_line_contains_the_previous_hash() {
    let folder = tempdir().unwrap();
    filled(folder.path(), small_segments(), 30);
    let mut before = "0".repeat(64);
    let mut count = 0;
    assert!(segments(folder.path()).len() > 2);
    for file in segments(folder.path()) {
        for line in fs::read_to_string(file).unwrap().lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(line["prev_hash"], before);
            before = line["hash"].as_str().unwrap().to_owned();
            count += 1;
        }
    }
    assert_eq!(count, 30);
}

#[test]
fn segments_have_the_first_number_and_a_maximum_size() {
    let folder = tempdir().unwrap();
    filled(folder.path(), small_segments(), 50);
    for file in segments(folder.path()) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.len() <= 4096, "{}", text.len());
        let first: Record = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(file.file_name().unwrap().to_str().unwrap(), format!("{:020}.jsonl", first.seq));
    }
    let verified = verify(folder.path()).unwrap();
    assert_eq!((verified.records, verified.first_bad), (50, None));
    assert_eq!(verified.segments, segments(folder.path()).len() as u64);
}

#[test]
fn journal_continues_after_reopen() {
    let folder = tempdir().unwrap();
    for round in 0..5_u64 {
        let (journal, recovered) = open(folder.path());
        assert_eq!((recovered.records, recovered.last_seq), (round * 3, round * 3));
        assert!(recovered.torn.is_none() && recovered.damage.is_none());
        for _ in 0..3 {
            journal.append(record("c")).unwrap();
        }
    }
    assert_eq!(segments(folder.path()).len(), 1);
    assert_eq!(verify(folder.path()).unwrap().records, 15);
}

#[test]
fn read_starts_at_a_sequence_number() {
    let folder = tempdir().unwrap();
    filled(folder.path(), small_segments(), 40);
    for from in [0, 1, 2, 17, 39, 40, 41, 1000] {
        let found: Vec<u64> = Journal::read(folder.path(), from).map(|item| item.unwrap().seq).collect();
        assert_eq!(found, (from.max(1)..=40).collect::<Vec<u64>>(), "from {from}");
    }
    // It continues when there is more.
    let mut reader = Journal::read(folder.path(), 40);
    assert_eq!(reader.next().unwrap().unwrap().seq, 40);
    assert!(reader.next().is_none());
    let (journal, _) = Journal::open(folder.path(), small_segments()).unwrap();
    journal.append(record("later")).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().seq, 41);
    assert!(Journal::read(&folder.path().join("none"), 1).next().is_none());
}

#[cfg(unix)]
#[test]
fn journal_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let state = tempdir().unwrap();
    let folder = node_folder(state.path(), "here");
    filled(&folder, small_segments(), 30);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    // The folder was opened to others: it is closed again.
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    drop(open(&folder));
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(folders(state.path()).unwrap(), [folder]);
}

#[test]
fn folder_belongs_to_one_node() {
    let state = tempdir().unwrap();
    let folder = node_folder(state.path(), "desk-1");
    let unnamed = JournalOptions::default();
    assert_eq!(Journal::open(&folder, unnamed.clone()).unwrap().0.node(), "desk-1");
    let other = JournalOptions { node: Some("desk-2".into()), ..unnamed };
    let refused = Journal::open(&folder, other.clone()).unwrap_err();
    assert!(matches!(&refused, JournalError::OtherNode { found, .. } if found == "desk-1"), "{refused}");
    for name in ["", ".hidden", "a/b", "a b", &"x".repeat(65)] {
        let refused = Journal::open(&folder, JournalOptions { node: Some(name.into()), ..other.clone() });
        assert!(matches!(refused, Err(JournalError::NodeName { .. })), "{name}");
    }
}

#[test]
fn invalid_options_are_refused() {
    let folder = tempdir().unwrap();
    for wrong in [
        JournalOptions { segment_bytes: 100, ..options() },
        JournalOptions { total_bytes: 5000, ..options() },
        JournalOptions { max_waiting: 0, ..options() },
    ] {
        assert!(matches!(Journal::open(folder.path(), wrong), Err(JournalError::Option { .. })));
    }
}

#[test]
fn second_writer_is_refused() {
    let folder = tempdir().unwrap();
    let first = open(folder.path());
    let refused = Journal::open(folder.path(), options()).unwrap_err();
    let JournalError::InUse { pid, .. } = &refused else { panic!("{refused}") };
    assert_eq!(*pid, Some(std::process::id()));
    assert!(refused.to_string().contains("node name of its own"), "{refused}");
    drop(first);
    open(folder.path());
}

#[tokio::test]
async fn follow_returns_old_and_new_records_across_segments() {
    let folder = tempdir().unwrap();
    filled(folder.path(), small_segments(), 10);
    let (journal, _) = Journal::open(folder.path(), small_segments()).unwrap();
    let (mut live, mut polling) = (journal.follow(5), Journal::follow_folder(folder.path(), 5));
    for seq in 5..=10 {
        assert_eq!(live.next().await.unwrap().unwrap().seq, seq);
        assert_eq!(polling.next().await.unwrap().unwrap().seq, seq);
    }
    // Nothing yet; a cancelled wait loses nothing.
    assert!(tokio::time::timeout(Duration::from_millis(50), live.next()).await.is_err());
    let writer = std::thread::spawn(move || {
        for number in 11..=100 {
            journal.append(record(&format!("c{number}"))).expect("written");
        }
        journal
    });
    for seq in 11..=100 {
        assert_eq!(live.next().await.unwrap().unwrap().seq, seq);
        assert_eq!(polling.next().await.unwrap().unwrap().seq, seq);
    }
    drop(writer.join().unwrap());
    let end = tokio::time::timeout(Duration::from_secs(20), live.next()).await.unwrap();
    assert!(end.is_none(), "a closed journal ends: {end:?}");
}

#[test]
fn calls_without_an_end_are_found() {
    let folder = tempdir().unwrap();
    let (journal, _) = Journal::open(folder.path(), small_segments()).unwrap();
    for number in 0..40 {
        journal.append(Record { kind: Kind::InProgress, ..record(&format!("c{number}")) }).unwrap();
    }
    for number in (0..40).filter(|number| number % 10 != 3) {
        journal.append(record(&format!("c{number}"))).unwrap();
    }
    let cut: Vec<String> =
        interrupted(folder.path()).unwrap().into_iter().map(|record| record.call).collect();
    assert_eq!(cut, ["c3", "c13", "c23", "c33"]);
    assert!(interrupted(&folder.path().join("none")).is_err());
}

#[tokio::test]
async fn power_mode_waits_for_the_sync() {
    let folder = tempdir().unwrap();
    let power = JournalOptions { durability: Durability::Power, ..small_segments() };
    let (journal, _) = Journal::open(folder.path(), power).unwrap();
    let mut waiting = Vec::new();
    for number in 1..=60 {
        waiting.push(tokio::spawn(journal.append_durable(record(&format!("c{number}")))));
    }
    for (number, waiting) in waiting.into_iter().enumerate() {
        assert_eq!(waiting.await.unwrap().unwrap(), number as u64 + 1);
    }
    // Without waiting, and without a waiting caller.
    journal.append(record("c61")).unwrap();
    drop(journal.append_durable(record("c62")));
    assert_eq!(journal.health().state, State::Ok);
    drop(journal);
    assert_eq!(verify(folder.path()).unwrap().records, 62);
}

#[tokio::test]
async fn waiting_records_are_limited() {
    let folder = tempdir().unwrap();
    let power = JournalOptions { durability: Durability::Power, max_waiting: 1, ..options() };
    let (journal, _) = Journal::open(folder.path(), power).unwrap();
    let waiting: Vec<_> = (0..2000).map(|_| journal.append_durable(record("c"))).collect();
    let mut refused = 0_u64;
    for waiting in waiting {
        refused += u64::from(waiting.await.is_err());
    }
    // Writing is faster than any disk: most had to be refused, and every one is counted.
    assert!(refused > 0);
    assert_eq!(journal.health().lost, refused);
    journal.append(record("last")).unwrap();
    drop(journal);
    let verified = verify(folder.path()).unwrap();
    assert_eq!((verified.records + verified.lost, verified.bad), (2001, 0));
}

#[tokio::test]
async fn process_mode_does_not_wait() {
    let folder = tempdir().unwrap();
    let (journal, _) = open(folder.path());
    assert_eq!(journal.append_durable(record("c")).await.unwrap(), 1);
}

#[test]
fn oversized_record_is_counted_in_the_next_line() {
    let folder = tempdir().unwrap();
    let (journal, _) = open(folder.path());
    journal.append(record("a")).unwrap();
    let huge = Record { tool: "x".repeat(17 << 20), ..record("huge") };
    assert!(journal.append(huge).unwrap_err().to_string().contains("larger than a line"));
    let health = journal.health();
    assert_eq!((health.state, health.lost), (State::Degraded, 1));
    journal.append(record("b")).unwrap();
    let health = journal.health();
    assert_eq!((health.state, health.lost), (State::Ok, 1));
    assert!(health.last_error.unwrap().contains("larger than a line") && health.since.is_some());
    let last = fs::read_to_string(&segments(folder.path())[0]).unwrap();
    assert!(last.lines().last().unwrap().contains(r#","lost":1,"hash":"#), "{last}");
    let verified = verify(folder.path()).unwrap();
    assert_eq!((verified.records, verified.lost, verified.bad), (2, 1, 0));
}
