//! Errors of OpenAI Chat.

use toolwright_jsonrpc::{Json, ObjectWriter};

use crate::dialects::error_shapes;
use crate::{Failure, FailureKind};

/// Reads the body of an error from an upstream; also one that is not of this dialect, or no JSON.
pub fn read_error(status: u16, body: &str) -> Failure {
    error_shapes::read(status, body)
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
