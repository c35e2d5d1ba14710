//! Errors of Anthropic Messages.

use toolwright_jsonrpc::ObjectWriter;

use crate::{Failure, FailureKind};

/// Writes an error for a client.
pub fn write_error(failure: &Failure, request_id: &str) -> String {
    let mut error = ObjectWriter::default();
    error.text("type", word(failure.kind));
    error.text("message", &failure.message);
    let mut out = ObjectWriter::default();
    out.text("type", "error");
    out.value("error", &error.finish());
    out.text("request_id", request_id);
    out.finish().as_str().to_owned()
}

/// Anthropic's word for a kind of error. Clients know no others.
pub(super) fn word(kind: FailureKind) -> &'static str {
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
