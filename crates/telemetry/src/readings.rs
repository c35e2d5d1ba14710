//! What is read off when somebody looks: states, not events.

use std::collections::BTreeMap;

/// What a gateway reads off itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// Calls that run.
    pub calls_in_flight: usize,
    /// How many servers are in which state.
    pub servers: BTreeMap<String, usize>,
    /// How the journal is doing, when there is one.
    pub journal: Option<JournalReadings>,
}

/// How the journal is doing, and what is made of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalReadings {
    /// The number of its last record.
    pub records: u64,
    /// Records that could not be written since the start.
    pub lost: u64,
    /// Written records that a loss of power may take.
    pub unsynced: u64,
    /// Whether the last one could not be.
    pub is_degraded: bool,
    /// Records that the index has not seen yet, when there is an index.
    pub index_lag: Option<u64>,
}
