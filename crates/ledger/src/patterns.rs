//! Errors that are alike, grouped by tool, code and what their messages have in common.
//!
//! [`normalize`] takes from a message what differs from call to call; [`Patterns`] counts what is left, in memory of
//! a known size. [`ErrorPatterns`] is the answer of `/api/error-patterns`.
//!
//! Start with [`Patterns::observe`] and [`Patterns::list`].

mod held;
mod kinds;
mod normalize;
mod parameter;
mod report;
mod trend;

use std::sync::{Mutex, MutexGuard};

pub use normalize::{MAX_MESSAGE, normalize};
pub use report::{ErrorPatterns, Pattern, SuggestedRule};
pub use trend::Trend;

use toolwright_base::IgnorePoison;

use crate::{Kind, Record};
use held::Held;

/// How many patterns are held. The ones that were not seen for the longest time go first.
pub const MAX_PATTERNS: usize = 2_000;

/// How many patterns one answer has.
pub const MAX_LISTED: usize = 50;

/// The error patterns of one process.
#[derive(Debug)]
pub struct Patterns(Mutex<Held>);

impl Default for Patterns {
    fn default() -> Self {
        Patterns::new(MAX_PATTERNS)
    }
}

impl Patterns {
    /// None yet, and never more than so many.
    pub fn new(limit: usize) -> Self {
        Patterns(Mutex::new(Held::new(limit)))
    }

    /// Takes note of a finished call. Also of those that went well: a pattern tells its share of the tool's calls.
    pub fn observe(&self, record: &Record) {
        if record.kind != Kind::Call {
            return;
        }
        // What takes time is done before the lock is taken.
        let failed = record.error.as_ref().map(|error| held::Failed::of(record, error));
        let mut held = self.held();
        held.count_call(record);
        if let Some(failed) = failed {
            held.count_error(failed);
        }
    }

    /// All patterns, the most frequent first. `now` is in microseconds since 1970.
    pub fn list(&self, now: i64) -> Vec<Pattern> {
        self.held().list(now)
    }

    /// The answer of `/api/error-patterns`. `suggest` is asked for a rule for every pattern, also for those that are
    /// not listed: it has to be quick.
    pub fn report(&self, now: i64, suggest: impl FnMut(&Pattern) -> Option<SuggestedRule>) -> ErrorPatterns {
        let (patterns, total_errors, forgotten) = {
            let held = self.held();
            (held.list(now), held.total_errors(), held.forgotten())
        };
        ErrorPatterns::of(patterns, total_errors, forgotten, suggest)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // A panic while counting can leave one error half counted, never patterns that cannot be read.
        self.0.lock().ignore_poison()
    }
}
