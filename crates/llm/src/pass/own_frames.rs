//! Frames that the upstream did not send: errors, signs of life, and pieces of calls that were missing.

use toolwright_jsonrpc::raw::{quote, write_quoted};

use super::spots::openai_chat::FUNCTION_CALL;
use crate::dialects::openai_responses;
use crate::{Dialect, Failure, FailureKind};

/// The number of our last event in a Responses stream: behind every one of the upstream's.
const LAST_NUMBER: u32 = i32::MAX as u32;

/// What the upstream's frames say about the answer, as JSON. Our own frames say the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    pub id: Option<String>,
    pub created: Option<String>,
    pub model: Option<String>,
}

/// An error, as a stream of this dialect tells it.
pub(super) fn error(dialect: Dialect, head: &Head, failure: &Failure) -> String {
    let message = quote(&failure.message);
    match dialect {
        Dialect::AnthropicMessages => {
            let kind = anthropic_kind(failure.kind);
            format!(
                "event: error\ndata: {{\"type\":\"error\",\"error\":{{\"type\":\"{kind}\",\"message\":{message}}}}}\n\n"
            )
        }
        Dialect::OpenAiChat => {
            let (kind, code) = (openai_kind(failure.kind), code(failure));
            format!(
                "data: {{\"error\":{{\"message\":{message},\"type\":\"{kind}\",\"param\":null,\"code\":{code}}}}}\n\n"
            )
        }
        Dialect::OpenAiResponses => {
            let code = failure.code.as_deref().map_or_else(|| quote(openai_kind(failure.kind)), quote);
            let number = LAST_NUMBER - 1;
            let failed = failed_response(head, failure).unwrap_or_default();
            format!(
                "event: error\ndata: {{\"type\":\"error\",\"code\":{code},\"message\":{message},\"param\":null,\"sequence_number\":{number}}}\n\n{failed}"
            )
        }
        Dialect::OllamaChat => format!("{{\"error\":{message}}}\n"),
    }
}

/// The answer that failed, for clients that wait for its end and do not take the error for one. Nothing before the
/// upstream has told which answer it is.
fn failed_response(head: &Head, failure: &Failure) -> Option<String> {
    let id = head.id.as_deref()?;
    let (created, model) = (head.created.as_deref().unwrap_or("0"), head.model.as_deref().unwrap_or("\"\""));
    let (code, message) = (quote(openai_responses::error_code(failure.kind)), quote(&failure.message));
    Some(format!(
        "event: response.failed\ndata: {{\"type\":\"response.failed\",\"sequence_number\":{LAST_NUMBER},\"response\":{{\"id\":{id},\"object\":\"response\",\"created_at\":{created},\"status\":\"failed\",\"error\":{{\"code\":{code},\"message\":{message}}},\"incomplete_details\":null,\"instructions\":null,\"metadata\":{{}},\"model\":{model},\"output\":[],\"parallel_tool_calls\":true,\"temperature\":null,\"tool_choice\":\"auto\",\"tools\":[],\"top_p\":null,\"usage\":null}}}}\n\n"
    ))
}

fn code(failure: &Failure) -> String {
    failure.code.as_deref().map_or_else(|| "null".to_owned(), quote)
}

fn anthropic_kind(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::InvalidRequest => "invalid_request_error",
        FailureKind::Authentication => "authentication_error",
        FailureKind::Billing => "billing_error",
        FailureKind::Permission => "permission_error",
        FailureKind::NotFound => "not_found_error",
        FailureKind::TooLarge => "request_too_large",
        FailureKind::RateLimit => "rate_limit_error",
        FailureKind::Api => "api_error",
        FailureKind::Timeout => "timeout_error",
        FailureKind::Overloaded => "overloaded_error",
    }
}

fn openai_kind(kind: FailureKind) -> &'static str {
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

/// Something that says nothing; nothing at all where the dialect has no such thing yet.
pub(super) fn ping(dialect: Dialect, head: &Head) -> String {
    match (dialect, &head.model, &head.created) {
        (Dialect::AnthropicMessages, ..) => "event: ping\ndata: {\"type\":\"ping\"}\n\n".to_owned(),
        (Dialect::OpenAiChat | Dialect::OpenAiResponses, ..) => ": ping\n\n".to_owned(),
        // Lines have no comments: an empty piece of text says nothing either.
        (Dialect::OllamaChat, Some(model), Some(created)) => format!(
            "{{\"model\":{model},\"created_at\":{created},\"message\":{{\"role\":\"assistant\",\"content\":\"\"}},\"done\":false}}\n"
        ),
        (Dialect::OllamaChat, ..) => String::new(),
    }
}

/// A piece of a call's arguments, for dialects whose clients put pieces together.
pub(super) fn fragment(dialect: Dialect, head: &Head, choice: u64, index: u64, text: &str) -> Option<String> {
    let text = quote(text);
    match dialect {
        Dialect::AnthropicMessages => Some(format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":{text}}}}}\n\n"
        )),
        Dialect::OpenAiChat if index == FUNCTION_CALL => {
            Some(chunk(head, choice, &format!("{{\"function_call\":{{\"arguments\":{text}}}}}"), "null"))
        }
        Dialect::OpenAiChat => {
            let call =
                format!("{{\"tool_calls\":[{{\"index\":{index},\"function\":{{\"arguments\":{text}}}}}]}}");
            Some(chunk(head, choice, &call, "null"))
        }
        // The events that repeat the call have all of it.
        Dialect::OpenAiResponses | Dialect::OllamaChat => None,
    }
}

/// A chunk of Chat with this delta and finish reason.
pub(super) fn chunk(head: &Head, choice: u64, delta: &str, finish: &str) -> String {
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
