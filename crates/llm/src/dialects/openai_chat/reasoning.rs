//! Thoughts in Chat messages: `reasoning_content` (DeepSeek, vLLM), `reasoning` and `reasoning_details` (OpenRouter),
//! `thinking_blocks` (LiteLLM).
//!
//! OpenAI's own dialect has no thoughts. What carries signatures is `reasoning_details`: clients are given it where a
//! thought is signed and may send it back; upstreams are sent it only where it came from one.

use toolwright_jsonrpc::{Json, ObjectWriter, raw};

use crate::dialects::anthropic::read_thinking;
use crate::dialects::fields::{Fields, decoded};
use crate::form::{Thinking, signature};
use crate::{Dialect, ReasoningField};

/// The format of details that Anthropic signed.
const ANTHROPIC_FORMAT: &str = "anthropic-claude-v1";

/// The id of details that Toolwright made of another dialect's thoughts. No provider that speaks Chat is sent one.
const MARK: &str = "toolwright:";

/// Whether a detail is one of those, or holds a signature of Toolwright's.
pub(crate) fn is_marked_detail(item: &str) -> bool {
    let word = |key: &str| raw::find(item, key).and_then(decoded).unwrap_or_default();
    word("id").starts_with(MARK) || ["signature", "data"].iter().any(|key| signature::is_ours(&word(key)))
}

/// Takes the thoughts out of a message. The most exact form counts.
pub(super) fn take(fields: &mut Fields<'_, '_>) -> Vec<Thinking> {
    let words = ["reasoning_content", "reasoning"].map(|key| fields.take(key).and_then(decoded));
    let list = |value: Option<&str>| {
        value
            .and_then(|value| {
                raw::items(value).ok().map(|items| items.iter().map(|item| (*item).to_owned()).collect())
            })
            .unwrap_or_default()
    };
    let blocks: Vec<String> = list(fields.take("thinking_blocks"));
    let details: Vec<String> = list(fields.take("reasoning_details"));
    if !blocks.is_empty() {
        return blocks.iter().map(|block| read_thinking(block)).collect();
    }
    let thoughts: Vec<Thinking> = details.iter().filter_map(|item| read_detail(item)).collect();
    if !thoughts.is_empty() {
        return thoughts;
    }
    words
        .into_iter()
        .flatten()
        .find(|text| !text.is_empty())
        .map(|text| Thinking { text, ..Thinking::default() })
        .into_iter()
        .collect()
}

fn read_detail(item: &str) -> Option<Thinking> {
    let raw = Json::parse(item).ok()?;
    let is_redacted = raw.get_text("type").as_deref() == Some("reasoning.encrypted");
    let text = raw.get_text("text").or_else(|| raw.get_text("summary")).unwrap_or_default();
    let signature = raw.get_text(if is_redacted { "data" } else { "signature" });
    if text.is_empty() && signature.is_none() {
        return None;
    }
    Some(Thinking { text, signature, raw: Some((Dialect::OpenAiChat, raw)), is_redacted })
}

/// Writes thoughts for an upstream. False where some of them cannot be told.
pub(super) fn write_for_upstream(
    thoughts: &[&Thinking],
    field: ReasoningField,
    out: &mut ObjectWriter,
) -> bool {
    let words = words(thoughts);
    let own = thoughts.iter().filter_map(own_detail).filter(|detail| !is_marked_detail(detail.as_str()));
    let details: Vec<Json> = own.cloned().collect();
    match field {
        ReasoningField::None => return thoughts.is_empty(),
        ReasoningField::ReasoningContent if words.is_empty() => return thoughts.is_empty(),
        ReasoningField::ReasoningContent => out.text("reasoning_content", &words),
        ReasoningField::Reasoning if words.is_empty() && details.is_empty() => return thoughts.is_empty(),
        ReasoningField::Reasoning => {
            if !words.is_empty() {
                out.text("reasoning", &words);
            }
            if !details.is_empty() {
                out.list("reasoning_details", details);
            }
        }
    }
    true
}

/// Writes thoughts for a client.
pub(super) fn write_for_client(thoughts: &[&Thinking], out: &mut ObjectWriter) {
    let words = words(thoughts);
    if !words.is_empty() {
        out.text("reasoning_content", &words);
    }
    let details: Vec<Json> =
        thoughts.iter().enumerate().filter_map(|(at, thought)| write_detail(thought, at as u64)).collect();
    if !details.is_empty() {
        out.list("reasoning_details", details);
    }
}

fn words(thoughts: &[&Thinking]) -> String {
    let words: Vec<&str> =
        thoughts.iter().map(|thought| thought.text.as_str()).filter(|text| !text.is_empty()).collect();
    words.join("\n\n")
}

/// The detail that a thought was read from.
fn own_detail<'t>(thought: &'t &Thinking) -> Option<&'t Json> {
    match &thought.raw {
        Some((Dialect::OpenAiChat, raw)) => Some(raw),
        _ => None,
    }
}

/// A thought that is signed or has no words, as a detail.
pub(super) fn write_detail(thought: &Thinking, index: u64) -> Option<Json> {
    if let Some(own) = own_detail(&thought) {
        return Some(own.clone());
    }
    let (Some((dialect, _)), Some(signed)) = (&thought.raw, &thought.signature) else { return None };
    let mut out = ObjectWriter::default();
    if thought.is_redacted {
        out.text("type", "reasoning.encrypted");
        out.text("data", signed);
    } else {
        out.text("type", "reasoning.text");
        out.text("text", &thought.text);
        out.text("signature", signed);
    }
    out.text("id", &format!("{MARK}{}", dialect.name()));
    out.text("format", if *dialect == Dialect::AnthropicMessages { ANTHROPIC_FORMAT } else { "unknown" });
    out.number("index", index);
    Some(out.finish())
}
