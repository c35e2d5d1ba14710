//! A changed rules file takes effect while calls run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::Notify;
use toolwright_base::FileStamp;
use toolwright_normalizer::{ActiveRules, RuleSet};

/// How often a file is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Reads the rules whenever their file changes or `asked` is notified, and makes them active. Rules that cannot be read
/// leave the last good ones active. `report` gets the result of each attempt. It does not end.
pub async fn watch_rules<E>(
    file: Option<&Path>,
    rules: &ActiveRules,
    asked: &Notify,
    read: impl Fn() -> Result<RuleSet, E>,
    report: impl Fn(Result<(), E>),
) {
    let mut file = file.map(WatchedFile::new);
    loop {
        match &mut file {
            Some(file) => tokio::select! {
                () = file.changed() => {}
                () = asked.notified() => {}
            },
            None => asked.notified().await,
        }
        report(read().map(|configured| rules.set_configured(configured)));
    }
}

/// A file that is looked at from time to time. Another one under the same name is a change too.
#[derive(Debug)]
struct WatchedFile {
    path: PathBuf,
    seen: Option<FileStamp>,
}

impl WatchedFile {
    /// Watches from now on.
    fn new(path: &Path) -> WatchedFile {
        WatchedFile { path: path.to_owned(), seen: FileStamp::of(path) }
    }

    /// Waits until it is another one than it was.
    async fn changed(&mut self) {
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
