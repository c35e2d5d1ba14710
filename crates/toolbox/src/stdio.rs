//! Servers that are child processes.

use std::sync::{Arc, Mutex};

use tokio_util::sync::CancellationToken;
use toolwright_base::IgnorePoison;
use toolwright_mcp::stdio::{ChildCommand, StartedChild, StderrRing, start};
use toolwright_mcp::{
    ConnectError, Connection, Era, Host, Identity, Peer, PeerOptions, Protocol, RequestError,
};

use crate::connector::{ConnectFailure, Connected, Connecting, Connector, Ended, TransportKind};
use crate::failure::ServerFailure;

/// Starts a server as a child process for every attempt.
pub struct StdioConnector {
    name: String,
    command: ChildCommand,
    identity: Identity,
    options: PeerOptions,
    host: Arc<dyn Host>,
    /// What the last child wrote.
    stderr: Mutex<Arc<StderrRing>>,
    /// The children that were started; each is cancelled when the child has ended.
    children: Mutex<Vec<CancellationToken>>,
}

impl Connector for StdioConnector {
    fn connect(&self, known: Option<Era>) -> Connecting<'_> {
        Box::pin(async move {
            match self.attempt(known).await {
                // Some servers end at the first request they do not know.
                Err((failure, true)) if known.is_none() => match self.options.protocol {
                    Protocol::LegacyFirst => self.attempt(Some(Era::Modern)).await.map_err(|_| failure),
                    Protocol::ModernFirst => self.attempt(Some(Era::Legacy)).await.map_err(|_| failure),
                    Protocol::Only(_) => Err(failure),
                },
                reached => reached.map_err(|(failure, _)| failure),
            }
        })
    }

    fn ended(&self) -> Ended<'_> {
        Box::pin(async {
            let children = self.children.lock().ignore_poison().clone();
            for gone in children {
                gone.cancelled().await;
            }
        })
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn transport(&self) -> TransportKind {
        TransportKind::Stdio
    }

    fn check(&self) -> String {
        let program = self.command.program.to_string_lossy();
        let program = toolwright_redact::known(&program, &self.command.secrets);
        let program = program.rsplit(['/', '\\']).next().unwrap_or_default();
        // The switches of the founding document are reached through a broker.
        if self.name.contains("zwave") || program.contains("zwave") {
            return format!("MQTT broker running, {program} installed");
        }
        format!("{program} installed, what it connects to running")
    }

    fn stderr(&self) -> String {
        self.stderr.lock().ignore_poison().text()
    }
}

impl StdioConnector {
    /// A server of this name that is started by this command. `identity` is who we are, `options` how it
    /// is met, and `host` hears what it says by itself.
    pub fn new(
        name: impl Into<String>,
        command: ChildCommand,
        identity: Identity,
        options: PeerOptions,
        host: Arc<dyn Host>,
    ) -> StdioConnector {
        let (stderr, children) = (Mutex::default(), Mutex::default());
        StdioConnector { name: name.into(), command, identity, options, host, stderr, children }
    }

    /// Tries once; a failure says whether the server ended after it had read something.
    async fn attempt(&self, known: Option<Era>) -> Result<Connected, (ConnectFailure, bool)> {
        let StartedChild { link, stderr, pid, gone } = start(&self.command).map_err(|error| {
            let is_lasting = error.is_lasting();
            let message = toolwright_redact::known(&error.to_string(), &self.command.secrets).into_owned();
            let failure = ServerFailure::new((&error).into(), message);
            (ConnectFailure { failure, is_lasting }, false)
        })?;
        {
            let mut children = self.children.lock().ignore_poison();
            children.retain(|gone| !gone.is_cancelled());
            children.push(gone);
        }
        *self.stderr.lock().ignore_poison() = Arc::clone(&stderr);
        let connection = Connection::open_to(&self.name, link, Arc::clone(&self.host));
        let options = PeerOptions { known: known.or(self.options.known), ..self.options };
        match Peer::connect(connection, self.identity.clone(), &options).await {
            Ok(peer) => Ok(Connected { peer, pid }),
            Err(error) => {
                let has_ended =
                    matches!(&error, ConnectError::Failed(RequestError::Closed(closed)) if !closed.is_unread);
                let is_lasting =
                    matches!(error, ConnectError::NoCommonRevision { .. } | ConnectError::NotModern);
                let cause = (&error).into();
                let (message, stderr) = match error {
                    // The end of its stderr is shown apart from the message.
                    ConnectError::Failed(RequestError::Closed(closed)) => {
                        (format!("the server {} before it was ready", closed.ending), closed.stderr.clone())
                    }
                    error => (error.to_string(), stderr.tail()),
                };
                let failure = ServerFailure { cause, message, stderr };
                Err((ConnectFailure { failure, is_lasting }, has_ended))
            }
        }
    }
}
