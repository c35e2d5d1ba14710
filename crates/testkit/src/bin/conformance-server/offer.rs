//! What the server lists: tools, prompts and resources, as they stand on the wire.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// One pixel, red.
pub const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A sound file without a sound.
pub const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// A value of the SDK out of what stands on the wire.
pub fn typed<T: DeserializeOwned>(value: Value) -> Result<T, rmcp::ErrorData> {
    serde_json::from_value(value).map_err(|error| rmcp::ErrorData::internal_error(error.to_string(), None))
}

/// Every tool.
pub fn tools() -> Vec<Value> {
    let mut tools = vec![
        plain("test_simple_text", "Returns a text"),
        plain("test_image_content", "Returns an image"),
        plain("test_audio_content", "Returns a sound"),
        plain("test_embedded_resource", "Returns a resource"),
        plain("test_multiple_content_types", "Returns a text, an image and a resource"),
        plain("test_tool_with_logging", "Logs while it runs"),
        plain("test_tool_with_progress", "Says how far it is"),
        plain("test_error_handling", "Always fails"),
        taking("test_sampling", "Asks the client's model", "prompt"),
        taking("test_elicitation", "Asks the user", "message"),
        plain("test_elicitation_sep1034_defaults", "Asks the user with defaults of every kind"),
        plain("test_elicitation_sep1330_enums", "Asks the user to choose in every way"),
        plain("test_reconnection", "Lets its stream end before it answers"),
        plain("test_streaming_elicitation", "Says how far it is, then asks the user"),
        plain("test_logging_tool", "Logs if it was asked to"),
        plain("test_missing_capability", "Needs a client that has a model"),
        plain("test_trigger_tool_change", "Says that the tools have changed"),
        plain("test_trigger_prompt_change", "Says that the prompts have changed"),
        json_schema_tool(),
        header_tool(),
    ];
    for what in [
        "elicitation",
        "sampling",
        "list_roots",
        "request_state",
        "multiple_inputs",
        "multi_round",
        "tampered_state",
        "capabilities",
    ] {
        let name = format!("test_input_required_result_{what}");
        tools.push(plain(&name, "Asks back before it answers"));
    }
    tools.extend(jobs());
    tools
}

fn plain(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "inputSchema": {"type": "object", "properties": {}}})
}

fn taking(name: &str, description: &str, parameter: &str) -> Value {
    json!({
        "name": name,
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": {parameter: {"type": "string", "description": "What to ask"}},
            "required": [parameter],
        },
    })
}

/// A tool whose schema uses what JSON Schema has since 2020-12.
fn json_schema_tool() -> Value {
    json!({
        "name": "json_schema_2020_12_tool",
        "description": "Takes a person, by phone or by mail",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "$anchor": "addressDef",
                    "type": "object",
                    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
                },
            },
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": false,
        },
    })
}

/// A tool with parameters that travel as headers too.
fn header_tool() -> Value {
    json!({
        "name": "test_header_tool",
        "description": "Says which region it was asked for",
        "inputSchema": {
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "query": {"type": "string"},
            },
            "required": ["region"],
        },
    })
}

/// The tools that become tasks.
fn jobs() -> [Value; 7] {
    let support = |value: &str| json!({"taskSupport": value});
    let mut greet = taking("greet", "Greets at once", "name");
    greet["execution"] = support("forbidden");
    let mut slow = plain("slow_compute", "Takes as long as it is told");
    slow["inputSchema"]["properties"] =
        json!({"seconds": {"type": "number", "minimum": 0}, "label": {"type": "string"}});
    slow["execution"] = support("optional");
    let mut failing = plain("failing_job", "Fails as a tool");
    failing["execution"] = support("required");
    let mut broken = plain("protocol_error_job", "Fails as a server");
    broken["execution"] = support("optional");
    let mut confirm = taking("confirm_delete", "Asks before it deletes", "filename");
    confirm["execution"] = support("optional");
    let mut multi = plain("multi_input", "Asks two things at once");
    multi["execution"] = support("optional");
    let mut composed = plain("test_tool_with_task", "Asks, then becomes a task");
    composed["execution"] = support("required");
    [greet, slow, failing, broken, confirm, multi, composed]
}

