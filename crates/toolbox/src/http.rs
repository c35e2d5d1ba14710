//! Servers that are reached over HTTP.

use std::sync::Arc;

use toolwright_mcp::http::{HttpKind, HttpTarget, open};
use toolwright_mcp::{ConnectError, Connection, Era, Host, Identity, Peer, PeerOptions, RequestError};
use toolwright_redact::known;

use crate::connector::{ConnectFailure, Connected, Connecting, Connector, TransportKind};
use crate::failure::ServerFailure;

/// Opens a way to a server over HTTP for every attempt.
pub struct HttpConnector {
    /// The server's name.
    pub name: String,
    /// Where it is.
    pub target: HttpTarget,
    /// Who we are.
    pub identity: Identity,
    /// How it is met.
    pub options: PeerOptions,
    /// Who hears what the server says by itself.
    pub host: Arc<dyn Host>,
    /// Values that must not be shown when the server says them back.
    pub secrets: Vec<String>,
}

impl Connector for HttpConnector {
    fn connect(&self, era: Option<Era>) -> Connecting<'_> {
        Box::pin(async move {
            let connection =
                Connection::open_to(&self.name, open(self.target.clone()), Arc::clone(&self.host));
            // A server behind an address answers or refuses; that it is slow says nothing about its family.
            let probe = self.options.probe.max(self.options.start);
            let options = PeerOptions { known: era.or(self.options.known), probe, ..self.options };
            match Peer::connect(connection, self.identity.clone(), &options).await {
                Ok(peer) => Ok(Connected { peer: peer.over_http(&options), pid: None }),
                Err(error) => Err(self.failure(error)),
            }
        })
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn transport(&self) -> TransportKind {
        match self.target.kind {
            HttpKind::Auto | HttpKind::Streamable => TransportKind::Http,
            HttpKind::Sse => TransportKind::Sse,
        }
    }

    fn check(&self) -> String {
        format!("server running, its url right, its login valid (toolwright servers login {})", self.name)
    }
}

impl HttpConnector {
    fn failure(&self, error: ConnectError) -> ConnectFailure {
        let is_lasting = match &error {
            ConnectError::NoCommonRevision { .. } | ConnectError::NotModern => true,
            ConnectError::Failed(RequestError::Unauthorized(_)) => true,
            // A server that is busy or breaks for a moment says so with other statuses.
            ConnectError::Failed(RequestError::Http { status, .. }) => {
                (300..500).contains(status) && !matches!(status, 408 | 425 | 429)
            }
            _ => false,
        };
        let cause = (&error).into();
        let message = match error {
            ConnectError::Failed(RequestError::Closed(closed)) => format!("the server {}", closed.ending),
            ConnectError::Failed(error) => error.to_string(),
            error => error.to_string(),
        };
        let failure = ServerFailure::new(cause, known(&message, &self.secrets));
        ConnectFailure { failure, is_lasting }
    }
}
