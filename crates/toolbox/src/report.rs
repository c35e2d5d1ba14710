//! The lines about connections, in the words of the founding document.

use crate::connector::Connector;
use crate::failure::ServerFailure;

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
    failure: &ServerFailure,
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
        failure.message,
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

#[cfg(test)]
mod tests {
    use toolwright_mcp::stdio::ChildCommand;
    use toolwright_mcp::{Identity, NoHost, PeerOptions};

    use super::*;
    use crate::{FailureCause, StdioConnector};

    fn connector(name: &str, program: &str) -> StdioConnector {
        let nothing = toolwright_jsonrpc::Json::empty_object;
        let command = ChildCommand { program: program.into(), ..ChildCommand::default() };
        let identity = Identity { client: nothing(), capabilities: nothing() };
        StdioConnector::new(name, command, identity, PeerOptions::default(), std::sync::Arc::new(NoHost))
    }

    fn failure(message: &str, stderr: &str) -> ServerFailure {
        ServerFailure { cause: FailureCause::TimedOut, message: message.into(), stderr: stderr.into() }
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn clear_user_facing_error_messages() {
        let still = StillWorks { local: words(&["datetime", "search", "volume"]), servers: Vec::new() };
        let failure = failure("the server ended with exit code 1", "line 1\nline 2");
        let said = failed_start(&connector("zwave", "/usr/bin/zwave-mcp-server"), 3, &failure, &still);
        assert_eq!(
            said,
            "❌ Failed to initialize MCP tools after 3 attempts\n   \
             Reason: Connection to stdio server 'zwave' failed: the server ended with exit code 1\n   \
             MCP Server stderr: line 1\n      line 2\n   \
             Check: MQTT broker running, zwave-mcp-server installed\n\
             ⚠️ Continuing with local tools only (datetime, search, volume)"
        );
    }

    #[test]
    fn the_block_says_what_really_still_works_and_what_to_check_of_this_server() {
        let still = StillWorks { local: words(&["datetime"]), servers: words(&["git", "files"]) };
        let failure = failure("no answer within 30 s", "");
        let said = failed_start(&connector("time", "uvx"), 3, &failure, &still);
        assert!(said.contains("MCP Server stderr: (nothing)"), "{said}");
        assert!(said.contains("Check: uvx installed, what it connects to running"), "{said}");
        assert!(!said.contains("MQTT"), "{said}");
        assert!(
            said.ends_with("Continuing with local tools (datetime) and the other servers (git, files)"),
            "{said}"
        );
        let only = StillWorks { local: Vec::new(), ..still };
        assert_eq!(continuing(&only), "Continuing with the other servers (git, files)");
        assert_eq!(continuing(&StillWorks::default()), "Continuing without it");
    }
}
