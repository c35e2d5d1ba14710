//! Servers that are child processes.

use std::sync::Arc;

use toolwright_mcp::stdio::{ChildCommand, StartedChild, start};
use toolwright_mcp::{ConnectError, Connection, Era, Host, Identity, Peer, PeerOptions, RequestError};

use crate::connector::{ConnectFailure, Connected, Connecting, Connector};

/// Starts a server as a child process for every attempt.
pub struct StdioConnector {
    /// The server's name.
    pub name: String,
    /// What is started.
    pub command: ChildCommand,
    /// Who we are.
    pub identity: Identity,
    /// How it is met.
    pub options: PeerOptions,
    /// Who hears what the server says by itself.
    pub host: Arc<dyn Host>,
}

impl Connector for StdioConnector {
    fn connect(&self, known: Option<Era>) -> Connecting<'_> {
        Box::pin(async move {
            match self.attempt(known).await {
                // Some legacy servers end at the first question they do not know.
                Err((failure, true)) if known.is_none() => {
                    self.attempt(Some(Era::Legacy)).await.map_err(|_| failure)
                }
                reached => reached.map_err(|(failure, _)| failure),
            }
        })
    }

    fn describe(&self) -> String {
        format!("stdio server '{}'", self.name)
    }
}

impl StdioConnector {
    /// Tries once; a failure says whether the server ended while it was being met.
    async fn attempt(&self, known: Option<Era>) -> Result<Connected, (ConnectFailure, bool)> {
        let StartedChild { link, stderr, pid } = start(&self.command).map_err(|error| {
            let is_lasting = error.is_lasting();
            (ConnectFailure { reason: error.to_string(), stderr: String::new(), is_lasting }, false)
        })?;
        let connection = Connection::open(link, Arc::clone(&self.host));
        let options = PeerOptions { known: known.or(self.options.known), ..self.options };
        match Peer::connect(connection, self.identity.clone(), &options).await {
            Ok(peer) => Ok(Connected { peer, pid }),
            Err(error) => {
                let has_ended = matches!(error, ConnectError::Failed(RequestError::Closed(_)));
                let is_lasting = matches!(error, ConnectError::NoCommonRevision { .. });
                let (reason, stderr) = match error {
                    // The end of its stderr stands apart.
                    ConnectError::Failed(RequestError::Closed(closed)) => {
                        (format!("the server {} before it was ready", closed.ending), closed.stderr.clone())
                    }
                    error => (error.to_string(), stderr.tail()),
                };
                Err((ConnectFailure { reason, stderr, is_lasting }, has_ended))
            }
        }
    }
}
