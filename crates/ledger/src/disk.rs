//! Files that only their owner reads, put in their places as a whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// How the name of a file ends that is on its way.
pub(crate) const ON_ITS_WAY: &str = ".new";

/// A file that was written so short a time ago may be written again without looking different.
const FRESH: Duration = Duration::from_secs(1);

/// How a file looks from outside: to see whether it is worth to be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Looks {
    bytes: u64,
    written: Option<SystemTime>,
    #[cfg(unix)]
    number: u64,
}

impl Looks {
    /// Nothing when there is none.
    pub fn of(path: &Path) -> Option<Looks> {
        let data = fs::metadata(path).ok()?;
        Some(Looks {
            bytes: data.len(),
            written: data.modified().ok(),
            #[cfg(unix)]
            number: std::os::unix::fs::MetadataExt::ino(&data),
        })
    }

    /// Whether it may have changed since it looked so.
    pub fn is_fresh(&self) -> bool {
        let age = self.written.and_then(|written| SystemTime::now().duration_since(written).ok());
        age.is_none_or(|age| age < FRESH)
    }
}

/// The same options for a file that nobody else may read.
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Makes the names in a folder survive a loss of power. Elsewhere than on Unix, folders cannot be synced.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Puts a file in its place: who reads it finds the old one or the new one.
pub(crate) fn place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = written_beside(path, bytes)?;
    fs::rename(&beside, path).inspect_err(|_| forget(&beside))
}

/// The same, and does not return before it stays there.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    place(path, bytes)?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Makes a file that never changes. `false` when somebody was first; nobody ever sees a part of it.
pub(crate) fn make_once(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    if path.exists() {
        // Nothing is written then: a disk that is full must not stand in the way of a file that is there.
        return Ok(false);
    }
    let beside = written_beside(path, bytes)?;
    let made = fs::hard_link(&beside, path);
    forget(&beside);
    match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        made => made.map(|()| true),
    }
}

/// Whether a folder has room for records, tried at most once a second: a trial writes, and anybody may ask for it.
#[derive(Debug, Default)]
pub(crate) struct Room(Mutex<Option<(Instant, bool)>>);

impl Room {
    /// A trial is good for so long.
    const KNOWN_FOR: Duration = Duration::from_secs(1);
    const TRIED_BYTES: usize = 64 << 10;

    /// Whether a file can be written: one is, and is removed.
    pub fn is_there(&self, folder: &Path) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((tried, is_there)) = *known
            && tried.elapsed() < Self::KNOWN_FOR
        {
            return is_there;
        }
        // Without a sync, so that nothing waits for the disk: a full one refuses the write itself.
        let file = beside(&folder.join("room"));
        let is_there = write_private(&file, &[b' '; Self::TRIED_BYTES]).is_ok();
        forget(&file);
        *known = Some((Instant::now(), is_there));
        is_there
    }
}

fn written_beside(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let beside = beside(path);
    let written = write_private(&beside, bytes).and_then(|file| file.sync_all());
    written.inspect_err(|_| forget(&beside)).map(|()| beside)
}

/// The name of a file on its way to this one. Several processes may be at it.
fn beside(path: &Path) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}{ON_ITS_WAY}", std::process::id()));
    PathBuf::from(beside)
}

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let mut file = private(OpenOptions::new().write(true).create(true).truncate(true)).open(path)?;
    file.write_all(bytes)?;
    Ok(file)
}

fn forget(path: &Path) {
    // That it may not be there is no second error.
    let _ = fs::remove_file(path);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_made_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.json");
        replace(&file, b"one").expect("placed");
        replace(&file, b"two").expect("placed");
        assert_eq!(fs::read(&file).expect("read"), b"two");
        assert!(!make_once(&file, b"three").expect("looked at"));
        assert!(make_once(&folder.path().join("b"), b"three").expect("made"));
        assert_eq!(fs::read(&file).expect("read"), b"two");
        let names: Vec<_> = fs::read_dir(folder.path()).expect("a folder").flatten().collect();
        assert_eq!(names.len(), 2, "nothing is left beside them: {names:?}");
        #[cfg(unix)]
        for entry in names {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(entry.metadata().expect("seen").permissions().mode() & 0o777, 0o600);
        }
    }
}
