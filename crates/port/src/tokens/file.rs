//! Files that only their owner can read, in a folder that only its owner may enter.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use toolwright_base::{lock_private, make_private_folder, read_bounded};

/// How large such a file may be: larger than any that was written.
const MAX_BYTES: u64 = 1 << 20;

/// Reads a file.
pub(super) fn read(path: &Path) -> io::Result<String> {
    read_bounded(path, MAX_BYTES)
}

/// Waits for a lock; it ends with the file that is given back.
pub(super) fn lock(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        make_private_folder(folder)?;
        #[cfg(unix)]
        fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    }
    lock_private(path)
}

/// Takes from others what they may do with a file.
pub(super) fn close_to_others(path: &Path) -> io::Result<()> {
    if toolwright_base::close_to_others(path)? {
        tracing::warn!(file = %path.display(), "others could read this file; it is closed to them now");
    }
    Ok(())
}
