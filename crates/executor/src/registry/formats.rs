//! Tool definitions as models' APIs and clients want them.

use serde_json::Value;
use serde_json::value::RawValue;

use super::entry::RegisteredTool;
use super::snapshot::Snapshot;

/// Who reads the definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Anthropic's messages: `name`, `description`, `input_schema`.
    Anthropic,
    /// OpenAI's chat completions: `function` with `parameters`.
    OpenAi,
    /// Ollama's chat: the same shape as OpenAI's.
    Ollama,
    /// A tool list of MCP: `inputSchema`, `outputSchema`, `annotations`.
    Mcp,
}

impl Snapshot {
    /// The definitions as a JSON array, in the order of registration. Schemas are copied as text, so that
    /// key order and the forms of numbers stay as they were registered.
    pub fn definitions(&self, format: Format) -> Box<RawValue> {
        let one = |(index, tool)| self.definition(index, tool, format);
        let all: Vec<String> = self.tools().iter().map(AsRef::as_ref).enumerate().map(one).collect();
        RawValue::from_string(format!("[{}]", all.join(",")))
            .expect("quoted strings and schemas that were read before are JSON")
    }

    fn definition(&self, index: usize, tool: &RegisteredTool, format: Format) -> String {
        let description = quoted(&tool.definition().description);
        let schema = tool.input_schema();
        let wire = || quoted(self.wire_name(index));
        match format {
            Format::Anthropic => {
                format!(r#"{{"name":{},"description":{description},"input_schema":{schema}}}"#, wire())
            }
            Format::OpenAi | Format::Ollama => format!(
                r#"{{"type":"function","function":{{"name":{},"description":{description},"parameters":{schema}}}}}"#,
                wire()
            ),
            Format::Mcp => {
                let name = quoted(self.callable_as(index));
                let mut text =
                    format!(r#"{{"name":{name},"description":{description},"inputSchema":{schema}"#);
                if let Some(output) = tool.output_schema() {
                    text.push_str(&format!(r#","outputSchema":{output}"#));
                }
                if tool.definition().annotations.destructive {
                    text.push_str(r#","annotations":{"destructiveHint":true}"#);
                }
                text.push('}');
                text
            }
        }
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
