//! Call statistics by tool, rule, client and server, and over time.
//!
//! [`Stats`] counts every finished call once, in bounded memory: names that do not fit into a full table are counted
//! under [`OTHERS`]. A [`Snapshot`] contains everything, can be serialized, and two of them can be merged.
//! [`StatsFile`] writes `normalizer_stats.json` and the state for the next start.
//!
//! Start with [`Stats::observe`] and [`StatsFile::open`].

mod capped_table;
mod file;
mod histogram;
mod latency_window;
mod limits;
mod normalizer;
mod numbers;
mod progress;
mod series;
mod slowest;
mod snapshot;
mod state;
mod time;

use std::borrow::Borrow;
use std::sync::{Mutex, MutexGuard};

pub use file::{Restored, StatsFile, StatsFileError};
pub use histogram::Histogram;
pub use latency_window::Percentiles;
pub use limits::StatsLimits;
pub use normalizer::{Applied, NormalizerStats, RecentNormalization, RuleHits, ToolCounts};
pub use numbers::{Numbers, Summary};
pub use progress::Progress;
pub use series::{Cell, Point, Series, Step};
pub use slowest::SlowCall;
pub use snapshot::{ClientRow, Normalization, RuleRow, ServerRow, Snapshot, ToolRow};
pub use time::rfc3339;

use toolwright_base::IgnorePoison;

use crate::{Change, Record};
use slowest::SlowestCalls;
use state::StatsState;

/// Name of the row for everything that does not fit into a full table.
pub const OTHERS: &str = "(others)";

/// Name for calls of tools that do not exist: a client can invent any number of names.
pub const UNKNOWN: &str = "(unknown)";

/// RuleStats type of a change that no rule caused.
pub const SCHEMA: &str = "schema";

/// Statistics of one process. The lock is held for less than a microsecond per call.
#[derive(Debug, Default)]
pub struct Stats {
    limits: StatsLimits,
    state: Mutex<StatsState>,
}

impl Stats {
    /// Creates empty statistics with these limits.
    pub fn new(limits: StatsLimits) -> Self {
        Stats { limits, state: Mutex::new(StatsState::new(limits)) }
    }

    /// Counts a finished call. Records of other kinds only update the progress.
    pub fn observe(&self, record: &Record) {
        // Memory is allocated before the lock is taken.
        let changed = state::recent_change(record, self.limits);
        self.state().observe(record, changed);
    }

    /// Adds a snapshot of an earlier run, or of another process.
    pub fn restore(&self, snapshot: &Snapshot) {
        self.state().restore(snapshot);
    }

    /// Counts the records that were not counted yet, by their sequence numbers, and returns how many. Covers the time
    /// between the last snapshot and the exit of a process. Records of other nodes are skipped.
    pub fn catch_up<R: Borrow<Record>>(&self, records: impl IntoIterator<Item = R>) -> u64 {
        // Reading the next record may take time: the lock is not held meanwhile.
        records.into_iter().map(|record| u64::from(self.state().catch_up(record.borrow()))).sum()
    }

    /// The sequence number up to which every record was counted. `None` before the first record with a number.
    pub fn progress(&self) -> Option<Progress> {
        self.state().progress().cloned()
    }

    /// Resets the progress, for a journal that restarts at 1. The statistics stay.
    pub fn forget_progress(&self) {
        self.state().forget_progress();
    }

    /// All statistics at one moment.
    pub fn snapshot(&self) -> Snapshot {
        self.state().snapshot(true)
    }

    /// All statistics except the time series, which are the larger part.
    pub fn summary(&self) -> Snapshot {
        self.state().snapshot(false)
    }

    /// Statistics about repairs, in the format of `normalizer_stats.json`.
    pub fn normalizer(&self, now: jiff::Timestamp) -> NormalizerStats {
        self.summary().normalizer(now)
    }

    /// All calls over time, without gaps, the newest last. `now` is in microseconds since 1970.
    pub fn over_time(&self, step: Step, now: i64) -> Vec<Point> {
        self.state().series().points(step, now)
    }

    /// Latency percentiles of the last hour, by minute without gaps, the newest last.
    pub fn last_hour(&self, now: i64) -> Vec<Percentiles> {
        self.state().last_hour(now)
    }

    /// The calls of one tool over time. `None` for an unknown tool, or one without a series.
    pub fn tool_over_time(
        &self,
        toolbox: Option<&str>,
        server: Option<&str>,
        tool: &str,
        step: Step,
        now: i64,
    ) -> Option<Vec<Point>> {
        Some(self.state().tool_series(toolbox, server, tool)?.points(step, now))
    }

    fn state(&self) -> MutexGuard<'_, StatsState> {
        // A panic while counting can leave one call half counted, but never an unreadable state.
        self.state.lock().ignore_poison()
    }
}

/// Converts a change to the format of `normalizer_stats.json` and of the list of operations.
pub fn applied(change: &Change) -> Applied {
    state::applied_by(change, StatsLimits::default().text)
}
