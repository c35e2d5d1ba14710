//! Files and folders, and who may read them.

use std::path::Path;

/// What others than the owner may do with a file; nothing where that cannot be told.
#[cfg(unix)]
pub(crate) fn open_to_others(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).ok()?.permissions().mode();
    Some(mode & 0o077).filter(|open| *open != 0)
}

#[cfg(not(unix))]
pub(crate) fn open_to_others(_: &Path) -> Option<u32> {
    None
}

/// How much room is left where a folder is, in bytes.
#[cfg(unix)]
pub(crate) fn room(path: &Path) -> Option<u64> {
    let there = path.ancestors().find(|folder| folder.exists())?;
    let seen = rustix::fs::statvfs(there).ok()?;
    Some(seen.f_bavail.saturating_mul(seen.f_frsize))
}

#[cfg(not(unix))]
pub(crate) fn room(_: &Path) -> Option<u64> {
    None
}

/// Whether something can be made in a folder, or in the first one above it that is there.
#[cfg(unix)]
pub(crate) fn is_writable(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    let there = path.ancestors().find(|folder| folder.exists());
    there.is_some_and(|folder| access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok())
}

#[cfg(not(unix))]
pub(crate) fn is_writable(path: &Path) -> bool {
    let there = path.ancestors().find_map(|folder| std::fs::metadata(folder).ok());
    there.is_some_and(|seen| !seen.permissions().readonly())
}
