//! Atomic file replacement: a reader finds the old file or the new one, even after a power loss.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::private_file::private_options;

/// File name suffix of a replacement that is not in place yet. A killed process leaves such files behind.
pub const TEMPORARY_ENDING: &str = ".new";

/// Attempts to find a free temporary name. Every taken name was left by a process with the same id.
const MAX_NAMES: usize = 1_000;

/// The users who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// The users that the process's umask admits.
    Everyone,
    /// The owner only.
    Owner,
}

/// New content on disk, next to the file that it replaces. The temporary file is removed on drop unless it was placed.
#[derive(Debug)]
pub struct FileReplacement {
    path: PathBuf,
    temporary: PathBuf,
}

impl FileReplacement {
    /// Writes content that only the owner may read.
    pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<FileReplacement> {
        FileReplacement::write(path, bytes, None, Readers::Owner)
    }

    /// Writes content with the permissions and the owner of the file that it replaces. If there is no such file,
    /// `if_new` decides who may read it.
    pub fn write_alike(path: &Path, bytes: &[u8], if_new: Readers) -> io::Result<FileReplacement> {
        match fs::metadata(path) {
            Ok(old) => FileReplacement::write(path, bytes, Some(&old), Readers::Owner),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                FileReplacement::write(path, bytes, None, if_new)
            }
            Err(error) => Err(error),
        }
    }

    /// Moves the content into place. Returns once the change survives a power loss.
    pub fn place(self) -> io::Result<()> {
        fs::rename(&self.temporary, &self.path)?;
        sync_folder_of(&self.path)
    }

    /// Moves the content into place unless a file exists there. Returns `false` if one does; that file stays.
    pub fn place_new(self) -> io::Result<bool> {
        // A hard link fails if the name exists; a rename would replace the file.
        match fs::hard_link(&self.temporary, &self.path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
            Ok(()) => sync_folder_of(&self.path).map(|()| true),
        }
    }

    fn write(path: &Path, bytes: &[u8], old: Option<&Metadata>, readers: Readers) -> io::Result<Self> {
        let (mut file, temporary) = create_next_to(path, readers)?;
        let replacement = FileReplacement { path: path.to_owned(), temporary };
        if let Some(old) = old {
            copy_access(&replacement.temporary, old)?;
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(replacement)
    }
}

impl Drop for FileReplacement {
    fn drop(&mut self) {
        // After `place` the temporary file is gone; that is not an error.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Replaces a file by one that only its owner may read. Returns once the change survives a power loss.
pub fn replace_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    FileReplacement::write_private(path, bytes)?.place()
}

/// Makes new names in a folder survive a power loss. Only Unix can sync folders; elsewhere this does nothing.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    match File::open(folder)?.sync_all() {
        // Some network file systems cannot sync a folder; that is not an error.
        Err(error) if !matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            return Err(error);
        }
        _ => {}
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    sync_folder(folder.unwrap_or(Path::new(".")))
}

/// Creates a temporary file under a unique name: processes and threads may replace the same file concurrently.
fn create_next_to(path: &Path, readers: Readers) -> io::Result<(File, PathBuf)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    if readers == Readers::Owner {
        private_options(&mut options);
    }
    let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..MAX_NAMES {
        let mut name = path.as_os_str().to_owned();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        name.push(format!(".{}-{count}{TEMPORARY_ENDING}", std::process::id()));
        let temporary = PathBuf::from(name);
        match options.open(&temporary) {
            Ok(file) => return Ok((file, temporary)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
            Err(error) => return Err(error),
        }
    }
    Err(taken)
}

fn copy_access(path: &Path, old: &Metadata) -> io::Result<()> {
    fs::set_permissions(path, old.permissions())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // Only root can change the owner; for any other user the failure does not matter.
        let _ = std::os::unix::fs::chown(path, Some(old.uid()), Some(old.gid()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(folder: &Path) -> usize {
        fs::read_dir(folder).expect("a folder").count()
    }

    #[test]
    fn file_is_replaced_whole_and_created_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.json");
        replace_private(&file, b"one").expect("placed");
        replace_private(&file, b"two").expect("placed");
        assert_eq!(fs::read(&file).expect("read"), b"two");
        let place_new = |name: &str| {
            let replacement = FileReplacement::write_private(&folder.path().join(name), b"three");
            replacement.and_then(FileReplacement::place_new).expect("written")
        };
        assert!(!place_new("a.json"));
        assert!(place_new("b"));
        assert_eq!(fs::read(&file).expect("read"), b"two");
        assert_eq!(count(folder.path()), 2, "nothing is left next to them");
        #[cfg(unix)]
        for entry in fs::read_dir(folder.path()).expect("a folder").flatten() {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(entry.metadata().expect("seen").permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn dropped_replacement_leaves_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a");
        drop(FileReplacement::write_alike(&file, b"one", Readers::Everyone).expect("written"));
        assert_eq!(count(folder.path()), 0);
        let into_folder = FileReplacement::write_private(folder.path(), b"one").expect("written");
        assert!(into_folder.place().is_err(), "a folder is no file");
        assert_eq!(count(folder.path()), 0);
    }

    #[test]
    fn concurrent_writers_leave_one_whole_content() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a");
        let contents = ["a".repeat(100_000), "b".repeat(90_000)];
        std::thread::scope(|scope| {
            for content in &contents {
                let file = &file;
                scope.spawn(move || {
                    for _ in 0..20 {
                        replace_private(file, content.as_bytes()).expect("placed");
                        let read = fs::read_to_string(file).expect("read");
                        assert!(is_whole_content(&read), "a mix of two contents");
                    }
                });
            }
        });
        assert_eq!(count(folder.path()), 1);
    }

    fn is_whole_content(read: &str) -> bool {
        read == "a".repeat(100_000) || read == "b".repeat(90_000)
    }

    #[cfg(unix)]
    #[test]
    fn replacement_keeps_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a");
        let mode = || fs::metadata(&file).expect("there").permissions().mode() & 0o777;
        let replace = |readers| {
            FileReplacement::write_alike(&file, b"", readers)
                .and_then(FileReplacement::place)
                .expect("placed");
        };
        replace(Readers::Owner);
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("changed");
        replace(Readers::Owner);
        assert_eq!(mode(), 0o640);
    }
}
