//! The two eras of the protocol and their revisions.

use toolwright_jsonrpc::{ErrorObject, INVALID_PARAMS};

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// `initialize` first, then requests that build on it.
    Legacy,
    /// Every request says everything by itself.
    Modern,
}

/// Revisions that begin with `initialize`, the newest first.
pub const LEGACY_REVISIONS: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Revisions without state, the newest first.
pub const MODERN_REVISIONS: &[&str] = &["2026-07-28"];

/// The error of a legacy server that has no such resource. Of a modern one it is that of invalid params.
const RESOURCE_NOT_FOUND: i64 = -32002;

/// An error of a server for a client. Within one family it stays as it is; between the families a missing resource
/// has another code.
pub fn translated_error(server: Era, client: Era, method: &str, error: ErrorObject) -> ErrorObject {
    if method != "resources/read" {
        return error;
    }
    // A modern server names the resource that it does not have; wrong params have no such data.
    let names_resource = || error.data.as_ref().is_some_and(|data| data.get("uri").is_some());
    let code = match (server, client, error.number()) {
        (Era::Legacy, Era::Modern, Some(RESOURCE_NOT_FOUND)) => INVALID_PARAMS,
        (Era::Modern, Era::Legacy, Some(INVALID_PARAMS)) if names_resource() => RESOURCE_NOT_FOUND,
        _ => return error,
    };
    ErrorObject { code: ErrorObject::new(code, "").code, ..error }
}

/// The newest of our revisions that the server lists.
pub(crate) fn newest<'r>(ours: &'r [&'r str], theirs: &[String]) -> Option<&'r str> {
    ours.iter().find(|revision| theirs.iter().any(|other| other == *revision)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_common_revision_is_taken() {
        let theirs = ["2024-11-05".to_owned(), "2025-06-18".to_owned(), "2030-01-01".to_owned()];
        assert_eq!(newest(LEGACY_REVISIONS, &theirs), Some("2025-06-18"));
        assert_eq!(newest(MODERN_REVISIONS, &theirs), None);
    }

    #[test]
    fn a_missing_resource_keeps_its_code_within_a_family() {
        let data = || toolwright_jsonrpc::Json::parse(r#"{"uri":"a:b"}"#).expect("JSON");
        let error = |code: i64| ErrorObject::new(code, "no").with_data(data());
        let code = |server, client, method: &str, error: ErrorObject| {
            let translated = translated_error(server, client, method, error.clone());
            assert_eq!((&translated.message, &translated.data), (&error.message, &error.data));
            translated.number()
        };
        let (legacy, modern) = (Era::Legacy, Era::Modern);
        for code_sent in [-32002, -32602] {
            for family in [legacy, modern] {
                assert_eq!(code(family, family, "resources/read", error(code_sent)), Some(code_sent));
            }
        }
        assert_eq!(code(legacy, modern, "resources/read", error(-32002)), Some(-32602));
        assert_eq!(code(modern, legacy, "resources/read", error(-32602)), Some(-32002));
        assert_eq!(code(legacy, modern, "tools/call", error(-32002)), Some(-32002));
        let wrong_params = ErrorObject::new(-32602, "wrong");
        assert_eq!(code(modern, legacy, "resources/read", wrong_params), Some(-32602));
    }
}
