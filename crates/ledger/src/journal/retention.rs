//! Retention: removes old segments, and records where the chain then starts.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use toolwright_base::replace_private;

use super::error::JournalError;
use super::files::{self, JournalSegment};
use super::line_format::{LineHash, verify_line};
use super::line_reader::{LineRead, LineReader};
use super::options::JournalOptions;
use super::segment_age;

const HEAD: &str = "journal.head";

/// The content of `journal.head`: where the chain starts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct JournalHead {
    /// The oldest segment.
    pub file: String,
    /// Its first record.
    pub seq: u64,
    /// Hash of the last removed line, which the first record follows. `None` when it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

impl JournalHead {
    pub fn prev(&self) -> Option<LineHash> {
        self.hash.as_ref().and_then(|hex| LineHash::from_hex(hex.as_bytes()))
    }
}

/// Reads `journal.head`; `None` when it is missing or unreadable.
pub(super) fn read_head(folder: &Path) -> Option<JournalHead> {
    let text = files::read_small(&folder.join(HEAD)).ok()??;
    serde_json::from_str(&text).ok()
}

/// Removes the oldest segments beyond the limits of age and size, after writing `journal.head`. Returns the removed
/// files.
pub(super) fn remove_old_segments(
    folder: &Path,
    options: &JournalOptions,
    now: SystemTime,
) -> Result<Vec<PathBuf>, JournalError> {
    let failed = |what, path: &Path, why| JournalError::Io { what, path: path.to_path_buf(), why };
    let mut segments = Vec::new();
    for segment in files::segments(folder).map_err(|why| failed("read", folder, why))? {
        // A segment that is already gone needs no removal.
        if let Ok(seen) = fs::metadata(&segment.path) {
            segments.push((segment, seen));
        }
    }
    let is_old = |seen: &fs::Metadata| {
        seen.modified().is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > options.keep))
    };
    // The clock alone is not trusted: records have to show that the time has passed.
    let too_old: Vec<bool> = match segments.first() {
        Some((_, seen)) if is_old(seen) => {
            let ages = segment_age::ages(&segments, now, options.keep);
            segments.iter().zip(ages).map(|((_, seen), age)| is_old(seen) && age > options.keep).collect()
        }
        _ => vec![false; segments.len()],
    };
    let mut total: u64 = segments.iter().map(|(_, seen)| seen.len()).sum();
    // The last segment with records stays: it is being written, and the chain continues from it.
    let last = segments.iter().rposition(|(_, seen)| seen.len() > 0).unwrap_or(0);
    let mut count = 0;
    while count < last && (total > options.total_bytes || too_old[count]) {
        total -= segments[count].1.len();
        count += 1;
    }
    let mut removed = Vec::new();
    if count > 0 {
        write_head(folder, &segments[count].0).map_err(|why| failed("write", &folder.join(HEAD), why))?;
        for (segment, _) in &segments[..count] {
            match fs::remove_file(&segment.path) {
                Err(why) if why.kind() == std::io::ErrorKind::NotFound => {}
                gone => {
                    gone.map_err(|why| failed("remove", &segment.path, why))?;
                    removed.push(segment.path.clone());
                }
            }
        }
    }
    if count > 0 {
        let (first, behind) = (segments[0].0.first, segments[count].0.first);
        tracing::warn!(
            files = removed.len(),
            first_record = first,
            last_record = behind - 1,
            "old segments of the journal were removed"
        );
    }
    removed.extend(remove_torn(folder, segments.get(count).map_or(0, |(first, _)| first.first)));
    Ok(removed)
}

fn write_head(folder: &Path, first: &JournalSegment) -> std::io::Result<()> {
    let mut lines = LineReader::open(&first.path)?;
    let hash = match lines.read()? {
        LineRead::Line => verify_line(lines.bytes()).ok().map(|link| link.prev.to_string()),
        _ => None,
    };
    let head = JournalHead { file: files::segment_name(first.first), seq: first.first, hash };
    let text = serde_json::to_string(&head).map_err(std::io::Error::other)?;
    // Synced before the removal: otherwise a power loss could leave a chain without its start.
    replace_private(&folder.join(HEAD), format!("{text}\n").as_bytes())
}

/// Removes the torn ends of removed segments.
fn remove_torn(folder: &Path, first: u64) -> BTreeSet<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeSet::new() };
    let is_over = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_str().and_then(|name| name.split_once(".jsonl.torn-"));
        let Some((number, _)) = name else { return false };
        number.parse::<u64>().is_ok_and(|number| number < first)
    };
    let over = entries.flatten().filter(is_over).map(|entry| entry.path());
    over.filter(|path| fs::remove_file(path).is_ok()).collect()
}
