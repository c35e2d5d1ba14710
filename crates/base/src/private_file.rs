//! Files and folders that only their owner may use.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// The same options for a file that only its owner may read.
pub fn private_options(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Makes a folder and those above it for their owner only. What is there stays as it is.
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

/// Reads a text of less than `limit` bytes.
pub fn read_bounded(path: &Path, limit: u64) -> io::Result<String> {
    let mut text = String::new();
    let count = File::open(path)?.take(limit).read_to_string(&mut text)?;
    if count as u64 == limit {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is too large"));
    }
    Ok(text)
}

/// Takes from others what they may do with a file. Whether they could do anything.
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

/// Waits for the lock that a file stands for. It is released with the file that is returned.
pub fn lock_private(path: &Path) -> io::Result<File> {
    let file = private_options(OpenOptions::new().write(true).create(true).truncate(false)).open(path)?;
    file.lock()?;
    Ok(file)
}
