//! The lines about connections, in the words of the founding document.

use crate::connector::ConnectFailure;

/// What is said when a server could not be reached at the start.
pub(crate) fn failed_start(described: &str, attempts: u32, failure: &ConnectFailure) -> String {
    let stderr = if failure.stderr.is_empty() { "(nothing)" } else { failure.stderr.as_str() };
    format!(
        "❌ Failed to initialize MCP tools after {attempts} attempts\n   \
         Reason: Connection to {described} failed: {}\n   \
         MCP Server stderr: {}\n   \
         Check: the server's program is installed, and what it connects to is running\n\
         ⚠️ Continuing with local tools only (datetime, search, volume)",
        failure.reason,
        stderr.replace('\n', "\n      "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_start_says_what_why_and_what_still_works() {
        let failure = ConnectFailure {
            reason: "the program \"zwave-mcp-server\" was not found".into(),
            stderr: "line 1\nline 2".into(),
            is_lasting: true,
        };
        let said = failed_start("stdio server 'zwave'", 3, &failure);
        assert_eq!(
            said,
            "❌ Failed to initialize MCP tools after 3 attempts\n   \
             Reason: Connection to stdio server 'zwave' failed: the program \"zwave-mcp-server\" was not found\n   \
             MCP Server stderr: line 1\n      line 2\n   \
             Check: the server's program is installed, and what it connects to is running\n\
             ⚠️ Continuing with local tools only (datetime, search, volume)"
        );
    }
}
