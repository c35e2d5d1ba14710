//! A request of a client, handed to a server as it is.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;
use toolwright_backend::Server;
use toolwright_backend::forward_context::ForwardContext;
use toolwright_backend::questions::Beat;
use toolwright_backend::server_tool::PATIENCE;
use toolwright_jsonrpc::{ErrorObject, INTERNAL_ERROR, Json, METHOD_NOT_FOUND};
use toolwright_mcp::front::Asked;
use toolwright_mcp::{Peer, RequestError};
use toolwright_redact::known;

use crate::gateway::Hub;
use crate::members::{Member, reach};

/// Hands a request over. A server that shows nothing of itself for so long is given up.
pub(crate) async fn send(
    server: &Server,
    peer: &Peer,
    context: &ForwardContext,
    (method, params): (&str, Json),
    limit: Duration,
) -> Result<Json, RequestError> {
    let pulse = Arc::new(Notify::new());
    let beat: Beat = {
        let pulse = Arc::clone(&pulse);
        Arc::new(move || pulse.notify_one())
    };
    let mut answer = std::pin::pin!(context.send(&server.host, peer, method, params, beat));
    loop {
        tokio::select! {
            answer = &mut answer => return answer,
            () = pulse.notified() => {}
            () = sleep(limit) => return Err(RequestError::TimedOut(limit)),
        }
    }
}

/// Hands a request to the server that it is for, as it came.
pub(crate) async fn pass_on(hub: &Hub, member: &Member, asked: Asked) -> Result<Json, ErrorObject> {
    let Asked { method, params, log_level, back, .. } = asked;
    let Some(server) = member.configured_server() else {
        let message = format!("'{}' does not offer \"{method}\"", member.server);
        return Err(ErrorObject::new(METHOD_NOT_FOUND, message));
    };
    let peer = reach(server, back.client().era, PATIENCE).await?;
    let context = ForwardContext::new(params.clone(), log_level, back);
    let params = params.unwrap_or_else(Json::empty_object);
    let answer = send(server, &peer, &context, (&method, params), hub.limit(server)).await;
    answer.map_err(|failure| error(server, failure))
}

/// What a client is told: the server's own error as it is, anything else in our words.
pub(crate) fn error(server: &Server, error: RequestError) -> ErrorObject {
    match error {
        RequestError::Server(error) => error,
        error => ErrorObject::new(INTERNAL_ERROR, in_words(server, &error)),
    }
}

/// What went wrong on the way, without what no message may show.
pub(crate) fn in_words(server: &Server, error: &RequestError) -> String {
    let message = format!("The server '{}' gave no answer: {error}", server.name);
    known(&message, &server.secrets).into_owned()
}
