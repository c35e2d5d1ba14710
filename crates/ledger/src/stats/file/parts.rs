//! The parts of all processes in one folder, and their sum.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use toolwright_base::{FileStamp, TEMPORARY_ENDING};

use super::super::{NormalizerStats, Snapshot, Stats};
use super::{StatsFileError, disk, max_recent, normalizer_stats};

/// The common file.
pub(super) const COMMON: &str = "normalizer_stats.json";
const LOCK: &str = "normalizer_stats.lock";
const PREFIX: &str = "normalizer_stats.";
const PART: &str = ".part.json";
const PART_LOCK: &str = ".part.lock";
/// Maximum number of running processes with one name.
const MAX_OF_ONE_NAME: usize = 256;
/// Number of parts from which a starting process absorbs those of exited processes.
const MAX_PARTS: usize = 64;

/// A part that was written this recently may change again with the same stamp.
const FRESH: Duration = Duration::from_secs(2);

/// The folder, and this process's part in it.
#[derive(Debug)]
pub(super) struct PartFiles {
    folder: PathBuf,
    own: PartHeader,
    /// Locked while this process runs: the part belongs to it.
    _part_lock: File,
    /// Locked while this process writes.
    common: Option<File>,
    /// Cached parts of other processes. At most one per file.
    others: HashMap<PathBuf, OtherPart>,
    /// The counts of this process's part at its last write, which the common file contains.
    last_written: NormalizerStats,
    /// Whether a part was set aside whose counts are only in the common file now.
    has_missing_counts: bool,
}

#[derive(Debug)]
struct OtherPart {
    stamp: FileStamp,
    id: String,
    taken_in: Vec<String>,
    normalizer_stats: NormalizerStats,
}

/// The fields of a part before its counts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct PartHeader {
    #[serde(skip)]
    path: PathBuf,
    /// Distinguishes it from a later part of the same name.
    id: String,
    /// Ids of parts whose counts are in this one. They are ignored, should their files still exist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    taken_in: Vec<String>,
}

#[derive(Serialize)]
struct PartToWrite<'a> {
    #[serde(flatten)]
    part: &'a PartHeader,
    stats: &'a Snapshot,
}

#[derive(Deserialize)]
struct PartFile {
    #[serde(flatten)]
    part: PartHeader,
    #[serde(default)]
    stats: Snapshot,
}

impl PartFiles {
    /// Claims a part, and takes the common lock. Returns the counts of the part, and the files that were set aside.
    pub fn open(
        folder: &Path,
        node: &str,
    ) -> Result<(PartFiles, Option<Snapshot>, Vec<PathBuf>), StatsFileError> {
        disk::make_folder(folder)?;
        let common = disk::lock(&folder.join(LOCK))?;
        remove_temporary_files(folder);
        let (name, part_lock) = claim_name(folder, node)?;
        let path = folder.join(format!("{PREFIX}{name}{PART}"));
        let mut broken = Vec::new();
        let found = match disk::read(&path)?.map(|bytes| serde_json::from_slice::<PartFile>(&bytes)) {
            None => None,
            Some(Ok(read)) => Some(read),
            Some(Err(why)) => {
                broken.push(put_aside(&path, &why.to_string())?);
                None
            }
        };
        let (mut own, found) = match found {
            Some(read) => (read.part, Some(read.stats)),
            None => (PartHeader::default(), None),
        };
        if own.id.is_empty() {
            own.id = format!("{name}@{}.{}", Timestamp::now().as_nanosecond(), std::process::id());
        }
        own.path = path;
        let mut parts = PartFiles {
            folder: folder.to_owned(),
            own,
            _part_lock: part_lock,
            common: Some(common),
            others: HashMap::new(),
            last_written: found
                .as_ref()
                .map(|found| normalizer_stats(found, Timestamp::UNIX_EPOCH))
                .unwrap_or_default(),
            has_missing_counts: true,
        };
        broken.extend(parts.read_others()?);
        Ok((parts, found, broken))
    }

    /// Takes the common lock.
    pub fn lock_common(&mut self) -> Result<(), StatsFileError> {
        if self.common.is_none() {
            self.common = Some(disk::lock(&self.folder.join(LOCK))?);
        }
        Ok(())
    }

