//! Q02: a journal that was cut at any byte, or whose bits flipped, and T15: one that was tampered with.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

use tempfile::tempdir;
use toolwright_ledger::Record;
use toolwright_ledger::journal::{Journal, JournalOptions, Why, verify};

use crate::support::{Dice, filled, open, options, read, record, segments, seqs, small_segments, torn};

/// The offset of each line, and the end.
fn begins(bytes: &[u8]) -> Vec<usize> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).collect()
}

#[test]
fn q02_cut_at_every_byte_of_the_last_three_records() {
    // In several threads: most of the time is waiting for the disk.
    let parts = 8;
    std::thread::scope(|scope| {
        for part in 0..parts {
            scope.spawn(move || cut(part, parts));
        }
    });
}

fn cut(part: usize, parts: usize) {
    let folder = tempdir().expect("it works");
    // In segments, so that the last one is small enough to be rewritten each time.
    filled(folder.path(), JournalOptions { segment_bytes: 64 << 10, ..options() }, 1000);
    let file = segments(folder.path()).pop().expect("it works");
    let first: usize =
        file.file_stem().expect("it works").to_str().expect("it works").parse().expect("it works");
    let bytes = fs::read(&file).expect("it works");
    let begins = begins(&bytes);
    assert!(first <= 998 && begins.len() == 1002 - first);
    for cut in (begins[998 - first]..bytes.len()).skip(part).step_by(parts) {
        fs::write(&file, &bytes[..cut]).expect("it works");
        let line = begins.partition_point(|begin| *begin <= cut) - 1;
        let (whole, rest) = ((first + line - 1) as u64, cut - begins[line]);

        let verified = verify(folder.path()).expect("it works");
        assert_eq!(verified.records, whole, "cut at {cut}");
        // A cut between two lines cannot be detected; within one, that line is named.
        let bad = verified.first_bad.map(|bad| (bad.seq, bad.line, bad.offset, bad.why));
        let torn_line = (whole + 1, line as u64 + 1, begins[line] as u64, Why::Torn);
        assert_eq!(bad, (rest > 0).then_some(torn_line), "cut at {cut}");
        assert_eq!(
            Journal::read(folder.path(), 0).map(|item| item.expect("it works").seq).max(),
            Some(whole)
        );

        let (journal, recovered) = open(folder.path());
        assert_eq!((recovered.records, recovered.damage), (whole, None));
        assert_eq!(recovered.torn.as_ref().map_or(0, |torn| torn.bytes), rest as u64);
        assert_eq!(journal.append(record("after")).expect("it works"), whole + 1);
        drop(journal);
        let verified = verify(folder.path()).expect("it works");
        assert_eq!((verified.records, verified.bad), (whole + 1, 0), "cut at {cut}");
        // Every byte that was cut off is stored.
        for (path, kept) in torn(folder.path()) {
            assert_eq!(kept, bytes[begins[line]..cut]);
            fs::remove_file(path).expect("it works");
        }
    }
}

#[test]
fn q02_ten_thousand_flipped_bits() {
    // Several, so that both cores work.
    let parts = 4;
    std::thread::scope(|scope| {
        for part in 0..parts {
            scope.spawn(move || flip_bits(part, 10_000 / parts));
        }
    });
}

fn flip_bits(part: u64, count: u64) {
    let folder = tempdir().expect("it works");
    let (journal, _) = open(folder.path());
    for _ in 0..1000 {
        // Small ones: they are read twenty million times.
        journal.append(Record { tool: "t".into(), ..Record::default() }).expect("it works");
    }
    drop(journal);
    let path = segments(folder.path()).remove(0);
    let bytes = fs::read(&path).expect("it works");
    let begins = begins(&bytes);
    let file = OpenOptions::new().write(true).open(&path).expect("it works");
    let mut dice = Dice::new(part + 1);
    for _ in 0..count {
        let at = dice.below(bytes.len() as u64) as usize;
        let flipped = bytes[at] ^ (1 << dice.below(8));
        file.write_all_at(&[flipped], at as u64).expect("it works");
        let good = begins.partition_point(|begin| *begin <= at) - 1;

        let verified = verify(folder.path()).expect("it works");
        let bad = verified.first_bad.unwrap_or_else(|| panic!("byte {at} became {flipped} unseen"));
        assert_eq!((bad.seq, bad.offset), (good as u64 + 1, begins[good] as u64), "byte {at}, {flipped}");
        // At most the record itself and the one after its newline are lost.
        assert!(verified.records >= 998, "{}", verified.records);

        let mut reader = Journal::read(folder.path(), 0);
        let before = reader.by_ref().take_while(Result::is_ok).count();
        assert_eq!(before, good, "byte {at}, {flipped}");
        file.write_all_at(&[bytes[at]], at as u64).expect("it works");
    }
    assert_eq!(verify(folder.path()).expect("it works").records, 1000);
}

