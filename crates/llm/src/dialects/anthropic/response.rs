//! Whole answers of Anthropic Messages.

use toolwright_jsonrpc::{Json, ObjectWriter};

use super::blocks::read_content;
use super::messages_write::plain_text;
use crate::dialects::error_shapes;
use crate::dialects::fields::{Fields, Path, count, decoded, write_members};
use crate::dialects::offer::{carried, merged, words_of};
use crate::form::{Block, Call, Response, Stop, Thinking, Usage, signature};
use crate::{Dialect, Failure, Reply};

/// Reads an upstream's answer.
pub fn read_response(body: &str) -> Result<Response, Failure> {
    let root = Path::Body;
    let mut fields = Fields::read(body, root).map_err(upstream_fault)?;
    if error_shapes::is_error(&fields) {
        return Err(error_shapes::read(200, body));
    }
    let content = fields.take("content").unwrap_or("[]");
    let blocks = read_content(content, root.member("content")).map_err(upstream_fault)?;
    fields.take("type");
    fields.take("role");
    let mut extra = Vec::new();
    let mut usage = Usage::default();
    if let Some(value) = fields.take("usage") {
        let mut of = Fields::lenient(value);
        usage = take_usage(&mut of);
        extra.extend(of.rest_object().map(|rest| ("usage".to_owned(), rest)));
    }
    let mut word = |key| fields.take(key).and_then(decoded);
    let (id, model) = (word("id"), word("model"));
    let stop = word("stop_reason").map(|word| read_stop(&word));
    let stop_sequence = word("stop_sequence");
    extra.extend(fields.rest());
    Ok(Response {
        dialect: Some(Dialect::AnthropicMessages),
        id,
        model,
        created: None,
        blocks,
        stop,
        stop_sequence,
        usage,
        extra,
    })
}

/// The failure of an answer that cannot be read: the upstream's fault, not the client's.
fn upstream_fault(failure: Failure) -> Failure {
    Failure::new(crate::FailureKind::Api, format!("the upstream's answer cannot be read: {failure}"))
        .with_status(502)
}

/// What a stop reason means.
pub(crate) fn read_stop(word: &str) -> Stop {
    match word {
        "end_turn" => Stop::EndTurn,
        "max_tokens" => Stop::MaxTokens,
        "stop_sequence" => Stop::StopSequence,
        "tool_use" => Stop::ToolUse,
        "refusal" => Stop::Refusal,
        "pause_turn" => Stop::PauseTurn,
        "model_context_window_exceeded" => Stop::ContextWindow,
        other => Stop::Other(other.to_owned()),
    }
}

/// The word for a stop. Clients know no others than Anthropic's: another's own word is a plain end.
pub(crate) fn stop_word(stop: &Stop, dialect: Option<Dialect>) -> &str {
    match stop {
        Stop::EndTurn => "end_turn",
        Stop::MaxTokens => "max_tokens",
        Stop::StopSequence => "stop_sequence",
        Stop::ToolUse => "tool_use",
        Stop::Refusal => "refusal",
        Stop::PauseTurn => "pause_turn",
        Stop::ContextWindow => "model_context_window_exceeded",
        Stop::Other(word) if dialect == Some(Dialect::AnthropicMessages) => word,
        Stop::Other(_) => "end_turn",
    }
}

/// Takes the counts out of a usage.
pub(crate) fn take_usage(fields: &mut Fields<'_, '_>) -> Usage {
    let mut number = |key| fields.take(key).and_then(count);
    Usage {
        input: number("input_tokens"),
        cache_write: number("cache_creation_input_tokens"),
        cache_read: number("cache_read_input_tokens"),
        output: number("output_tokens"),
        reasoning: None,
    }
}

/// Writes counts. Those of the input and the output have to be there.
pub(crate) fn write_usage(usage: &Usage, estimated_input: u64) -> Json {
    let mut out = ObjectWriter::default();
    out.number("input_tokens", usage.input.unwrap_or(estimated_input));
    out.number("cache_creation_input_tokens", usage.cache_write.unwrap_or(0));
    out.number("cache_read_input_tokens", usage.cache_read.unwrap_or(0));
    out.number("output_tokens", usage.output.unwrap_or(0));
    out.finish()
}

