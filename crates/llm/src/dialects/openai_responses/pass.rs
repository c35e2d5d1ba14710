//! Passing OpenAI Responses on: output items, and events that tell them, piece by piece and once more as a whole.

use toolwright_jsonrpc::raw::quote;

use super::output::error_code;
use super::{Module, marks, spots};
use crate::dialects::PassThrough;
use crate::dialects::openai_chat::stream_error_type;
use crate::form::Usage;
use crate::pass::marks::Edits;
use crate::pass::usage::{count, without};
use crate::pass::{CallKey, FoundCall, Head, PassCalls, Spot, StreamRules, TextCall, What, decoded};
use crate::{Failure, Target};

/// The number of the last event that Toolwright adds: behind every one of the upstream's.
const LAST_NUMBER: u32 = i32::MAX as u32;

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
        StreamRules { has_text_blocks: true, announces_text: true, ..StreamRules::default() }
    }

    fn find_call(&self, calls: &mut PassCalls, key: &CallKey, what: &What, data: &str) -> FoundCall {
        let id = key.id.as_ref().map(|id| decoded(data, id));
        let known = calls.of_index(key).or_else(|| calls.of_id(0, &id?));
        match known {
            Some(call) => FoundCall::Known(call),
            None if *what == What::End => FoundCall::Nothing,
            None => calls.begin(key, data),
        }
    }

    fn read_usage(&self, object: &str) -> Usage {
        let cached = count(object, &["input_tokens_details", "cached_tokens"]);
        let written = count(object, &["input_tokens_details", "cache_write_tokens"]);
        Usage {
            input: count(object, &["input_tokens"]).map(|all| without(all, cached, written)),
            cache_read: cached,
            cache_write: written,
            output: count(object, &["output_tokens"]),
            reasoning: count(object, &["output_tokens_details", "reasoning_tokens"]),
        }
    }

    fn edits_of_marks(&self, body: &str, _target: &Target) -> Option<Edits> {
        marks::edits(body)
    }

    fn write_error_frame(&self, head: &Head, failure: &Failure) -> String {
        let message = quote(&failure.message);
        let code = failure.code.as_deref().map_or_else(|| quote(stream_error_type(failure.kind)), quote);
        let number = LAST_NUMBER - 1;
        let failed = failed_response(head, failure).unwrap_or_default();
        format!(
            "event: error\ndata: {{\"type\":\"error\",\"code\":{code},\"message\":{message},\"param\":null,\"sequence_number\":{number}}}\n\n{failed}"
        )
    }

    fn write_text_call(&self, call: &TextCall) -> String {
        response_item(call, &quote(&call.arguments), "completed")
    }

    fn write_text_call_frames(&self, _head: &Head, calls: &[TextCall], first: u64, sequence: u64) -> String {
        let (mut out, mut sequence) = (String::new(), sequence);
        for (index, call) in (first..).zip(calls) {
            let (text, item_id) = (quote(&call.arguments), item_id(call));
            let begun = response_item(call, "\"\"", "in_progress");
            let done = response_item(call, &text, "completed");
            let (name, at) = (&call.name, format!("\"item_id\":{item_id},\"output_index\":{index}"));
            let events = [
                ("response.output_item.added", format!("\"output_index\":{index},\"item\":{begun}")),
                ("response.function_call_arguments.delta", format!("{at},\"delta\":{text}")),
                (
                    "response.function_call_arguments.done",
                    format!("{at},\"name\":{name},\"arguments\":{text}"),
                ),
                ("response.output_item.done", format!("\"output_index\":{index},\"item\":{done}")),
            ];
            for (kind, rest) in events {
                let data = format!("{{\"type\":\"{kind}\",\"sequence_number\":{sequence},{rest}}}");
                out.push_str(&format!("event: {kind}\ndata: {data}\n\n"));
                sequence += 1;
            }
        }
        out
    }
}

/// The answer that failed, for clients that wait for its end and do not take the error for one. Nothing before the
/// upstream has told which answer it is.
fn failed_response(head: &Head, failure: &Failure) -> Option<String> {
    let id = head.id.as_deref()?;
    let (created, model) = (head.created.as_deref().unwrap_or("0"), head.model.as_deref().unwrap_or("\"\""));
    let (code, message) = (quote(error_code(failure.kind)), quote(&failure.message));
    Some(format!(
        "event: response.failed\ndata: {{\"type\":\"response.failed\",\"sequence_number\":{LAST_NUMBER},\"response\":{{\"id\":{id},\"object\":\"response\",\"created_at\":{created},\"status\":\"failed\",\"error\":{{\"code\":{code},\"message\":{message}}},\"incomplete_details\":null,\"instructions\":null,\"metadata\":{{}},\"model\":{model},\"output\":[],\"parallel_tool_calls\":true,\"temperature\":null,\"tool_choice\":\"auto\",\"tools\":[],\"top_p\":null,\"usage\":null}}}}\n\n"
    ))
}

fn response_item(call: &TextCall, arguments: &str, status: &str) -> String {
    let TextCall { id, name, .. } = call;
    let item_id = item_id(call);
    format!(
        "{{\"type\":\"function_call\",\"id\":{item_id},\"call_id\":{id},\"name\":{name},\"arguments\":{arguments},\"status\":\"{status}\"}}"
    )
}

/// The id of an item is another than that of its call.
fn item_id(call: &TextCall) -> String {
    call.id.replacen("call_", "fc_", 1)
}
