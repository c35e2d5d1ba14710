//! A list of every server that has one, asked at once and waited for within bounds.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::timeout;
use toolwright_backend::Server;
use toolwright_jsonrpc::{ErrorObject, INTERNAL_ERROR, Json};
use toolwright_mcp::front::Client;
use toolwright_mcp::{Era, Peer, RequestError, RequestOptions};
use toolwright_toolbox::State;

use crate::forward;
use crate::members::Member;

/// How long a server may take for its list before the others' are shown without it.
const PATIENCE: Duration = Duration::from_secs(5);

/// What was gathered.
pub(crate) struct Gathered {
    /// The items of each server that has some, in order.
    pub items: Vec<(Member, Vec<Json>)>,
    /// What went wrong at the others.
    pub errors: Vec<ErrorObject>,
}

impl Gathered {
    /// Fails when nobody answered and somebody should have.
    pub fn into_items(self) -> Result<Vec<(Member, Vec<Json>)>, ErrorObject> {
        match self.errors.into_iter().next() {
            Some(error) if self.items.is_empty() => Err(error),
            _ => Ok(self.items),
        }
    }
}

/// Asks every server that announces `capability` for a list.
pub(crate) async fn list(
    members: &[Member],
    client: &Client,
    capability: &str,
    method: &str,
    key: &str,
) -> Gathered {
    let asked =
        members.iter().filter_map(|member| {
            let server = member.configured_server().filter(|server| is_there(server))?;
            Some(async move {
                (member, timeout(PATIENCE, one(server, client.era, (capability, method, key))).await)
            })
        });
    let mut gathered = Gathered { items: Vec::new(), errors: Vec::new() };
    for (member, answer) in join_all(asked).await {
        match answer {
            Ok(None) => {}
            Ok(Some(Ok(items))) => gathered.items.push((member.clone(), items)),
            Ok(Some(Err(error))) => gathered.errors.push(error),
            Err(_) => {
                let message = format!("the server '{}' did not answer \"{method}\" in time", member.server);
                gathered.errors.push(ErrorObject::new(INTERNAL_ERROR, message));
            }
        }
    }
    for error in &gathered.errors {
        tracing::warn!(method, error = %error.message, "a server is left out of a list");
    }
    gathered
}

/// Whether a server can be asked without a long wait.
pub(crate) fn is_there(server: &Server) -> bool {
    let state = server.supervisor.snapshot().state;
    matches!(state, State::Ready | State::Degraded { .. } | State::Resting)
}

async fn one(
    server: &Server,
    era: Era,
    (capability, method, key): (&str, &str, &str),
) -> Option<Result<Vec<Json>, ErrorObject>> {
    let peer = match super::members::reach(server, era, PATIENCE).await {
        Ok(peer) => peer,
        Err(error) => return Some(Err(error)),
    };
    if !announces(&peer, capability) {
        return None;
    }
    let options = RequestOptions { timeout: Some(PATIENCE), ..RequestOptions::default() };
    let listed = peer.list(method, key, &options).await;
    match listed {
        // Announcing resources does not mean that templates are known.
        Err(RequestError::Server(error)) if error.number() == Some(toolwright_jsonrpc::METHOD_NOT_FOUND) => {
            None
        }
        listed => Some(listed.map_err(|error| forward::error(server, error))),
    }
}

/// Whether a server says that it has this.
pub(crate) fn announces(peer: &Peer, capability: &str) -> bool {
    peer.capabilities().get(capability).is_some()
}
