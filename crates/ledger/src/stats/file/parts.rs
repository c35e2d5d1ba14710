//! The parts of all processes in one folder, and their sum.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use toolwright_base::{FileStamp, TEMPORARY_ENDING};

use super::super::{NormalizerStats, Snapshot, Stats};
use super::{StatsFileError, disk, recent, told};

/// The common file.
pub(super) const COMMON: &str = "normalizer_stats.json";
const LOCK: &str = "normalizer_stats.lock";
const PREFIX: &str = "normalizer_stats.";
const PART: &str = ".part.json";
const PART_LOCK: &str = ".part.lock";
/// So many processes of one name can run.
const MAX_OF_ONE_NAME: usize = 256;
/// From so many parts on, those of processes that ended are taken in by whoever starts.
const MAX_PARTS: usize = 64;

/// A part that was written so short a time ago may be written again with the same stamp.
const FRESH: Duration = Duration::from_secs(2);

/// The folder, and the part of it that is ours.
#[derive(Debug)]
pub(super) struct Parts {
    folder: PathBuf,
    own: Part,
    /// Held as long as we live: the part is ours.
    _mine: File,
    /// Held while we write.
    common: Option<File>,
    /// Parts of others as they were read last. At most as many as there are files.
    others: HashMap<PathBuf, Other>,
    /// What our part told when it was written last: so much of us is in the common file.
    last_told: NormalizerStats,
    /// Whether a part was set aside whose numbers only the common file has now.
    has_lost: bool,
}

#[derive(Debug)]
struct Other {
    stamp: FileStamp,
    id: String,
    taken_in: Vec<String>,
    told: NormalizerStats,
}

/// What stands before the numbers in a part.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Part {
    #[serde(skip)]
    path: PathBuf,
    /// Tells it from a later part of the same name.
    id: String,
    /// Parts whose numbers are in this one. They do not count themselves, should they still be there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    taken_in: Vec<String>,
}

#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    part: &'a Part,
    stats: &'a Snapshot,
}

#[derive(Deserialize)]
struct Read {
    #[serde(flatten)]
    part: Part,
    #[serde(default)]
    stats: Snapshot,
}

impl Parts {
    /// Takes a part, and holds the common lock. What the part holds, and what was set aside.
    pub fn open(
        folder: &Path,
        node: &str,
    ) -> Result<(Parts, Option<Snapshot>, Vec<PathBuf>), StatsFileError> {
        disk::make_folder(folder)?;
        let common = disk::lock(&folder.join(LOCK))?;
        clear_what_was_on_its_way(folder);
        let (name, mine) = take_a_name(folder, node)?;
        let path = folder.join(format!("{PREFIX}{name}{PART}"));
        let mut broken = Vec::new();
        let found = match disk::read(&path)?.map(|bytes| serde_json::from_slice::<Read>(&bytes)) {
            None => None,
            Some(Ok(read)) => Some(read),
            Some(Err(why)) => {
                broken.push(put_aside(&path, &why.to_string())?);
                None
            }
        };
        let (mut own, found) = match found {
            Some(read) => (read.part, Some(read.stats)),
            None => (Part::default(), None),
        };
        if own.id.is_empty() {
            own.id = format!("{name}@{}.{}", Timestamp::now().as_nanosecond(), std::process::id());
        }
        own.path = path;
        let mut parts = Parts {
            folder: folder.to_owned(),
            own,
            _mine: mine,
            common: Some(common),
            others: HashMap::new(),
            last_told: found.as_ref().map(|found| told(found, Timestamp::UNIX_EPOCH)).unwrap_or_default(),
            has_lost: true,
        };
        broken.extend(parts.read_others()?);
        Ok((parts, found, broken))
    }

    /// Waits for the common lock.
    pub fn hold(&mut self) -> Result<(), StatsFileError> {
        if self.common.is_none() {
            self.common = Some(disk::lock(&self.folder.join(LOCK))?);
        }
        Ok(())
    }

    pub fn let_go(&mut self) {
        self.common = None;
    }

