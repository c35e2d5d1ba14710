//! Old segments go as a whole, and the journal says so.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::tempdir;
use toolwright_ledger::journal::{Begin, Journal, JournalOptions, Why, verify};

use crate::support::{filled, read, record, segments, small_segments};

fn first_number(path: &Path) -> u64 {
    path.file_stem().expect("it works").to_str().expect("it works").parse().expect("it works")
}

fn make_old(path: &Path, days: u64) {
    let at = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
    File::options().write(true).open(path).expect("it works").set_modified(at).expect("it works");
}

#[test]
fn the_oldest_segments_go_when_all_are_too_large() {
    let folder = tempdir().unwrap();
    let options = JournalOptions { total_bytes: 20_000, ..small_segments() };
    filled(folder.path(), small_segments(), 200);
    let before = segments(folder.path());
    let (journal, _) = Journal::open(folder.path(), options.clone()).unwrap();
    journal.tidy().unwrap();
    let kept = segments(folder.path());
    let size: u64 = kept.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert!(size <= 20_000 && kept.len() >= 3, "{size} in {}", kept.len());
    assert_eq!(kept, before[before.len() - kept.len()..]);

    let first = first_number(&kept[0]);
    let verified = verify(folder.path()).unwrap();
    assert_eq!((verified.first_bad.clone(), verified.records), (None, 201 - first));
    assert_eq!(verified.begin, Begin::Removed { seq: first });
    assert_eq!(verified.begin.to_string(), format!("begins at seq {first}: older segments were removed"));
    let (records, damage) = read(folder.path());
    assert_eq!((records[0].seq, damage), (first, vec![]));

    // It goes on by itself as more is written.
    for _ in 0..100 {
        journal.append(record("more")).unwrap();
    }
    journal.tidy().unwrap();
    drop(journal);
    let verified = verify(folder.path()).unwrap();
    assert!(matches!(verified.begin, Begin::Removed { seq } if seq > first));
    assert_eq!(verified.bad, 0);
    let (_, recovered) = Journal::open(folder.path(), options).unwrap();
    assert_eq!((recovered.last_seq, recovered.records), (300, verified.records));
}

#[test]
fn segments_go_when_they_are_too_old_but_never_the_last() {
    let folder = tempdir().unwrap();
    filled(folder.path(), small_segments(), 50);
    let files = segments(folder.path());
    for file in &files[..2] {
        make_old(file, 91);
    }
    make_old(&files[2], 89);
    let torn = folder.path().join(format!("{}.torn-3", files[0].display()));
    fs::write(&torn, "x").unwrap();
    let (journal, _) = Journal::open(folder.path(), small_segments()).unwrap();
    journal.tidy().unwrap();
    assert_eq!(segments(folder.path()), files[2..]);
    assert!(!torn.exists(), "what was cut off from a segment goes with it");
    for file in &files[2..] {
        make_old(file, 1000);
    }
    journal.tidy().unwrap();
    assert_eq!(segments(folder.path()), files[files.len() - 1..]);
    assert_eq!(journal.append(record("new")).unwrap(), 51);
    assert_eq!(verify(folder.path()).unwrap().bad, 0);
}

#[test]
fn the_note_must_fit_what_is_there() {
    let folder = tempdir().unwrap();
    filled(folder.path(), small_segments(), 50);
    let files = segments(folder.path());
    let oldest = fs::read(&files[1]).unwrap();
    make_old(&files[0], 91);
    make_old(&files[1], 91);
    let (journal, _) = Journal::open(folder.path(), small_segments()).unwrap();
    journal.tidy().unwrap();
    drop(journal);
    let note = folder.path().join("journal.head");
    let said: serde_json::Value = serde_json::from_slice(&fs::read(&note).unwrap()).unwrap();
    assert_eq!(said["seq"], first_number(&files[2]));
    assert_eq!(said["file"], files[2].file_name().unwrap().to_str().unwrap());

    // The note was written, and then the power went before the last one was removed.
    fs::write(&files[1], &oldest).unwrap();
    let verified = verify(folder.path()).unwrap();
    assert_eq!((verified.bad, verified.begin), (0, Begin::Removed { seq: first_number(&files[1]) }));
    fs::remove_file(&files[1]).unwrap();

    // Somebody wrote another history up to there.
    let hash = said["hash"].as_str().unwrap();
    let text = fs::read_to_string(&note).unwrap();
    fs::write(&note, text.replace(hash, &"a".repeat(64))).unwrap();
    let bad = verify(folder.path()).unwrap().first_bad.unwrap();
    assert_eq!((bad.seq, bad.why), (first_number(&files[2]), Why::Chain));
    // Somebody removed one more than the note says, or the note.
    fs::write(&note, &text).unwrap();
    fs::remove_file(&files[2]).unwrap();
    assert_eq!(verify(folder.path()).unwrap().first_bad.unwrap().why, Why::NoBegin);
    fs::remove_file(&note).unwrap();
    assert_eq!(verify(folder.path()).unwrap().first_bad.unwrap().why, Why::NoBegin);
}

#[test]
fn who_reads_while_old_segments_go_sees_no_damage() {
    let folder = tempdir().unwrap();
    filled(folder.path(), small_segments(), 50);
    let files = segments(folder.path());
    let mut reader = Journal::read(folder.path(), 0);
    assert_eq!(reader.next().unwrap().unwrap().seq, 1);
    for file in &files[..3] {
        make_old(file, 91);
    }
    let (journal, _) = Journal::open(folder.path(), small_segments()).unwrap();
    journal.tidy().unwrap();
    // The file it has open is read to its end; then come those that are left.
    let rest: Vec<u64> = reader.map(|item| item.unwrap().seq).collect();
    let (second, left) = (first_number(&files[1]), first_number(&files[3]));
    assert_eq!(rest, (2..second).chain(left..=50).collect::<Vec<u64>>());
}
