//! What a commit is going to do in one root, with every name it will use: enough to take it back.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use cap_std::fs::Dir;
use serde::{Deserialize, Serialize};

use super::super::disk::Identity;
use super::super::trash;
use super::{Change, Taken};

/// How the names of temporary files begin and end.
const PREFIX: &str = ".toolwright-";
const NEW: &str = ".new";
const OLD: &str = ".old";
/// Temporary names carry this many bytes of the file's own name.
const MAX_OWN_NAME_BYTES: usize = 120;

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// The changes of one commit in one root. All paths are below the root.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The same in all roots that the commit changes.
    pub id: String,
    pub files: Vec<PlannedFile>,
}

/// One file of a plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PlannedFile {
    pub path: PathBuf,
    pub before: Option<Identity>,
    /// Where its new contents wait.
    pub new: Option<PathBuf>,
    /// The file with the new contents, once it is written.
    pub made: Option<Identity>,
    /// Where what was there goes: the trash, or a temporary name.
    pub old: Option<PathBuf>,
    /// The folders that are made for it, the outermost first.
    pub folders: Vec<PathBuf>,
    /// The folder of its temporary files, once it is open.
    #[serde(skip)]
    pub aside: Option<Arc<Dir>>,
}

impl PlannedFile {
    /// The folder that holds its temporary files, if it has any.
    pub(super) fn folder_aside(&self) -> Option<&Path> {
        let path = self.new.iter().chain(&self.old).find(|path| is_temporary(path))?;
        Some(path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")))
    }

    /// How one of its files is reached. A temporary one stays in the folder that it was made in, even when
    /// somebody gives that folder another name meanwhile.
    pub(super) fn reach<'a>(&'a self, dir: &'a Dir, path: &'a Path) -> (&'a Dir, &'a Path) {
        match (&self.aside, path.file_name()) {
            (Some(aside), Some(name)) if is_temporary(path) => (aside, Path::new(name)),
            _ => (dir, path),
        }
    }
}

impl Plan {
    /// Plans changes. With `can_be_undone` what is replaced or taken away is kept until the end.
    pub(super) fn of(id: &str, dir: &Dir, changes: &[&Change], can_be_undone: bool) -> Plan {
        let plan = |change: &&Change| {
            let (there, mut folders) = nearest_folder(dir, change.place.parent());
            let own = change.place.name().map(Path::as_os_str).unwrap_or_default();
            let old = match (&change.before, &change.taken) {
                (None, _) => None,
                (Some(_), Some(Taken::Trashed(path))) => {
                    let (_, missing) = nearest_folder(dir, Path::new(trash::FOLDER));
                    folders.extend(missing);
                    Some(path.clone())
                }
                (Some(_), _) if can_be_undone => Some(temporary(dir, change.place.parent(), own, OLD)),
                (Some(_), _) => None,
            };
            PlannedFile {
                path: change.place.path.clone(),
                before: change.before.clone(),
                new: change.after.as_ref().map(|_| temporary(dir, &there, own, NEW)),
                made: None,
                old,
                folders,
                aside: None,
            }
        };
        Plan { id: id.to_owned(), files: changes.iter().map(plan).collect() }
    }

    /// Whether every path is below the root and every temporary name is one of ours. A journal lies in a
    /// folder that others can write to.
    pub(super) fn is_sound(&self) -> bool {
        let inside = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
        self.files.iter().all(|file| {
            let names = file.new.iter().chain(&file.old);
            let ours = names.clone().all(|path| is_temporary(path) || trash::holds(path));
            ours && inside(&file.path) && names.chain(&file.folders).all(|path| inside(path))
        })
    }
}

/// A name for a commit that no other one has.
pub(super) fn new_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    format!("{}-{}-{now}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed))
}

/// Whether a path ends in a temporary name.
pub(super) fn is_temporary(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(OsStr::to_str) else { return false };
    name.starts_with(PREFIX) && (name.ends_with(NEW) || name.ends_with(OLD))
}

/// A temporary name in a folder that tells whose it is. It is none of those that a process of the same number
/// has left there.
fn temporary(dir: &Dir, folder: &Path, own: &OsStr, end: &str) -> PathBuf {
    let own = own.to_string_lossy();
    let cut = trash::cut(&own, MAX_OWN_NAME_BYTES);
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = PathBuf::from(format!("{PREFIX}{}-{number}-{cut}{end}", std::process::id()));
        let path = if folder == Path::new(".") { name } else { folder.join(name) };
        if dir.symlink_metadata(&path).is_err() {
            return path;
        }
    }
}

/// The innermost folder on the way to a path that is there, and those that are missing below it.
fn nearest_folder(dir: &Dir, path: &Path) -> (PathBuf, Vec<PathBuf>) {
    let mut missing = Vec::new();
    for folder in path.ancestors().filter(|folder| !folder.as_os_str().is_empty()) {
        if dir.symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
            missing.reverse();
            return (folder.to_owned(), missing);
        }
        missing.push(folder.to_owned());
    }
    missing.reverse();
    (PathBuf::from("."), missing)
}
