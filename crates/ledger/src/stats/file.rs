//! `normalizer_stats.json` in the log folder, written by any number of processes.
//!
//! Each process has its own part, `normalizer_stats.<name>.part.json`, with everything that it counted; the common file
//! is the sum of all parts. A writer locks `normalizer_stats.lock`, and each file is replaced atomically: a reader sees
//! the old or the new one, also after a kill or a power loss. A part belongs to the process that locks it; the next
//! process of that name continues it. Counts that are only in the common file (another program wrote it, or a part was
//! lost) are added to the part of the process that starts next.

mod disk;
mod parts;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use toolwright_base::IgnorePoison;

use super::{NormalizerStats, Snapshot, Stats, StatsLimits};
use parts::PartFiles;

/// Default interval of writing.
const WRITE_INTERVAL: Duration = Duration::from_secs(30);

/// Stores the stats of this process on disk, and the sum of all processes.
#[derive(Debug)]
pub struct StatsFile {
    stats: Arc<Stats>,
    parts: Mutex<PartFiles>,
}

/// Result of opening the stats files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// Calls in the part that this process continues.
    pub calls: u64,
    /// Whether a part was found to continue. If not, records of the journal may already be counted.
    pub has_part: bool,
    /// Unreadable files that were set aside.
    pub broken: Vec<PathBuf>,
}

/// Error of reading or writing the stats.
#[derive(Debug, thiserror::Error)]
pub enum StatsFileError {
    /// An I/O error.
    #[error("cannot {what} {}: {why}. Is the folder there, writable, and not full?", file.display())]
    Io {
        /// The attempted operation.
        what: &'static str,
        /// The file or folder.
        file: PathBuf,
        /// The error of the operating system.
        #[source]
        why: io::Error,
    },
    /// Another process holds the lock for too long.
    #[error(
        "another process holds {} for more than {} seconds; the stats are written when it lets go",
        file.display(),
        waited.as_secs()
    )]
    Busy {
        /// The lock file.
        file: PathBuf,
        /// The wait time.
        waited: Duration,
    },
    /// The part of a running process is unreadable. That process rewrites it.
    #[error("{} cannot be read: {why}. It belongs to a running process, which will write it anew", file.display())]
    Unreadable {
        /// The part.
        file: PathBuf,
        /// The parse error.
        why: String,
    },
    /// Too many running processes have the same name.
    #[error(
        "{count} running processes keep stats as `{name}` in {}; give this one a name of its own or another folder",
        folder.display()
    )]
    TooMany {
        /// The folder.
        folder: PathBuf,
        /// The name.
        name: String,
        /// The number of processes.
        count: usize,
    },
}

impl StatsFile {
    /// Claims a part in the folder, which is created when missing, adds its counts to `stats`, and writes; a failed
    /// write is retried later. Unreadable files are set aside with a warning. Blocks for some milliseconds.
    pub fn open(
        folder: &Path,
        node: &str,
        stats: Arc<Stats>,
    ) -> Result<(StatsFile, Restored), StatsFileError> {
        let (mut parts, found, broken) = PartFiles::open(folder, node)?;
        let has_part = found.is_some();
        if let Some(found) = &found {
            stats.restore(found);
        }
        if let Err(error) = parts.write(&stats) {
            // A full disk may have space later, and then everything that was counted is written.
            tracing::error!("{error}; it is tried again");
        }
        let restored = Restored { calls: stats.summary().total.processed, has_part, broken };
        parts.unlock();
        Ok((StatsFile { stats, parts: Mutex::new(parts) }, restored))
    }

    /// Writes the part of this process and the sum. Blocks for some milliseconds.
    pub fn flush(&self) -> Result<(), StatsFileError> {
        let mut parts = self.parts.lock().ignore_poison();
        parts.lock_common()?;
        let written = parts.write(&self.stats);
        parts.unlock();
        written
    }

    /// The sum of all processes: this one up to now, the others up to their last write.
    pub fn sum(&self) -> Result<NormalizerStats, StatsFileError> {
        let mut parts = self.parts.lock().ignore_poison();
        parts.sum(&self.stats.summary(), Timestamp::now())
    }

    /// Writes every 30 seconds until `stop`, and then once more.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        self.run_every(WRITE_INTERVAL, stop).await;
    }

    /// Writes at once, then at this interval until `stop`, and then once more. A failure is logged once, until it is
    /// over.
    pub async fn run_every(self: Arc<Self>, every: Duration, stop: CancellationToken) {
        let mut ticks = tokio::time::interval(every.max(Duration::from_millis(1)));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_failing = false;
        loop {
            let is_last = tokio::select! {
                _ = ticks.tick() => false,
                () = stop.cancelled() => true,
            };
            let file = Arc::clone(&self);
            let why = match tokio::task::spawn_blocking(move || file.flush()).await {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(error.to_string()),
                Err(panicked) => Some(panicked.to_string()),
            };
            match &why {
                Some(why) if !is_failing => {
                    tracing::warn!(%why, "the stats could not be written; it is tried again")
                }
                None if is_failing => tracing::info!("the stats are written again"),
                _ => {}
            }
            is_failing = why.is_some();
            if is_last {
                return;
            }
        }
    }

    /// The path of the common file.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(parts::COMMON)
    }
}

/// The common format of a part, for sums.
fn normalizer_stats(part: &Snapshot, now: Timestamp) -> NormalizerStats {
    part.normalizer(now)
}

/// Number of recent changed calls in the common file.
fn max_recent() -> usize {
    StatsLimits::default().recent
}
