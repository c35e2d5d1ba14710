//! Verifies a whole journal: every line, every link, every sequence number.

use std::path::Path;
use std::time::Duration;

use super::damage::Damage;
use super::error::JournalError;
use super::files;
use super::line_format::ChainLink;
use super::reader::{JournalScan, ScanStep};

/// Number and delay of retries when the last line is incomplete: it may be in the middle of a write.
const MAX_RETRIES: usize = 5;
const RETRY_DELAY: Duration = Duration::from_millis(5);

/// Result of a verification.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Number of good records.
    pub records: u64,
    /// Number of segments.
    pub segments: u64,
    /// Number of damaged places.
    pub bad: u64,
    /// The first of them.
    pub first_bad: Option<Damage>,
    /// Where the chain starts.
    pub begin: Begin,
    /// The last good record. If you store it elsewhere, you can detect later that the end was cut off.
    pub last: Option<Position>,
    /// Number of records that could not be written, as the journal itself states.
    pub lost: u64,
}

/// Start of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begin {
    /// The first record that was ever written.
    First,
    /// Older segments were removed, as `journal.head` states.
    Removed {
        /// The first remaining record.
        seq: u64,
    },
}

/// A record and its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Sequence number of the record.
    pub seq: u64,
    /// Hash of its line, in hex.
    pub hash: String,
}

impl std::fmt::Display for Begin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Begin::First => write!(f, "begins at seq 1"),
            Begin::Removed { seq } => write!(f, "begins at seq {seq}: older segments were removed"),
        }
    }
}

impl Verified {
    /// Whether there is no damage.
    pub fn is_whole(&self) -> bool {
        self.bad == 0
    }

    fn good(&mut self, scan: &JournalScan, link: &ChainLink) {
        match scan.record(link) {
            Ok(_) => {
                self.records += 1;
                self.lost = self.lost.saturating_add(link.lost);
                self.last = Some(Position { seq: link.seq, hash: link.hash.to_string() });
            }
            Err(damage) => self.bad(damage),
        }
    }

    fn bad(&mut self, damage: Damage) {
        self.bad += 1;
        self.first_bad.get_or_insert(damage);
    }
}

/// Verifies the journal in a folder, also while it is written.
///
/// # Errors
/// When the folder cannot be read. Damage of the journal is part of the result, not an error.
pub fn verify(folder: &Path) -> Result<Verified, JournalError> {
    let segments = files::segments(folder).map_err(|why| JournalError::Io {
        what: "read the journal in",
        path: folder.to_path_buf(),
        why,
    })?;
    let begin = match segments.first() {
        Some(segment) if segment.first > 1 => Begin::Removed { seq: segment.first },
        _ => Begin::First,
    };
    let mut verified =
        Verified { records: 0, segments: 0, bad: 0, first_bad: None, begin, last: None, lost: 0 };
    let mut scan = JournalScan::new(folder, 0);
    let (mut retries, mut segment_start) = (0, None);
    loop {
        let step = scan.step();
        if scan.segment_start() != segment_start {
            segment_start = scan.segment_start();
            verified.segments += 1;
        }
        match step {
            ScanStep::Right(link) => verified.good(&scan, &link),
            ScanStep::Wrong(damage, link) => {
                verified.bad(damage);
                if let Some(link) = link {
                    verified.good(&scan, &link);
                }
            }
            ScanStep::Unfinished(_) if retries < MAX_RETRIES => {
                retries += 1;
                std::thread::sleep(RETRY_DELAY);
                continue;
            }
            ScanStep::Unfinished(damage) => {
                verified.bad(damage);
                return Ok(verified);
            }
            ScanStep::End => return Ok(verified),
        }
        retries = 0;
    }
}
