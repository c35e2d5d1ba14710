//! A request of a client, handed to a server as it is.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;
use toolwright_jsonrpc::{ErrorObject, INTERNAL_ERROR, Json};
use toolwright_mcp::{Peer, RequestError};
use toolwright_redact::known;

use super::carried::Carried;
use super::questions::Beat;
use crate::servers::Server;

/// Hands a request over. A server that shows nothing of itself for so long is given up.
pub(super) async fn send(
    server: &Server,
    peer: &Peer,
    carried: &Carried,
    (method, params): (&str, Json),
    limit: Duration,
) -> Result<Json, RequestError> {
    let pulse = Arc::new(Notify::new());
    let beat: Beat = {
        let pulse = Arc::clone(&pulse);
        Arc::new(move || pulse.notify_one())
    };
    let mut answer = std::pin::pin!(carried.send(&server.host, peer, method, params, beat));
    loop {
        tokio::select! {
            answer = &mut answer => return answer,
            () = pulse.notified() => {}
            () = sleep(limit) => return Err(RequestError::TimedOut(limit)),
        }
    }
}

/// What a client is told: the server's own error as it is, anything else in our words.
pub(super) fn error(server: &Server, error: RequestError) -> ErrorObject {
    match error {
        RequestError::Server(error) => error,
        error => ErrorObject::new(INTERNAL_ERROR, in_words(server, &error)),
    }
}

/// What went wrong on the way, without what no message may show.
pub(super) fn in_words(server: &Server, error: &RequestError) -> String {
    let message = format!("The server '{}' gave no answer: {error}", server.name);
    known(&message, &server.secrets).into_owned()
}
