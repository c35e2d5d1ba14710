//! Memory limits of the stats. Names beyond them are counted under [`OTHERS`](super::OTHERS).

/// Maximum numbers of names and events in the stats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatsLimits {
    /// Tools with their own counts.
    pub tools: usize,
    /// Tools with their own time series: the first ones. Each takes up to 90 KB.
    pub tools_over_time: usize,
    /// Rules, and codes of changes without a rule.
    pub rules: usize,
    /// Tool names per rule.
    pub tools_of_a_rule: usize,
    /// Clients.
    pub clients: usize,
    /// Servers.
    pub servers: usize,
    /// The last changed calls.
    pub recent: usize,
    /// The slowest calls.
    pub slowest: usize,
    /// Changes that are stored per call.
    pub changes_of_a_call: usize,
    /// Bytes of a stored value or name.
    pub text: usize,
}

impl Default for StatsLimits {
    fn default() -> Self {
        StatsLimits {
            tools: 1_000,
            tools_over_time: 100,
            rules: 1_000,
            tools_of_a_rule: 100,
            clients: 200,
            servers: 200,
            recent: 50,
            slowest: 10,
            changes_of_a_call: 20,
            text: 200,
        }
    }
}
