//! The meta-tools as items of `tools/list`.

use toolwright_jsonrpc::Json;

/// Opens a toolbox.
pub const OPEN_TOOLBOX: &str = "open_toolbox";
/// Calls a tool of a toolbox.
pub const USE_TOOL: &str = "use_tool";
/// Lists the toolboxes.
pub const LIST_TOOLBOXES: &str = "list_toolboxes";
/// Finds tools by what they do.
pub const SEARCH_TOOLS: &str = "search_tools";
/// Closes a toolbox.
pub const CLOSE_TOOLBOX: &str = "close_toolbox";

/// How many tools a search finds unless it says otherwise.
pub const DEFAULT_FOUND: usize = 10;
/// How many tools a search finds at most.
pub const MAX_FOUND: usize = 50;

/// All of them. `use_tool` may do whatever any tool does, so it counts as destructive.
pub fn definitions() -> Vec<Json> {
    [OPEN, USE, LIST, SEARCH, CLOSE].into_iter().filter_map(|text| Json::parse(text).ok()).collect()
}

/// The schema of the arguments of one of them, as text.
pub(super) fn input_schema(name: &str) -> Option<String> {
    let definition = definitions().into_iter().find(|tool| tool.get_text("name").as_deref() == Some(name))?;
    Some(definition.get("inputSchema")?.as_str().to_owned())
}

const OPEN: &str = r#"{
  "name": "open_toolbox",
  "title": "Open a toolbox",
  "description": "Connects to the servers of a toolbox and returns all their tools with descriptions and input schemas. Call it once before use_tool; calling it again returns the current list. Servers that cannot be reached are told under \"errors\", the others can be used.\n\nExample: {\"toolbox\": \"dev\"}",
  "inputSchema": {
    "type": "object",
    "properties": {
      "toolbox": {"type": "string", "minLength": 1, "description": "Name of the toolbox, as list_toolboxes or the server's instructions tell it"}
    },
    "required": ["toolbox"],
    "additionalProperties": false
  },
  "annotations": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": true, "openWorldHint": true}
}"#;

const USE: &str = r#"{
  "name": "use_tool",
  "title": "Use a tool of a toolbox",
  "description": "Calls one tool of an opened toolbox and returns its result. \"tool\" says which one by toolbox, server and name, exactly as open_toolbox or search_tools returned them; \"arguments\" is the object that the tool's own inputSchema describes.\n\nExample: {\"tool\": {\"toolbox\": \"dev\", \"server\": \"filesystem\", \"name\": \"read_file\"}, \"arguments\": {\"path\": \"/etc/hosts\"}}",
  "inputSchema": {
    "type": "object",
    "properties": {
      "tool": {
        "type": "object",
        "description": "Which tool",
        "properties": {
          "toolbox": {"type": "string", "minLength": 1, "description": "Name of the opened toolbox"},
          "server": {"type": "string", "minLength": 1, "description": "Name of the MCP server that provides the tool"},
          "name": {"type": "string", "minLength": 1, "description": "Name of the tool"}
        },
        "required": ["toolbox", "server", "name"],
        "additionalProperties": false
      },
      "arguments": {
        "type": "object",
        "description": "The tool's own arguments; may be left out when it takes none",
        "additionalProperties": true
      }
    },
    "required": ["tool"],
    "additionalProperties": false
  },
  "annotations": {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true}
}"#;

const LIST: &str = r#"{
  "name": "list_toolboxes",
  "title": "List toolboxes",
  "description": "Lists all toolboxes: what each is for, its servers, how many tools it has as far as that is known, and whether it is open. Takes no arguments.",
  "inputSchema": {"type": "object", "properties": {}, "additionalProperties": false},
  "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}
}"#;

const SEARCH: &str = r#"{
  "name": "search_tools",
  "title": "Search tools",
  "description": "Finds tools by what they do, in all toolboxes or in one. Returns the best matches with their input schemas and, under \"tool\", the exact value that use_tool takes.\n\nExample: {\"query\": \"read a file\", \"limit\": 5}",
  "inputSchema": {
    "type": "object",
    "properties": {
      "query": {"type": "string", "minLength": 1, "description": "What the tool should do, in a few words"},
      "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10, "description": "How many tools at most"},
      "toolbox": {"type": "string", "minLength": 1, "description": "Search in this toolbox only"}
    },
    "required": ["query"],
    "additionalProperties": false
  },
  "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}
}"#;

const CLOSE: &str = r#"{
  "name": "close_toolbox",
  "title": "Close a toolbox",
  "description": "Closes a toolbox that is not needed any more. It can be opened again at any time.\n\nExample: {\"toolbox\": \"dev\"}",
  "inputSchema": {
    "type": "object",
    "properties": {
      "toolbox": {"type": "string", "minLength": 1, "description": "Name of the opened toolbox"}
    },
    "required": ["toolbox"],
    "additionalProperties": false
  },
  "annotations": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}
}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_five_and_each_has_a_schema() {
        let names: Vec<String> = definitions().iter().filter_map(|tool| tool.get_text("name")).collect();
        assert_eq!(names, [OPEN_TOOLBOX, USE_TOOL, LIST_TOOLBOXES, SEARCH_TOOLS, CLOSE_TOOLBOX]);
        for name in names {
            assert!(input_schema(&name).is_some(), "{name}");
        }
    }

    #[test]
    fn the_example_of_each_description_fits_its_schema() {
        let mut examples = 0;
        for definition in definitions() {
            let name = definition.get_text("name").expect("it has a name");
            let description = definition.get_text("description").expect("it has a description");
            let Some((_, example)) = description.split_once("Example: ") else { continue };
            let tool = toolwright_normalizer::Tool::compile(&toolwright_model::ToolDefinition {
                name: name.clone(),
                input_schema: input_schema(&name).expect("it has a schema"),
                ..Default::default()
            })
            .expect("it compiles");
            assert!(tool.accepts(example), "{example}");
            examples += 1;
        }
        assert_eq!(examples, 4);
    }
}
