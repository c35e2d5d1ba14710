//! File stamps: detect whether a file may have changed, from its metadata.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Metadata that differs between two states of a file: its length, its modification time and its inode.
///
/// A file that is written twice within the resolution of the file system's clock may look the same: see
/// [`is_fresh`](Self::is_fresh).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    bytes: u64,
    written: Option<SystemTime>,
    #[cfg(unix)]
    number: u64,
}

impl FileStamp {
    /// The stamp of a file; `None` if the file does not exist.
    pub fn of(path: &Path) -> Option<FileStamp> {
        let data = fs::metadata(path).ok()?;
        Some(FileStamp {
            bytes: data.len(),
            written: data.modified().ok(),
            #[cfg(unix)]
            number: std::os::unix::fs::MetadataExt::ino(&data),
        })
    }

    /// Whether the file was written so recently that different content may have the same stamp.
    pub fn is_fresh(&self, within: Duration) -> bool {
        let age = self.written.and_then(|written| SystemTime::now().duration_since(written).ok());
        age.is_none_or(|age| age < within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_file_has_another_stamp() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a");
        assert_eq!(FileStamp::of(&file), None);
        fs::write(&file, "one").expect("written");
        let stamp = FileStamp::of(&file).expect("there");
        assert_eq!(FileStamp::of(&file), Some(stamp));
        assert!(stamp.is_fresh(Duration::from_secs(3_600)) && !stamp.is_fresh(Duration::ZERO));
        fs::write(&file, "three").expect("written");
        assert_ne!(FileStamp::of(&file), Some(stamp));
    }
}
