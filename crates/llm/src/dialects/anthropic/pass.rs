//! Passing Anthropic Messages on: content blocks, known by their index.

use toolwright_jsonrpc::raw::{self, quote};

use super::{Module, error, marks, spots};
use crate::dialects::PassThrough;
use crate::form::{Stop, Usage};
use crate::pass::marks::Edits;
use crate::pass::usage::count;
use crate::pass::{CallKey, FoundCall, Head, PassCalls, Said, Spot, StreamRules, TextCall, What};
use crate::stream::Frame;
use crate::{Failure, Target};

impl PassThrough for Module {
    fn spots_in_request(&self, body: &str, spots: &mut Vec<Spot>) -> Option<()> {
        spots::request(body, spots)
    }

    fn spots_in_answer(&self, body: &str, spots: &mut Vec<Spot>) -> Option<()> {
        spots::answer(body, spots)
    }

    fn spots_in_frame(&self, event: &str, data: &str, spots: &mut Vec<Spot>) -> Option<()> {
        spots::frame(event, data, spots)
    }

    fn stream_rules(&self) -> StreamRules {
        StreamRules { is_nothing_empty_object: true, has_text_blocks: true, ..StreamRules::default() }
    }

    fn find_call(&self, calls: &mut PassCalls, key: &CallKey, what: &What, data: &str) -> FoundCall {
        if *what == What::Start {
            return calls.begin(key, data);
        }
        // Pieces of other blocks look the same.
        calls.of_index(key).map_or(FoundCall::Nothing, FoundCall::Known)
    }

    fn read_usage(&self, object: &str) -> Usage {
        Usage {
            input: count(object, &["input_tokens"]),
            cache_read: count(object, &["cache_read_input_tokens"]),
            cache_write: count(object, &["cache_creation_input_tokens"]),
            output: count(object, &["output_tokens"]),
            reasoning: None,
        }
    }

    fn correct_stop_word(&self, stop: &Stop, _said: &Said) -> Option<&'static str> {
        Some(if *stop == Stop::ToolUse { "tool_use" } else { "end_turn" })
    }

    fn edits_of_marks(&self, body: &str, _target: &Target) -> Option<Edits> {
        marks::edits(body)
    }

    /// Clients read the type in the head only.
    fn missing_event(&self, frame: &Frame<'_>) -> Option<String> {
        if !frame.event.is_empty() {
            return None;
        }
        let kind = raw::find(frame.data, "type")?;
        let kind = kind.strip_prefix('"')?.strip_suffix('"')?;
        kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_').then(|| kind.to_owned())
    }

    fn write_error_frame(&self, _head: &Head, failure: &Failure) -> String {
        let (kind, message) = (error::word(failure.kind), quote(&failure.message));
        event("error", &format!(",\"error\":{{\"type\":\"{kind}\",\"message\":{message}}}"))
    }

    fn write_ping_frame(&self, _head: &Head) -> String {
        event("ping", "")
    }

    fn write_fragment_frame(&self, _head: &Head, _choice: u64, index: u64, text: &str) -> Option<String> {
        Some(block_event("content_block_delta", index, &delta(text)))
    }

    fn call_id_prefix(&self) -> &'static str {
        "toolu"
    }

    fn write_text_call(&self, call: &TextCall) -> String {
        block(call, &call.arguments)
    }

    fn write_text_call_frames(&self, _head: &Head, calls: &[TextCall], first: u64, _sequence: u64) -> String {
        let mut out = String::new();
        for (index, call) in (first..).zip(calls) {
            let start = format!(",\"content_block\":{}", block(call, "{}"));
            out.push_str(&block_event("content_block_start", index, &start));
            out.push_str(&block_event("content_block_delta", index, &delta(&call.arguments)));
            out.push_str(&block_event("content_block_stop", index, ""));
        }
        out
    }
}

/// An event with these members besides its type.
fn event(kind: &str, rest: &str) -> String {
    format!("event: {kind}\ndata: {{\"type\":\"{kind}\"{rest}}}\n\n")
}

/// An event of a block.
fn block_event(kind: &str, index: u64, rest: &str) -> String {
    event(kind, &format!(",\"index\":{index}{rest}"))
}

/// The members of an event with a piece of arguments.
fn delta(text: &str) -> String {
    format!(",\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":{}}}", quote(text))
}

/// A call as a block.
fn block(call: &TextCall, arguments: &str) -> String {
    let TextCall { id, name, .. } = call;
    format!("{{\"type\":\"tool_use\",\"id\":{id},\"name\":{name},\"input\":{arguments}}}")
}
