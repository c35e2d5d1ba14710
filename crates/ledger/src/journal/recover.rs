//! What is found when a journal is opened after whatever happened.
//!
//! Only the end is checked, so that opening takes no longer for a long journal: the last segment line by line. What
//! comes after its last good line is its torn end: it is put aside and cut off. What is bad before a good line is
//! damage: it stays where it is, and writing goes on in a new segment.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::chain::Chain;
use super::damage::{Damage, Why};
use super::error::JournalError;
use super::files::{self, Segment};
use super::line::{Continues, Hash};
use super::lines::{Found, Lines};
use super::retention;

/// What was found.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// How many records there are, by their numbers.
    pub records: u64,
    /// The number of the oldest record that is kept; 1 in a new journal.
    pub first_seq: u64,
    /// The number of the last record; 0 in a new journal. An index that knows of later ones has to forget them.
    pub last_seq: u64,
    /// The end that was cut off.
    pub torn: Option<Torn>,
    /// The first damage in the last segment. [`super::verify`] tells of all others.
    pub damage: Option<Damage>,
}

/// An end that was cut off, and put aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    /// Where its bytes are now.
    pub file: PathBuf,
    /// How many they are.
    pub bytes: u64,
    /// The number that the record would have had.
    pub seq: u64,
}

/// Where writing goes on.
#[derive(Debug)]
pub(super) struct Resume {
    pub last_seq: u64,
    pub last_hash: Hash,
    /// The segment to go on with, and its length.
    pub segment: Option<(Segment, u64)>,
    /// Why a new one is begun instead.
    pub continues: Option<Continues>,
}

/// What one segment holds.
struct Checked {
    last: Option<(u64, Hash)>,
    /// Where the last good line ends.
    good_end: u64,
    /// How long the file is.
    len: u64,
    /// What is bad before the last good line.
    damage: Option<Damage>,
    /// What is bad behind it.
    tail: Option<Damage>,
}

pub(super) fn recover(folder: &Path) -> Result<(Resume, Recovered), JournalError> {
    let failed = |path: &Path, why| JournalError::Io { what: "read", path: path.to_path_buf(), why };
    let segments = files::segments(folder).map_err(|why| failed(folder, why))?;
    let head = retention::head(folder);
    let (mut torn, mut damage) = (None, None);
    let mut found: Option<(&Segment, Checked)> = None;
    for (age, segment) in segments.iter().rev().enumerate() {
        let mut checked = check(segment).map_err(|why| failed(&segment.path, why))?;
        if let Some(tail) = checked.tail.take() {
            // Only the newest is cut, and only when its end is safe elsewhere.
            match if age == 0 { cut(segment, &checked, &tail) } else { None } {
                Some(cut) => {
                    checked.len = checked.good_end;
                    torn = Some(cut);
                }
                None => damage = damage.or(Some(tail)),
            }
        }
        damage = checked.damage.take().or(damage);
        if checked.last.is_some() {
            found = Some((segment, checked));
            break;
        }
    }
    let first_seq =
        segments.first().map_or_else(|| head.as_ref().map_or(1, |head| head.seq), |first| first.first);
    let newest = segments.last();
    let (last_seq, last_hash) = match &found {
        Some((_, Checked { last: Some((seq, hash)), .. })) => (*seq, *hash),
        _ => (first_seq.saturating_sub(1), head.and_then(|head| head.prev()).unwrap_or(Hash::ZERO)),
    };
    // Numbers that may have been given are not given again, also when their records cannot be read.
    let last_seq = last_seq.max(newest.map_or(0, |newest| newest.first.saturating_sub(1)));
    let continues = damage.as_ref().map(|damage| Continues {
        file: damage.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        seq: last_seq,
        why: "damage".into(),
    });
    let segment = match (&found, newest) {
        _ if damage.is_some() => None,
        (Some((segment, checked)), Some(newest)) if *segment == newest => {
            Some(((*segment).clone(), checked.len))
        }
        // The newest is empty: it is gone on with when its name still fits, and nothing is lost with it otherwise.
        (_, Some(newest)) if newest.first == last_seq + 1 => Some((newest.clone(), 0)),
        _ => None,
    };
    let records = (last_seq + 1).saturating_sub(first_seq);
    let recovered = Recovered { records, first_seq, last_seq, torn, damage };
    Ok((Resume { last_seq, last_hash, segment, continues }, recovered))
}

fn check(segment: &Segment) -> std::io::Result<Checked> {
    let mut lines = Lines::open(&segment.path)?;
    let mut chain = Chain::before(segment.first, None);
    let mut checked = Checked { last: None, good_end: 0, len: 0, damage: None, tail: None };
    loop {
        let found = lines.read()?;
        let (line, offset) = match found {
            Found::Line | Found::TooLong => (lines.line, lines.offset),
            Found::Unfinished | Found::End => (lines.line + 1, lines.next_offset()),
        };
        let wrong = match found {
            Found::End => break,
            Found::Unfinished => Some((chain.next, Why::Torn)),
            Found::TooLong => Some((chain.spoil(), Why::TooLong)),
            Found::Line => {
                let judged = chain.check(lines.bytes());
                if let Some(link) = judged.link {
                    checked.last = Some((link.seq, link.hash));
                    checked.good_end = lines.next_offset();
                    // What was bad before a good line is not the end.
                    checked.damage = checked.damage.take().or(checked.tail.take());
                }
                judged.wrong
            }
        };
        if let Some((seq, why)) = wrong {
            let damage = Damage { file: segment.path.clone(), line, offset, seq, why };
            if checked.good_end > offset {
                checked.damage.get_or_insert(damage);
            } else {
                checked.tail.get_or_insert(damage);
            }
        }
        if found == Found::Unfinished {
            break;
        }
    }
    checked.len = fs::metadata(&segment.path)?.len();
    Ok(checked)
}

/// Puts what comes after the last good line into a file of its own and cuts it off. Nothing when that did not work:
/// then it stays where it is.
fn cut(segment: &Segment, checked: &Checked, tail: &Damage) -> Option<Torn> {
    let put = || {
        let mut file = File::open(&segment.path)?;
        file.seek(SeekFrom::Start(checked.good_end))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let aside = PathBuf::from(format!("{}.torn-{}", segment.path.display(), tail.seq));
        let aside = files::put_aside(&aside, &bytes)?;
        let file = OpenOptions::new().write(true).open(&segment.path)?;
        file.set_len(checked.good_end)?;
        file.sync_data()?;
        Ok::<Torn, std::io::Error>(Torn { file: aside, bytes: bytes.len() as u64, seq: tail.seq })
    };
    match put() {
        Ok(torn) => {
            tracing::warn!(file = %torn.file.display(), bytes = torn.bytes, "the journal had a torn end; it is put aside");
            Some(torn)
        }
        Err(why) => {
            tracing::warn!(file = %segment.path.display(), error = %why, "the torn end of the journal stays where it is");
            None
        }
    }
}
