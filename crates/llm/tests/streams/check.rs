//! Whether a stream is right in its dialect, judged without any of our own code.

use serde_json::Value;
use toolwright_llm::Dialect;
use toolwright_llm::form::Event;

use super::check_more;

/// The words of an answer.
pub fn texts(events: &[Event]) -> String {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// The calls that are complete: ids, names and arguments.
pub fn calls(events: &[Event]) -> Vec<(String, String, String)> {
    let mut open: Option<(usize, String, String, String)> = None;
    let mut found = Vec::new();
    for event in events {
        match event {
            Event::CallStart { call, id, name } => {
                assert!(open.is_none(), "calls are one after the other");
                open = Some((*call, id.clone(), name.clone(), String::new()));
            }
            Event::CallArguments { call, text } => {
                let open = open.as_mut().expect("an open call");
                assert_eq!(open.0, *call);
                open.3.push_str(text);
            }
            Event::CallEnd { call } => {
                let (number, id, name, text) = open.take().expect("an open call");
                assert_eq!((number, *call), (found.len(), found.len()));
                found.push((id, name, text));
            }
            _ => {}
        }
    }
    found
}

/// Judges a whole stream that a client was sent.
pub fn stream(dialect: Dialect, bytes: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    if dialect == Dialect::OllamaChat {
        return check_more::ollama(text);
    }
    let mut frames = Vec::new();
    for frame in text.split_terminator("\n\n") {
        let (event, data) = match frame.strip_prefix("event: ").and_then(|rest| rest.split_once('\n')) {
            Some((event, rest)) => (event, rest),
            None => ("", frame),
        };
        let data = data.strip_prefix("data: ").ok_or_else(|| format!("no data: {frame}"))?;
        frames.push((event, data));
    }
    match dialect {
        Dialect::AnthropicMessages => anthropic(&frames),
        Dialect::OpenAiResponses => check_more::responses(&frames),
        _ => chat(&frames),
    }
}

pub fn ensure(is_right: bool, what: &str, at: &Value) -> Result<(), String> {
    if is_right { Ok(()) } else { Err(format!("{what}: {at}")) }
}

pub fn parse(data: &str) -> Result<Value, String> {
    serde_json::from_str(data).map_err(|error| format!("{error}: {data}"))
}

/// One message, blocks one after the other, deltas of the right type, one `message_delta`, and the end; or an error.
fn anthropic(frames: &[(&str, &str)]) -> Result<(), String> {
    let mut blocks = 0;
    let mut open: Option<String> = None;
    let mut is_signed = false;
    let mut state = "nothing";
    for (event, data) in frames {
        let value = parse(data)?;
        ensure(value["type"] == *event, "the event line is not the type", &value)?;
        ensure(state != "stopped" && state != "failed", "something behind the end", &value)?;
        match *event {
            "message_start" => {
                ensure(state == "nothing", "a second start", &value)?;
                let message = &value["message"];
                ensure(message["id"].as_str().is_some_and(|id| id.starts_with("msg_")), "the id", &value)?;
                ensure(message["type"] == "message" && message["role"] == "assistant", "the type", &value)?;
                ensure(message["content"] == serde_json::json!([]), "the content", &value)?;
                ensure(message["usage"]["input_tokens"].is_u64(), "the usage", &value)?;
                ensure(message["usage"]["output_tokens"].is_u64(), "the usage", &value)?;
                ensure(message["model"] == "asked-for", "the model", &value)?;
                state = "started";
            }
            "content_block_start" => {
                ensure(state == "started" && open.is_none(), "a block inside another", &value)?;
                ensure(value["index"] == blocks, "the index", &value)?;
                blocks += 1;
                let block = &value["content_block"];
                let kind = block["type"].as_str().unwrap_or_default();
                let is_right = match kind {
                    "text" => block["text"] == "",
                    "thinking" => block["thinking"] == "" && block["signature"] == "",
                    "redacted_thinking" => block["data"].is_string(),
                    "tool_use" => {
                        block["id"].is_string()
                            && block["name"].is_string()
                            && block["input"] == serde_json::json!({})
                    }
                    _ => false,
                };
                ensure(is_right, "the block", &value)?;
                is_signed = kind != "thinking";
                open = Some(kind.to_owned());
            }
            "content_block_delta" => {
                ensure(value["index"] == blocks - 1, "the index", &value)?;
                let delta = &value["delta"];
                let field = match (open.as_deref(), delta["type"].as_str()) {
                    (Some("text"), Some("text_delta")) => "text",
                    (Some("thinking"), Some("thinking_delta")) => "thinking",
                    (Some("thinking"), Some("signature_delta")) => {
                        is_signed = true;
                        "signature"
                    }
                    (Some("tool_use"), Some("input_json_delta")) => "partial_json",
                    _ => return Err(format!("a delta of another type than its block: {value}")),
                };
                ensure(delta[field].is_string(), "the delta", &value)?;
            }
            "content_block_stop" => {
                ensure(value["index"] == blocks - 1, "the index", &value)?;
                ensure(open.take().is_some(), "no block is open", &value)?;
                ensure(is_signed, "the thought is not signed", &value)?;
            }
            "message_delta" => {
                ensure(state == "started" && open.is_none(), "not the time", &value)?;
                ensure(blocks > 0, "an answer without a block", &value)?;
                ensure(value["usage"]["output_tokens"].is_u64(), "the usage", &value)?;
                let words = [
                    "end_turn",
                    "max_tokens",
                    "stop_sequence",
                    "tool_use",
                    "refusal",
                    "pause_turn",
                    "model_context_window_exceeded",
                ];
                let word = value["delta"]["stop_reason"].as_str().unwrap_or_default();
                ensure(words.contains(&word), "the stop reason", &value)?;
                state = "ending";
            }
            "message_stop" => {
                ensure(state == "ending", "not the time", &value)?;
                state = "stopped";
            }
            "error" => {
                ensure(value["error"]["type"].is_string(), "the error", &value)?;
                ensure(
                    value["error"]["message"].as_str().is_some_and(|text| !text.is_empty()),
                    "the error",
                    &value,
                )?;
                state = "failed";
            }
            "ping" => {}
            _ => return Err(format!("an event that nobody knows: {value}")),
        }
    }
    if state == "stopped" || state == "failed" { Ok(()) } else { Err("no end".to_owned()) }
}

/// The role first, tools counted up, one finish, one usage, `[DONE]`; or an error and nothing behind it.
fn chat(frames: &[(&str, &str)]) -> Result<(), String> {
    let mut calls = 0;
    let mut state = "nothing";
    for (event, data) in frames {
        if state == "done" || state == "failed" || !event.is_empty() {
            return Err(format!("something behind the end: {data}"));
        }
        if *data == "[DONE]" {
            if state != "told usage" {
                return Err(format!("done after {state}"));
            }
            state = "done";
            continue;
        }
        let value = parse(data)?;
        if value.get("error").is_some() {
            ensure(
                value["error"]["message"].as_str().is_some_and(|text| !text.is_empty()),
                "the error",
                &value,
            )?;
            state = "failed";
            continue;
        }
        ensure(value["id"].as_str().is_some_and(|id| id.starts_with("chatcmpl")), "the id", &value)?;
        ensure(value["object"] == "chat.completion.chunk", "the object", &value)?;
        ensure(value["model"] == "asked-for" && value["created"].is_u64(), "the head", &value)?;
        if value["choices"] == serde_json::json!([]) {
            ensure(state == "finished", "usage before the finish", &value)?;
            let usage = &value["usage"];
            let sum = |a: &str, b: &str| Some(usage[a].as_u64()?.saturating_add(usage[b].as_u64()?));
            let total = usage["total_tokens"].as_u64();
            ensure(sum("prompt_tokens", "completion_tokens") == total && total.is_some(), "the sum", &value)?;
            state = "told usage";
            continue;
        }
        let choice = &value["choices"][0];
        let delta = &choice["delta"];
        ensure(choice["index"] == 0 && delta.is_object(), "the choice", &value)?;
        match (state, delta["role"].as_str()) {
            ("nothing", Some("assistant")) => state = "started",
            ("started", None) => {}
            _ => return Err(format!("not the time: {value}")),
        }
        if let Some(call) = delta["tool_calls"].get(0) {
            if call["id"].is_string() {
                ensure(call["index"] == calls && call["type"] == "function", "the call", &value)?;
                ensure(call["function"]["name"].is_string(), "the name", &value)?;
                calls += 1;
            }
            ensure(call["index"] == calls - 1, "the index", &value)?;
            ensure(call["function"]["arguments"].is_string(), "the arguments", &value)?;
        }
        if let Some(word) = choice["finish_reason"].as_str() {
            ensure(["stop", "length", "tool_calls", "content_filter"].contains(&word), "the finish", &value)?;
            state = "finished";
        }
    }
    if state == "done" || state == "failed" { Ok(()) } else { Err(format!("no end: {state}")) }
}
