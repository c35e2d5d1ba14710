//! Retention removes old segments as a whole, and the journal states that.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::tempdir;
use toolwright_ledger::Record;
use toolwright_ledger::journal::{Begin, Journal, JournalOptions, Why, verify};

use crate::support::{filled, read, record, segments, small_segments};

fn first_number(path: &Path) -> u64 {
    path.file_stem().expect("it works").to_str().expect("it works").parse().expect("it works")
}

const DAY: u64 = 24 * 60 * 60;

fn days_ago(days: u64) -> SystemTime {
    SystemTime::now() - Duration::from_secs(days * DAY)
}

/// A journal with one record every three days: the last one was written this many days ago, and its clock was right.
fn filled_slowly(folder: &Path, count: u64, ended: u64) -> Vec<PathBuf> {
    let (journal, _) = Journal::open(folder, small_segments()).expect("it works");
    let at = |number: u64| days_ago(ended + (count - number) * 3);
    for number in 1..=count {
        let ts = at(number).duration_since(SystemTime::UNIX_EPOCH).expect("it works").as_micros();
        let record = Record { ts: i64::try_from(ts).expect("it works"), ..record(&format!("c{number}")) };
        journal.append(record).expect("it works");
    }
    drop(journal);
    let files = segments(folder);
    for (number, file) in files.iter().enumerate() {
        let last = files.get(number + 1).map_or(count, |next| first_number(next) - 1);
        File::options().write(true).open(file).expect("it works").set_modified(at(last)).expect("it works");
    }
    files
}

/// Number of files that are older than the default 90 days by their modification time.
fn too_old(files: &[PathBuf]) -> usize {
    let is_old =
        |path: &&PathBuf| fs::metadata(path).expect("it works").modified().expect("it works") < days_ago(90);
    files.iter().filter(is_old).count()
}

#[test]
fn oldest_segments_are_removed_beyond_the_size_limit() {
    let folder = tempdir().expect("it works");
    let options = JournalOptions { total_bytes: 20_000, ..small_segments() };
    filled(folder.path(), small_segments(), 200);
    let before = segments(folder.path());
    let (journal, _) = Journal::open(folder.path(), options.clone()).expect("it works");
    journal.tidy().expect("it works");
    let kept = segments(folder.path());
    let size: u64 = kept.iter().map(|path| fs::metadata(path).expect("it works").len()).sum();
    assert!(size <= 20_000 && kept.len() >= 3, "{size} in {}", kept.len());
    assert_eq!(kept, before[before.len() - kept.len()..]);

    let first = first_number(&kept[0]);
    let verified = verify(folder.path()).expect("it works");
    assert_eq!((verified.first_bad.clone(), verified.records), (None, 201 - first));
    assert_eq!(verified.begin, Begin::Removed { seq: first });
    assert_eq!(verified.begin.to_string(), format!("begins at seq {first}: older segments were removed"));
    let (records, damage) = read(folder.path());
    assert_eq!((records[0].seq, damage), (first, vec![]));

    // It continues by itself as more is written.
    for _ in 0..100 {
        journal.append(record("more")).expect("it works");
    }
    journal.tidy().expect("it works");
    drop(journal);
    let verified = verify(folder.path()).expect("it works");
    assert!(matches!(verified.begin, Begin::Removed { seq } if seq > first));
    assert_eq!(verified.bad, 0);
    let (_, recovered) = Journal::open(folder.path(), options).expect("it works");
    assert_eq!((recovered.last_seq, recovered.records), (300, verified.records));
}

#[test]
fn old_segments_are_removed_except_the_last() {
    let folder = tempdir().expect("it works");
    let files = filled_slowly(folder.path(), 50, 0);
    let old = too_old(&files);
    assert!(old >= 2 && old < files.len(), "{old} of {}", files.len());
    let torn = folder.path().join(format!("{}.torn-3", files[0].display()));
    fs::write(&torn, "x").expect("it works");
    let (journal, _) = Journal::open(folder.path(), small_segments()).expect("it works");
    journal.tidy().expect("it works");
    assert_eq!(segments(folder.path()), files[old..]);
    assert!(!torn.exists(), "what was cut off from a segment goes with it");
    assert_eq!(journal.append(record("new")).expect("it works"), 51);
    assert_eq!(verify(folder.path()).expect("it works").bad, 0);
}

