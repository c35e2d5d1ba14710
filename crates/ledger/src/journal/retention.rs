//! Removes old segments, and notes where the chain begins then.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use toolwright_base::replace_private;

use super::age;
use super::error::JournalError;
use super::files::{self, Segment};
use super::line::{Hash, prove};
use super::lines::{Found, Lines};
use super::options::JournalOptions;

const HEAD: &str = "journal.head";

/// The note of where the chain begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Head {
    /// The oldest segment.
    pub file: String,
    /// Its first record.
    pub seq: u64,
    /// The hash of the last line that was removed: what the first record follows. Nothing when it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

impl Head {
    pub fn prev(&self) -> Option<Hash> {
        self.hash.as_ref().and_then(|hex| Hash::from_hex(hex.as_bytes()))
    }
}

/// The note of a journal, when there is one that can be read.
pub(super) fn head(folder: &Path) -> Option<Head> {
    let text = files::read_small(&folder.join(HEAD)).ok()??;
    serde_json::from_str(&text).ok()
}

/// Removes the oldest segments that are too old or too much; the note is written before. Gives what was removed.
pub(super) fn tidy(
    folder: &Path,
    options: &JournalOptions,
    now: SystemTime,
) -> Result<Vec<PathBuf>, JournalError> {
    let failed = |what, path: &Path, why| JournalError::Io { what, path: path.to_path_buf(), why };
    let mut kept = Vec::new();
    for segment in files::segments(folder).map_err(|why| failed("read", folder, why))? {
        // One that is gone meanwhile needs no removing.
        if let Ok(seen) = fs::metadata(&segment.path) {
            kept.push((segment, seen));
        }
    }
    let is_old = |seen: &fs::Metadata| {
        seen.modified().is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > options.keep))
    };
    // The clock alone is not believed: records have to show that the time has passed.
    let too_old: Vec<bool> = match kept.first() {
        Some((_, seen)) if is_old(seen) => {
            let ages = age::ages(&kept, now, options.keep);
            kept.iter().zip(ages).map(|((_, seen), age)| is_old(seen) && age > options.keep).collect()
        }
        _ => vec![false; kept.len()],
    };
    let mut total: u64 = kept.iter().map(|(_, seen)| seen.len()).sum();
    // The last one with records stays: it is written, and the chain goes on from it.
    let last = kept.iter().rposition(|(_, seen)| seen.len() > 0).unwrap_or(0);
    let mut count = 0;
    while count < last && (total > options.total_bytes || too_old[count]) {
        total -= kept[count].1.len();
        count += 1;
    }
    let mut removed = Vec::new();
    if count > 0 {
        write_head(folder, &kept[count].0).map_err(|why| failed("write", &folder.join(HEAD), why))?;
        for (segment, _) in &kept[..count] {
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
        let (first, behind) = (kept[0].0.first, kept[count].0.first);
        tracing::warn!(
            files = removed.len(),
            first_record = first,
            last_record = behind - 1,
            "old segments of the journal were removed"
        );
    }
    removed.extend(remove_torn(folder, kept.get(count).map_or(0, |(first, _)| first.first)));
    Ok(removed)
}

fn write_head(folder: &Path, first: &Segment) -> std::io::Result<()> {
    let mut lines = Lines::open(&first.path)?;
    let hash = match lines.read()? {
        Found::Line => prove(lines.bytes()).ok().map(|link| link.prev.to_string()),
        _ => None,
    };
    let head = Head { file: files::segment_name(first.first), seq: first.first, hash };
    let text = serde_json::to_string(&head).map_err(std::io::Error::other)?;
    // Only when it stays there may what it speaks of be removed.
    replace_private(&folder.join(HEAD), format!("{text}\n").as_bytes())
}

/// Removes what was cut off from segments that are gone.
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
