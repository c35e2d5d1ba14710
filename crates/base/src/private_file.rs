//! Files and folders that only their owner may access.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Sets the mode 0600, so that only the owner may read a file created with these options.
pub fn private_options(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Creates a folder and its parents with access for the owner only. Existing folders stay unchanged.
pub fn make_private_folder(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Reads a text file of less than `limit` bytes.
pub fn read_bounded(path: &Path, limit: u64) -> io::Result<String> {
    let mut text = String::new();
    let count = File::open(path)?.take(limit).read_to_string(&mut text)?;
    if count as u64 == limit {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is too large"));
    }
    Ok(text)
}

/// Removes access of other users to a file. Returns whether they had any.
pub fn close_to_others(path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
            return Ok(true);
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(false)
}

/// Waits for the advisory lock on a file. The lock is released when the returned file is dropped.
pub fn lock_private(path: &Path) -> io::Result<File> {
    let file = private_options(OpenOptions::new().write(true).create(true).truncate(false)).open(path)?;
    file.lock()?;
    Ok(file)
}
