//! Files that are replaced as a whole: a reader finds the old file or the new one, also after a loss of power.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::private_file::private_options;

/// How the name of a file ends that is not in its place yet. A process that is killed leaves such files.
pub const TEMPORARY_ENDING: &str = ".new";

/// How many temporary names are tried. Each one that is taken was left by a process with the same number.
const MAX_NAMES: usize = 1_000;

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Everyone to whom the process opens files by default.
    Everyone,
    /// Its owner only.
    Owner,
}

/// A new content on disk, next to the file whose place it takes. Dropped before that, it is removed.
#[derive(Debug)]
pub struct FileReplacement {
    path: PathBuf,
    temporary: PathBuf,
}

impl FileReplacement {
    /// Writes a content that only its owner may read.
    pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<FileReplacement> {
        FileReplacement::write(path, bytes, None, Readers::Owner)
    }

    /// Writes a content with the permissions and the owner of the file whose place it takes. Without such a file,
    /// `if_new` says who may read it.
    pub fn write_alike(path: &Path, bytes: &[u8], if_new: Readers) -> io::Result<FileReplacement> {
        match fs::metadata(path) {
            Ok(old) => FileReplacement::write(path, bytes, Some(&old), Readers::Owner),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                FileReplacement::write(path, bytes, None, if_new)
            }
            Err(error) => Err(error),
        }
    }

    /// Puts the content in its place, and returns when it stays there.
    pub fn place(self) -> io::Result<()> {
        fs::rename(&self.temporary, &self.path)?;
        sync_folder_of(&self.path)
    }

    /// Puts the content in a place that is free. `false` when there is a file, which stays.
    pub fn place_new(self) -> io::Result<bool> {
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
            keep_access(&replacement.temporary, old)?;
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(replacement)
    }
}

impl Drop for FileReplacement {
    fn drop(&mut self) {
        // After `place` there is none; that is no error.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Replaces a file by one that only its owner may read, and returns when it stays there.
pub fn replace_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    FileReplacement::write_private(path, bytes)?.place()
}

/// Makes the names in a folder survive a loss of power. Elsewhere than on Unix, folders cannot be synced.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    match File::open(folder)?.sync_all() {
        // Some file systems of other machines cannot do it either.
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

/// Creates a file under a name that no other writer has: processes and threads may replace the same file at once.
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

fn keep_access(path: &Path, old: &Metadata) -> io::Result<()> {
    fs::set_permissions(path, old.permissions())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // Only the administrator can give files away, and only then it matters.
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
    fn a_file_is_replaced_whole_and_made_once() {
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
    fn a_replacement_that_is_not_placed_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a");
        drop(FileReplacement::write_alike(&file, b"one", Readers::Everyone).expect("written"));
        assert_eq!(count(folder.path()), 0);
        let into_folder = FileReplacement::write_private(folder.path(), b"one").expect("written");
        assert!(into_folder.place().is_err(), "a folder is no file");
        assert_eq!(count(folder.path()), 0);
    }

    #[test]
    fn writers_at_once_leave_one_whole_content() {
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
                        assert!(contents_of(&read), "a mix of two contents");
                    }
                });
            }
        });
        assert_eq!(count(folder.path()), 1);
    }

    fn contents_of(read: &str) -> bool {
        read == "a".repeat(100_000) || read == "b".repeat(90_000)
    }

    #[cfg(unix)]
    #[test]
    fn permissions_of_the_old_file_are_kept() {
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
