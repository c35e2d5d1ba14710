//! Every limit of the executor, in one place.

use std::time::Duration;

/// How long a tool may take unless it has a limit of its own.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a call may take in all, however often its tool shows that it is still at it.
pub const LONGEST_CALL: Duration = Duration::from_secs(60 * 60);

/// A call that takes longer than this is warned of.
pub const SLOW_CALL: Duration = Duration::from_millis(1000);

/// How long a tool that has begun to change something is waited for when it is to stop.
pub(super) const TIME_TO_FINISH: Duration = Duration::from_secs(10);

/// How many calls of one tool may be in flight.
const MAX_CALLS_PER_TOOL: usize = 256;

/// How many calls of all tools may be in flight.
const MAX_CALLS: usize = 1024;

/// The largest result.
const MAX_RESULT_BYTES: usize = 4 << 20;

/// What an executor allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long a tool may take. Default: 30 s.
    pub timeout: Duration,
    /// How long a tool may take in all when it shows again and again that it is still at it. Default: 1 h.
    pub longest: Duration,
    /// How many calls of one tool may run at once. Default: 256.
    pub calls_per_tool: usize,
    /// How many calls may run at once. Default: 1024.
    pub calls_in_all: usize,
    /// The largest result, in bytes. Longer text is cut, with a note; a longer structured result is an
    /// error, since half of it would say something else. Default: 4 MiB.
    pub result_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            timeout: DEFAULT_TIMEOUT,
            longest: LONGEST_CALL,
            calls_per_tool: MAX_CALLS_PER_TOOL,
            calls_in_all: MAX_CALLS,
            result_bytes: MAX_RESULT_BYTES,
        }
    }
}
