//! Noticing that a file has changed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toolwright_base::FileStamp;

/// How often a file is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// A file that is looked at from time to time. Another one under the same name is a change too.
#[derive(Debug)]
pub struct Watched {
    path: PathBuf,
    seen: Option<FileStamp>,
}

impl Watched {
    /// Watches from now on.
    pub fn new(path: &Path) -> Watched {
        Watched { path: path.to_owned(), seen: FileStamp::of(path) }
    }

    /// Waits until it is another one than it was.
    pub async fn changed(&mut self) {
        loop {
            tokio::time::sleep(LOOK).await;
            let now = FileStamp::of(&self.path);
            if now != self.seen {
                self.seen = now;
                return;
            }
        }
    }
}
