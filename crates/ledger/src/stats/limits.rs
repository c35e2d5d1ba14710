//! How much is held at most. Whatever has no place is counted under [`OTHERS`](super::OTHERS).

/// How many names and events the stats hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatsLimits {
    /// Tools with numbers of their own.
    pub tools: usize,
    /// Tools with numbers over time of their own: the first ones. Each takes up to 90 KB.
    pub tools_over_time: usize,
    /// Rules, and codes of changes without a rule.
    pub rules: usize,
    /// Names of tools that are kept for one rule.
    pub tools_of_a_rule: usize,
    /// Clients.
    pub clients: usize,
    /// Servers.
    pub servers: usize,
    /// The last calls that were changed.
    pub recent: usize,
    /// The calls that took longest.
    pub slowest: usize,
    /// Changes that are kept for one of them.
    pub changes_of_a_call: usize,
    /// Bytes of a value or a name that are kept.
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
