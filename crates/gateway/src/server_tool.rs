//! A tool of a server, as the executor calls it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use toolwright_jsonrpc::Json;
use toolwright_mcp::{RequestError, RequestOptions};
use toolwright_toolbox::Supervisor;
use toolwright_tools::{StopPoint, ToolFailure, ToolFunction, ToolOutput};

use crate::result;

/// How long a call waits for a server that is being reached.
const PATIENCE: Duration = Duration::from_secs(20);

/// One tool of one server. The executor keeps the time; a call that it drops is cancelled at the server.
pub struct ServerTool {
    supervisor: Supervisor,
    name: String,
    timeout: Option<Duration>,
}

impl ServerTool {
    /// A tool of this server by the server's own name for it.
    pub fn new(supervisor: Supervisor, name: impl Into<String>, timeout: Option<Duration>) -> ServerTool {
        ServerTool { supervisor, name: name.into(), timeout }
    }

    async fn run(&self, arguments: String, point: StopPoint) -> Result<ToolOutput, ToolFailure> {
        let server = self.supervisor.name();
        let peer = self.supervisor.peer(PATIENCE).await.map_err(|error| ToolFailure::Unavailable {
            message: format!("The server '{server}' cannot be used: {error}"),
        })?;
        let arguments = Json::parse(&arguments).map_err(|error| ToolFailure::InvalidArguments {
            message: format!("the arguments are no JSON: {error}"),
        })?;
        let params = Json::empty_object().with("name", &Json::text(&self.name)).with("arguments", &arguments);
        let options = RequestOptions {
            // The executor keeps the time: progress of the server starts it anew.
            on_progress: Some(Arc::new(move |_| point.beat())),
            ..RequestOptions::default()
        };
        match peer.request("tools/call", Some(params), &options).await {
            Ok(result) => result::read(&result),
            Err(error) => Err(failure(server, error)),
        }
    }
}

/// What the server says of its tool is passed on unchanged; what is said of the server names it.
fn failure(server: &str, error: RequestError) -> ToolFailure {
    match error {
        RequestError::Server(error) => ToolFailure::Tool { message: error.message },
        RequestError::Unreadable(_) => ToolFailure::tool(format!("The server '{server}' failed: {error}")),
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
}
