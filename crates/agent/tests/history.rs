//! Checks that a request is a valid conversation for its provider: alternating roles, and one result per
//! call.

use serde_json::Value;
use toolwright_testkit::llm_upstream::{Dialect, Exchange};

/// Checks every request. Returns what is wrong.
pub fn check(dialect: Dialect, exchanges: &[Exchange]) -> Result<(), String> {
    for (number, exchange) in exchanges.iter().enumerate() {
        let body: Value = serde_json::from_str(&exchange.asked.body).map_err(|error| error.to_string())?;
        let messages = body["messages"].as_array().ok_or("no messages")?;
        let checked = match dialect {
            Dialect::Anthropic => anthropic(messages),
            Dialect::Chat => chat(messages),
            _ => ollama(messages),
        };
        checked.map_err(|wrong| format!("request {number}: {wrong}\n{}", exchange.asked.body))?;
    }
    Ok(())
}

fn role(message: &Value) -> &str {
    message["role"].as_str().unwrap_or_default()
}

fn ids(content: &Value, kind: &str, key: &str) -> Vec<String> {
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let of_kind = blocks.iter().filter(|block| block["type"] == kind);
    of_kind.map(|block| block[key].as_str().unwrap_or_default().to_owned()).collect()
}

fn unique(ids: &[String], seen: &mut Vec<String>) -> Result<(), String> {
    for id in ids {
        if id.is_empty() || seen.contains(id) {
            return Err(format!("the id {id:?} stands there twice"));
        }
        seen.push(id.clone());
    }
    Ok(())
}

fn anthropic(messages: &[Value]) -> Result<(), String> {
    let mut seen = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let wanted = if at % 2 == 0 { "user" } else { "assistant" };
        if role(message) != wanted {
            return Err(format!("message {at} is not the {wanted}'s"));
        }
        if message["content"].as_array().is_some_and(Vec::is_empty) {
            return Err(format!("message {at} is empty"));
        }
        let calls = ids(&message["content"], "tool_use", "id");
        unique(&calls, &mut seen)?;
        let results = messages.get(at + 1).map(|next| ids(&next["content"], "tool_result", "tool_use_id"));
        if at % 2 == 1 && results.unwrap_or_default() != calls {
            return Err(format!("the calls of message {at} are not answered in their order"));
        }
    }
    match messages.last().map(role) {
        Some("user") => Ok(()),
        _ => Err("the last word is not the user's".to_owned()),
    }
}

fn chat(messages: &[Value]) -> Result<(), String> {
    let (mut seen, mut waiting): (_, Vec<String>) = (Vec::new(), Vec::new());
    for (at, message) in messages.iter().enumerate() {
        match role(message) {
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                if waiting.first().map(String::as_str) != Some(id) {
                    return Err(format!("message {at} answers {id:?}, and {waiting:?} wait"));
                }
                waiting.remove(0);
            }
            _ if !waiting.is_empty() => return Err(format!("{waiting:?} are not answered before {at}")),
            "assistant" => {
                let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
                waiting =
                    calls.iter().map(|call| call["id"].as_str().unwrap_or_default().to_owned()).collect();
                unique(&waiting, &mut seen)?;
                if waiting.is_empty() && message["content"].as_str().unwrap_or_default().is_empty() {
                    return Err(format!("message {at} says nothing"));
                }
            }
            "system" if at == 0 => {}
            "user" => {}
            other => return Err(format!("message {at} is {other:?}'s")),
        }
    }
    if waiting.is_empty() { Ok(()) } else { Err(format!("{waiting:?} are not answered")) }
}

fn ollama(messages: &[Value]) -> Result<(), String> {
    let mut waiting: Vec<String> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        match role(message) {
            "tool" => {
                let name = message["tool_name"].as_str().unwrap_or_default();
                if waiting.first().map(String::as_str) != Some(name) {
                    return Err(format!("message {at} answers {name:?}, and {waiting:?} wait"));
                }
                waiting.remove(0);
            }
            _ if !waiting.is_empty() => return Err(format!("{waiting:?} are not answered before {at}")),
            "assistant" => {
                let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
                waiting = calls
                    .iter()
                    .map(|call| call["function"]["name"].as_str().unwrap_or_default().to_owned())
                    .collect();
            }
            "system" if at == 0 => {}
            "user" => {}
            other => return Err(format!("message {at} is {other:?}'s")),
        }
    }
    if waiting.is_empty() { Ok(()) } else { Err(format!("{waiting:?} are not answered")) }
}
