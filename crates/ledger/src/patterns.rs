//! Error patterns: similar errors, grouped by tool, code and the common part of their messages.
//!
//! [`normalize`] replaces the variable parts of a message; [`Patterns`] counts the results in bounded memory.
//! [`ErrorPatterns`] is the response of `/api/error-patterns`.
//!
//! Start with [`Patterns::observe`] and [`Patterns::list`].

mod normalize;
mod parameter;
mod pattern_table;
mod report;
mod trend;
mod variables;

use std::sync::{Mutex, MutexGuard};

pub use normalize::{MAX_MESSAGE, normalize};
pub use report::{ErrorPatterns, Pattern, SuggestedRule};
pub use trend::Trend;

use toolwright_base::IgnorePoison;

use crate::{Kind, Record};
use pattern_table::PatternTable;

/// Maximum number of patterns in memory. The least recently seen are evicted first.
pub const MAX_PATTERNS: usize = 2_000;

/// Maximum number of patterns in a response.
pub const MAX_LISTED: usize = 50;

/// The error patterns of one process.
#[derive(Debug)]
pub struct Patterns(Mutex<PatternTable>);

impl Default for Patterns {
    fn default() -> Self {
        Patterns::new(MAX_PATTERNS)
    }
}

impl Patterns {
    /// Creates an empty table with this maximum size.
    pub fn new(limit: usize) -> Self {
        Patterns(Mutex::new(PatternTable::new(limit)))
    }

    /// Counts a finished call. Successful calls count too: a pattern reports its share of the tool's calls.
    pub fn observe(&self, record: &Record) {
        if record.kind != Kind::Call {
            return;
        }
        // The expensive part runs before the lock is taken.
        let failed = record.error.as_ref().map(|error| pattern_table::FailedCall::of(record, error));
        let mut table = self.lock();
        table.count_call(record);
        if let Some(failed) = failed {
            table.count_error(failed);
        }
    }

    /// All patterns, the most frequent first. `now` is in microseconds since 1970.
    pub fn list(&self, now: i64) -> Vec<Pattern> {
        self.lock().list(now)
    }

    /// The response of `/api/error-patterns`. `suggest` is called for every pattern, also for those that are not
    /// listed: it has to be fast.
    pub fn report(&self, now: i64, suggest: impl FnMut(&Pattern) -> Option<SuggestedRule>) -> ErrorPatterns {
        let (patterns, total_errors, evicted) = {
            let table = self.lock();
            (table.list(now), table.total_errors(), table.evicted())
        };
        ErrorPatterns::of(patterns, total_errors, evicted, suggest)
    }

    fn lock(&self) -> MutexGuard<'_, PatternTable> {
        // A panic while counting can leave one error half counted, but never unreadable patterns.
        self.0.lock().ignore_poison()
    }
}
