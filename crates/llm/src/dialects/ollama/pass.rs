//! Passing Ollama on: lines, each like a whole response, with calls that come whole.

use toolwright_jsonrpc::raw::quote;

use super::{Module, spots};
use crate::Failure;
use crate::dialects::PassThrough;
use crate::form::Usage;
use crate::pass::usage::count;
use crate::pass::{CallKey, FoundCall, Head, PassCalls, Spot, StreamRules, TextCall, What};

impl PassThrough for Module {
    fn spots_in_request(&self, body: &str, spots: &mut Vec<Spot>) -> Option<()> {
        spots::request(body, spots)
    }

    fn spots_in_answer(&self, body: &str, spots: &mut Vec<Spot>) -> Option<()> {
        spots::answer(body, spots)
    }

    fn spots_in_frame(&self, _event: &str, data: &str, spots: &mut Vec<Spot>) -> Option<()> {
        spots::answer(data, spots)
    }

    fn stream_rules(&self) -> StreamRules {
        StreamRules::default()
    }

    fn find_call(&self, calls: &mut PassCalls, key: &CallKey, what: &What, data: &str) -> FoundCall {
        if *what == What::Start {
            return calls.begin(key, data);
        }
        calls.list.len().checked_sub(1).map_or(FoundCall::Nothing, FoundCall::Known)
    }

    fn read_usage(&self, object: &str) -> Usage {
        Usage {
            input: count(object, &["prompt_eval_count"]),
            output: count(object, &["eval_count"]),
            ..Usage::default()
        }
    }

    fn write_error_frame(&self, _head: &Head, failure: &Failure) -> String {
        format!("{{\"error\":{}}}\n", quote(&failure.message))
    }

    /// Lines have no comments: an empty piece of text says nothing either.
    fn write_ping_frame(&self, head: &Head) -> String {
        match (&head.model, &head.created) {
            (Some(model), Some(created)) => line(model, created, ""),
            _ => String::new(),
        }
    }

    fn empty_text(&self) -> &'static str {
        "\"\""
    }

    fn write_text_call(&self, call: &TextCall) -> String {
        let TextCall { id, name, arguments } = call;
        format!("{{\"id\":{id},\"function\":{{\"name\":{name},\"arguments\":{arguments}}}}}")
    }

    fn write_text_call_frames(&self, head: &Head, calls: &[TextCall], _first: u64, _sequence: u64) -> String {
        let known = |value: &Option<String>| value.clone().unwrap_or_else(|| "\"\"".to_owned());
        let calls: Vec<String> = calls.iter().map(|call| self.write_text_call(call)).collect();
        let calls = format!(",\"tool_calls\":[{}]", calls.join(","));
        line(&known(&head.model), &known(&head.created), &calls)
    }
}

/// A line with an empty text and these members of the message besides.
fn line(model: &str, created: &str, rest: &str) -> String {
    format!(
        "{{\"model\":{model},\"created_at\":{created},\"message\":{{\"role\":\"assistant\",\"content\":\"\"{rest}}},\"done\":false}}\n"
    )
}
