//! The tools it lists: a few that do something, and as many as one likes that fill a list.

use serde_json::{Value, json};

/// How large a filling tool is, in bytes of JSON, more or less.
pub const FILLING_BYTES: usize = 2048;

/// Words of which names and descriptions are made.
const WORDS: [&str; 32] = [
    "account", "archive", "booking", "branch", "calendar", "camera", "channel", "comment", "contract",
    "customer", "delivery", "device", "document", "folder", "forecast", "invoice", "issue", "label", "lamp",
    "meeting", "message", "order", "payment", "playlist", "pump", "recipe", "report", "sensor", "server",
    "ticket", "valve", "vehicle",
];
const DEEDS: [&str; 8] = ["create", "delete", "export", "find", "list", "move", "read", "update"];

/// The tools of a list: those that do something, those with these names, and so many more of so many bytes, which say
/// ordinary things or repeat a piece.
pub fn listed((count, bytes): (usize, usize), prefix: &str, named: &[String], piece: Option<&str>) -> String {
    let text = json!({"type": "string"});
    let open = json!({"type": "object"});
    let said = json!({"type": "object", "properties": {"text": text}, "required": ["text"]});
    let slow = json!({"type": "object", "properties": {"text": text, "ms": {"type": "integer"}}, "required": ["text"]});
    let mut tools = vec![
        json!({"name": "echo", "description": "Says a text back.", "inputSchema": said}),
        json!({"name": "slow", "description": "Says a text back after a while.", "inputSchema": slow}),
        json!({"name": "line", "description": "Says the message back that reached it.", "inputSchema": open}),
        json!({"name": "environment", "description": "Says its variables.", "inputSchema": open}),
        json!({"name": "fail", "description": "Fails with a text.", "inputSchema": said}),
        json!({"name": "refuse", "description": "Answers with an error of the protocol.", "inputSchema": said}),
        json!({"name": "print", "description": "Prints a text to its log and says it back.", "inputSchema": said}),
        json!({"name": "die", "description": "Prints a text to its log and ends.", "inputSchema": said}),
        json!({"name": "headers", "description": "Says the headers that reached it.", "inputSchema": open}),
    ];
    let one_more = |name: &String| json!({"name": name, "description": "One more.", "inputSchema": open});
    tools.extend(named.iter().map(one_more));
    tools.extend((0..count).map(|number| match piece {
        Some(piece) => repeating(number, prefix, bytes, piece),
        None => filling(number, prefix, bytes),
    }));
    let tools: Vec<String> = tools.iter().map(Value::to_string).collect();
    tools.join(",")
}

/// A tool that has a piece again and again in its description, and as the name and the description of a parameter.
fn repeating(number: usize, prefix: &str, bytes: usize, piece: &str) -> Value {
    let text = piece.repeat(bytes / 3 / piece.len().max(1));
    let parameter = json!({"type": "string", "description": text});
    let mut properties = serde_json::Map::new();
    properties.insert(text.clone(), parameter);
    let schema = json!({"type": "object", "properties": properties});
    json!({"name": format!("{prefix}_{number}"), "description": format!("Does it. {text}"), "inputSchema": schema})
}

fn filling(number: usize, prefix: &str, bytes: usize) -> Value {
    let word = |at: usize| WORDS[(number / DEEDS.len() + at * 7) % WORDS.len()];
    let deed = DEEDS[number % DEEDS.len()];
    let mut properties = serde_json::Map::new();
    let mut tool = json!({
        "name": format!("{prefix}_{deed}_{}_{number}", word(0)),
        "description": format!("{deed} the {} of a {} by its {}.", word(0), word(1), word(2)),
    });
    for at in 0.. {
        let size = tool.to_string().len() + Value::Object(properties.clone()).to_string().len();
        if size >= bytes {
            break;
        }
        let about = format!(
            "The {} that belongs to the {}, as text of up to 200 characters.",
            word(at),
            word(at + 3)
        );
        let property = json!({"type": "string", "description": about, "maxLength": 200, "x-position": at});
        properties.insert(format!("{}_{at}", word(at)), property);
    }
    tool["inputSchema"] = json!({"type": "object", "properties": properties, "additionalProperties": false});
    tool
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filling_tool_has_the_wanted_size_and_a_name_of_its_own() {
        let tools: Vec<Value> = (0..1000).map(|number| filling(number, "one", FILLING_BYTES)).collect();
        let names: std::collections::HashSet<_> = tools.iter().map(|tool| tool["name"].to_string()).collect();
        assert_eq!(names.len(), 1000);
        for tool in &tools {
            let size = tool.to_string().len();
            assert!((FILLING_BYTES..FILLING_BYTES + 400).contains(&size), "{size}");
        }
    }
}