/// Every prompt.
pub fn prompts() -> Value {
    let argument =
        |name: &str, description: &str| json!({"name": name, "description": description, "required": true});
    json!([
        {"name": "test_simple_prompt", "description": "One text"},
        {
            "name": "test_prompt_with_arguments",
            "description": "A text made of its arguments",
            "arguments": [argument("arg1", "The first"), argument("arg2", "The second")],
        },
        {
            "name": "test_prompt_with_embedded_resource",
            "description": "A resource and a text",
            "arguments": [argument("resourceUri", "Which resource")],
        },
        {"name": "test_prompt_with_image", "description": "An image and a text"},
        {"name": "test_input_required_result_prompt", "description": "Asks back before it answers"},
    ])
}

/// Every resource that has an address of its own.
pub fn resources() -> Value {
    let resource = |uri: &str, mime: &str, description: &str| {
        let name = uri.trim_start_matches("test://");
        json!({"uri": uri, "name": name, "description": description, "mimeType": mime})
    };
    json!([
        resource("test://static-text", "text/plain", "A text"),
        resource("test://static-binary", "image/png", "A pixel"),
        resource("test://watched-resource", "text/plain", "A text that can be watched"),
        resource("test://example-resource", "text/plain", "A text to embed"),
    ])
}

/// The one template.
pub fn templates() -> Value {
    json!([{
        "uriTemplate": "test://template/{id}/data",
        "name": "template",
        "description": "Says which id it was asked for",
        "mimeType": "application/json",
    }])
}

/// What a resource holds; nothing where there is none.
pub fn contents(uri: &str) -> Option<Value> {
    let text = |mime: &str, text: &str| Some(json!({"uri": uri, "mimeType": mime, "text": text}));
    match uri {
        "test://static-text" => text("text/plain", "This is the content of the static text resource."),
        "test://static-binary" => Some(json!({"uri": uri, "mimeType": "image/png", "blob": PIXEL})),
        "test://watched-resource" => text("text/plain", "Nothing has happened yet."),
        "test://example-resource" => text("text/plain", "An example."),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            text("application/json", &data.to_string())
        }
    }
}

/// What a prompt says; nothing where there is none.
pub fn messages(name: &str, argument: impl Fn(&str) -> String) -> Option<Value> {
    let user = |content: Value| json!({"role": "user", "content": content});
    let text = |text: String| user(json!({"type": "text", "text": text}));
    Some(match name {
        "test_simple_prompt" => json!([text("This is a simple prompt for testing.".into())]),
        "test_prompt_with_arguments" => {
            let (first, second) = (argument("arg1"), argument("arg2"));
            json!([text(format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))])
        }
        "test_prompt_with_embedded_resource" => json!([
            user(json!({"type": "resource", "resource": {
                "uri": argument("resourceUri"),
                "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            }})),
            text("Please process the embedded resource above.".into()),
        ]),
        "test_prompt_with_image" => json!([
            user(json!({"type": "image", "data": PIXEL, "mimeType": "image/png"})),
            text("Please analyze the image above.".into()),
        ]),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{Prompt, PromptMessage, Resource, ResourceContents, ResourceTemplate, Tool};

    #[test]
    fn everything_is_what_the_sdk_takes_it_for() {
        tools().into_iter().for_each(|tool| drop(typed::<Tool>(tool).expect("a tool")));
        typed::<Vec<Prompt>>(prompts()).expect("prompts");
        typed::<Vec<Resource>>(resources()).expect("resources");
        typed::<Vec<ResourceTemplate>>(templates()).expect("templates");
        for prompt in prompts().as_array().expect("a list") {
            let name = prompt["name"].as_str().expect("a name");
            let said = messages(name, |_| "test://example-resource".into());
            let asks = name == "test_input_required_result_prompt";
            assert_eq!(said.is_none(), asks, "{name}");
            said.map(|said| typed::<Vec<PromptMessage>>(said).expect("messages"));
        }
        for uri in ["test://static-text", "test://static-binary", "test://template/7/data"] {
            typed::<ResourceContents>(contents(uri).expect("contents")).expect("contents");
        }
        assert!(contents("test://nowhere").is_none());
    }
}
