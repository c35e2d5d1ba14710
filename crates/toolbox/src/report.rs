//! The lines about connections, in the words of the founding document.

use crate::connector::{ConnectFailure, Connector};

/// What goes on when a server cannot be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StillWorks {
    /// Tools of this process, by the short words for them: `datetime`, `search`, `volume`.
    pub local: Vec<String>,
    /// Other servers that can be used, by name.
    pub servers: Vec<String>,
}

/// What is said when a server could not be reached at the start.
pub(crate) fn failed_start(
    connector: &dyn Connector,
    attempts: u32,
    failure: &ConnectFailure,
    still: &StillWorks,
) -> String {
    let stderr = if failure.stderr.is_empty() { "(nothing)" } else { failure.stderr.as_str() };
    format!(
        "❌ Failed to initialize MCP tools after {attempts} attempts\n   \
         Reason: Connection to {} failed: {}\n   \
         MCP Server stderr: {}\n   \
         Check: {}\n\
         ⚠️ {}",
        connector.describe(),
        failure.reason,
        stderr.replace('\n', "\n      "),
        connector.check(),
        continuing(still),
    )
}

fn continuing(still: &StillWorks) -> String {
    let (local, servers) = (still.local.join(", "), still.servers.join(", "));
    match (local.is_empty(), servers.is_empty()) {
        (true, true) => "Continuing without it".to_owned(),
        (false, true) => format!("Continuing with local tools only ({local})"),
        (true, false) => format!("Continuing with the other servers ({servers})"),
        (false, false) => format!("Continuing with local tools ({local}) and the other servers ({servers})"),
    }
}
