//! The MCP server for both protocol families, over any transport.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};

use crate::gateway::ZwaveGateway;
use crate::tools;

const INSTRUCTIONS: &str = "Controls the Z-Wave devices of a house. Learn names with list_zwave_devices; when a name fits \
                            several devices, send Location/Name.";

/// The server.
#[derive(Debug)]
pub struct ZwaveServer {
    gateway: ZwaveGateway,
}

impl ZwaveServer {
    /// A server for this gateway.
    pub fn new(gateway: ZwaveGateway) -> ZwaveServer {
        ZwaveServer { gateway }
    }
}

impl ServerHandler for ZwaveServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("zwave-mcp-server", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let Some(answer) = tools::call(&self.gateway, &request.name, &arguments).await else {
            let names: Vec<String> = tools::all().iter().map(|tool| tool.name.to_string()).collect();
            let problem = format!("Unknown tool \"{}\". Available tools: {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(problem, None));
        };
        Ok(match answer {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(text) => {
                tracing::warn!(tool = %request.name, "{text}");
                CallToolResult::error(vec![ContentBlock::text(text)])
            }
        }
        .into())
    }
}