#[test]
fn clock_a_year_ahead_removes_nothing() {
    let folder = tempdir().expect("it works");
    // All of it was written within weeks, and then the clock claims that a year has passed.
    let files = filled_slowly(folder.path(), 20, 365);
    assert_eq!(too_old(&files), files.len());
    for _ in 0..3 {
        let (journal, _) = Journal::open(folder.path(), small_segments()).expect("it works");
        journal.tidy().expect("it works");
        assert_eq!(segments(folder.path())[..files.len()], files);
        // New records have the wrong time too.
        let ts = i64::try_from(
            SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it works").as_micros(),
        );
        for _ in 0..20 {
            journal.append(Record { ts: ts.expect("it works"), ..record("ahead") }).expect("it works");
        }
        journal.tidy().expect("it works");
        assert_eq!(segments(folder.path())[..files.len()], files);
    }
    // The byte limit applies whatever the clock says.
    let options = JournalOptions { total_bytes: 10_000, ..small_segments() };
    let (journal, _) = Journal::open(folder.path(), options).expect("it works");
    journal.tidy().expect("it works");
    assert_ne!(segments(folder.path())[0], files[0]);
    assert_eq!(verify(folder.path()).expect("it works").bad, 0);
}

#[test]
fn head_must_match_the_segments() {
    let folder = tempdir().expect("it works");
    let files = filled_slowly(folder.path(), 50, 0);
    let old = too_old(&files);
    let files = &files[old - 2..];
    let oldest = fs::read(&files[1]).expect("it works");
    let (journal, _) = Journal::open(folder.path(), small_segments()).expect("it works");
    journal.tidy().expect("it works");
    drop(journal);
    let note = folder.path().join("journal.head");
    let head: serde_json::Value =
        serde_json::from_slice(&fs::read(&note).expect("it works")).expect("it works");
    assert_eq!(head["seq"], first_number(&files[2]));
    assert_eq!(head["file"], files[2].file_name().expect("it works").to_str().expect("it works"));

    // A power loss after the head was written and before the last segment was removed.
    fs::write(&files[1], &oldest).expect("it works");
    let verified = verify(folder.path()).expect("it works");
    assert_eq!((verified.bad, verified.begin), (0, Begin::Removed { seq: first_number(&files[1]) }));
    fs::remove_file(&files[1]).expect("it works");

    // A forged history up to there.
    let hash = head["hash"].as_str().expect("it works");
    let text = fs::read_to_string(&note).expect("it works");
    fs::write(&note, text.replace(hash, &"a".repeat(64))).expect("it works");
    let bad = verify(folder.path()).expect("it works").first_bad.expect("it works");
    assert_eq!((bad.seq, bad.why), (first_number(&files[2]), Why::Chain));
    // One more segment than the head states was removed, or the head itself.
    fs::write(&note, &text).expect("it works");
    fs::remove_file(&files[2]).expect("it works");
    assert_eq!(verify(folder.path()).expect("it works").first_bad.expect("it works").why, Why::NoBegin);
    fs::remove_file(&note).expect("it works");
    assert_eq!(verify(folder.path()).expect("it works").first_bad.expect("it works").why, Why::NoBegin);
}

#[test]
fn concurrent_retention_is_no_damage_for_readers() {
    let folder = tempdir().expect("it works");
    let files = filled_slowly(folder.path(), 50, 0);
    let old = too_old(&files);
    let mut reader = Journal::read(folder.path(), 0);
    assert_eq!(reader.next().expect("it works").expect("it works").seq, 1);
    let (journal, _) = Journal::open(folder.path(), small_segments()).expect("it works");
    journal.tidy().expect("it works");
    // The open file is read to its end; then come the remaining ones.
    let rest: Vec<u64> = reader.map(|item| item.expect("it works").seq).collect();
    let (second, left) = (first_number(&files[1]), first_number(&files[old]));
    assert_eq!(rest, (2..second).chain(left..=50).collect::<Vec<u64>>());
}
