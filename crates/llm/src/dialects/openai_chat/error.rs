//! Errors of OpenAI Chat.

use toolwright_jsonrpc::{Json, ObjectWriter};

use crate::dialects::error_shapes;
use crate::{Failure, FailureKind};

/// What servers say of `reasoning_effort` that name neither the parameter nor a code: OpenAI's older models, xAI.
const REFUSALS: [&str; 2] = [
    "Unrecognized request argument supplied: reasoning_effort",
    "Argument not supported on this model: reasoningEffort",
];
/// What Groq says, which names the parameter and no code.
const REFUSAL_OF_PARAM: &str = "is not supported with this model";

/// Whether the model does not take `reasoning_effort`.
pub(super) fn refuses_thinking(failure: &Failure) -> bool {
    let is_about = |param: &str| matches!(param, "reasoning_effort" | "reasoning" | "reasoning.effort");
    match (failure.param.as_deref(), failure.code.as_deref()) {
        (Some(param), Some(code)) => is_about(param) && error_shapes::is_unknown_parameter(code),
        (Some(param), None) => is_about(param) && failure.message.ends_with(REFUSAL_OF_PARAM),
        // xAI has its own words for the code.
        (None, _) => REFUSALS.contains(&failure.message.trim_end_matches('.')),
    }
}

/// Writes an error for a client. The dialect has no place for the request's id but a header.
pub fn write_error(failure: &Failure, _request_id: &str) -> String {
    let mut error = ObjectWriter::default();
    error.text("message", &failure.message);
    error.text("type", failure.upstream_type.as_deref().unwrap_or(word(failure.kind)));
    for (key, value) in [("param", &failure.param), ("code", &failure.code)] {
        match value {
            Some(text) => error.text(key, text),
            None => error.value(key, &Json::parse("null").unwrap_or_else(|_| Json::text(""))),
        }
    }
    let mut out = ObjectWriter::default();
    out.value("error", &error.finish());
    out.finish().as_str().to_owned()
}

/// OpenAI's word for a kind of error.
fn word(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::InvalidRequest | FailureKind::TooLarge => "invalid_request_error",
        FailureKind::Authentication => "authentication_error",
        FailureKind::Billing => "insufficient_quota",
        FailureKind::Permission => "permission_error",
        FailureKind::NotFound => "not_found_error",
        FailureKind::RateLimit => "rate_limit_error",
        FailureKind::Api => "server_error",
        FailureKind::Timeout => "timeout_error",
        FailureKind::Overloaded => "overloaded_error",
    }
}