    pub fn unlock(&mut self) {
        self.common = None;
    }

    /// Adds counts that are only in the common file, and the parts of exited processes when there are too many.
    /// Requires the common lock.
    fn recover_missing_counts(&mut self, stats: &Stats) -> Result<(), StatsFileError> {
        let path = self.folder.join(COMMON);
        if let Some(bytes) = disk::read(&path)? {
            match serde_json::from_slice::<NormalizerStats>(&bytes) {
                Ok(common) => {
                    let known = self.with_others(self.last_written.clone());
                    if let Some(lost) = common.beyond(&known) {
                        tracing::info!(
                            calls = lost.total_processed,
                            "stats that were in no part are counted on"
                        );
                        stats.restore(&Snapshot::from(&lost));
                    }
                }
                Err(why) => {
                    put_aside(&path, &why.to_string())?;
                }
            }
        }
        self.own.taken_in.retain(|id| self.others.values().any(|other| other.id == *id));
        if self.others.len() >= MAX_PARTS {
            self.absorb_exited(stats)?;
        }
        self.has_missing_counts = false;
        Ok(())
    }

    /// Writes the own part and the sum. Requires the common lock.
    pub fn write(&mut self, stats: &Stats) -> Result<(), StatsFileError> {
        self.read_others()?;
        if self.has_missing_counts {
            self.recover_missing_counts(stats)?;
        }
        let snapshot = stats.snapshot();
        self.write_own(&snapshot)?;
        let sum = self.with_others(normalizer_stats(&snapshot, Timestamp::now()));
        let path = self.folder.join(COMMON);
        let mut bytes =
            serde_json::to_vec_pretty(&sum).map_err(|error| disk::failed("write", &path, error.into()))?;
        bytes.push(b'\n');
        disk::replace(&path, &bytes)
    }

    fn write_own(&mut self, snapshot: &Snapshot) -> Result<(), StatsFileError> {
        let bytes = serde_json::to_vec(&PartToWrite { part: &self.own, stats: snapshot })
            .map_err(|error| disk::failed("write", &self.own.path, error.into()))?;
        disk::replace(&self.own.path, &bytes)?;
        self.last_written = normalizer_stats(snapshot, Timestamp::UNIX_EPOCH);
        Ok(())
    }

    /// The sum of all parts, with the current own counts.
    pub fn sum(&mut self, own: &Snapshot, now: Timestamp) -> Result<NormalizerStats, StatsFileError> {
        self.read_others()?;
        Ok(self.with_others(normalizer_stats(own, now)))
    }

    fn with_others(&self, mut sum: NormalizerStats) -> NormalizerStats {
        let mut paths: Vec<&PathBuf> = self.others.keys().collect();
        paths.sort_unstable();
        let all_taken_in =
            || self.others.values().flat_map(|other| &other.taken_in).chain(&self.own.taken_in);
        for path in paths {
            let Some(other) = self.others.get(path) else { continue };
            if !all_taken_in().any(|id| *id == other.id) {
                sum.add(&other.normalizer_stats, max_recent());
            }
        }
        sum
    }

    /// Reads the parts of other processes that changed. An unreadable one is set aside when its owner has exited;
    /// otherwise the sum is unknown until the owner rewrites it.
    fn read_others(&mut self) -> Result<Vec<PathBuf>, StatsFileError> {
        let paths = self.paths_of_others()?;
        self.others.retain(|path, _| paths.contains(path));
        let mut broken = Vec::new();
        for path in paths {
            let Some(stamp) = FileStamp::of(&path) else {
                self.others.remove(&path);
                continue;
            };
            if self.others.get(&path).is_some_and(|other| other.stamp == stamp && !stamp.is_fresh(FRESH)) {
                continue;
            }
            let Some(bytes) = disk::read(&path)? else { continue };
            match serde_json::from_slice::<PartFile>(&bytes) {
                Ok(PartFile { part, stats }) => {
                    let normalizer_stats = normalizer_stats(&stats, Timestamp::UNIX_EPOCH);
                    self.others.insert(
                        path,
                        OtherPart { stamp, id: part.id, taken_in: part.taken_in, normalizer_stats },
                    );
                }
                Err(why) if is_owned(&path)? => {
                    return Err(StatsFileError::Unreadable { file: path, why: why.to_string() });
                }
                Err(why) => {
                    self.others.remove(&path);
                    self.has_missing_counts = true;
                    broken.push(put_aside(&path, &why.to_string())?);
                }
            }
        }
        Ok(broken)
    }

