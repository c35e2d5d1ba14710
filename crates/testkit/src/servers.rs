//! The hostile server under supervision, and calls to it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toolwright_jsonrpc::{Json, raw};
use toolwright_mcp::stdio::ChildCommand;
use toolwright_mcp::{Identity, NoHost, Peer, PeerOptions, RequestError, RequestOptions};
use toolwright_toolbox::{Policy, StdioConnector, Supervisor};

/// Longer than anything takes that is not stuck.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Where the programs of the testkit are.
#[derive(Clone, Debug)]
pub struct Programs {
    /// The hostile server.
    pub server: PathBuf,
    /// The guardian and its gateway.
    pub guardian: PathBuf,
}

impl Programs {
    /// In the folder of this program.
    pub fn beside(program: &Path) -> Programs {
        Programs {
            server: program.with_file_name("hostile-server"),
            guardian: program.with_file_name("guardian"),
        }
    }

    /// The hostile server as a child.
    pub fn hostile(&self, args: &[&str]) -> ChildCommand {
        ChildCommand {
            program: self.server.clone().into(),
            args: args.iter().map(Into::into).collect(),
            ..ChildCommand::default()
        }
    }
}

/// A server under supervision that may crash as often as it likes.
pub fn supervised(name: &str, command: ChildCommand) -> Supervisor {
    let identity = Identity { client: Json::empty_object(), capabilities: Json::empty_object() };
    let options = PeerOptions { start: PATIENCE, ..PeerOptions::default() };
    let connector = StdioConnector::new(name, command, identity, options, Arc::new(NoHost));
    let policy = Policy { base_delay: Duration::from_millis(20), crashes: usize::MAX, ..Policy::default() };
    Supervisor::start(Arc::new(connector), policy)
}

/// The server, when it is ready.
pub async fn ready(server: &Supervisor) -> Peer {
    server.peer(PATIENCE).await.expect("the server is ready")
}

/// Calls a habit with these arguments.
pub async fn call(
    peer: &Peer,
    habit: &str,
    arguments: &str,
    timeout: Duration,
) -> Result<Json, RequestError> {
    let params = format!(r#"{{"name":{},"arguments":{arguments}}}"#, raw::quote(habit));
    let params = Json::parse(&params).expect("arguments are JSON");
    let options = RequestOptions { timeout: Some(timeout), ..RequestOptions::default() };
    peer.request("tools/call", Some(params), &options).await
}

/// Calls a habit with a text, and gives the text of the answer.
pub async fn says(peer: &Peer, habit: &str, text: &str) -> Result<String, RequestError> {
    let arguments = format!(r#"{{"text":{}}}"#, raw::quote(text));
    call(peer, habit, &arguments, PATIENCE).await.map(|result| text_of(&result))
}

/// The text of a result; empty when it has none.
pub fn text_of(result: &Json) -> String {
    let content = result.get("content").and_then(|content| content.items()).unwrap_or_default();
    content.first().and_then(|first| first.get_text("text")).unwrap_or_default()
}