    /// Adds to our stats what only the common file knows, and the parts of those that ended when there are too
    /// many. The common lock is held.
    fn take_in_what_is_lost(&mut self, stats: &Stats) -> Result<(), StatsFileError> {
        let path = self.folder.join(COMMON);
        if let Some(bytes) = disk::read(&path)? {
            match serde_json::from_slice::<NormalizerStats>(&bytes) {
                Ok(common) => {
                    let known = self.with_others(self.last_told.clone());
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
            self.take_in_the_dead(stats)?;
        }
        self.has_lost = false;
        Ok(())
    }

    /// Writes our part and the sum. The common lock is held.
    pub fn write(&mut self, stats: &Stats) -> Result<(), StatsFileError> {
        self.read_others()?;
        if self.has_lost {
            self.take_in_what_is_lost(stats)?;
        }
        let snapshot = stats.snapshot();
        self.write_own(&snapshot)?;
        let sum = self.with_others(told(&snapshot, Timestamp::now()));
        let path = self.folder.join(COMMON);
        let mut bytes =
            serde_json::to_vec_pretty(&sum).map_err(|error| disk::failed("write", &path, error.into()))?;
        bytes.push(b'\n');
        disk::replace(&path, &bytes)
    }

    fn write_own(&mut self, snapshot: &Snapshot) -> Result<(), StatsFileError> {
        let bytes = serde_json::to_vec(&Written { part: &self.own, stats: snapshot })
            .map_err(|error| disk::failed("write", &self.own.path, error.into()))?;
        disk::replace(&self.own.path, &bytes)?;
        self.last_told = told(snapshot, Timestamp::UNIX_EPOCH);
        Ok(())
    }

    /// All parts together, with our own as it is now.
    pub fn sum(&mut self, own: &Snapshot, now: Timestamp) -> Result<NormalizerStats, StatsFileError> {
        self.read_others()?;
        Ok(self.with_others(told(own, now)))
    }

    fn with_others(&self, mut sum: NormalizerStats) -> NormalizerStats {
        let mut paths: Vec<&PathBuf> = self.others.keys().collect();
        paths.sort_unstable();
        let all_taken_in =
            || self.others.values().flat_map(|other| &other.taken_in).chain(&self.own.taken_in);
        for path in paths {
            let Some(other) = self.others.get(path) else { continue };
            if !all_taken_in().any(|id| *id == other.id) {
                sum.add(&other.told, recent());
            }
        }
        sum
    }

    /// Reads those parts of others that changed. One that cannot be read is set aside when its owner is gone; if
    /// not, nothing can be said about the sum until the owner writes it anew.
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
            match serde_json::from_slice::<Read>(&bytes) {
                Ok(Read { part, stats }) => {
                    let told = told(&stats, Timestamp::UNIX_EPOCH);
                    self.others.insert(path, Other { stamp, id: part.id, taken_in: part.taken_in, told });
                }
                Err(why) if is_owned(&path)? => {
                    return Err(StatsFileError::Unreadable { file: path, why: why.to_string() });
                }
                Err(why) => {
                    self.others.remove(&path);
                    self.has_lost = true;
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

    /// Our part is written with their numbers and their ids before they go: there is no moment at which they count
    /// twice or not at all.
    fn take_in_the_dead(&mut self, stats: &Stats) -> Result<(), StatsFileError> {
        let mut gone = Vec::new();
        for path in self.paths_of_others()? {
            let Some(free) = disk::try_lock(&lock_of(&path))? else { continue };
            let Some(other) = self.others.get(&path) else { continue };
            let is_counted = self.own.taken_in.contains(&other.id)
                || self.others.values().any(|it| it.taken_in.contains(&other.id));
            if !is_counted {
                let Some(bytes) = disk::read(&path)? else { continue };
                let Ok(mut read) = serde_json::from_slice::<Read>(&bytes) else { continue };
                // Which records these were is told by another journal.
                read.stats.progress = None;
                stats.restore(&read.stats);
                self.own.taken_in.push(other.id.clone());
            }
            gone.push((path, free));
        }
        self.write_own(&stats.snapshot())?;
        for (path, lock) in gone {
            // What cannot be removed does not count any more, and is tried again by the next one.
            let _ = fs::remove_file(&path);
            let _ = fs::remove_file(lock_of(&path));
            drop(lock);
            self.others.remove(&path);
        }
        Ok(())
    }
}

/// The first name that no living process has.
fn take_a_name(folder: &Path, node: &str) -> Result<(String, File), StatsFileError> {
    let node = plain(node);
    for number in 1..=MAX_OF_ONE_NAME {
        let name = if number == 1 { node.clone() } else { format!("{node}+{number}") };
        if let Some(file) = disk::try_lock(&folder.join(format!("{PREFIX}{name}{PART_LOCK}")))? {
            return Ok((name, file));
        }
    }
    Err(StatsFileError::TooMany { folder: folder.to_owned(), name: node, count: MAX_OF_ONE_NAME })
}

/// A name as it may stand in the name of a file.
fn plain(node: &str) -> String {
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

/// Files are on their way only while somebody holds the common lock. We hold it: their writers were killed.
fn clear_what_was_on_its_way(folder: &Path) {
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
