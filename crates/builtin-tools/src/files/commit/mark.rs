//! What tells a journal that was written here from one that came with the files, such as in a cloned repository.
//!
//! A journal is acted upon: files are moved and removed by it. So its first line holds the inode and the time of birth of
//! the very file it is in. Neither can be chosen by who makes a repository, an archive or a copy.

use std::fs::File;
use std::io;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// The file that a journal was written into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    inode: Option<u64>,
    /// Nanoseconds since 1970, where the file system knows them.
    born: Option<u64>,
}

impl Mark {
    /// The mark of this file.
    pub(super) fn of(file: &File) -> io::Result<Mark> {
        let metadata = file.metadata()?;
        let born = metadata.created().ok().and_then(|born| born.duration_since(UNIX_EPOCH).ok());
        #[cfg(unix)]
        let inode = Some(std::os::unix::fs::MetadataExt::ino(&metadata));
        #[cfg(not(unix))]
        let inode = None;
        Ok(Mark { inode, born: born.and_then(|born| u64::try_from(born.as_nanos()).ok()) })
    }

    /// Whether it says anything at all.
    fn is_known(&self) -> bool {
        self.inode.is_some() || self.born.is_some()
    }

    /// Whether a journal with this mark was written into the file with that one.
    pub(super) fn is_of(&self, file: &Mark) -> bool {
        self.is_known() && self == file
    }
}
