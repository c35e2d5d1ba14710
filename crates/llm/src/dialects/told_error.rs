//! What an upstream says when something went wrong, in whatever shape.

use super::members::{Fields, decode};
use crate::{Failure, FailureKind};

/// The most that is told of a body that is no JSON, in bytes.
const MOST_TEXT_BYTES: usize = 400;

/// Reads the body of an answer with an error status: the shapes of OpenAI, Anthropic, Ollama, vLLM and FastAPI, plain
/// text, a page, or nothing.
pub(crate) fn read(status: u16, body: &str) -> Failure {
    let kind = FailureKind::of_status(status);
    let mut failure = Failure::new(kind, "").with_status(status);
    let mut fields = Fields::lenient(body);
    fill(&mut failure, &mut fields);
    if failure.message.is_empty() {
        failure.message = plain(status, body);
    }
    failure
}

/// Reads an error that came in an answer with status 200: its status is what its words mean.
pub(crate) fn read_told(object: &str) -> Failure {
    let mut failure = Failure::new(FailureKind::Api, "");
    let mut fields = Fields::lenient(object);
    let status = fields.peek("status_code").or(fields.peek("status")).and_then(|status| status.parse().ok());
    fill(&mut failure, &mut fields);
    failure.kind = match status {
        Some(status @ 400..=599) => FailureKind::of_status(status),
        _ => kind_of_words(&failure),
    };
    failure.status = failure.kind.status();
    if failure.message.is_empty() {
        failure.message = "The upstream reported an error without saying which.".to_owned();
    }
    failure
}

/// Whether an object of an answer tells an error.
pub(crate) fn is_error(object: &str) -> bool {
    let fields = Fields::lenient(object);
    fields.peek("error").is_some() || fields.peek("object") == Some("\"error\"")
}

fn fill(failure: &mut Failure, fields: &mut Fields<'_, '_>) {
    if let Some(error) = fields.take("error") {
        match decode(error) {
            Some(text) => failure.message = text,
            None => fill(failure, &mut Fields::lenient(error)),
        }
    }
    let told = |key: &str, fields: &mut Fields<'_, '_>| {
        let value = fields.take(key)?;
        decode(value).or_else(|| Some(value.to_owned())).filter(|text| !text.is_empty())
    };
    if failure.message.is_empty() {
        failure.message = told("message", fields).or_else(|| told("detail", fields)).unwrap_or_default();
    }
    failure.code = failure.code.take().or_else(|| told("code", fields));
    failure.param = failure.param.take().or_else(|| told("param", fields));
    // Around Anthropic's error stands the type of the message.
    failure.upstream_type =
        failure.upstream_type.take().or_else(|| told("type", fields).filter(|word| word != "error"));
}

fn kind_of_words(failure: &Failure) -> FailureKind {
    let words = [failure.upstream_type.as_deref(), failure.code.as_deref()];
    let says = |part: &str| words.iter().flatten().any(|word| word.contains(part));
    if says("rate_limit") || says("429") {
        FailureKind::RateLimit
    } else if says("quota") || says("billing") {
        FailureKind::Billing
    } else if says("overloaded") || says("503") {
        FailureKind::Overloaded
    } else if says("authentication") || says("invalid_api_key") {
        FailureKind::Authentication
    } else if says("permission") {
        FailureKind::Permission
    } else if says("not_found") {
        FailureKind::NotFound
    } else if says("too_large") {
        FailureKind::TooLarge
    } else if says("timeout") {
        FailureKind::Timeout
    } else if says("invalid_") || says("context_length") || says("BadRequest") {
        FailureKind::InvalidRequest
    } else {
        FailureKind::Api
    }
}

/// Words for a body that is no JSON of a known shape.
fn plain(status: u16, body: &str) -> String {
    let body = body.trim();
    if body.is_empty() {
        return format!("The upstream answered with status {status} and said nothing.");
    }
    if body.starts_with('<') {
        return match title(body) {
            Some(title) => format!("The upstream answered with status {status} and a page: {title}"),
            None => format!("The upstream answered with status {status} and a page instead of JSON."),
        };
    }
    let mut end = body.len().min(MOST_TEXT_BYTES);
    while !body.is_char_boundary(end) {
        end -= 1;
    }
    let more = if end < body.len() { "…" } else { "" };
    format!("The upstream answered with status {status}: {}{more}", &body[..end])
}

fn title(page: &str) -> Option<&str> {
    let start = page.find("<title>")? + "<title>".len();
    let title = page[start..].split('<').next()?.trim();
    (!title.is_empty() && title.len() <= MOST_TEXT_BYTES).then_some(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_of_an_error_is_understood() {
        for (body, message) in [
            (r#"{"error":{"message":"no","type":"invalid_request_error","param":"model","code":7}}"#, "no"),
            (r#"{"error":"no"}"#, "no"),
            (r#"{"object":"error","message":"no","type":"BadRequestError","code":400}"#, "no"),
            (r#"{"type":"error","error":{"type":"invalid_request_error","message":"no"}}"#, "no"),
            (r#"{"detail":"no"}"#, "no"),
            (r#"{"detail":[{"msg":"no"}]}"#, r#"[{"msg":"no"}]"#),
            ("no", "The upstream answered with status 400: no"),
            ("", "The upstream answered with status 400 and said nothing."),
            (
                "<html><head><title>Bad Gateway</title>",
                "The upstream answered with status 400 and a page: Bad Gateway",
            ),
            ("<html>", "The upstream answered with status 400 and a page instead of JSON."),
            ("{}", "The upstream answered with status 400: {}"),
        ] {
            let failure = read(400, body);
            assert_eq!((failure.message.as_str(), failure.status), (message, 400), "{body}");
            assert_eq!(failure.kind, FailureKind::InvalidRequest);
        }
        let full = read(404, r#"{"error":{"message":"no","type":"t","param":"model","code":7}}"#);
        assert_eq!(
            (full.param.as_deref(), full.code.as_deref(), full.upstream_type.as_deref(), full.kind),
            (Some("model"), Some("7"), Some("t"), FailureKind::NotFound)
        );
        let long = read(500, &"ä".repeat(1000));
        assert!(long.message.len() < 500 && long.message.ends_with('…'));
    }

    #[test]
    fn an_error_in_a_good_answer_has_the_status_that_its_words_mean() {
        for (object, status) in [
            (r#"{"error":{"message":"m","code":"rate_limit_exceeded"}}"#, 429),
            (r#"{"error":{"message":"m","type":"server_error"}}"#, 500),
            (r#"{"type":"error","error":{"type":"overloaded_error"}}"#, 529),
            (r#"{"error":"out of memory"}"#, 500),
            (r#"{"error":{"message":"m","type":"insufficient_quota"}}"#, 402),
            (r#"{"object":"error","message":"m","type":"BadRequestError"}"#, 400),
        ] {
            assert!(is_error(object));
            assert_eq!(read_told(object).status, status, "{object}");
        }
        assert!(!is_error(r#"{"error":null}"#) && !is_error("[]"));
    }
}
