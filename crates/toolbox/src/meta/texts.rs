//! The sentences of the contract of the meta-tools, each in one place.

use toolwright_jsonrpc::Json;

use super::Identifier;

/// What every refusal of a malformed `use_tool` begins with.
pub const INVALID: &str = "Invalid tool invocation parameters: ";

/// A toolbox that was not opened in this session.
pub fn not_open(toolbox: &str) -> String {
    format!("Error executing tool: Toolbox '{toolbox}' is not open")
}

/// The same of a toolbox that can be opened, with what to do.
pub fn to_be_opened(toolbox: &str) -> String {
    let call = Json::text(toolbox);
    format!("{}\nOpen it first: open_toolbox {{\"toolbox\": {call}}}", not_open(toolbox))
}

/// The same of a toolbox that does not exist, with those that do.
pub fn not_open_nor_there(toolbox: &str, available: &[String]) -> String {
    format!("{}\nThere is no such toolbox. Available toolboxes: {}", not_open(toolbox), listed(available))
}

/// A server that the toolbox does not have.
pub fn server_not_found(server: &str, toolbox: &str) -> String {
    format!("Error executing tool: Server '{server}' not found in toolbox '{toolbox}'")
}

/// A tool that the server does not have, or that is filtered out.
pub fn tool_not_found(name: &str, server: &str) -> String {
    format!("Error executing tool: Tool '{name}' not found in server '{server}'")
}

/// A tool that failed.
pub fn failed(tool: &Identifier, error: &str) -> String {
    let Identifier { toolbox, server, name } = tool;
    format!("Error executing tool '{name}' in server '{server}' (toolbox '{toolbox}'): {error}")
}

/// A toolbox that does not exist.
pub fn toolbox_not_found(toolbox: &str, available: &[String]) -> String {
    format!("Error: Toolbox '{toolbox}' not found. Available toolboxes: {}", listed(available))
}

fn listed(available: &[String]) -> String {
    if available.is_empty() { "(none)".to_owned() } else { available.join(", ") }
}

/// A toolbox of which nothing could be opened.
pub fn open_failed(toolbox: &str, error: &str) -> String {
    format!("Error opening toolbox '{toolbox}': {error}")
}

/// A server that could not be reached.
pub fn server_failed(server: &str, error: &str) -> String {
    format!("Failed to connect to MCP server '{server}': {error}")
}

/// A toolbox that was closed.
pub fn closed(toolbox: &str) -> String {
    format!("Successfully closed toolbox '{toolbox}', unregistered tools, and disconnected from all servers.")
}

/// A toolbox that was to be closed and is not open.
pub fn not_currently_open(toolbox: &str) -> String {
    format!("Toolbox '{toolbox}' is not currently open")
}

/// A `tools/call` result of one text.
pub fn result(text: &str) -> Json {
    let block = Json::empty_object().with("type", &Json::text("text")).with("text", &Json::text(text));
    let content = Json::parse(&format!("[{block}]")).unwrap_or_else(|_| Json::empty_object());
    Json::empty_object().with("content", &content)
}

/// The same as an error that the model can see.
pub fn error(text: &str) -> Json {
    result(text).with("isError", &Json::yes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_is_the_contracts() {
        let tool = Identifier::new("dev", "filesystem", "read_file");
        assert_eq!(not_open("dev"), "Error executing tool: Toolbox 'dev' is not open");
        assert_eq!(
            server_not_found("s", "dev"),
            "Error executing tool: Server 's' not found in toolbox 'dev'"
        );
        assert_eq!(tool_not_found("t", "s"), "Error executing tool: Tool 't' not found in server 's'");
        assert_eq!(
            failed(&tool, "no such file"),
            "Error executing tool 'read_file' in server 'filesystem' (toolbox 'dev'): no such file"
        );
        assert_eq!(
            toolbox_not_found("x", &["a".to_owned(), "b".to_owned()]),
            "Error: Toolbox 'x' not found. Available toolboxes: a, b"
        );
        assert_eq!(
            closed("dev"),
            "Successfully closed toolbox 'dev', unregistered tools, and disconnected from all servers."
        );
        assert_eq!(not_currently_open("dev"), "Toolbox 'dev' is not currently open");
        assert_eq!(
            open_failed("dev", &server_failed("s", "it is off")),
            "Error opening toolbox 'dev': Failed to connect to MCP server 's': it is off"
        );
    }

    #[test]
    fn what_is_not_open_is_told_with_what_to_do() {
        assert_eq!(
            to_be_opened("my \"dev\""),
            "Error executing tool: Toolbox 'my \"dev\"' is not open\n\
             Open it first: open_toolbox {\"toolbox\": \"my \\\"dev\\\"\"}"
        );
        assert_eq!(
            not_open_nor_there("x", &["a".to_owned(), "b".to_owned()]),
            "Error executing tool: Toolbox 'x' is not open\n\
             There is no such toolbox. Available toolboxes: a, b"
        );
        assert!(not_open_nor_there("x", &[]).ends_with("Available toolboxes: (none)"));
    }

    #[test]
    fn a_result_is_one_text() {
        assert_eq!(result("a\"b").as_str(), r#"{"content":[{"type":"text","text":"a\"b"}]}"#);
        assert_eq!(error("x").as_str(), r#"{"content":[{"type":"text","text":"x"}],"isError":true}"#);
    }
}
