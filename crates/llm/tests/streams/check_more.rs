//! Whether a stream is right for clients of Responses or Ollama, judged without any of our own code.

use serde_json::Value;

use super::check::{ensure, parse};

/// Numbers without gaps; items one after the other, each with its beginning, its pieces and its end; the answer at the
/// end has the items that were told; or an error and a failed answer.
pub fn responses(frames: &[(&str, &str)]) -> Result<(), String> {
    let mut state = "nothing";
    let mut done: Vec<Value> = Vec::new();
    // The item that is open, and what its pieces are put together.
    let mut open: Option<Value> = None;
    let mut pieces = String::new();
    let mut parts = 0;
    for (at, (event, data)) in frames.iter().enumerate() {
        let value = parse(data)?;
        ensure(value["type"] == *event, "the event line is not the type", &value)?;
        ensure(value["sequence_number"] == at, "the number", &value)?;
        ensure(!["completed", "failed"].contains(&state), "something behind the end", &value)?;
        if let Some(index) = value.get("output_index") {
            ensure(state == "in progress" && *index == done.len(), "the index of the item", &value)?;
        }
        if let (Some(id), Some(item)) = (value.get("item_id"), &open) {
            ensure(*id == item["id"], "the id of the item", &value)?;
        }
        let of_open = |kind: &str| open.as_ref().is_some_and(|item| item["type"] == kind);
        match *event {
            "response.created" | "response.in_progress" => {
                let wanted = if *event == "response.created" { "nothing" } else { "created" };
                ensure(state == wanted, "not the time", &value)?;
                response(&value["response"], "in_progress")?;
                state = if state == "nothing" { "created" } else { "in progress" };
            }
            "response.output_item.added" => {
                ensure(open.is_none(), "an item inside another", &value)?;
                open = Some(value["item"].clone());
                pieces.clear();
                parts = 0;
            }
            "response.content_part.added" => {
                ensure(of_open("message") && value["content_index"] == parts, "the part", &value)?;
                pieces.clear();
            }
            "response.output_text.delta" | "response.refusal.delta" => {
                ensure(of_open("message") && value["content_index"] == parts, "the part", &value)?;
                pieces.push_str(value["delta"].as_str().ok_or("no delta")?);
            }
            "response.output_text.done" => ensure(value["text"] == pieces, "the text", &value)?,
            "response.refusal.done" => ensure(value["refusal"] == pieces, "the refusal", &value)?,
            "response.content_part.done" => {
                let part = &value["part"];
                ensure(part["text"] == pieces || part["refusal"] == pieces, "the part", &value)?;
                parts += 1;
            }
            "response.reasoning_summary_part.added" => ensure(of_open("reasoning"), "the item", &value)?,
            "response.reasoning_summary_text.delta" => {
                ensure(of_open("reasoning") && value["summary_index"] == 0, "the part", &value)?;
                pieces.push_str(value["delta"].as_str().ok_or("no delta")?);
            }
            "response.reasoning_summary_text.done" => ensure(value["text"] == pieces, "the text", &value)?,
            "response.reasoning_summary_part.done" => {
                ensure(value["part"]["text"] == pieces, "the part", &value)?;
            }
            "response.function_call_arguments.delta" => {
                ensure(of_open("function_call"), "the item", &value)?;
                pieces.push_str(value["delta"].as_str().ok_or("no delta")?);
            }
            "response.function_call_arguments.done" => {
                ensure(value["arguments"] == pieces && value["name"].is_string(), "the arguments", &value)?;
            }
            "response.output_item.done" => {
                let item = &value["item"];
                let begun = open.take().ok_or("no item is open")?;
                ensure(item["id"] == begun["id"] && item["type"] == begun["type"], "the item", &value)?;
                if item["type"] == "function_call" {
                    ensure(item["arguments"] == pieces && item["call_id"].is_string(), "the call", &value)?;
                }
                done.push(item.clone());
            }
            "response.completed" | "response.incomplete" => {
                ensure(open.is_none() && !done.is_empty(), "not the time", &value)?;
                response(&value["response"], event.trim_start_matches("response."))?;
                ensure(value["response"]["output"] == Value::Array(done.clone()), "the output", &value)?;
                state = "completed";
            }
            "error" => {
                let says = |value: &Value| value["message"].as_str().is_some_and(|text| !text.is_empty());
                ensure(says(&value) && says(&value["error"]), "the error", &value)?;
                state = "error";
            }
            "response.failed" => {
                ensure(state == "error", "not the time", &value)?;
                response(&value["response"], "failed")?;
                state = "failed";
            }
            _ => return Err(format!("an event that nobody knows: {value}")),
        }
    }
    if state == "completed" || state == "failed" { Ok(()) } else { Err(format!("no end: {state}")) }
}

/// What every answer has, at any time.
fn response(value: &Value, status: &str) -> Result<(), String> {
    ensure(value["id"].as_str().is_some_and(|id| id.starts_with("resp_")), "the id", value)?;
    ensure(value["object"] == "response" && value["status"] == status, "the state", value)?;
    ensure(value["created_at"].is_u64() && value["model"] == "asked-for", "the head", value)?;
    ensure(value["output"].is_array() && value["tools"].is_array(), "the lists", value)?;
    ensure(value["parallel_tool_calls"].is_boolean() && value["tool_choice"] == "auto", "the tools", value)?;
    ensure(value["error"].is_object() == (status == "failed"), "the error", value)?;
    ensure(value["incomplete_details"].is_object() == (status == "incomplete"), "the reason", value)?;
    let usage = &value["usage"];
    if usage.is_null() {
        return Ok(());
    }
    let sum = Some(
        usage["input_tokens"]
            .as_u64()
            .unwrap_or(0)
            .saturating_add(usage["output_tokens"].as_u64().unwrap_or(0)),
    );
    ensure(usage["total_tokens"].as_u64() == sum, "the sum", value)?;
    ensure(usage["input_tokens_details"]["cached_tokens"].is_u64(), "the cache", value)?;
    ensure(usage["output_tokens_details"]["reasoning_tokens"].is_u64(), "the thoughts", value)
}

/// Objects of an answer, a line each, calls with objects, and one that is done; or an error.
pub fn ollama(text: &str) -> Result<(), String> {
    let mut is_over = false;
    for line in text.split_terminator('\n') {
        let value = parse(line)?;
        ensure(!is_over, "something behind the end", &value)?;
        if let Some(error) = value.get("error") {
            ensure(error.as_str().is_some_and(|text| !text.is_empty()), "the error", &value)?;
            is_over = true;
            continue;
        }
        ensure(value["model"] == "asked-for", "the model", &value)?;
        ensure(value["created_at"].as_str().is_some_and(|time| time.ends_with('Z')), "the time", &value)?;
        let message = &value["message"];
        ensure(message["role"] == "assistant" && message["content"].is_string(), "the message", &value)?;
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            ensure(value["done"] == false, "a call at the end", &value)?;
            ensure(call["function"]["name"].is_string(), "the name", &value)?;
            ensure(call["function"]["arguments"].is_object(), "the arguments", &value)?;
        }
        is_over = value["done"].as_bool().ok_or("no done")?;
        ensure(value["done_reason"].is_string() == is_over, "the reason", &value)?;
    }
    if is_over { Ok(()) } else { Err("no end".to_owned()) }
}
