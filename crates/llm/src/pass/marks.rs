//! What one provider must not be sent because it is another's: thoughts that Toolwright marked on their way to the client,
//! and members of calls that only Gemini knows.
//!
//! A conversation may change its upstream at any turn: by a fallback, by another model, by a new configuration. What an
//! upstream of another dialect thought was given to the client with a mark ([`signature`]), and the client sends it back to
//! whoever is asked next. Providers refuse signatures that are not theirs, so such thoughts are taken out.

use std::borrow::Cow;

use toolwright_jsonrpc::{Json, ObjectWriter, raw};

use super::edit;
use crate::dialects::openai_chat::is_marked_detail;
use crate::dialects::openai_responses::is_made_id;
use crate::form::signature;
use crate::{Dialect, ReasoningField, Target};

/// What is in every mark of ours.
const MARK: &str = "toolwright";
/// What stands in a message of the assistant that was nothing but a thought.
const NOTHING_SAID: &str = "(nothing said)";
/// The members of a Chat message that hold thoughts.
const THOUGHTS: [&str; 4] = ["reasoning_content", "reasoning", "reasoning_details", "thinking_blocks"];

/// The body without what this upstream would refuse; the same bytes where there is none of it.
pub fn without_marks<'b>(dialect: Dialect, body: &'b str, target: &Target) -> Cow<'b, str> {
    let has = |text: &str| memchr::memmem::find(body.as_bytes(), text.as_bytes()).is_some();
    let edits = match dialect {
        Dialect::AnthropicMessages if has(MARK) || has(signature::BESIDE_CALL) => in_messages(body),
        Dialect::OpenAiChat if has("reasoning") || has("thinking_blocks") => in_chat(body, target),
        Dialect::OpenAiResponses if has(MARK) || has(r#""reasoning""#) || has(signature::BESIDE_CALL) => {
            in_responses(body)
        }
        _ => None,
    };
    match edits {
        Some(edits) if !edits.is_empty() => Cow::Owned(edit(body, &edits)),
        _ => Cow::Borrowed(body),
    }
}

type Edits = Vec<(super::Span, String)>;

/// Where a part of a text stands in it.
fn span(text: &str, part: &str) -> super::Span {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    start..start + part.len()
}

fn word(object: &str, key: &str) -> Option<String> {
    Json::parse(raw::find(object, key)?).ok()?.to_text()
}

/// Anthropic: thoughts are blocks. One that stays must be one that Anthropic signed.
fn in_messages(body: &str) -> Option<Edits> {
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

fn thinking_off(body: &str) -> Option<(super::Span, String)> {
    let thinking = raw::find(body, "thinking")?;
    let is_enabled = word(thinking, "type").as_deref() == Some("enabled");
    is_enabled.then(|| (span(body, thinking), r#"{"type":"disabled"}"#.to_owned()))
}

/// Responses: thoughts are items. One that is only ours, or that another provider signed, is none of OpenAI's.
fn in_responses(body: &str) -> Option<Edits> {
    let list = raw::find(body, "input")?;
    let items = raw::items(list).ok()?;
    let kept: Vec<Cow<'_, str>> = items.iter().filter_map(|item| kept_item(item)).collect();
    if kept.len() == items.len() && kept.iter().all(|item| matches!(item, Cow::Borrowed(_))) {
        return None;
    }
    Some(vec![(span(body, list), format!("[{}]", kept.join(",")))])
}

fn kept_item(item: &str) -> Option<Cow<'_, str>> {
    match word(item, "type").as_deref() {
        Some("reasoning") => {
            let is_foreign = match word(item, "encrypted_content").filter(|content| !content.is_empty()) {
                Some(content) => signature::is_ours(&content),
                None => word(item, "id").is_some_and(|id| is_made_id(&id)),
            };
            (!is_foreign).then_some(Cow::Borrowed(item))
        }
        Some("function_call") => Some(without_member(item, signature::BESIDE_CALL)),
        _ => Some(Cow::Borrowed(item)),
    }
}

/// Chat: thoughts are members of messages. Details that are ours go nowhere, and no thoughts go to who refuses them.
fn in_chat(body: &str, target: &Target) -> Option<Edits> {
    let mut edits = Edits::new();
    for message in raw::items(raw::find(body, "messages")?).ok()? {
        if word(message, "role").as_deref() != Some("assistant") {
            continue;
        }
        let Ok(members) = raw::members(message) else { continue };
        let mut out = ObjectWriter::with_capacity(message.len());
        let mut is_changed = false;
        for member in &members {
            let is_thought = THOUGHTS.contains(&&*member.key);
            if is_thought && target.reasoning == ReasoningField::None {
                is_changed = true;
                continue;
            }
            let details = raw::items(member.value).ok().filter(|_| member.key == "reasoning_details");
            let Some(details) = details.filter(|details| details.iter().any(|one| is_marked_detail(one)))
            else {
                out.member(member);
                continue;
            };
            is_changed = true;
            let kept = details.into_iter().filter(|one| !is_marked_detail(one));
            let kept: Vec<Json> = kept.filter_map(|one| Json::parse(one).ok()).collect();
            if !kept.is_empty() {
                out.list("reasoning_details", kept);
            }
        }
        if is_changed {
            edits.push((span(body, message), out.finish().as_str().to_owned()));
        }
    }
    Some(edits)
}

fn without_member<'t>(object: &'t str, key: &str) -> Cow<'t, str> {
    let Ok(members) = raw::members(object) else { return Cow::Borrowed(object) };
    if members.iter().all(|member| member.key != key) {
        return Cow::Borrowed(object);
    }
    let mut out = ObjectWriter::with_capacity(object.len());
    members.iter().filter(|member| member.key != key).for_each(|member| out.member(member));
    Cow::Owned(out.finish().as_str().to_owned())
}
