//! What a gateway tells, as far as it is shown: calls, how it is doing, what each server did, suggestions.
//!
//! Read leniently, so that a gateway of another version can be looked at too: what is missing is empty.

mod call;
mod suggestion;

use std::collections::HashMap;

use serde::Deserialize;

use crate::Clean;

pub use call::{Call, Change, Outcome};
pub use suggestion::{Evidence, Standing, Suggestion};

/// How many servers and suggestions are kept.
pub const MOST_ROWS: usize = 1_000;

/// How a gateway is doing, of `/api/status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Status {
    /// `ok`, `degraded` or `ending`.
    pub status: Clean,
    /// What does not work, in words.
    pub problems: Vec<Clean>,
    /// The program's version.
    pub version: Clean,
    /// Where it listens.
    pub address: Option<Clean>,
    /// For how long it has been running.
    pub uptime_seconds: u64,
    /// Its servers, in the order of its file.
    pub servers: Vec<Server>,
    /// Calls of the last hour.
    pub last_hour: Option<LastHour>,
    /// Suggestions that wait.
    pub suggestions: Option<u64>,
}

/// A server at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Server {
    /// Its name.
    pub name: Clean,
    /// The toolbox that it is in.
    pub toolbox: Clean,
    /// The word for its state.
    pub state: Clean,
    /// `modern` or `legacy`, once that is known.
    pub era: Option<Clean>,
    /// How many tools it has.
    pub tools: u64,
    /// Why it cannot be used, when it cannot.
    pub problem: Option<Clean>,
}

/// Calls of the last hour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LastHour {
    /// All of them.
    pub calls: u64,
    /// Those that failed, for whatever reason.
    pub errors: u64,
    /// Those that were mended.
    pub repaired: u64,
}

/// What was counted of one server, of `/api/stats`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Its calls.
    pub count: u64,
    /// Those that failed.
    pub errors: u64,
    /// Those that were mended.
    pub normalized: u64,
}

/// What was counted, by the name of the server.
pub type Numbers = HashMap<Clean, Counts>;

/// Reads the numbers of servers out of an answer of `/api/stats`.
///
/// # Errors
/// When it is no such answer.
pub fn numbers(text: &[u8]) -> Result<Numbers, serde_json::Error> {
    #[derive(Deserialize)]
    struct Row {
        server: Option<Clean>,
        #[serde(flatten)]
        counts: Counts,
    }
    #[derive(Deserialize)]
    struct Answer {
        #[serde(default)]
        by_server: Vec<Row>,
    }
    let answer: Answer = serde_json::from_slice(text)?;
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
        let status: Status = serde_json::from_slice(text).expect("a status");
        assert_eq!(status.problems, [Clean::new("ab")]);
        assert_eq!(status.servers[0].era, Some("legacy".into()));
        assert_eq!(serde_json::from_str::<Status>("{}").expect("an empty one"), Status::default());
    }

    #[test]
    fn numbers_are_by_server() {
        let text =
            br#"{"count": 9, "by_server": [{"server": "notes", "toolbox": "x", "count": 3, "errors": 1,
            "normalized": 2, "avg_ms": 1.5}, {"toolbox": null, "count": 6}]}"#;
        let numbers = numbers(text).expect("numbers");
        assert_eq!(numbers[&Clean::new("notes")], Counts { count: 3, errors: 1, normalized: 2 });
        assert_eq!(numbers.len(), 1);
    }
}
