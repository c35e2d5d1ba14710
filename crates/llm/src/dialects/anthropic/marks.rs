//! Thoughts of other providers in a request: blocks. One that stays must be one that Anthropic signed.

use std::borrow::Cow;

use toolwright_jsonrpc::raw;

use crate::form::signature;
use crate::pass::Span;
use crate::pass::marks::{Edits, MARK, has_any, span, without_member, word};

/// What is said in a message of the assistant that was nothing but a thought.
const NOTHING_SAID: &str = "(nothing said)";

/// What takes them out of a body.
pub(super) fn edits(body: &str) -> Option<Edits> {
    if !has_any(body, &[MARK, signature::BESIDE_CALL]) {
        return None;
    }
    let mut edits = Edits::new();
    let messages = raw::items(raw::find(body, "messages")?).ok()?;
    let last = messages.iter().rposition(|message| word(message, "role").as_deref() == Some("assistant"));
    for (at, message) in messages.iter().enumerate() {
        let Some(content) = raw::find(message, "content").filter(|content| content.starts_with('[')) else {
            continue;
        };
        let Ok(blocks) = raw::items(content) else { continue };
        let kept: Vec<Cow<'_, str>> = blocks.iter().filter_map(|block| kept_block(block)).collect();
        if kept.len() == blocks.len() && kept.iter().all(|block| matches!(block, Cow::Borrowed(_))) {
            continue;
        }
        if Some(at) == last && kept.len() < blocks.len() && calls_without_thought(&kept) {
            edits.extend(thinking_off(body));
        }
        let list = match kept.is_empty() {
            true => format!(r#"{{"type":"text","text":"{NOTHING_SAID}"}}"#),
            false => kept.join(","),
        };
        edits.push((span(body, content), format!("[{list}]")));
    }
    Some(edits)
}

fn kept_block(block: &str) -> Option<Cow<'_, str>> {
    let kind = word(block, "type");
    let is_ours = |key: &str| word(block, key).is_some_and(|signature| signature::is_ours(&signature));
    match kind.as_deref() {
        Some("thinking") if is_ours("signature") => None,
        Some("redacted_thinking") if is_ours("data") => None,
        Some("tool_use") => Some(without_member(block, signature::BESIDE_CALL)),
        _ => Some(Cow::Borrowed(block)),
    }
}

/// Whether a turn that calls tools does not begin with a thought: then Anthropic refuses `enabled` thinking.
fn calls_without_thought(blocks: &[Cow<'_, str>]) -> bool {
    let is = |block: &str, kinds: &[&str]| word(block, "type").is_some_and(|kind| kinds.contains(&&*kind));
    blocks.iter().any(|block| is(block, &["tool_use"]))
        && !blocks.first().is_some_and(|block| is(block, &["thinking", "redacted_thinking"]))
}

fn thinking_off(body: &str) -> Option<(Span, String)> {
    let thinking = raw::find(body, "thinking")?;
    let is_enabled = word(thinking, "type").as_deref() == Some("enabled");
    is_enabled.then(|| (span(body, thinking), r#"{"type":"disabled"}"#.to_owned()))
}
