//! A tool of a server, as the executor calls it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use toolwright_jsonrpc::Json;
use toolwright_mcp::{Connection, Ending, RequestError, RequestOptions};
use toolwright_redact::known;
use toolwright_toolbox::Supervisor;
use toolwright_tools::{OnDrop, StopPoint, ToolFailure, ToolFunction, ToolOutput};

use crate::endpoints::carried::Carried;
use crate::endpoints::questions::{Beat, ServerHost};
use crate::result;
use crate::server_span;

/// How long a call waits for a server that is being reached.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// One tool of one server. The executor keeps the time; a call that it drops is cancelled at the server.
pub struct ServerTool {
    supervisor: Supervisor,
    name: String,
    timeout: Option<Duration>,
    secrets: Arc<[String]>,
    host: Option<Arc<ServerHost>>,
}

impl ServerTool {
    /// A tool of this server by the server's own name for it.
    pub fn new(supervisor: Supervisor, name: impl Into<String>, timeout: Option<Duration>) -> ServerTool {
        ServerTool { supervisor, name: name.into(), timeout, secrets: Arc::default(), host: None }
    }

    /// With what no message may show of it.
    pub fn hiding(self, secrets: Arc<[String]>) -> ServerTool {
        ServerTool { secrets, ..self }
    }

    /// With the one that hears what the server says by itself, so that clients hear of it.
    pub(crate) fn heard_by(self, host: Arc<ServerHost>) -> ServerTool {
        ServerTool { host: Some(host), ..self }
    }

    async fn run(&self, arguments: String, point: StopPoint) -> Result<ToolOutput, ToolFailure> {
        let server = self.supervisor.name();
        let peer = self.supervisor.peer(PATIENCE).await.map_err(|error| {
            let message = format!("The server '{server}' cannot be used. {error}");
            // A program on this machine is not reached over the network.
            match self.supervisor.snapshot().transport {
                "stdio" => ToolFailure::NotReady { message },
                _ => ToolFailure::Unavailable { message },
            }
        })?;
        let arguments = Json::parse(&arguments).map_err(|error| ToolFailure::InvalidArguments {
            message: format!("the arguments are no JSON: {error}"),
        })?;
        let carried = point.context().and_then(|context| Arc::clone(context).downcast::<Carried>().ok());
        let peer = match &carried {
            Some(carried) => peer.for_client(carried.client().era).await,
            None => peer,
        };
        // The executor keeps the time: progress of the server starts it anew.
        let mut awaited =
            Awaited { connection: peer.connection().clone(), point: point.clone(), is_over: false };
        let beat: Beat = Arc::new(move || point.beat());
        let answer = match (&carried, &self.host) {
            (Some(carried), Some(host)) => {
                let asking = server_span::start(carried.onward(), Some(&self.name), &peer);
                let params =
                    server_span::params(asking.as_ref(), carried.call_params(&self.name, &arguments));
                let answer = carried.send(host, &peer, "tools/call", params, beat).await;
                server_span::end(asking, &answer);
                answer
            }
            _ => {
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
        match answer {
            Ok(result) => {
                let read = result::read(&result);
                if let Some(carried) = carried.filter(|_| result.as_str().starts_with('{')) {
                    // The client gets it as it is, however large.
                    carried.keep(Ok(result));
                    return read.map(|output| ToolOutput { whole: None, ..output });
                }
                read
            }
            Err(RequestError::Server(error)) => {
                if let Some(carried) = carried {
                    carried.keep(Err(error.clone()));
                }
                Err(failure(server, RequestError::Server(error)))
            }
            // What it says of the way may hold what we sent.
            Err(error) => Err(hidden(failure(server, error), &self.secrets)),
        }
    }
}

/// A call that waits for its answer. The executor drops it when its time is over, and only it knows that: the server
/// has left a request unanswered.
struct Awaited {
    connection: Connection,
    point: StopPoint,
    is_over: bool,
}

impl Drop for Awaited {
    fn drop(&mut self) {
        if !self.is_over && self.point.has_timed_out() {
            self.connection.note_unanswered();
        }
    }
}

/// The same without what no message may show.
fn hidden(failure: ToolFailure, secrets: &[String]) -> ToolFailure {
    let hide = |message: String| known(&message, secrets).into_owned();
    match failure {
        ToolFailure::Tool { message } => ToolFailure::Tool { message: hide(message) },
        ToolFailure::Unavailable { message } => ToolFailure::Unavailable { message: hide(message) },
        ToolFailure::NotReady { message } => ToolFailure::NotReady { message: hide(message) },
        ToolFailure::InvalidArguments { message } => ToolFailure::InvalidArguments { message: hide(message) },
    }
}

/// What the server says of its tool is passed on unchanged; what is said of the server names it.
fn failure(server: &str, error: RequestError) -> ToolFailure {
    match error {
        RequestError::Server(error) => ToolFailure::Tool { message: error.message },
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
        self.call_with(arguments, StopPoint::default())
    }

    fn call_with(
        self: Arc<Self>,
        arguments: String,
        point: StopPoint,
    ) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move { self.run(arguments, point).await })
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
            matches!(failure("zwave", asks), ToolFailure::Tool { message } if message.contains("'zwave'"))
        );
    }
}
