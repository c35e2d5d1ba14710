//! Errors, read and written.

use toolwright_jsonrpc::{Json, ObjectWriter};

use crate::dialects::error_shapes;
use crate::{Failure, FailureKind};

/// Whether the model does not take `reasoning`.
pub(super) fn refuses_thinking(failure: &Failure) -> bool {
    let is_about = |param: &str| param == "reasoning" || param.starts_with("reasoning.");
    failure.param.as_deref().is_some_and(is_about)
        && failure.code.as_deref().is_some_and(error_shapes::is_unknown_parameter)
}

/// Writes an error for a client. The id of the request goes into a header, not here.
pub fn write_error(failure: &Failure, _request_id: &str) -> String {
    let mut out = ObjectWriter::default();
    out.value("error", &object(failure));
    out.finish().as_str().to_owned()
}

/// What stands under `error`.
pub(super) fn object(failure: &Failure) -> Json {
    let mut out = ObjectWriter::default();
    out.text("message", &failure.message);
    out.text("type", error_type(failure.kind));
    for (key, value) in [("param", failure.param.as_deref()), ("code", code(failure))] {
        match value {
            Some(value) => out.text(key, value),
            None => out.value(key, &super::tools::null()),
        }
    }
    out.finish()
}

fn error_type(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::InvalidRequest | FailureKind::NotFound | FailureKind::TooLarge => {
            "invalid_request_error"
        }
        FailureKind::Authentication => "authentication_error",
        FailureKind::Billing => "insufficient_quota",
        FailureKind::Permission => "permission_error",
        FailureKind::RateLimit => "rate_limit_error",
        FailureKind::Api => "server_error",
        FailureKind::Timeout => "timeout_error",
        FailureKind::Overloaded => "overloaded_error",
    }
}

/// The upstream's own code, or the one that clients know for the kind.
fn code(failure: &Failure) -> Option<&str> {
    failure.code.as_deref().or(match failure.kind {
        FailureKind::Authentication => Some("invalid_api_key"),
        FailureKind::Billing => Some("insufficient_quota"),
        FailureKind::RateLimit => Some("rate_limit_exceeded"),
        FailureKind::Overloaded => Some("overloaded"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_all_four_members() {
        let failure = Failure::invalid("input is missing").about("input");
        assert_eq!(
            write_error(&failure, "req_1"),
            r#"{"error":{"message":"input is missing","type":"invalid_request_error","param":"input","code":null}}"#
        );
        let limited = error_shapes::read(
            429,
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}"#,
        );
        assert_eq!(
            write_error(&limited, ""),
            r#"{"error":{"message":"slow","type":"rate_limit_error","param":null,"code":"rate_limit_exceeded"}}"#
        );
    }
}
