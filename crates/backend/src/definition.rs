//! A tool as its server lists it, turned into what the registry takes.

use toolwright_jsonrpc::Json;
use toolwright_model::{Annotations, Origin, ToolDefinition};

/// What stands for the schema of a tool that has none: any arguments.
const ANY_ARGUMENTS: &str = r#"{"type":"object"}"#;

/// Reads one item of a server's list. `None` when it has no name.
pub fn of(server: &str, listed: &Json) -> Option<ToolDefinition> {
    let name = listed.get_text("name")?;
    let hints = listed.get("annotations");
    let hint = |key: &str| hints.as_ref().and_then(|hints| hints.get(key));
    let said = |key: &str| listed.get_text(key).filter(|text| text.chars().any(char::is_alphabetic));
    let title = || said("title").or_else(|| hints.as_ref().and_then(|hints| hints.get_text("title")));
    // Many servers describe nothing; their tools work all the same.
    let description = said("description").or_else(title).unwrap_or_else(|| "(no description)".to_owned());
    let schema = |key: &str| {
        let schema = listed.get(key).filter(|schema| schema.as_str() != "null");
        schema.map(|schema| schema.as_str().to_owned())
    };
    Some(ToolDefinition {
        name,
        server: Some(server.to_owned()),
        origin: Origin::Server,
        description,
        input_schema: schema("inputSchema").unwrap_or_else(|| ANY_ARGUMENTS.to_owned()),
        output_schema: schema("outputSchema"),
        annotations: Annotations {
            destructive: hint("destructiveHint").is_some_and(|hint| hint.as_str() == "true"),
            harmless: hint("readOnlyHint").is_some_and(|hint| hint.as_str() == "true")
                || hint("destructiveHint").is_some_and(|hint| hint.as_str() == "false"),
        },
        ..ToolDefinition::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<ToolDefinition> {
        of("s", &Json::parse(text).expect("JSON"))
    }

    #[test]
    fn schemas_keep_their_text() {
        let listed = r#"{"name":"a","description":"Does.","inputSchema":{"type":"object", "x-y": 1.0},
            "outputSchema":{"$defs":{}},"annotations":{"destructiveHint":true}}"#;
        let tool = read(listed).expect("it has a name");
        assert_eq!(tool.input_schema, r#"{"type":"object", "x-y": 1.0}"#);
        assert_eq!(tool.output_schema.as_deref(), Some(r#"{"$defs":{}}"#));
        assert!(tool.annotations.destructive);
    }

    #[test]
    fn what_a_server_leaves_out_is_filled_in() {
        let tool = read(r#"{"name":"a","title":"The title"}"#).expect("it has a name");
        assert_eq!((tool.description.as_str(), tool.input_schema.as_str()), ("The title", ANY_ARGUMENTS));
        assert_eq!(read(r#"{"name":"a","description":""}"#).expect("named").description, "(no description)");
        assert_eq!(read(r#"{"name":"a","inputSchema":null}"#).expect("named").input_schema, ANY_ARGUMENTS);
        assert_eq!(read(r#"{"title":"nameless"}"#), None);
    }
}
