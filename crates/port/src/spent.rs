//! Login links that were used and sessions that were ended, until their time is over.
//!
//! Each is an empty file in the state folder, made with `create_new`: of several gateways that share the folder exactly
//! one makes it, without a lock, and a restart forgets nothing. The name is not a secret: without its signature it
//! opens nothing.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use toolwright_base::{IgnorePoison, make_private_folder, private_options};

/// How many are remembered without a folder; no more links can be made by hand in the time that one lasts.
const MOST_IN_MEMORY: usize = 10_000;

/// What was used up.
#[derive(Debug, Default)]
pub(crate) struct Spent {
    folder: Option<PathBuf>,
    /// Without a folder, or where it cannot be written.
    memory: Mutex<BTreeMap<String, u64>>,
}

impl Spent {
    /// Remembers in this folder, also for other gateways.
    pub fn in_folder(folder: PathBuf) -> Spent {
        Spent { folder: Some(folder), memory: Mutex::default() }
    }

    /// Uses up `name`, which lasts until that second. False when it was used up before.
    pub fn spend(&self, kind: &str, name: &str, until: u64, now: u64) -> bool {
        let name = file_name(kind, name, until);
        if self.memory().contains_key(&name) {
            return false;
        }
        if let Some(folder) = &self.folder {
            remove_old(folder, now);
            match create(&folder.join(&name)) {
                Ok(()) => return true,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return false,
                Err(error) => tracing::warn!(
                    "that a login link was used or a session ended is remembered until a restart only: {} cannot be written: {error}",
                    folder.display()
                ),
            }
        }
        let mut memory = self.memory();
        memory.retain(|_, until| *until > now);
        if memory.len() >= MOST_IN_MEMORY {
            return false;
        }
        memory.insert(name, until);
        true
    }

    /// Whether it was used up.
    pub fn is_spent(&self, kind: &str, name: &str, until: u64) -> bool {
        let name = file_name(kind, name, until);
        let is_in_folder = || self.folder.as_ref().is_some_and(|folder| folder.join(&name).exists());
        self.memory().contains_key(&name) || is_in_folder()
    }

    fn memory(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.memory.lock().ignore_poison()
    }
}

/// The second it lasts until comes first, so that old ones are known by their names alone.
fn file_name(kind: &str, name: &str, until: u64) -> String {
    format!("{until}.{kind}.{name}")
}

fn create(file: &Path) -> io::Result<()> {
    file.parent().map_or(Ok(()), make_private_folder)?;
    private_options(OpenOptions::new().write(true).create_new(true)).open(file).map(drop)
}

/// Removes what nothing could be opened with any more. What cannot be removed now is removed another time.
fn remove_old(folder: &Path, now: u64) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let until =
            name.to_str().and_then(|name| name.split('.').next()).and_then(|until| until.parse().ok());
        if until.is_some_and(|until: u64| until <= now) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_spent_stays_so_for_others_and_after_a_restart_until_its_time_is_over() {
        let scratch = tempfile::tempdir().expect("a folder");
        let folder = scratch.path().join("state").join("spent-logins");
        let (one, other) = (Spent::in_folder(folder.clone()), Spent::in_folder(folder.clone()));
        assert!(!one.is_spent("link", "a", 100));
        assert!(one.spend("link", "a", 100, 1));
        assert!(!one.spend("link", "a", 100, 1) && !other.spend("link", "a", 100, 1));
        assert!(Spent::in_folder(folder.clone()).is_spent("link", "a", 100));
        assert!(!other.is_spent("session", "a", 100), "another kind is another thing");
        assert!(other.spend("session", "b", 500, 200));
        let left: Vec<_> =
            fs::read_dir(&folder).expect("a folder").flatten().map(|it| it.file_name()).collect();
        assert_eq!(left, ["500.session.b"], "the older one is over");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_as_good_as_none() {
        let scratch = tempfile::tempdir().expect("a folder");
        let file = scratch.path().join("file");
        fs::write(&file, "").expect("written");
        for spent in [Spent::default(), Spent::in_folder(file.join("below"))] {
            assert!(spent.spend("link", "a", 100, 1) && !spent.spend("link", "a", 100, 1));
            assert!(spent.is_spent("link", "a", 100));
        }
    }
}
