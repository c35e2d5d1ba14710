//! An upstream's whole answer, read.

use toolwright_jsonrpc::{Json, raw};

use super::item;
use crate::dialects::error_shapes;
use crate::dialects::fields::{Fields, count, decoded};
use crate::form::{Block, Members, Response, Stop, Text, Usage};
use crate::{Dialect, Failure, FailureKind};

/// Members of an answer that repeat the request, or that are read.
const KNOWN: [&str; 22] = [
    "object",
    "background",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "parallel_tool_calls",
    "previous_response_id",
    "reasoning",
    "store",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_p",
    "top_logprobs",
    "truncation",
    "user",
    "metadata",
    "error",
    "incomplete_details",
    "completed_at",
    "output_text",
];

/// Reads an upstream's whole answer.
pub fn read_response(body: &str) -> Result<Response, Failure> {
    let Ok(members) = raw::members(body) else {
        return Err(Failure::new(
            FailureKind::Api,
            "The upstream answered with something that is no JSON object.",
        ));
    };
    if members.is_empty() || error_shapes::is_error(&Fields::lenient(body)) {
        return Err(error_shapes::read(200, body));
    }
    let mut fields = Fields::lenient(body);
    let ended = stop(&mut fields)?;
    let Some(items) = fields.take("output").and_then(|output| raw::items(output).ok()) else {
        return Err(Failure::new(FailureKind::Api, "The upstream's answer has no list \"output\"."));
    };
    let mut response = Response {
        dialect: Some(Dialect::OpenAiResponses),
        id: text(&mut fields, "id"),
        model: text(&mut fields, "model"),
        created: fields.take("created_at").and_then(seconds),
        stop: ended,
        usage: fields.take("usage").map(usage).unwrap_or_default(),
        ..Response::default()
    };
    for raw in items {
        blocks(raw, &mut response.blocks);
    }
    response.extra = fields.rest();
    response.extra.retain(|(key, value)| !KNOWN.contains(&key.as_str()) && value.as_str() != "null");
    Ok(response)
}

/// Takes a string of an answer.
pub(super) fn text(fields: &mut Fields<'_, '_>, key: &str) -> Option<String> {
    fields.take(key).and_then(decoded)
}

/// Seconds since 1970, which some servers give with a fraction.
pub(super) fn seconds(value: &str) -> Option<u64> {
    value.split('.').next()?.parse().ok()
}

/// Why an answer ended; an error when it failed.
pub(super) fn stop(fields: &mut Fields<'_, '_>) -> Result<Option<Stop>, Failure> {
    let reason =
        fields.peek("incomplete_details").and_then(|details| raw::find(details, "reason")).and_then(decoded);
    let status = text(fields, "status");
    Ok(match status.as_deref() {
        Some("completed") => Some(Stop::EndTurn),
        Some("incomplete") => Some(match reason.as_deref() {
            Some("max_output_tokens" | "max_tokens") | None => Stop::MaxTokens,
            Some("content_filter") => Stop::Refusal,
            Some(other) => Stop::Other(other.to_owned()),
        }),
        Some(status @ ("failed" | "cancelled")) => {
            return Err(Failure::new(
                FailureKind::Api,
                format!("The upstream's answer is {status}, and it did not say why."),
            ));
        }
        Some(status @ ("queued" | "in_progress")) => {
            return Err(Failure::new(
                FailureKind::Api,
                format!(
                    "The upstream's answer is {status}, not complete: do not ask for it in the background."
                ),
            ));
        }
        Some(other) => Some(Stop::Other(other.to_owned())),
        None => None,
    })
}

/// Tokens: the input that OpenAI counts has those of the cache in it.
pub(super) fn usage(object: &str) -> Usage {
    let number = |object: &str, key: &str| raw::find(object, key).and_then(count);
    let details = raw::find(object, "input_tokens_details").unwrap_or("{}");
    let (read, written) = (number(details, "cached_tokens"), number(details, "cache_write_tokens"));
    let of_cache = read.unwrap_or(0).saturating_add(written.unwrap_or(0));
    let thoughts =
        raw::find(object, "output_tokens_details").and_then(|details| number(details, "reasoning_tokens"));
    Usage {
        input: number(object, "input_tokens").map(|all| all.saturating_sub(of_cache)),
        cache_read: read,
        cache_write: written,
        output: number(object, "output_tokens"),
        reasoning: thoughts,
    }
}

/// The blocks of one item.
fn blocks(raw: &str, out: &mut Vec<Block>) {
    let mut fields = Fields::lenient(raw);
    match text(&mut fields, "type").as_deref() {
        Some("message") => {
            let content = fields.take("content").unwrap_or("[]");
            for part in raw::items(content).unwrap_or_default() {
                out.extend(said(part));
            }
        }
        Some("reasoning") => out.push(Block::Thinking(item::thinking(raw))),
        Some(kind @ ("function_call" | "custom_tool_call")) => {
            let is_custom = kind == "custom_tool_call";
            let name = text(&mut fields, "name").unwrap_or_default();
            out.push(Block::Call(item::call(fields, name, is_custom)));
        }
        _ => out.extend(other(raw)),
    }
}

/// A part of what the model said.
fn said(part: &str) -> Option<Block> {
    let mut fields = Fields::lenient(part);
    match text(&mut fields, "type").as_deref() {
        Some("output_text" | "text") => {
            let text = text(&mut fields, "text")?;
            let mut extra: Members = fields.rest();
            extra.retain(|(_, value)| !matches!(value.as_str(), "null" | "[]"));
            Some(Block::Text(Text { text, extra }))
        }
        Some("refusal") => Some(Block::Refusal(text(&mut fields, "refusal")?)),
        _ => other(part),
    }
}

fn other(raw: &str) -> Option<Block> {
    Some(Block::Other { dialect: Dialect::OpenAiResponses, raw: Json::parse(raw).ok()? })
}

#[cfg(test)]
mod tests;