/// Writes an answer for a client.
pub fn write_response(response: &Response, reply: &Reply) -> String {
    let is_same = response.dialect == Some(Dialect::AnthropicMessages);
    let mut blocks: Vec<Json> = response
        .blocks
        .iter()
        .enumerate()
        .filter_map(|(at, block)| write_block(block, is_same, at, reply))
        .collect();
    if blocks.is_empty() {
        blocks.push(plain_text(""));
    }
    let mut out =
        ObjectWriter::with_capacity(blocks.iter().map(|block| block.as_str().len() + 1).sum::<usize>() + 512);
    match response.id.as_deref().filter(|id| id.starts_with("msg_")) {
        Some(id) => out.text("id", id),
        None => out.text("id", &format!("msg_{}", reply.id)),
    }
    out.text("type", "message");
    out.text("role", "assistant");
    out.text("model", &reply.request.model);
    out.list("content", blocks);
    let has_call = response.blocks.iter().any(|block| matches!(block, Block::Call(_)));
    out.text(
        "stop_reason",
        match &response.stop {
            Some(stop) => stop_word(stop, response.dialect),
            None if has_call => "tool_use",
            None => "end_turn",
        },
    );
    match &response.stop_sequence {
        Some(text) => out.text("stop_sequence", text),
        None => out.value("stop_sequence", &null()),
    }
    let more = carried(&response.extra, "usage").filter(|_| is_same);
    out.value("usage", &merged(write_usage(&response.usage, reply.estimated_input), more));
    if is_same {
        for (key, value) in response.extra.iter().filter(|(key, _)| key != "usage") {
            out.value(key, value);
        }
    }
    out.finish().as_str().to_owned()
}

fn null() -> Json {
    Json::parse("null").unwrap_or_else(|_| Json::empty_object())
}

fn write_block(block: &Block, is_same: bool, at: usize, reply: &Reply) -> Option<Json> {
    match block {
        Block::Text(text) if is_same => {
            let mut out = ObjectWriter::with_capacity(text.text.len() + 64);
            out.text("type", "text");
            out.text("text", &text.text);
            write_members(&mut out, &text.extra);
            Some(out.finish())
        }
        Block::Text(text) => (!text.text.is_empty()).then(|| plain_text(&text.text)),
        Block::Refusal(text) => (!text.is_empty()).then(|| plain_text(text)),
        Block::Thinking(thinking) => Some(write_thinking(thinking)),
        Block::Call(call) => Some(write_call(call, is_same, at, reply)),
        Block::Other { dialect: Dialect::AnthropicMessages, raw } => Some(raw.clone()),
        Block::Other { raw, .. } => words_of(raw).map(|words| plain_text(&words)),
        // No answer of this dialect has them.
        Block::Media(_) | Block::Result(_) => None,
    }
}

/// A thought: as Anthropic signed it, or with a signature of ours, since clients want one.
fn write_thinking(thinking: &Thinking) -> Json {
    if let Some((Dialect::AnthropicMessages, raw)) = &thinking.raw {
        return raw.clone();
    }
    let mut out = ObjectWriter::with_capacity(thinking.text.len() + 64);
    out.text("type", "thinking");
    out.text("thinking", &thinking.text);
    out.text("signature", &signature::sealed(thinking));
    out.finish()
}

fn write_call(call: &Call, is_same: bool, at: usize, reply: &Reply) -> Json {
    let mut out = ObjectWriter::with_capacity(call.arguments.as_str().len() + 64);
    out.text("type", "tool_use");
    match &call.id {
        Some(id) => out.text("id", id),
        None => out.text("id", &format!("toolu_{}{at}", reply.id)),
    }
    out.text("name", &call.name);
    out.value("input", &call.arguments.to_object());
    for (key, value) in &call.extra {
        if is_same || key == signature::BESIDE_CALL {
            out.value(key, value);
        }
    }
    out.finish()
}
