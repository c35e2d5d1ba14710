//! Errors of upstreams, whatever shape they have.

use toolwright_jsonrpc::raw;

use super::fields::{Fields, count, decoded};
use crate::{Failure, FailureKind};

/// The most letters of a body without a message that a client is shown.
const MOST_LETTERS: usize = 500;

/// Reads the body of an error, of any dialect and of none.
pub(crate) fn read(status: u16, body: &str) -> Failure {
    let mut failure = find(body.trim(), 0).unwrap_or_else(|| {
        let words = plain(body);
        let message = match words.as_str() {
            "" => format!("the upstream answered with status {status} and no words"),
            words => format!("the upstream answered with status {status}: {words}"),
        };
        Failure::new(FailureKind::Api, message)
    });
    let by_word = failure.upstream_type.as_deref().or(failure.code.as_deref()).and_then(kind_of_word);
    let by_code =
        failure.code.as_deref().and_then(|code| code.parse().ok()).filter(|code| (400..600).contains(code));
    match status {
        // Not a status of an error: the words have to say it.
        0..400 => {
            failure.kind = by_word.or(by_code.map(FailureKind::of_status)).unwrap_or(FailureKind::Api);
            failure.status = by_code.unwrap_or(failure.kind.status());
        }
        // These say little: what the upstream calls it says more.
        400 | 500 => {
            failure.kind = by_word.unwrap_or(FailureKind::of_status(status));
            failure.status = status;
        }
        _ => {
            failure.kind = FailureKind::of_status(status);
            failure.status = status;
        }
    }
    failure
}

/// Whether a code says that a parameter is none of the model's: OpenAI's two, and that of strict servers in Python.
pub(crate) fn is_unknown_parameter(code: &str) -> bool {
    matches!(code, "unsupported_parameter" | "unknown_parameter" | "extra_forbidden")
}

