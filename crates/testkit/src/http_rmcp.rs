//! A server on the official Rust SDK, over Streamable HTTP, in this process.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// What kind of server it is.
#[derive(Clone, Copy, Debug)]
pub struct RmcpKind {
    /// It speaks the newest revision as well.
    pub is_modern: bool,
    /// It has sessions.
    pub has_sessions: bool,
    /// It answers with JSON where it can.
    pub prefers_json: bool,
}

/// The server; it ends when it is dropped.
pub struct RmcpServer {
    /// Its address.
    pub url: String,
    task: JoinHandle<()>,
}

impl Drop for RmcpServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[derive(Clone)]
struct Handler {
    is_modern: bool,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("rmcp-fixture", "1.0.0"))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(match self.is_modern {
            true => ProtocolVersion::KNOWN_VERSIONS,
            false => &[ProtocolVersion::V_2025_11_25],
        })
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, rmcp::ErrorData> {
        let schema = serde_json::json!({
            "type": "object",
            "properties": {"text": {"type": "string", "x-mcp-header": "Text"}}
        });
        let schema = schema.as_object().cloned().unwrap_or_default();
        Ok(ListToolsResult::with_all_items(vec![Tool::new("echo", "says it again", Arc::new(schema))]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, rmcp::ErrorData> {
        let text = request.arguments.and_then(|all| Some(all.get("text")?.as_str()?.to_owned()));
        Ok(CallToolResult::success(vec![ContentBlock::text(text.unwrap_or_default())]).into())
    }
}

impl RmcpServer {
    /// Starts a server. Must be called on a tokio runtime.
    pub async fn start(kind: RmcpKind) -> RmcpServer {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(kind.has_sessions)
            .with_json_response(kind.prefers_json);
        let handler = Handler { is_modern: kind.is_modern };
        let service: StreamableHttpService<Handler, LocalSessionManager> =
            StreamableHttpService::new(move || Ok(handler.clone()), Arc::default(), config);
        let router = axum::Router::new().nest_service("/mcp", service);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        let task = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("it serves until it is dropped");
        });
        RmcpServer { url, task }
    }
}
