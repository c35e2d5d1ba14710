//! The requests: the same content in either dialect.

use serde_json::{Value, json};

use crate::order::{Dialect, Kind, Step};
use crate::upstream::TOOL;

/// How large a large request is.
const LARGE_BYTES: usize = 150_000;
/// How many tools it has.
const TOOLS: usize = 40;

/// The body of a request.
pub fn body(step: &Step, dialect: Dialect) -> String {
    let mut request = json!({"model": step.model(), "max_tokens": 1024});
    if step.kind.is_stream() {
        request["stream"] = json!(true);
        if dialect == Dialect::Chat {
            request["stream_options"] = json!({"include_usage": true});
        }
    }
    let system = "You are the voice of a house. Be brief.";
    let question = "Is the lamp in the hall on?";
    match dialect {
        Dialect::Chat => {
            request["messages"] =
                json!([{"role": "system", "content": system}, {"role": "user", "content": question}]);
        }
        Dialect::Anthropic => {
            request["system"] = json!(system);
            request["messages"] = json!([{"role": "user", "content": question}]);
        }
    }
    match step.kind {
        Kind::Small | Kind::Stream | Kind::Paced => {}
        Kind::Call => request["tools"] = json!([tool(TOOL, dialect)]),
        Kind::Large => {
            let tools = (0..TOOLS).map(|number| tool(&format!("tool_{number}"), dialect));
            request["tools"] = tools.collect();
            grow(&mut request, dialect);
        }
    }
    request.to_string()
}

/// A tool as agents have them: some kilobytes of words and schema.
fn tool(name: &str, dialect: Dialect) -> Value {
    let described = "Reads what is asked for and tells it line by line; long lines are cut, and what is no text is told as such. ";
    let field = |kind: &str| json!({"type": kind, "description": "What is meant, as precisely as it can be said in one sentence."});
    let schema = json!({
        "type": "object",
        "properties": {
            "path": field("string"), "count": field("integer"), "deep": field("boolean"), "ratio": field("number"),
            "names": {"type": "array", "items": {"type": "string"}, "description": described},
            "mode": {"type": "string", "enum": ["read", "write", "append", "list"], "description": described},
            "range": {"type": "object", "properties": {"from": field("integer"), "to": field("integer")},
                "required": ["from"], "additionalProperties": false},
        },
        "required": ["path"],
        "additionalProperties": false,
    });
    let description = described.repeat(4);
    match dialect {
        Dialect::Chat => {
            json!({"type": "function", "function": {"name": name, "description": description, "parameters": schema}})
        }
        Dialect::Anthropic => json!({"name": name, "description": description, "input_schema": schema}),
    }
}

/// A history of calls and results, until the request is large.
fn grow(request: &mut Value, dialect: Dialect) {
    let line = "12:03:44 hall: lamp 1 is \"on\", 40 %; the door is closed\n\tand nobody has been there since 11:58.\n";
    let result = line.repeat(40);
    let mut length = request.to_string().len();
    for turn in 0.. {
        let id = format!("call_{turn:06}");
        let arguments = json!({"path": format!("/srv/notes/{turn}.md"), "count": turn, "deep": false});
        let turns = match dialect {
            Dialect::Chat => vec![
                json!({"role": "assistant", "content": "I look.", "tool_calls": [{"id": id, "type": "function",
                    "function": {"name": TOOL, "arguments": arguments.to_string()}}]}),
                json!({"role": "tool", "tool_call_id": id, "content": result}),
            ],
            Dialect::Anthropic => vec![
                json!({"role": "assistant", "content": [{"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": id, "name": TOOL, "input": arguments}]}),
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": result}]}),
            ],
        };
        length += turns.iter().map(|turn| turn.to_string().len() + 1).sum::<usize>();
        if let Some(messages) = request["messages"].as_array_mut() {
            messages.extend(turns);
        }
        if length >= LARGE_BYTES {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(kind: Kind) -> Step {
        Step { kind, clients: 1, requests: 1, chunks: 20 }
    }

    #[test]
    fn sizes_are_as_they_are_called() {
        for dialect in [Dialect::Chat, Dialect::Anthropic] {
            let small = body(&step(Kind::Small), dialect);
            assert!(small.len() < 400, "{small}");
            let large = body(&step(Kind::Large), dialect);
            assert!((LARGE_BYTES..LARGE_BYTES + 10_000).contains(&large.len()), "{}", large.len());
            let value: Value = serde_json::from_str(&large).expect("JSON");
            assert_eq!(value["tools"].as_array().map(Vec::len), Some(TOOLS));
        }
    }

    #[test]
    fn a_stream_says_how_many_pieces_it_has() {
        let value: Value = serde_json::from_str(&body(&step(Kind::Paced), Dialect::Chat)).expect("JSON");
        assert_eq!((&value["model"], &value["stream"]), (&json!("bench-paced-20"), &json!(true)));
    }
}
