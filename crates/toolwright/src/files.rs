//! Noticing that a file has changed.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How often a file is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// A file that is looked at from time to time. Another one under the same name is a change too.
#[derive(Debug)]
pub struct Watched {
    path: PathBuf,
    seen: Stamp,
}

type Stamp = Option<(SystemTime, u64, u64)>;

impl Watched {
    /// Watches from now on.
    pub fn new(path: &Path) -> Watched {
        Watched { path: path.to_owned(), seen: stamp(path) }
    }

    /// Waits until it is another one than it was.
    pub async fn changed(&mut self) {
        loop {
            tokio::time::sleep(LOOK).await;
            let now = stamp(&self.path);
            if now != self.seen {
                self.seen = now;
                return;
            }
        }
    }
}

fn stamp(path: &Path) -> Stamp {
    let seen = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&seen);
    #[cfg(not(unix))]
    let number = 0;
    Some((seen.modified().ok()?, seen.len(), number))
}
