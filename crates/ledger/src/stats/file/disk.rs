//! The files of stats: read, replaced, set aside and locked, with errors that name them.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use toolwright_base::{make_private_folder, private_options, replace_private};

use super::StatsFileError;

/// Larger than any that was written.
const MAX_BYTES: u64 = 64 << 20;
/// How long one waits for others that write.
const PATIENCE: Duration = Duration::from_secs(5);

/// The content of a file; nothing when there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, StatsFileError> {
    let read = File::open(path).and_then(|file| {
        let mut bytes = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    match read {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", path, error)),
    }
}

/// Puts a file in its place as a whole, and does not return before it stays there.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), StatsFileError> {
    replace_private(path, bytes).map_err(|error| failed("write", path, error))
}

/// Moves a file out of the way, under a name that is free.
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

/// Waits for a lock for a while. It ends with the file that is given back.
pub(super) fn lock(path: &Path) -> Result<File, StatsFileError> {
    let begin = Instant::now();
    loop {
        if let Some(file) = try_lock(path)? {
            return Ok(file);
        }
        if begin.elapsed() >= PATIENCE {
            return Err(StatsFileError::Busy { file: path.to_owned(), waited: PATIENCE });
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A lock, when nobody has it.
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

/// Makes a folder that is ours alone when there is none.
pub(super) fn make_folder(folder: &Path) -> Result<(), StatsFileError> {
    make_private_folder(folder).map_err(|error| failed("make", folder, error))
}

pub(super) fn failed(what: &'static str, file: &Path, why: io::Error) -> StatsFileError {
    StatsFileError::Io { what, file: file.to_owned(), why }
}
