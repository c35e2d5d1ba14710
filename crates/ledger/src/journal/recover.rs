//! Recovery when a journal is opened, after a crash or damage.
//!
//! Only the end is checked, so that opening does not take longer for a long journal: the last segment line by line. The
//! bytes after its last good line are a torn end: they are set aside and cut off. Bad lines before a good line are
//! damage: they stay, and writing continues in a new segment.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::chain::Chain;
use super::damage::{Damage, Why};
use super::error::JournalError;
use super::files::{self, JournalSegment};
use super::line_format::{Continuation, LineHash};
use super::line_reader::{LineRead, LineReader};
use super::retention;

/// Result of the recovery.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// Number of records, by their sequence numbers.
    pub records: u64,
    /// Sequence number of the oldest record; 1 in a new journal.
    pub first_seq: u64,
    /// Sequence number of the last record; 0 in a new journal. An index must delete later ones.
    pub last_seq: u64,
    /// The torn end that was cut off.
    pub torn: Option<Torn>,
    /// The first damage in the last segment. [`super::verify`] reports all others.
    pub damage: Option<Damage>,
}

/// A torn end that was cut off and set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    /// The file with its bytes.
    pub file: PathBuf,
    /// Number of bytes.
    pub bytes: u64,
    /// Sequence number that the record would have had.
    pub seq: u64,
}

/// Where writing continues.
#[derive(Debug)]
pub(super) struct ResumePoint {
    pub last_seq: u64,
    pub last_hash: LineHash,
    /// The segment to continue, and its length.
    pub segment: Option<(JournalSegment, u64)>,
    /// Why a new segment is started instead.
    pub continues: Option<Continuation>,
}

/// Result of checking one segment.
struct SegmentCheck {
    last: Option<(u64, LineHash)>,
    /// End of the last good line.
    good_end: u64,
    /// Length of the file.
    len: u64,
    /// Damage before the last good line.
    damage: Option<Damage>,
    /// Damage after it.
    tail: Option<Damage>,
}

pub(super) fn recover(folder: &Path) -> Result<(ResumePoint, Recovered), JournalError> {
    let failed = |path: &Path, why| JournalError::Io { what: "read", path: path.to_path_buf(), why };
    let segments = files::segments(folder).map_err(|why| failed(folder, why))?;
    let head = retention::read_head(folder);
    let (mut torn, mut damage) = (None, None);
    let mut found: Option<(&JournalSegment, SegmentCheck)> = None;
    for (age, segment) in segments.iter().rev().enumerate() {
        let mut checked = check(segment).map_err(|why| failed(&segment.path, why))?;
        if let Some(tail) = checked.tail.take() {
            // Only the newest segment is cut, and only when its end is stored elsewhere.
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
        Some((_, SegmentCheck { last: Some((seq, hash)), .. })) => (*seq, *hash),
        _ => (first_seq.saturating_sub(1), head.and_then(|head| head.prev()).unwrap_or(LineHash::ZERO)),
    };
    // Sequence numbers that may have been assigned are not reused, even when their records cannot be read.
    let last_seq = last_seq.max(newest.map_or(0, |newest| newest.first.saturating_sub(1)));
    let continues = damage.as_ref().map(|damage| Continuation {
        file: damage.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        seq: last_seq,
        why: "damage".into(),
    });
    let segment = match (&found, newest) {
        _ if damage.is_some() => None,
        (Some((segment, checked)), Some(newest)) if *segment == newest => {
            Some(((*segment).clone(), checked.len))
        }
        // The newest segment is empty: it is continued when its name matches; otherwise nothing is lost with it.
        (_, Some(newest)) if newest.first == last_seq + 1 => Some((newest.clone(), 0)),
        _ => None,
    };
    let records = (last_seq + 1).saturating_sub(first_seq);
    let recovered = Recovered { records, first_seq, last_seq, torn, damage };
    Ok((ResumePoint { last_seq, last_hash, segment, continues }, recovered))
}

fn check(segment: &JournalSegment) -> std::io::Result<SegmentCheck> {
    let mut lines = LineReader::open(&segment.path)?;
    let mut chain = Chain::before(segment.first, None);
    let mut checked = SegmentCheck { last: None, good_end: 0, len: 0, damage: None, tail: None };
    loop {
        let found = lines.read()?;
        let (line, offset) = match found {
            LineRead::Line | LineRead::TooLong => (lines.line, lines.offset),
            LineRead::Unfinished | LineRead::End => (lines.line + 1, lines.next_offset()),
        };
        let wrong = match found {
            LineRead::End => break,
            LineRead::Unfinished => Some((chain.next, Why::Torn)),
            LineRead::TooLong => Some((chain.mark_unreadable(), Why::TooLong)),
            LineRead::Line => {
                let line_check = chain.check(lines.bytes());
                if let Some(link) = line_check.link {
                    checked.last = Some((link.seq, link.hash));
                    checked.good_end = lines.next_offset();
                    // Damage before a good line is not the torn end.
                    checked.damage = checked.damage.take().or(checked.tail.take());
                }
                line_check.wrong
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
        if found == LineRead::Unfinished {
            break;
        }
    }
    checked.len = fs::metadata(&segment.path)?.len();
    Ok(checked)
}

/// Stores the bytes after the last good line in a separate file and cuts them off. `None` when that failed: then they
/// stay.
fn cut(segment: &JournalSegment, checked: &SegmentCheck, tail: &Damage) -> Option<Torn> {
    let put = || {
        let mut file = File::open(&segment.path)?;
        file.seek(SeekFrom::Start(checked.good_end))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let aside = PathBuf::from(format!("{}.torn-{}", segment.path.display(), tail.seq));
        let aside = files::write_aside(&aside, &bytes)?;
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
