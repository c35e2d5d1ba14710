//! The types of the gateway API that the page shows: calls, status, statistics, suggestions.
//!
//! Parsing is lenient, so that gateways of other versions work too: missing fields are empty.

mod call;
mod suggestion;

use std::collections::HashMap;

use serde::Deserialize;

use crate::Clean;

pub use call::{ApiCall, ApiOutcome, CallChange};
pub use suggestion::{ApiSuggestion, DecisionState, SuggestionEvidence};

/// Limit of servers and suggestions.
pub const MOST_ROWS: usize = 1_000;

/// The status of a gateway, from `/api/status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ApiStatus {
    /// `ok`, `degraded` or `ending`.
    pub status: Clean,
    /// The problems, as texts.
    pub problems: Vec<Clean>,
    /// The version of the program.
    pub version: Clean,
    /// The address on which it listens.
    pub address: Option<Clean>,
    /// Time since startup.
    pub uptime_seconds: u64,
    /// Its servers, in the order of its configuration.
    pub servers: Vec<ApiServer>,
    /// Calls of the last hour.
    pub last_hour: Option<ApiLastHour>,
    /// Pending suggestions.
    pub suggestions: Option<u64>,
}

/// The state of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ApiServer {
    /// Its name.
    pub name: Clean,
    /// The toolbox it is in.
    pub toolbox: Clean,
    /// The name of its state.
    pub state: Clean,
    /// `modern` or `legacy`, once known.
    pub era: Option<Clean>,
    /// The number of its tools.
    pub tools: u64,
    /// Why it cannot be used, if it cannot.
    pub problem: Option<Clean>,
}

/// Calls of the last hour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ApiLastHour {
    /// All calls.
    pub calls: u64,
    /// Failed calls, for any reason.
    pub errors: u64,
    /// Repaired calls.
    pub repaired: u64,
}

/// Statistics of one server, from `/api/stats`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ServerCounts {
    /// All calls.
    pub count: u64,
    /// Failed calls.
    pub errors: u64,
    /// Repaired calls.
    pub normalized: u64,
}

/// Statistics by server name.
pub type Numbers = HashMap<Clean, ServerCounts>;

/// Parses the statistics in a response of `/api/stats`.
///
/// # Errors
/// When the response has another form.
pub fn numbers(text: &[u8]) -> Result<Numbers, serde_json::Error> {
    #[derive(Deserialize)]
    struct StatsRow {
        server: Option<Clean>,
        #[serde(flatten)]
        counts: ServerCounts,
    }
    #[derive(Deserialize)]
    struct StatsResponse {
        #[serde(default)]
        by_server: Vec<StatsRow>,
    }
    let answer: StatsResponse = serde_json::from_slice(text)?;
    let rows = answer.by_server.into_iter().take(MOST_ROWS);
    Ok(rows.filter_map(|row| Some((row.server?, row.counts))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_with_what_it_has() {
        let text = br#"{"status": "degraded", "problems": ["a\u001b[2Jb"], "uptime_seconds": 5, "new": {},
            "servers": [{"name": "notes", "state": "ready", "tools": 2, "era": "legacy", "problem": null}]}"#;
        let status: ApiStatus = serde_json::from_slice(text).expect("a status");
        assert_eq!(status.problems, [Clean::new("ab")]);
        assert_eq!(status.servers[0].era, Some("legacy".into()));
        assert_eq!(serde_json::from_str::<ApiStatus>("{}").expect("an empty one"), ApiStatus::default());
    }

    #[test]
    fn numbers_are_by_server() {
        let text =
            br#"{"count": 9, "by_server": [{"server": "notes", "toolbox": "x", "count": 3, "errors": 1,
            "normalized": 2, "avg_ms": 1.5}, {"toolbox": null, "count": 6}]}"#;
        let numbers = numbers(text).expect("numbers");
        assert_eq!(numbers[&Clean::new("notes")], ServerCounts { count: 3, errors: 1, normalized: 2 });
        assert_eq!(numbers.len(), 1);
    }
}
