//! Numbers about calls, by tool, rule, client and server, and over time.
//!
//! [`Stats`] counts every finished call once, in memory of a known size: whoever comes after the tables are full is
//! counted under [`OTHERS`]. A [`Snapshot`] is all of it, can be written, and two of them add up. [`StatsFile`]
//! keeps `normalizer_stats.json` and what is needed to go on after a restart.
//!
//! Start with [`Stats::observe`] and [`StatsFile::open`].

mod file;
mod histogram;
mod last_hour;
mod limits;
mod normalizer;
mod numbers;
mod progress;
mod series;
mod slowest;
mod snapshot;
mod state;
mod table;
mod time;

use std::borrow::Borrow;
use std::sync::{Mutex, MutexGuard};

pub use file::{Restored, StatsFile, StatsFileError};
pub use histogram::Histogram;
pub use last_hour::Percentiles;
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
use slowest::Slowest;
use state::State;

/// The name under which everything is counted that found its table full.
pub const OTHERS: &str = "(others)";

/// The name under which calls of tools that do not exist are counted: anybody can make up names.
pub const UNKNOWN: &str = "(unknown)";

/// The type that is given for a change that no rule asked for.
pub const SCHEMA: &str = "schema";

/// The numbers of one process. One short lock: counting a call takes less than a microsecond of it.
#[derive(Debug, Default)]
pub struct Stats {
    limits: StatsLimits,
    state: Mutex<State>,
}

impl Stats {
    /// Empty numbers with limits of one's own.
    pub fn new(limits: StatsLimits) -> Self {
        Stats { limits, state: Mutex::new(State::new(limits)) }
    }

    /// Counts a finished call. Records of another kind are only noted as seen.
    pub fn observe(&self, record: &Record) {
        // What takes memory is done before the lock is taken.
        let changed = state::changed(record, self.limits);
        self.state().observe(record, changed);
    }

    /// Adds what was counted before a restart, or elsewhere.
    pub fn restore(&self, snapshot: &Snapshot) {
        self.state().restore(snapshot);
    }

    /// Counts those records that were not counted yet, by their numbers in the journal, and says how many. For
    /// the time between the last snapshot and the end of a process. Records of other nodes are passed over.
    pub fn catch_up<R: Borrow<Record>>(&self, records: impl IntoIterator<Item = R>) -> u64 {
        // Reading the next record may take time: the lock is not held meanwhile.
        records.into_iter().map(|record| u64::from(self.state().catch_up(record.borrow()))).sum()
    }

    /// Up to which number of the journal every record was counted. Nothing before the first record that has one.
    pub fn progress(&self) -> Option<Progress> {
        self.state().progress().cloned()
    }

    /// Forgets which records were counted, for a journal that begins anew. The numbers stay.
    pub fn forget_progress(&self) {
        self.state().forget_progress();
    }

    /// All numbers, as they are at one moment.
    pub fn snapshot(&self) -> Snapshot {
        self.state().snapshot(true)
    }

    /// All numbers but those over time, which are the larger part.
    pub fn summary(&self) -> Snapshot {
        self.state().snapshot(false)
    }

    /// What is told of normalization, in the shape of `normalizer_stats.json`.
    pub fn normalizer(&self, now: jiff::Timestamp) -> NormalizerStats {
        self.summary().normalizer(now)
    }

    /// All calls over time, without gaps, the newest last. `now` is in microseconds since 1970.
    pub fn over_time(&self, step: Step, now: i64) -> Vec<Point> {
        self.state().series().points(step, now)
    }

    /// How long the calls of the last hour took, by minute without gaps, the newest last.
    pub fn last_hour(&self, now: i64) -> Vec<Percentiles> {
        self.state().last_hour(now)
    }

    /// The calls of one tool over time. Nothing for a tool that is not known or has none of its own.
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

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic while counting can leave one call half counted, never a state that cannot be read.
        self.state.lock().ignore_poison()
    }
}

/// A change as `normalizer_stats.json` and the list of operations tell it.
pub fn applied(change: &Change) -> Applied {
    state::applied_by(change, StatsLimits::default().text)
}
