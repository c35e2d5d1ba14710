//! Helpers of the journal tests.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;
use toolwright_ledger::journal::{Damage, Journal, JournalOptions, Recovered};
use toolwright_ledger::{Failure, Reached, Record, Stages};

/// A typical record of a call.
pub fn record(call: &str) -> Record {
    let arguments = format!(r#"{{"path":"/srv/notes/{call}.md","limit":20,"force":true}}"#);
    Record {
        ts: 1_790_000_000_000_000,
        call: call.into(),
        client: Some("desk".into()),
        session: Some("s-1".into()),
        front: "mcp".into(),
        server: Some("files".into()),
        tool: "read_file".into(),
        arguments: Some(RawValue::from_string(arguments).expect("JSON")),
        stages: Stages { transport: Reached::Passed, protocol: Reached::Passed, tool: Reached::Failed },
        error: Some(Failure {
            code: "tool_failed".into(),
            message: "no such file".into(),
            ..Failure::default()
        }),
        duration_us: 1234,
        ..Record::default()
    }
}

pub fn options() -> JournalOptions {
    JournalOptions { node: Some("here".into()), ..JournalOptions::default() }
}

pub fn small_segments() -> JournalOptions {
    JournalOptions { segment_bytes: 4096, ..options() }
}

pub fn open(folder: &Path) -> (Journal, Recovered) {
    Journal::open(folder, options()).expect("a journal")
}

/// A closed journal with this many records.
pub fn filled(folder: &Path, options: JournalOptions, count: usize) {
    let (journal, _) = Journal::open(folder, options).expect("a journal");
    for number in 1..=count {
        assert_eq!(journal.append(record(&format!("c{number}"))).expect("written"), number as u64);
    }
}

pub fn segments(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "jsonl"))
        .collect();
    found.sort();
    found
}

/// All good records and all damage.
pub fn read(folder: &Path) -> (Vec<Record>, Vec<Damage>) {
    let (mut records, mut damage) = (Vec::new(), Vec::new());
    for item in Journal::read(folder, 0) {
        match item {
            Ok(record) => records.push(record),
            Err(wrong) => damage.push(wrong),
        }
    }
    (records, damage)
}

pub fn seqs(records: &[Record]) -> Vec<u64> {
    records.iter().map(|record| record.seq).collect()
}

/// The content of all torn files.
pub fn torn(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().contains(".torn-"))
        .map(|path| (path.clone(), fs::read(path).expect("a file")))
        .collect()
}

/// Pseudo-random numbers from a seed.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}
