//! Whether what an upstream sent with a good status is an answer at all.

use toolwright_jsonrpc::raw;

use crate::dialects::error_shapes;
use crate::{Dialect, Failure, FailureKind, dialects};

/// Why a body is no answer of this dialect; nothing when it is one. Pages of proxies, errors with status 200 and
/// answers of another dialect would else be told as answers that say nothing.
pub(super) fn fault(dialect: Dialect, body: &str) -> Option<Failure> {
    let mark = dialects::of(dialect).response_member();
    if raw::check(body).is_err() {
        let what = match error_shapes::plain(body).as_str() {
            "" => "the upstream's answer is empty".to_owned(),
            words => format!("the upstream's answer is no JSON: {words}"),
        };
        return Some(Failure::new(FailureKind::Api, what).with_status(502));
    }
    if raw::find(body, mark).is_some_and(|value| value.starts_with(['[', '{'])) {
        return None;
    }
    if error_shapes::is_error_body(body) {
        return Some(error_shapes::read(200, body));
    }
    let what = format!(
        "the upstream's answer is none of {}: it has no \"{mark}\"; check the kind, the api and the url of this upstream",
        dialect.name()
    );
    Some(Failure::new(FailureKind::Api, what).with_status(502))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_one_of_its_own_dialect_only() {
        let answers = [
            r#"{"type":"message","content":[]}"#,
            r#"{"choices":[{"message":{"content":"x"}}]}"#,
            r#"{"object":"response","output":[],"error":{"message":"it failed later"}}"#,
            r#"{"message":{"role":"assistant","content":""},"done":true}"#,
        ];
        for (at, dialect) in Dialect::ALL.into_iter().enumerate() {
            for (of, answer) in answers.iter().enumerate() {
                let found = fault(dialect, answer);
                assert_eq!(found.is_none(), at == of, "{dialect:?}: {answer}: {found:?}");
            }
        }
    }

    #[test]
    fn pages_errors_and_nothing_are_no_answers() {
        for dialect in Dialect::ALL {
            let page =
                fault(dialect, "<html><title>x</title><body>Bad <b>gateway</b></body></html>").unwrap();
            assert_eq!(page.message, "the upstream's answer is no JSON: Bad gateway");
            assert_eq!(page.status, 502);
            assert_eq!(fault(dialect, " \n").unwrap().message, "the upstream's answer is empty");
            let error = fault(dialect, r#"{"error":{"type":"overloaded_error","message":"busy"}}"#).unwrap();
            assert_eq!((error.kind, error.message.as_str()), (FailureKind::Overloaded, "busy"));
            assert!(error.status >= 500);
            let other = fault(dialect, "[1]").unwrap();
            assert!(other.message.contains("check the kind"), "{other:?}");
        }
    }
}
