//! Recovery when a damaged journal is opened.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use tempfile::tempdir;
use toolwright_ledger::journal::{Journal, Why, verify};

use crate::support::{filled, open, options, read, record, segments, seqs, small_segments, torn};

fn add(path: &Path, bytes: &[u8]) {
    OpenOptions::new().append(true).open(path).expect("it works").write_all(bytes).expect("it works");
}

#[test]
fn torn_end_is_set_aside_completely() {
    let folder = tempdir().unwrap();
    filled(folder.path(), options(), 3);
    let file = segments(folder.path()).remove(0);
    for ends in [&b"{\"seq\":4,\"ts"[..], b"\0\0\0\0\0\0\0\0", b"{\"seq\":4}\n", b"one\ntwo\nthr", b"\n"] {
        add(&file, ends);
        let (_, recovered) = open(folder.path());
        let put = recovered.torn.unwrap();
        assert_eq!((put.bytes, put.seq, recovered.records), (ends.len() as u64, 4, 3));
        assert_eq!(fs::read(&put.file).unwrap(), ends);
        assert!(recovered.damage.is_none());
    }
    assert_eq!(torn(folder.path()).len(), 5);
    assert_eq!(verify(folder.path()).unwrap().bad, 0);
}

#[test]
fn last_line_with_wrong_hash_is_torn() {
    let folder = tempdir().unwrap();
    filled(folder.path(), options(), 3);
    let file = segments(folder.path()).remove(0);
    let text = fs::read_to_string(&file).unwrap();
    let at = text.rfind("read_file").unwrap();
    fs::write(&file, format!("{}READ{}", &text[..at], &text[at + 4..])).unwrap();
    let (journal, recovered) = open(folder.path());
    assert_eq!((recovered.records, recovered.torn.unwrap().seq), (2, 3));
    assert_eq!(journal.append(record("new")).unwrap(), 3);
    assert_eq!(verify(folder.path()).unwrap().bad, 0);
}

#[test]
fn damage_stays_and_new_segment_names_it() {
    let folder = tempdir().unwrap();
    filled(folder.path(), options(), 9);
    let file = segments(folder.path()).remove(0);
    let text = fs::read_to_string(&file).unwrap().replacen("c4.md", "X4.md", 1);
    fs::write(&file, &text).unwrap();
    let (journal, recovered) = open(folder.path());
    let damage = recovered.damage.unwrap();
    assert_eq!((damage.seq, damage.line, damage.why), (4, 4, Why::Hash));
    assert!(recovered.torn.is_none());
    assert_eq!(journal.append(record("new")).unwrap(), 10);
    assert_eq!(journal.append(record("newer")).unwrap(), 11);
    drop(journal);
    assert_eq!(fs::read_to_string(&file).unwrap(), text, "nothing is changed or removed");
    let new = fs::read_to_string(&segments(folder.path())[1]).unwrap();
    let continues = r#""continues":{"file":"00000000000000000001.jsonl","seq":9,"why":"damage"}"#;
    assert!(new.lines().next().unwrap().contains(continues), "{new}");
    assert!(!new.lines().nth(1).unwrap().contains("continues"));
    let (records, damage) = read(folder.path());
    assert_eq!(seqs(&records), [1, 2, 3, 5, 6, 7, 8, 9, 10, 11]);
    assert_eq!(damage.len(), 1);
    // It is reported once; the next time the end is intact.
    let (_, recovered) = open(folder.path());
    assert!(recovered.damage.is_none() && recovered.torn.is_none());
    let verified = verify(folder.path()).unwrap();
    assert_eq!((verified.records, verified.bad, verified.first_bad.unwrap().seq), (10, 1, 4));
}

#[test]
fn damage_and_a_torn_end_at_once() {
    let folder = tempdir().unwrap();
    filled(folder.path(), options(), 9);
    let file = segments(folder.path()).remove(0);
    let text = fs::read_to_string(&file).unwrap().replacen("c4.md", "X4.md", 1);
    fs::write(&file, format!("{text}{{\"seq\":10,")).unwrap();
    let (journal, recovered) = open(folder.path());
    assert_eq!((recovered.damage.unwrap().seq, recovered.torn.unwrap().seq), (4, 10));
    assert_eq!(journal.append(record("new")).unwrap(), 10);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn unreadable_segment_is_set_aside() {
    let folder = tempdir().unwrap();
    filled(folder.path(), small_segments(), 30);
    let files = segments(folder.path());
    let last = files.last().unwrap();
    let first: u64 = last.file_stem().unwrap().to_str().unwrap().parse().unwrap();
    fs::write(last, vec![0_u8; 3000]).unwrap();
    let (journal, recovered) = open(folder.path());
    assert_eq!((recovered.last_seq, recovered.torn.unwrap().bytes), (first - 1, 3000));
    assert_eq!(journal.append(record("new")).unwrap(), first);
    drop(journal);
    let verified = verify(folder.path()).unwrap();
    assert_eq!((verified.records, verified.bad), (first, 0));
}

#[test]
fn empty_last_segment_is_continued() {
    let folder = tempdir().unwrap();
    filled(folder.path(), options(), 3);
    fs::write(folder.path().join(format!("{:020}.jsonl", 4)), "").unwrap();
    let (journal, recovered) = open(folder.path());
    assert_eq!((recovered.records, journal.append(record("new")).unwrap()), (3, 4));
    assert_eq!(segments(folder.path()).len(), 2);
    assert_eq!(verify(folder.path()).unwrap().records, 4);
}

#[test]
fn sequence_numbers_are_never_reused() {
    let folder = tempdir().unwrap();
    filled(folder.path(), small_segments(), 30);
    let files = segments(folder.path());
    let last: u64 = files.last().unwrap().file_stem().unwrap().to_str().unwrap().parse().unwrap();
    for file in &files[1..] {
        fs::write(file, "nothing\n").unwrap();
    }
    let (journal, recovered) = open(folder.path());
    assert_eq!(journal.append(record("new")).unwrap(), last);
    assert!(recovered.damage.is_some());
    let (records, damage) = read(folder.path());
    assert_eq!(records.last().unwrap().seq, last);
    assert!(!damage.is_empty());
}

#[test]
fn foreign_files_are_unchanged() {
    let folder = tempdir().unwrap();
    filled(folder.path(), options(), 3);
    for name in ["notes.txt", "1.jsonl", "0000000000000000000x.jsonl", "00000000000000000001.jsonl.bak"] {
        fs::write(folder.path().join(name), "mine").unwrap();
    }
    let (journal, recovered) = open(folder.path());
    assert_eq!((recovered.records, journal.append(record("new")).unwrap()), (3, 4));
    assert_eq!(fs::read(folder.path().join("1.jsonl")).unwrap(), b"mine");
    assert_eq!(Journal::read(folder.path(), 0).count(), 4);
}

#[test]
fn removed_journal_is_recreated_within_a_second() {
    let state = tempdir().unwrap();
    let folder = state.path().join("journal");
    let (journal, _) = open(&folder);
    for _ in 0..3 {
        journal.append(record("gone")).unwrap();
    }
    fs::remove_dir_all(&folder).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(journal.append(record("kept")).unwrap(), 4);
    let (records, damage) = read(&folder);
    assert_eq!(seqs(&records), [4]);
    // The missing earlier records are reported.
    assert_eq!(damage.iter().map(|damage| damage.why.clone()).collect::<Vec<Why>>(), [Why::NoBegin]);
    let text = fs::read_to_string(&segments(&folder)[0]).unwrap();
    assert!(text.contains(r#""why":"removed"}"#), "{text}");
}
