//! What Toolwright's own conversations with Anthropic's models have besides: marks of what the provider may cache.

use toolwright_jsonrpc::Json;

use crate::form::{Block, Members, Request};

/// What marks the end of a part that is the same in the next round: Anthropic then reads it from its cache.
const CACHE_CONTROL: &str = "cache_control";
const EPHEMERAL: &str = r#"{"type":"ephemeral"}"#;

/// Marks the instructions and the last message. Tools and instructions are the same in every round, and the conversation
/// only grows.
pub(super) fn mark(request: &mut Request) {
    if let Some(text) = request.system.last_mut() {
        add_mark(&mut text.extra);
    }
    let last = request.messages.last_mut().and_then(|message| message.blocks.last_mut());
    match last {
        Some(Block::Text(text)) => add_mark(&mut text.extra),
        Some(Block::Result(result)) => add_mark(&mut result.extra),
        _ => {}
    }
}

fn add_mark(extra: &mut Members) {
    if let Ok(mark) = Json::parse(EPHEMERAL) {
        extra.push((CACHE_CONTROL.to_owned(), mark));
    }
}