#[test]
fn arbitrary_bytes_never_panic() {
    let mut dice = Dice::new(99);
    for round in 0..200 {
        let folder = tempdir().unwrap();
        filled(folder.path(), small_segments(), 30);
        for file in segments(folder.path()) {
            let mut bytes = fs::read(&file).unwrap();
            for _ in 0..dice.below(40) {
                let at = dice.below(bytes.len() as u64) as usize;
                match dice.below(4) {
                    0 => bytes[at] = b'\n',
                    1 => bytes[at] = 0,
                    2 => bytes.truncate(at + 1),
                    _ => bytes.splice(at..at, [b'"', 0xff]).for_each(drop),
                }
            }
            fs::write(&file, bytes).unwrap();
        }
        let (before, _) = read(folder.path());
        let (journal, recovered) = open(folder.path());
        let seq = journal.append(record("after")).unwrap();
        assert_eq!(seq, recovered.last_seq + 1);
        drop(journal);
        // Opening and appending loses nothing that was readable before.
        let (after, _) = read(folder.path());
        let mut expected = seqs(&before);
        expected.push(seq);
        assert_eq!(seqs(&after), expected, "round {round}");
        verify(folder.path()).unwrap();
    }
}

fn change(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).expect("it works");
    assert!(text.contains(from));
    fs::write(path, text.replacen(from, to, 1)).expect("it works");
}

#[test]
fn t15_changed_word_is_detected() {
    let folder = tempdir().unwrap();
    filled(folder.path(), small_segments(), 30);
    let file = segments(folder.path()).remove(1);
    change(&file, "/srv/notes/", "/etc/shade/");
    let bad = verify(folder.path()).unwrap().first_bad.unwrap();
    let first: u64 = file.file_stem().unwrap().to_str().unwrap().parse().unwrap();
    assert_eq!((bad.seq, bad.line, bad.offset, bad.why.clone()), (first, 1, 0, Why::Hash));
    assert!(bad.to_string().contains("its hash does not fit"), "{bad}");
}

#[test]
fn t15_removed_line_is_detected() {
    for which in ["first", "middle", "last"] {
        let folder = tempdir().unwrap();
        filled(folder.path(), small_segments(), 30);
        let file = segments(folder.path()).remove(1);
        let text = fs::read_to_string(&file).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        let at = match which {
            "first" => 0,
            "middle" => lines.len() / 2,
            _ => lines.len() - 1,
        };
        lines.remove(at);
        fs::write(&file, lines.join("\n") + "\n").unwrap();
        let first: u64 = file.file_stem().unwrap().to_str().unwrap().parse().unwrap();
        let missing = first + at as u64;
        let verified = verify(folder.path()).unwrap();
        let bad = verified.first_bad.unwrap();
        assert_eq!(bad.seq, missing, "{which}");
        assert_eq!(bad.why, Why::Number { expected: missing, found: missing + 1 });
        // The remaining records are still read.
        assert_eq!(verified.records, 29);
        assert_eq!(read(folder.path()).0.len(), 29);
    }
}

#[test]
fn t15_foreign_line_is_detected() {
    let (folder, other) = (tempdir().unwrap(), tempdir().unwrap());
    filled(folder.path(), options(), 5);
    let (journal, _) = open(other.path());
    for _ in 0..5 {
        journal.append(record("forged")).unwrap();
    }
    let text = fs::read_to_string(&segments(folder.path())[0]).unwrap();
    let forged = fs::read_to_string(&segments(other.path())[0]).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[2] = forged.lines().nth(2).unwrap();
    fs::write(&segments(folder.path())[0], lines.join("\n") + "\n").unwrap();
    let verified = verify(folder.path()).unwrap();
    let bad = verified.first_bad.unwrap();
    assert_eq!((bad.seq, bad.why), (3, Why::Chain));
}

#[test]
fn t15_removed_segment_is_detected() {
    let folder = tempdir().unwrap();
    filled(folder.path(), small_segments(), 50);
    let files = segments(folder.path());
    let number = |at: usize| -> u64 { files[at].file_stem().unwrap().to_str().unwrap().parse().unwrap() };
    // From the middle.
    fs::remove_file(&files[2]).unwrap();
    let bad = verify(folder.path()).unwrap().first_bad.unwrap();
    assert_eq!(bad.why, Why::Number { expected: number(2), found: number(3) });
    // From the start, without the head that retention writes.
    fs::remove_file(&files[0]).unwrap();
    let bad = verify(folder.path()).unwrap().first_bad.unwrap();
    assert_eq!((bad.seq, bad.why), (number(1), Why::NoBegin));
}

#[test]
fn duplicate_lines_are_returned_once() {
    let folder = tempdir().unwrap();
    filled(folder.path(), options(), 5);
    let file = segments(folder.path()).remove(0);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}{text}")).unwrap();
    let (records, damage) = read(folder.path());
    assert_eq!(seqs(&records), [1, 2, 3, 4, 5]);
    assert_eq!(damage.len(), 5);
    assert_eq!(damage[0].why, Why::Number { expected: 6, found: 1 });
}
