//! What the suite tells about a scenario besides its name.

use toolwright_jsonrpc::Json;

use super::{Failure, arguments};

/// The parts that we need.
#[derive(Debug, Default)]
pub struct Context {
    pub tool_calls: Vec<ToolCall>,
    pub client_id: Option<String>,
    pub client_secret: Option<String>,
}

/// A call to make.
#[derive(Clone, Debug)]
pub struct ToolCall {
    pub name: String,
    pub arguments: Json,
}

impl Context {
    /// Reads the text; without one there is nothing to know.
    pub fn parse(text: Option<&str>) -> Result<Context, Failure> {
        let Some(text) = text else { return Ok(Context::default()) };
        let said = Json::parse(text)?;
        let calls = said.get("toolCalls").and_then(|calls| calls.items()).unwrap_or_default();
        let call = |call: &Json| {
            let arguments = call.get("arguments").unwrap_or_else(Json::empty_object);
            Some(ToolCall { name: call.get_text("name")?, arguments })
        };
        Ok(Context {
            tool_calls: calls.iter().filter_map(call).collect(),
            client_id: said.get_text("client_id"),
            client_secret: said.get_text("client_secret"),
        })
    }
}

/// The tool that wants the schema of another one back as it came.
const ECHO: &str = "json_schema_echo";

impl ToolCall {
    /// A call of a tool with arguments that its schema takes.
    pub fn of(tool: &Json, tools: &[Json]) -> Option<ToolCall> {
        let schema = |tool: &Json| tool.get("inputSchema").unwrap_or_else(Json::empty_object);
        let name = tool.get_text("name")?;
        let other = tools.iter().find(|other| other.get_text("name").is_some_and(|other| other != name));
        let arguments = match other {
            Some(other) if name == ECHO => Json::empty_object().with("schema", &schema(other)),
            _ => arguments::made_up(&schema(tool)),
        };
        Some(ToolCall { name, arguments })
    }
}