    fn paths_of_others(&self) -> Result<Vec<PathBuf>, StatsFileError> {
        let mut paths: Vec<PathBuf> = names(&self.folder)?
            .into_iter()
            .filter(|name| is_part(name))
            .map(|name| self.folder.join(name))
            .collect();
        paths.retain(|path| *path != self.own.path);
        Ok(paths)
    }

    /// The own part is written with their counts and ids before they are removed: at no moment do they count twice or
    /// not at all.
    fn absorb_exited(&mut self, stats: &Stats) -> Result<(), StatsFileError> {
        let mut gone = Vec::new();
        for path in self.paths_of_others()? {
            let Some(free) = disk::try_lock(&lock_of(&path))? else { continue };
            let Some(other) = self.others.get(&path) else { continue };
            let is_counted = self.own.taken_in.contains(&other.id)
                || self.others.values().any(|it| it.taken_in.contains(&other.id));
            if !is_counted {
                let Some(bytes) = disk::read(&path)? else { continue };
                let Ok(mut read) = serde_json::from_slice::<PartFile>(&bytes) else { continue };
                // The progress refers to another journal.
                read.stats.progress = None;
                stats.restore(&read.stats);
                self.own.taken_in.push(other.id.clone());
            }
            gone.push((path, free));
        }
        self.write_own(&stats.snapshot())?;
        for (path, lock) in gone {
            // A file that cannot be removed is ignored, and the next process retries.
            let _ = fs::remove_file(&path);
            let _ = fs::remove_file(lock_of(&path));
            drop(lock);
            self.others.remove(&path);
        }
        Ok(())
    }
}

/// Claims the first name that no running process uses.
fn claim_name(folder: &Path, node: &str) -> Result<(String, File), StatsFileError> {
    let node = file_name_part(node);
    for number in 1..=MAX_OF_ONE_NAME {
        let name = if number == 1 { node.clone() } else { format!("{node}+{number}") };
        if let Some(file) = disk::try_lock(&folder.join(format!("{PREFIX}{name}{PART_LOCK}")))? {
            return Ok((name, file));
        }
    }
    Err(StatsFileError::TooMany { folder: folder.to_owned(), name: node, count: MAX_OF_ONE_NAME })
}

/// Replaces characters that are not safe in a file name.
fn file_name_part(node: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_');
    let name: String = node.chars().take(64).map(|sign| if is_plain(sign) { sign } else { '_' }).collect();
    if name.is_empty() { "node".to_owned() } else { name }
}

fn is_part(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(PART)
}

fn lock_of(part: &Path) -> PathBuf {
    let name = part.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    part.with_file_name(format!("{}{PART_LOCK}", name.strip_suffix(PART).unwrap_or(name)))
}

fn is_owned(part: &Path) -> Result<bool, StatsFileError> {
    Ok(disk::try_lock(&lock_of(part))?.is_none())
}

fn put_aside(path: &Path, why: &str) -> Result<PathBuf, StatsFileError> {
    let aside = disk::set_aside(path)?;
    tracing::warn!(
        file = %path.display(), aside = %aside.display(), %why,
        "stats cannot be read; the file is set aside and counting goes on"
    );
    Ok(aside)
}

/// Temporary files exist only while a process holds the common lock. This process holds it: their writers were killed.
fn remove_temporary_files(folder: &Path) {
    for name in names(folder).unwrap_or_default() {
        if name.starts_with(PREFIX) && name.ends_with(TEMPORARY_ENDING) {
            let _ = fs::remove_file(folder.join(name));
        }
    }
}

fn names(folder: &Path) -> Result<Vec<String>, StatsFileError> {
    let entries = fs::read_dir(folder).map_err(|error| disk::failed("read", folder, error))?;
    Ok(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
}
