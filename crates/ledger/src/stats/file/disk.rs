//! File operations of the stats: read, replace, set aside and lock, with errors that name the file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use toolwright_base::{make_private_folder, private_options, replace_private};

use super::StatsFileError;

/// Maximum size of a file that is read, larger than any that is written.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// Timeout for the lock of another writer.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The content of a file; `None` when it is missing.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, StatsFileError> {
    let read = File::open(path).and_then(|file| {
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    match read {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", path, error)),
    }
}

/// Replaces a file atomically, and syncs it before returning.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), StatsFileError> {
    replace_private(path, bytes).map_err(|error| failed("write", path, error))
}

/// Renames a file to an unused name.
pub(super) fn set_aside(path: &Path) -> Result<PathBuf, StatsFileError> {
    let free = (1..=100).map(|number| {
        let mut name = path.as_os_str().to_owned();
        name.push(if number == 1 { ".broken".to_owned() } else { format!(".{number}.broken") });
        PathBuf::from(name)
    });
    // After a hundred of them the last one is replaced.
    let mut aside = path.to_owned();
    for name in free {
        aside = name;
        if !aside.exists() {
            break;
        }
    }
    fs::rename(path, &aside).map_err(|error| failed("set aside", path, error))?;
    Ok(aside)
}

/// Takes a lock, with a timeout. Dropping the returned file releases it.
pub(super) fn lock(path: &Path) -> Result<File, StatsFileError> {
    let start = Instant::now();
    loop {
        if let Some(file) = try_lock(path)? {
            return Ok(file);
        }
        if start.elapsed() >= LOCK_TIMEOUT {
            return Err(StatsFileError::Busy { file: path.to_owned(), waited: LOCK_TIMEOUT });
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Takes a lock; `None` when another process holds it.
pub(super) fn try_lock(path: &Path) -> Result<Option<File>, StatsFileError> {
    let file = private_options(OpenOptions::new().write(true).create(true).truncate(false))
        .open(path)
        .map_err(|error| failed("open", path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(failed("lock", path, error)),
    }
}

/// Creates a folder that is private to the user when it is missing.
pub(super) fn make_folder(folder: &Path) -> Result<(), StatsFileError> {
    make_private_folder(folder).map_err(|error| failed("make", folder, error))
}

pub(super) fn failed(what: &'static str, file: &Path, why: io::Error) -> StatsFileError {
    StatsFileError::Io { what, file: file.to_owned(), why }
}
