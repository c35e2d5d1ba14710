//! Checks a whole journal: every line, every link, every number.

use std::path::Path;
use std::time::Duration;

use super::damage::Damage;
use super::error::JournalError;
use super::files;
use super::line::Link;
use super::read::{Scan, Step};

/// How often, and after how long each time, a last line is looked at again that is not whole: it may be being written.
const LOOKS: usize = 5;
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// What a check found.
#[derive(Clone, Debug)]
pub struct Verified {
    /// How many records are good.
    pub records: u64,
    /// How many segments were read.
    pub segments: u64,
    /// How many places are bad.
    pub bad: u64,
    /// The first of them.
    pub first_bad: Option<Damage>,
    /// Where the chain begins.
    pub begin: Begin,
    /// The last good record. Who keeps it elsewhere can tell later whether the end was cut off since.
    pub last: Option<Position>,
    /// How many records could not be written when they should have been, as the journal itself says.
    pub lost: u64,
}

/// Where a chain begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begin {
    /// With the first record that was ever written.
    First,
    /// Older segments were removed, as the note of the journal says.
    Removed {
        /// The first record that is left.
        seq: u64,
    },
}

/// A record and its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The number of the record.
    pub seq: u64,
    /// The hash of its line, in hex.
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
    /// Whether nothing is wrong.
    pub fn is_whole(&self) -> bool {
        self.bad == 0
    }

    fn good(&mut self, scan: &Scan, link: &Link) {
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

/// Checks the journal in a folder, also while it is written.
///
/// # Errors
/// When the folder cannot be read. What is wrong with the journal is no error but what is asked for.
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
    let mut scan = Scan::new(folder, 0);
    let (mut looks, mut begun) = (0, None);
    loop {
        let step = scan.step();
        if scan.begun() != begun {
            begun = scan.begun();
            verified.segments += 1;
        }
        match step {
            Step::Right(link) => verified.good(&scan, &link),
            Step::Wrong(damage, link) => {
                verified.bad(damage);
                if let Some(link) = link {
                    verified.good(&scan, &link);
                }
            }
            Step::Unfinished(_) if looks < LOOKS => {
                looks += 1;
                std::thread::sleep(LOOK_AGAIN);
                continue;
            }
            Step::Unfinished(damage) => {
                verified.bad(damage);
                return Ok(verified);
            }
            Step::End => return Ok(verified),
        }
        looks = 0;
    }
}