/// Whether a body that came with a good status is an error all the same.
pub(crate) fn is_error(fields: &Fields<'_, '_>) -> bool {
    fields.peek("error").is_some()
        || ["type", "object"].iter().any(|key| fields.peek(key) == Some(r#""error""#))
}

/// The same of a body that nobody has read yet.
pub(crate) fn is_error_body(body: &str) -> bool {
    is_error(&Fields::lenient(body))
}

/// The error in a value: an object with or in `error`, `message`, `detail` or `errors`, a string, or a list of them.
fn find(value: &str, depth: usize) -> Option<Failure> {
    if depth > 3 {
        return None;
    }
    if let Some(text) = decoded(value).filter(|_| raw::check(value).is_ok()) {
        return (!text.is_empty()).then(|| Failure::new(FailureKind::Api, text));
    }
    if let Ok(items) = raw::items(value) {
        return items.first().and_then(|item| find(item, depth + 1));
    }
    let mut fields = Fields::lenient(value);
    if let Some(inner) = ["error", "errors"].iter().find_map(|key| fields.peek(key)) {
        let mut found = find(inner, depth + 1)?;
        // `{"error": "Not Found", "message": "no such model"}`
        if let Some(more) = decoded(inner).and(fields.peek("message")).and_then(decoded) {
            found.message = format!("{}: {more}", found.message);
        }
        return Some(found);
    }
    if let Some(detail) = fields.peek("detail") {
        return find_detail(detail).or_else(|| find(detail, depth + 1));
    }
    let word =
        |fields: &mut Fields<'_, '_>, key| fields.take(key).and_then(scalar).filter(|word| !word.is_empty());
    let message =
        ["message", "msg", "error_message"].iter().find_map(|key| fields.peek(key)).and_then(decoded);
    let upstream_type = word(&mut fields, "type").filter(|word| word != "error");
    let code = word(&mut fields, "code");
    let message =
        message.filter(|text| !text.is_empty()).or_else(|| upstream_type.clone()).or_else(|| code.clone())?;
    let mut failure = Failure::new(FailureKind::Api, message);
    failure.param = word(&mut fields, "param");
    failure.code = code;
    failure.upstream_type = upstream_type;
    Some(failure)
}

/// FastAPI: a list of `{"loc": ["body", "model"], "msg": "Field required"}`.
fn find_detail(detail: &str) -> Option<Failure> {
    let items = raw::items(detail).ok()?;
    let mut told = Vec::new();
    let (mut param, mut code) = (None, None);
    for item in &items {
        let fields = Fields::lenient(item);
        let words = fields.peek("msg").and_then(decoded)?;
        let place: Vec<String> = raw::items(fields.peek("loc").unwrap_or("[]"))
            .unwrap_or_default()
            .into_iter()
            .filter_map(scalar)
            .collect();
        if items.len() == 1 {
            // Where one thing is wrong, it is the parameter that the error is about.
            let inner: Vec<&str> =
                place.iter().map(String::as_str).skip_while(|part| *part == "body").collect();
            param = Some(inner.join(".")).filter(|param| !param.is_empty());
            code = fields.peek("type").and_then(decoded);
        }
        told.push(if place.is_empty() { words } else { format!("{}: {words}", place.join(".")) });
    }
    if told.is_empty() {
        return None;
    }
    let failure = Failure::new(FailureKind::Api, told.join("; "));
    Some(Failure { param, code, ..failure })
}

/// A string, or a number as it is written.
fn scalar(value: &str) -> Option<String> {
    decoded(value).or_else(|| count(value).map(|_| value.to_owned()))
}

/// What the words of Anthropic and OpenAI for kinds of errors mean.
fn kind_of_word(word: &str) -> Option<FailureKind> {
    Some(match word {
        "invalid_request_error" | "BadRequestError" | "invalid_request" => FailureKind::InvalidRequest,
        "authentication_error" | "invalid_api_key" => FailureKind::Authentication,
        "billing_error" | "insufficient_quota" => FailureKind::Billing,
        "permission_error" => FailureKind::Permission,
        "not_found_error" | "model_not_found" | "NotFoundError" => FailureKind::NotFound,
        "request_too_large" => FailureKind::TooLarge,
        "rate_limit_error" | "rate_limit_exceeded" => FailureKind::RateLimit,
        "api_error" | "server_error" | "InternalServerError" => FailureKind::Api,
        "timeout_error" => FailureKind::Timeout,
        "overloaded_error" => FailureKind::Overloaded,
        _ => return None,
    })
}

/// The words of a body, not too many.
pub(crate) fn plain(body: &str) -> String {
    // A page's title mostly says again what the page says.
    let mut words = untagged(body, &["script", "style", "title"]);
    if words.trim().is_empty() {
        words = untagged(body, &["script", "style"]);
    }
    let mut out = String::new();
    for word in words.split_whitespace() {
        if out.len() + word.len() > MOST_LETTERS {
            out.push_str(if out.is_empty() { "(one long word)" } else { " …" });
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// A text without its tags, and without what stands in some of them.
fn untagged(text: &str, hidden: &[&str]) -> String {
    let mut words = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        words.push_str(&rest[..start]);
        words.push(' ');
        let tag = &rest[start + 1..];
        let begins =
            |name: &&&str| tag.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name));
        let close = hidden.iter().find(begins).and_then(|_| tag.find("</"));
        let after = close.map_or(tag, |close| &tag[close..]);
        rest = after.find('>').map_or("", |end| &after[end + 1..]);
    }
    words.push_str(rest);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(status: u16, body: &str) -> (u16, FailureKind, String) {
        let failure = read(status, body);
        (failure.status, failure.kind, failure.message)
    }

    #[test]
    fn every_shape_has_its_words() {
        for (body, words) in [
            (r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, "Overloaded"),
            (r#"{"error":{"message":"m","type":"t","param":null,"code":1}}"#, "m"),
            (r#"{"error":"model 'x' not found"}"#, "model 'x' not found"),
            (r#"{"error":"Not Found","message":"no such path"}"#, "Not Found: no such path"),
            (r#"{"object":"error","message":"too long","code":400}"#, "too long"),
            (r#"{"detail":"Not authenticated"}"#, "Not authenticated"),
            (
                r#"{"detail":[{"loc":["body","messages",0],"msg":"Field required"}]}"#,
                "body.messages.0: Field required",
            ),
            (r#"[{"error":{"code":400,"message":"bad schema","status":"INVALID_ARGUMENT"}}]"#, "bad schema"),
            (r#""just words""#, "just words"),
            (r#"{"error":{"type":"server_error"}}"#, "server_error"),
            (
                r#"{"type":"","message":""}"#,
                r#"the upstream answered with status 502: {"type":"","message":""}"#,
            ),
            ("", "the upstream answered with status 502 and no words"),
            (r#"{"a":1}"#, r#"the upstream answered with status 502: {"a":1}"#),
            ("<title>502 Bad Gateway</title>", "the upstream answered with status 502: 502 Bad Gateway"),
            (
                "<html><head><title>502 Bad Gateway</title><style>p{a:b}</style></head><body><h1>nginx</h1></body></html>",
                "the upstream answered with status 502: nginx",
            ),
        ] {
            assert_eq!(told(502, body), (502, FailureKind::Api, words.to_owned()), "{body}");
        }
    }

    #[test]
    fn the_status_of_the_upstream_is_kept_and_says_the_kind() {
        for (status, kind) in [
            (401, FailureKind::Authentication),
            (404, FailureKind::NotFound),
            (413, FailureKind::TooLarge),
            (422, FailureKind::InvalidRequest),
            (429, FailureKind::RateLimit),
            (503, FailureKind::Overloaded),
            (504, FailureKind::Timeout),
            (529, FailureKind::Overloaded),
        ] {
            let (kept, found, _) = told(status, r#"{"error":{"message":"m","type":"api_error"}}"#);
            assert_eq!((kept, found), (status, kind));
        }
    }

    #[test]
    fn an_error_with_a_good_status_is_known_by_its_words() {
        let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#;
        assert_eq!(told(200, overloaded), (529, FailureKind::Overloaded, "m".to_owned()));
        let coded = r#"{"object":"error","message":"m","type":"X","code":404}"#;
        assert_eq!(told(200, coded), (404, FailureKind::NotFound, "m".to_owned()));
        assert_eq!(told(200, r#"{"error":"m"}"#), (500, FailureKind::Api, "m".to_owned()));
    }
}
