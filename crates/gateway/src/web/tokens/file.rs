//! Files that only their owner can read, replaced as a whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// How large such a file may be: larger than any that was written.
const MAX_BYTES: u64 = 1 << 20;

/// Reads a file.
pub(super) fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let count = File::open(path)?.take(MAX_BYTES).read_to_string(&mut text)?;
    if count as u64 == MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is too large"));
    }
    Ok(text)
}

/// Writes a file beside the old one, then puts it in its place. The caller holds the lock.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let written = private(OpenOptions::new().write(true).create(true).truncate(true)).open(&beside).and_then(
        |mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        },
    );
    let placed = written.and_then(|()| fs::rename(&beside, path));
    if placed.is_err() {
        // What is left behind may hold a token. That it may not be there is no second error.
        let _ = fs::remove_file(&beside);
    }
    placed
}

/// Waits for a lock, in a folder that is ours alone; it ends with the file that is given back.
pub(super) fn lock(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        #[cfg(unix)]
        fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    }
    let file = private(OpenOptions::new().write(true).create(true).truncate(false)).open(path)?;
    file.lock()?;
    Ok(file)
}

/// Takes from others what they may do with a file that somebody opened to them.
pub(super) fn close_to_others(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
            tracing::warn!(file = %path.display(), "others could read this file; it is closed to them now");
            fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
        }
    }
    Ok(())
}

/// What tells one state of a file from another.
pub(super) fn stamp(path: &Path) -> super::Stamp {
    let seen = fs::metadata(path).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&seen);
    #[cfg(not(unix))]
    let number = 0;
    Some((seen.modified().ok()?, seen.len(), number))
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
