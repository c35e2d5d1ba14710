//! The headers that a message has on its way: what the revision wants beside the body.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use toolwright_jsonrpc::{Json, Message};

use crate::peer::REVISION;

/// The header of the revision.
pub(crate) const PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// The header of a session.
pub(crate) const SESSION_ID: &str = "mcp-session-id";
/// Which event of a stream was the last.
pub(crate) const LAST_EVENT_ID: &str = "last-event-id";

pub(crate) const METHOD: &str = "mcp-method";
pub(crate) const NAME: &str = "mcp-name";
/// What stands around a value that is no plain text of a header.
const ENCODED: (&str, &str) = ("=?base64?", "?=");

/// The revision that a modern message names itself.
pub(super) fn own_revision(message: &Message) -> Option<String> {
    params(message)?.get("_meta")?.get_text(REVISION)
}

/// The headers of a modern message: its revision, its method, and what it is about.
pub(super) fn modern(message: &Message, revision: &str) -> Vec<(&'static str, String)> {
    let mut headers = vec![(PROTOCOL_VERSION, revision.to_owned())];
    let method = match message {
        Message::Request(request) => &request.method,
        Message::Notification(notification) => &notification.method,
        Message::Response(_) => return headers,
    };
    headers.push((METHOD, method.clone()));
    let key = match method.as_str() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return headers,
    };
    if let Some(name) = params(message).and_then(|params| params.get_text(key)) {
        headers.push((NAME, encoded(&name)));
    }
    headers
}

fn params(message: &Message) -> Option<&Json> {
    match message {
        Message::Request(request) => request.params.as_ref(),
        Message::Notification(notification) => notification.params.as_ref(),
        Message::Response(_) => None,
    }
}

/// The text that the value of a header stands for; `None` when it is encoded wrongly.
pub(crate) fn decoded(value: &str) -> Option<Cow<'_, str>> {
    let (before, behind) = ENCODED;
    let Some(inner) = value.strip_prefix(before).and_then(|rest| rest.strip_suffix(behind)) else {
        return Some(Cow::Borrowed(value));
    };
    String::from_utf8(STANDARD.decode(inner).ok()?).ok().map(Cow::Owned)
}

/// A text as the value of a header: as it is, or encoded when it would not survive.
pub(super) fn encoded(text: &str) -> String {
    let (before, behind) = ENCODED;
    let is_plain = text.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    let is_padded = text.starts_with([' ', '\t']) || text.ends_with([' ', '\t']);
    let looks_encoded = text.starts_with(before) && text.ends_with(behind);
    if is_plain && !is_padded && !looks_encoded {
        return text.to_owned();
    }
    format!("{before}{}{behind}", STANDARD.encode(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_would_not_survive_is_encoded() {
        for (text, value) in [
            ("us-west1", "us-west1"),
            ("a b", "a b"),
            ("", ""),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ] {
            assert_eq!(encoded(text), value, "{text:?}");
            assert_eq!(decoded(value).as_deref(), Some(text));
        }
    }

    #[test]
    fn a_value_that_is_encoded_wrongly_stands_for_nothing() {
        for value in ["=?base64?SGVsbG8?=", "=?base64?SGVs!!!bG8=?=", "=?base64?/w==?="] {
            assert_eq!(decoded(value), None, "{value}");
        }
        for literal in ["SGVsbG8=", "=?base64?SGVsbG8=", "SGVsbG8=?="] {
            assert_eq!(decoded(literal).as_deref(), Some(literal));
        }
    }

    fn names(text: &str) -> Vec<(&'static str, String)> {
        let message = Message::parse(text).unwrap();
        modern(&message, &own_revision(&message).unwrap())
    }

    #[test]
    fn a_modern_message_names_its_revision_its_method_and_what_it_is_about() {
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        let about = |method: &str, params: &str| {
            names(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{meta}}}}}"#))
        };
        let revision = (PROTOCOL_VERSION, "2026-07-28".to_owned());
        assert_eq!(about("tools/list", ""), [revision.clone(), (METHOD, "tools/list".into())]);
        for (method, params, name) in [
            ("tools/call", r#""name":"käse","#, "=?base64?a8Okc2U=?="),
            ("prompts/get", r#""name":"p","#, "p"),
            ("resources/read", r#""uri":"file:///a","name":"no","#, "file:///a"),
            ("tasks/get", r#""taskId":"t-1","name":"no","#, "t-1"),
        ] {
            let expected = [revision.clone(), (METHOD, method.into()), (NAME, name.into())];
            assert_eq!(about(method, params), expected);
        }
    }

    #[test]
    fn a_legacy_message_names_no_revision() {
        let text = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":1}}}"#;
        assert_eq!(own_revision(&Message::parse(text).unwrap()), None);
    }
}
