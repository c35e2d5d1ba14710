//! Calls that a model wrote as text, written as its dialect writes calls.

use toolwright_jsonrpc::raw::{self, quote};

use super::mend::{self, CallReport, Delivery, Finish, Mender};
use super::own_frames::{Head, chunk};
use crate::Dialect;
use crate::stream::calls_of;

/// A call that was a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextCall {
    id: String,
    /// As JSON, with its namespace where it has one.
    name: String,
    /// A JSON object.
    arguments: String,
}

/// The calls that a whole text is, mended; none when it is anything else.
pub(super) fn find(
    dialect: Dialect,
    text: &str,
    tools: &[String],
    id_seed: &str,
    mender: &Mender,
    reports: &mut Vec<CallReport>,
) -> Vec<TextCall> {
    let found = calls_of(text, tools).unwrap_or_default();
    let mut calls = Vec::with_capacity(found.len());
    for (number, (name, sent)) in found.into_iter().enumerate() {
        let named = mender.name(&name);
        let name = mend::new_name(dialect, &named, None, &name).unwrap_or_else(|| quote(&name));
        let mended = mender.arguments(&named, &sent, Finish::Stop);
        reports.push(mended.report);
        let arguments = match mended.delivery {
            Delivery::Instead(text) => text,
            Delivery::AsSent | Delivery::CutOff => sent,
        };
        if raw::check(&arguments).is_err() {
            return Vec::new();
        }
        let start = if dialect == Dialect::AnthropicMessages { "toolu" } else { "call" };
        // In streams no line may end inside of a value.
        let arguments = arguments.replace(['\n', '\r'], " ");
        calls.push(TextCall { id: quote(&format!("{start}_{id_seed}_{number}")), name, arguments });
    }
    calls
}

/// The calls as a whole answer has them: items of a list, without its brackets.
pub(super) fn items(dialect: Dialect, calls: &[TextCall]) -> String {
    let items: Vec<String> = calls.iter().map(|call| item(dialect, call, "")).collect();
    items.join(",")
}

/// One of them. `first` are members that stand before the others.
fn item(dialect: Dialect, call: &TextCall, first: &str) -> String {
    let TextCall { id, name, arguments } = call;
    match dialect {
        Dialect::AnthropicMessages => {
            format!("{{\"type\":\"tool_use\",\"id\":{id},\"name\":{name},\"input\":{arguments}}}")
        }
        Dialect::OpenAiChat => {
            let text = quote(arguments);
            format!(
                "{{{first}\"id\":{id},\"type\":\"function\",\"function\":{{\"name\":{name},\"arguments\":{text}}}}}"
            )
        }
        Dialect::OpenAiResponses => response_item(call, &quote(arguments), "completed"),
        Dialect::OllamaChat => {
            format!("{{\"id\":{id},\"function\":{{\"name\":{name},\"arguments\":{arguments}}}}}")
        }
    }
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

/// The frames that tell the calls in a stream. `first` is the number of the block or item that the first one is, and
/// `sequence` the number of the first event.
pub(super) fn frames(dialect: Dialect, head: &Head, calls: &[TextCall], first: u64, sequence: u64) -> String {
    let mut out = String::new();
    match dialect {
        Dialect::OpenAiChat => {
            for (number, call) in calls.iter().enumerate() {
                let call = item(dialect, call, &format!("\"index\":{number},"));
                out.push_str(&chunk(head, 0, &format!("{{\"tool_calls\":[{call}]}}"), "null"));
            }
        }
        Dialect::OllamaChat => {
            let empty = || "\"\"".to_owned();
            let model = head.model.clone().unwrap_or_else(empty);
            let created = head.created.clone().unwrap_or_else(empty);
            let calls = items(dialect, calls);
            out = format!(
                "{{\"model\":{model},\"created_at\":{created},\"message\":{{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{calls}]}},\"done\":false}}\n"
            );
        }
        Dialect::AnthropicMessages => {
            for (index, call) in (first..).zip(calls) {
                let block = item(dialect, &TextCall { arguments: "{}".to_owned(), ..call.clone() }, "");
                let text = quote(&call.arguments);
                let rest = [
                    ("content_block_start", format!(",\"content_block\":{block}")),
                    (
                        "content_block_delta",
                        format!(",\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":{text}}}"),
                    ),
                    ("content_block_stop", String::new()),
                ];
                for (kind, rest) in rest {
                    let data = format!("{{\"type\":\"{kind}\",\"index\":{index}{rest}}}");
                    out.push_str(&format!("event: {kind}\ndata: {data}\n\n"));
                }
            }
        }
        Dialect::OpenAiResponses => {
            let mut sequence = sequence;
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
        }
    }
    out
}
