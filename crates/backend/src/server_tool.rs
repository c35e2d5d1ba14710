//! A tool of a server, as the executor calls it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use toolwright_executor::{CallControl, OnDrop, ToolFailure, ToolFunction, ToolOutput};
use toolwright_jsonrpc::Json;
use toolwright_mcp::{Connection, Ending, RequestError, RequestOptions};
use toolwright_redact::known;
use toolwright_toolbox::{Supervisor, TransportKind};

use crate::forward_context::ForwardContext;
use crate::questions::{Beat, ServerHost};
use crate::result;
use crate::server_span;
use crate::servers::Server;

/// How long a call waits for a server that is being reached.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// One tool of one server. The executor keeps the time; a call that it drops is cancelled at the server.
pub struct ServerTool {
    supervisor: Supervisor,
    name: String,
    timeout: Option<Duration>,
    secrets: Arc<[String]>,
    client: Option<Client>,
}

/// The client that one call is for, and the host that lets the server reach it.
struct Client {
    context: ForwardContext,
    host: Arc<ServerHost>,
}

impl ServerTool {
    /// A tool of this server by the server's own name for it.
    pub fn new(supervisor: Supervisor, name: impl Into<String>, timeout: Option<Duration>) -> ServerTool {
        ServerTool { supervisor, name: name.into(), timeout, secrets: Arc::default(), client: None }
    }

    /// A tool of a configured server.
    pub fn of(server: &Server, name: &str) -> ServerTool {
        let tool = ServerTool::new(server.supervisor.clone(), name, server.timeout);
        ServerTool { secrets: Arc::clone(&server.secrets), ..tool }
    }

    /// The same for one call of a client.
    pub fn for_client(server: &Server, name: &str, context: ForwardContext) -> ServerTool {
        let client = Client { context, host: Arc::clone(&server.host) };
        ServerTool { client: Some(client), ..ServerTool::of(server, name) }
    }

    async fn run(&self, arguments: String, control: CallControl) -> Result<ToolOutput, ToolFailure> {
        let server = self.supervisor.name();
        let peer = self.supervisor.peer(PATIENCE).await.map_err(|error| {
            let message = format!("The server '{server}' cannot be used. {error}");
            // A program on this machine is not reached over the network.
            match self.supervisor.transport() {
                TransportKind::Stdio => ToolFailure::NotReady { message },
                TransportKind::Http | TransportKind::Sse => ToolFailure::Unavailable { message },
            }
        })?;
        let arguments = Json::parse(&arguments).map_err(|error| ToolFailure::InvalidArguments {
            message: format!("the arguments are no JSON: {error}"),
        })?;
        let peer = match &self.client {
            Some(client) => peer.for_client(client.context.client().era).await,
            None => peer,
        };
        // The executor keeps the time: progress of the server restarts its timeout.
        let mut awaited =
            Awaited { connection: peer.connection().clone(), control: control.clone(), is_over: false };
        let beat: Beat = Arc::new(move || control.beat());
        let response = match &self.client {
            Some(Client { context, host }) => {
                let asking = server_span::start(context.onward(), Some(&self.name), &peer);
                let params =
                    server_span::params(asking.as_ref(), context.call_params(&self.name, &arguments));
                let response = context.send(host, &peer, "tools/call", params, beat).await;
                server_span::end(asking, &response);
                response
            }
            None => {
                let params =
                    Json::empty_object().with("name", &Json::text(&self.name)).with("arguments", &arguments);
                let options = RequestOptions {
                    on_progress: Some(Arc::new(move |_| beat())),
                    ..RequestOptions::default()
                };
                peer.request("tools/call", Some(params), &options).await
            }
        };
        awaited.is_over = true;
        match response {
            Ok(result) => result::read(&result),
            Err(error @ RequestError::Server(_)) => Err(failure(server, error)),
            // A message about the transport may show what was sent.
            Err(error) => {
                let hide = |message: String| known(&message, &self.secrets).into_owned();
                Err(failure(server, error).map_message(hide))
            }
        }
    }
}

/// A call that waits for its answer. The executor drops it when its time is over, and only it knows that: the server
/// has left a request unanswered.
struct Awaited {
    connection: Connection,
    control: CallControl,
    is_over: bool,
}

impl Drop for Awaited {
    fn drop(&mut self) {
        if !self.is_over && self.control.has_timed_out() {
            self.connection.note_unanswered();
        }
    }
}

/// What the server says of its tool is passed on unchanged; what is said of the server names it.
fn failure(server: &str, error: RequestError) -> ToolFailure {
    match error {
        RequestError::Server(error) => {
            ToolFailure::Tool { message: error.message.clone(), response: Some(Box::new(Err(error))) }
        }
        RequestError::Closed(closed) => {
            let is_out_of_reach = matches!(closed.ending, Ending::Lost(_));
            let mut message = format!("The server '{server}' {} in the middle of the call.", closed.ending);
            if !closed.stderr.is_empty() {
                message.push_str(&format!("\nIts stderr ends with: {}", closed.stderr));
            }
            match is_out_of_reach {
                true => ToolFailure::Unavailable { message },
                false => ToolFailure::NotReady { message },
            }
        }
        RequestError::NotProvided { .. } | RequestError::AsksWithoutEnd(_) | RequestError::Unreadable(_) => {
            ToolFailure::tool(format!("The server '{server}' gave no result: {error}"))
        }
        RequestError::Unauthorized(_) => {
            ToolFailure::NotReady { message: format!("The server '{server}' needs a login. {error}") }
        }
        error => ToolFailure::Unavailable { message: format!("The server '{server}' failed: {error}") },
    }
}

impl ToolFunction for ServerTool {
    fn call(self: Arc<Self>, arguments: String) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        self.call_with(arguments, CallControl::default())
    }

    fn call_with(
        self: Arc<Self>,
        arguments: String,
        control: CallControl,
    ) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move { self.run(arguments, control).await })
    }

    fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// The server gets `notifications/cancelled` and may work on.
    fn ending(&self) -> OnDrop {
        OnDrop::IsAskedToStop
    }

    fn secrets(&self) -> &[String] {
        &self.secrets
    }
}

#[cfg(test)]
mod tests {
    use toolwright_mcp::{Closed, Obstacle, Unreachable};

    use super::*;

    #[test]
    fn a_failure_names_the_server_and_blames_the_network_only_for_what_it_did() {
        let closed = |ending| {
            RequestError::Closed(Arc::new(Closed { ending, stderr: "boom".into(), is_unread: false }))
        };
        assert_eq!(
            failure("zwave", closed(Ending::Exited(4))),
            ToolFailure::NotReady {
                message: "The server 'zwave' ended with exit code 4 in the middle of the call.\nIts stderr ends with: boom".into()
            }
        );
        let lost = failure(
            "zwave",
            closed(Ending::Lost(Unreachable {
                obstacle: Obstacle::Other,
                message: "connection refused".into(),
            })),
        );
        assert!(matches!(lost, ToolFailure::Unavailable { .. }), "{lost:?}");
        let asks = RequestError::NotProvided { method: "elicitation/create".into(), reason: "nobody".into() };
        assert!(
            matches!(failure("zwave", asks), ToolFailure::Tool { message, .. } if message.contains("'zwave'"))
        );
    }
}
