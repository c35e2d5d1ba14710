//! Values that are read at export time: states, not events.

use std::collections::BTreeMap;

/// The current state of a gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// Calls in flight.
    pub calls_in_flight: usize,
    /// The number of servers by state.
    pub servers: BTreeMap<String, usize>,
    /// The state of the journal, if there is one.
    pub journal: Option<JournalReadings>,
}

/// The state of the journal and its index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalReadings {
    /// The number of the last record.
    pub records: u64,
    /// Records that could not be written since the start.
    pub lost: u64,
    /// Written records that a power loss may still take.
    pub unsynced: u64,
    /// Whether the last record could not be written.
    pub is_degraded: bool,
    /// Records that are not in the index yet, if there is an index.
    pub index_lag: Option<u64>,
}
