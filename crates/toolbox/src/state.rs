//! What can be seen of a server at any moment.

use std::time::Duration;

/// Where a server is in its life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is being reached.
    Starting {
        /// Which attempt this is.
        attempt: u32,
    },
    /// It answers.
    Ready,
    /// It could not be reached, and is tried again.
    Backoff {
        /// Attempts that have failed since it was last ready.
        failures: u32,
        /// How long the wait is; the next use ends it.
        wait: Duration,
    },
    /// It keeps ending, and is put aside.
    Quarantined,
    /// Somebody switched it off.
    Disabled,
}

impl State {
    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            State::Starting { .. } => "starting",
            State::Ready => "ready",
            State::Backoff { .. } => "backoff",
            State::Quarantined => "quarantined",
            State::Disabled => "disabled",
        }
    }
}

/// A server, seen from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Where it is.
    pub state: State,
    /// How often it was reached again after it was ready.
    pub restarts: u32,
    /// Its process id, when it is a child that runs.
    pub pid: Option<u32>,
    /// What went wrong last.
    pub last_error: Option<String>,
}
