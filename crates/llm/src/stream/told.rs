//! What the frames of every dialect tell alike: texts, numbers, and errors.

use std::borrow::Cow;

use toolwright_jsonrpc::raw::{self, Str};

use crate::{Failure, FailureKind};

/// The most characters of a frame that an error quotes.
const QUOTED_CHARS: usize = 200;

/// The decoded text, when a value is a string.
pub(crate) fn text(value: &str) -> Option<Cow<'_, str>> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    Some(Str::from_escaped(inner).decode())
}

/// The same, when it says anything.
pub(crate) fn some_text(value: &str) -> Option<Cow<'_, str>> {
    text(value).filter(|text| !text.is_empty())
}

/// The whole number that a value is. What stands behind a decimal point is left out.
pub(crate) fn number(value: &str) -> Option<u64> {
    let whole = value.split_once('.').map_or(value, |(whole, _)| whole);
    whole.parse().ok()
}

/// A stream that ended before it should.
pub(crate) fn cut_off(missing: &str) -> Failure {
    let message = format!(
        "The upstream ended the stream too early: {missing}. What was sent so far is not a whole answer; send the request again."
    );
    Failure::new(FailureKind::Api, message).with_status(502)
}

/// A frame that is no JSON.
pub(crate) fn not_json(data: &str) -> Failure {
    let mut quoted: String = data.chars().take(QUOTED_CHARS).collect();
    if quoted.len() < data.len() {
        quoted.push('…');
    }
    let message = format!("The upstream sent an event that is not JSON: {quoted}");
    Failure::new(FailureKind::Api, message).with_status(502)
}

/// The error that an object tells, in any of the shapes that streams have: `{"error":{…}}`, `{"error":"…"}`, and
/// an object that is the error itself.
pub(crate) fn error_of(data: &str) -> Failure {
    let inner = match raw::find(data, "error") {
        Some(inner) if inner.starts_with('{') => inner,
        Some(inner) => {
            let message = text(inner).map_or_else(|| inner.to_owned(), Cow::into_owned);
            return Failure::new(FailureKind::Api, said(message));
        }
        None => data,
    };
    let mut message = None;
    let mut word = None;
    let mut code = None;
    let mut param = None;
    for member in raw::first_members(inner) {
        match member.key.as_ref() {
            "message" | "detail" => message = some_text(member.value).or(message),
            "type" => word = some_text(member.value),
            // A status is a number here, or the text of one.
            "code" | "status" | "http_code" if code.is_none() => {
                code = some_text(member.value).or(number(member.value).map(|_| Cow::Borrowed(member.value)));
            }
            "param" => param = some_text(member.value),
            _ => {}
        }
    }
    let status = code.as_deref().and_then(number).and_then(|code| u16::try_from(code).ok());
    let status = status.filter(|status| (400..600).contains(status));
    let kind = match status {
        Some(status) => FailureKind::of_status(status),
        None => {
            [&word, &code].into_iter().flatten().find_map(|word| kind_of(word)).unwrap_or(FailureKind::Api)
        }
    };
    let message = message.map_or_else(|| inner.chars().take(QUOTED_CHARS).collect(), Cow::into_owned);
    Failure {
        status: status.unwrap_or(kind.status()),
        kind,
        message: said(message),
        param: param.map(Cow::into_owned),
        code: code.map(Cow::into_owned),
        upstream_type: word.map(Cow::into_owned),
    }
}

fn said(message: String) -> String {
    if message.is_empty() { "The upstream gave an error without words.".to_owned() } else { message }
}

/// The kind that a provider's word means.
fn kind_of(word: &str) -> Option<FailureKind> {
    Some(match word {
        "invalid_request_error" | "invalid_request" | "BadRequestError" | "context_length_exceeded" => {
            FailureKind::InvalidRequest
        }
        "authentication_error" | "invalid_api_key" | "AuthenticationError" => FailureKind::Authentication,
        "billing_error" => FailureKind::Billing,
        "permission_error" | "PermissionDeniedError" => FailureKind::Permission,
        "not_found_error" | "model_not_found" | "NotFoundError" => FailureKind::NotFound,
        "request_too_large" => FailureKind::TooLarge,
        "rate_limit_error" | "rate_limit_exceeded" | "insufficient_quota" | "RateLimitError" => {
            FailureKind::RateLimit
        }
        "timeout_error" | "timeout" => FailureKind::Timeout,
        "overloaded_error" | "overloaded" | "service_unavailable" | "server_overloaded" => {
            FailureKind::Overloaded
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_every_shape_are_understood() {
        for (data, kind, status, message) in [
            (
                r#"{"error":{"message":"slow down","type":"x","code":429}}"#,
                FailureKind::RateLimit,
                429,
                "slow down",
            ),
            (r#"{"error":{"message":"busy","code":"503"}}"#, FailureKind::Overloaded, 503, "busy"),
            (r#"{"error":"out of memory"}"#, FailureKind::Api, 500, "out of memory"),
            (
                r#"{"object":"error","message":"too long","type":"BadRequestError","code":400}"#,
                FailureKind::InvalidRequest,
                400,
                "too long",
            ),
            (
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                FailureKind::Overloaded,
                529,
                "Overloaded",
            ),
            (r#"{"error":{"message":"m","type":"server_error","code":null}}"#, FailureKind::Api, 500, "m"),
            (r#"{"error":{"message":"","code":200}}"#, FailureKind::Api, 500, r#"{"message":"","code":200}"#),
            (r#"{"error":""}"#, FailureKind::Api, 500, "The upstream gave an error without words."),
        ] {
            let failure = error_of(data);
            assert_eq!(
                (failure.kind, failure.status, failure.message.as_str()),
                (kind, status, message),
                "{data}"
            );
        }
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        assert_eq!(number("18446744073709551615"), Some(u64::MAX));
        assert_eq!(number("1712345678.25"), Some(1_712_345_678));
        for none in ["null", "\"1\"", "-1", "1e3", ""] {
            assert_eq!(number(none), None, "{none}");
        }
    }
}
