//! Passing OpenAI Chat Completions on: choices, and calls as deltas that clients add up.

use toolwright_jsonrpc::raw::{quote, write_quoted};

use super::{Module, marks, spots};
use crate::dialects::PassThrough;
use crate::form::{Stop, Usage};
use crate::pass::marks::Edits;
use crate::pass::usage::{count, without};
use crate::pass::{
    CallKey, FUNCTION_CALL, FoundCall, Head, PassCalls, Said, Spot, StreamRules, TextCall, What, decoded,
};
use crate::{Failure, FailureKind, Target};

impl PassThrough for Module {
    fn spots_in_request(&self, body: &str, spots: &mut Vec<Spot>) -> Option<()> {
        spots::request(body, spots)
    }

    fn spots_in_answer(&self, body: &str, spots: &mut Vec<Spot>) -> Option<()> {
        spots::answer(body, spots)
    }

    fn spots_in_frame(&self, _event: &str, data: &str, spots: &mut Vec<Spot>) -> Option<()> {
        spots::frame(data, spots)
    }

    fn stream_rules(&self) -> StreamRules {
        StreamRules {
            has_choices: true,
            has_deltas: true,
            closing_frame: Some("data: [DONE]\n\n"),
            ..StreamRules::default()
        }
    }

    fn find_call(&self, calls: &mut PassCalls, key: &CallKey, what: &What, data: &str) -> FoundCall {
        find_call(calls, key, what, data)
    }

    fn read_usage(&self, object: &str) -> Usage {
        let cached = count(object, &["prompt_tokens_details", "cached_tokens"]);
        let written = count(object, &["prompt_tokens_details", "cache_write_tokens"]);
        Usage {
            input: count(object, &["prompt_tokens"]).map(|all| without(all, cached, written)),
            cache_read: cached,
            cache_write: written,
            output: count(object, &["completion_tokens"]),
            reasoning: count(object, &["completion_tokens_details", "reasoning_tokens"]),
        }
    }

    fn correct_stop_word(&self, stop: &Stop, said: &Said) -> Option<&'static str> {
        Some(match stop {
            Stop::ToolUse if said.has_function_call => "function_call",
            Stop::ToolUse => "tool_calls",
            _ => "stop",
        })
    }

    fn edits_of_marks(&self, body: &str, target: &Target) -> Option<Edits> {
        marks::edits(body, target)
    }

    fn write_error_frame(&self, _head: &Head, failure: &Failure) -> String {
        let (kind, message) = (stream_error_type(failure.kind), quote(&failure.message));
        let code = failure.code.as_deref().map_or_else(|| "null".to_owned(), quote);
        format!(
            "data: {{\"error\":{{\"message\":{message},\"type\":\"{kind}\",\"param\":null,\"code\":{code}}}}}\n\n"
        )
    }

    fn write_fragment_frame(&self, head: &Head, choice: u64, index: u64, text: &str) -> Option<String> {
        let text = quote(text);
        let delta = if index == FUNCTION_CALL {
            format!("{{\"function_call\":{{\"arguments\":{text}}}}}")
        } else {
            format!("{{\"tool_calls\":[{{\"index\":{index},\"function\":{{\"arguments\":{text}}}}}]}}")
        };
        Some(chunk(head, choice, &delta, "null"))
    }

    fn write_text_call(&self, call: &TextCall) -> String {
        tool_call(call, "")
    }

    fn write_text_call_frames(&self, head: &Head, calls: &[TextCall], _first: u64, _sequence: u64) -> String {
        let mut out = String::new();
        for (number, call) in calls.iter().enumerate() {
            let call = tool_call(call, &format!("\"index\":{number},"));
            out.push_str(&chunk(head, 0, &format!("{{\"tool_calls\":[{call}]}}"), "null"));
        }
        out
    }
}

/// A new, different id is a new call; else the index tells; else it is the last. A name for a call whose arguments
/// are whole is a new call too, and so is one under an index of its own, whatever its id is.
fn find_call(calls: &mut PassCalls, key: &CallKey, what: &What, data: &str) -> FoundCall {
    let id = key.id.as_ref().map(|id| decoded(data, id));
    let of_id = id.as_ref().and_then(|id| {
        calls.of_id_and_index(key, id).or_else(|| {
            let begins = matches!(what, What::Name(_)) && calls.of_index(key).is_none();
            if begins { None } else { calls.of_id(key.part, id) }
        })
    });
    if let Some(at) = of_id {
        let call = &calls.list[at];
        let is_another =
            matches!(what, What::Name(name) if call.named.is_some() && call.name != decoded(data, name));
        return if is_another && call.is_json() { calls.begin(key, data) } else { FoundCall::Known(at) };
    }
    let at = match key.index {
        Some(_) => calls.of_index(key),
        None => calls.last_of(key.part),
    };
    let Some(at) = at else { return calls.begin(key, data) };
    let call = &calls.list[at];
    let is_new_id = id.is_some() && call.id.is_some();
    if is_new_id || (matches!(what, What::Name(_)) && call.named.is_some() && call.is_json()) {
        return calls.begin(key, data);
    }
    if let Some(id) = id {
        calls.set_id(at, id.into_owned());
    }
    FoundCall::Known(at)
}

/// A chunk with this delta and finish reason.
fn chunk(head: &Head, choice: u64, delta: &str, finish: &str) -> String {
    let mut out = String::with_capacity(delta.len() + 200);
    out.push_str("data: {");
    for (key, value) in [("id", &head.id), ("created", &head.created), ("model", &head.model)] {
        if let Some(value) = value {
            write_quoted(key, &mut out);
            out.push(':');
            out.push_str(value);
            out.push(',');
        }
    }
    out.push_str("\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":");
    out.push_str(&choice.to_string());
    out.push_str(",\"delta\":");
    out.push_str(delta);
    out.push_str(",\"finish_reason\":");
    out.push_str(finish);
    out.push_str("}]}\n\n");
    out
}

/// A call as an item of `tool_calls`. `first` are members that stand before the others.
fn tool_call(call: &TextCall, first: &str) -> String {
    let TextCall { id, name, arguments } = call;
    let text = quote(arguments);
    format!(
        "{{{first}\"id\":{id},\"type\":\"function\",\"function\":{{\"name\":{name},\"arguments\":{text}}}}}"
    )
}

/// The word for a kind of error inside a stream.
pub(in crate::dialects) fn stream_error_type(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::InvalidRequest | FailureKind::NotFound | FailureKind::TooLarge => {
            "invalid_request_error"
        }
        FailureKind::Authentication => "authentication_error",
        FailureKind::Permission => "permission_error",
        FailureKind::Billing => "insufficient_quota",
        FailureKind::RateLimit => "rate_limit_error",
        FailureKind::Api | FailureKind::Timeout | FailureKind::Overloaded => "server_error",
    }
}
