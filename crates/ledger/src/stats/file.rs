//! `normalizer_stats.json` in the folder for logs, kept by any number of processes.
//!
//! Each process has a part of its own, `normalizer_stats.<name>.part.json`, which holds everything it counted; the
//! common file is the sum of all parts. Whoever writes holds `normalizer_stats.lock`, and each file is put in
//! its place as a whole: a reader sees the old one or the new one, also after a kill or a power cut. A part belongs to
//! a process as long as that holds the part's lock; the next process of that name goes on with it. What the common
//! file tells beyond all parts (it was written by another program, or a part was lost) goes into the part of
//! whoever starts next.

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
use parts::Parts;

/// How often the file is written when nothing else is said.
const EVERY: Duration = Duration::from_secs(30);

/// Keeps the stats of this process on disk, and the sum of all processes beside them.
#[derive(Debug)]
pub struct StatsFile {
    stats: Arc<Stats>,
    parts: Mutex<Parts>,
}

/// What was there at the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// Calls that are counted in what this process goes on with.
    pub calls: u64,
    /// Whether a part was found to go on with. If not, records of the journal may be counted already.
    pub has_part: bool,
    /// Files that could not be read and were set aside.
    pub broken: Vec<PathBuf>,
}

/// Why the stats could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StatsFileError {
    /// The disk said no.
    #[error("cannot {what} {}: {why}. Is the folder there, writable, and not full?", file.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// The file or folder.
        file: PathBuf,
        /// What the system said.
        #[source]
        why: io::Error,
    },
    /// Somebody holds the lock and does not let go.
    #[error(
        "another process holds {} for more than {} seconds; the stats are written when it lets go",
        file.display(),
        waited.as_secs()
    )]
    Busy {
        /// The lock.
        file: PathBuf,
        /// How long was waited.
        waited: Duration,
    },
    /// The part of a living process cannot be read. It writes it anew.
    #[error("{} cannot be read: {why}. It belongs to a running process, which will write it anew", file.display())]
    Unreadable {
        /// The part.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// So many processes of one name are running.
    #[error(
        "{count} running processes keep stats as `{name}` in {}; give this one a name of its own or another folder",
        folder.display()
    )]
    TooMany {
        /// The folder.
        folder: PathBuf,
        /// The name.
        name: String,
        /// How many there are.
        count: usize,
    },
}

impl StatsFile {
    /// Takes a part in the folder, which is made when it is missing, adds what it holds to `stats`, and
    /// writes; what cannot be written now is written later. Files that cannot be read are set aside with a warning. Blocks for some milliseconds.
    pub fn open(
        folder: &Path,
        node: &str,
        stats: Arc<Stats>,
    ) -> Result<(StatsFile, Restored), StatsFileError> {
        let (mut parts, found, broken) = Parts::open(folder, node)?;
        let has_part = found.is_some();
        if let Some(found) = &found {
            stats.restore(found);
        }
        if let Err(error) = parts.write(&stats) {
            // A disk that is full now may have room later, and then all that was counted is written.
            tracing::error!("{error}; it is tried again");
        }
        let restored = Restored { calls: stats.summary().total.processed, has_part, broken };
        parts.let_go();
        Ok((StatsFile { stats, parts: Mutex::new(parts) }, restored))
    }

    /// Writes the part of this process and the sum. Blocks for some milliseconds.
    pub fn flush(&self) -> Result<(), StatsFileError> {
        let mut parts = self.parts.lock().ignore_poison();
        parts.hold()?;
        let written = parts.write(&self.stats);
        parts.let_go();
        written
    }

    /// The sum of all processes as it is now: this one up to this moment, the others up to their last writing.
    pub fn sum(&self) -> Result<NormalizerStats, StatsFileError> {
        let mut parts = self.parts.lock().ignore_poison();
        parts.sum(&self.stats.summary(), Timestamp::now())
    }

    /// Writes every 30 seconds until `stop`, and then once more.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        self.run_every(EVERY, stop).await;
    }

    /// Writes at once, then as often as asked until `stop`, and then once more. A failure is told once, until
    /// it is over.
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

    /// The common file.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(parts::COMMON)
    }
}

/// The common shape of a part, for sums.
fn told(part: &Snapshot, now: Timestamp) -> NormalizerStats {
    part.normalizer(now)
}

/// How many of the last changed calls the common file has.
fn recent() -> usize {
    StatsLimits::default().recent
}
