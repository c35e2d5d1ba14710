//! Recognizes invalid responses: whether a line was intended as one, to which request, and what is wrong with it.

use super::id_in;
use crate::raw::{self, RawMember};
use crate::{EnvelopeError, Id, Json, Message};

/// The members that a response may have.
const MEMBERS: &[&str] = &["jsonrpc", "id", "result", "error"];

/// A line interpreted as a response.
#[derive(Default)]
pub(super) struct ResponseShape {
    /// The id of the request.
    pub id: Option<Id>,
    /// Whether it has the shape of a response.
    pub is_answer: bool,
    /// Why it is not a valid response.
    pub fault: Option<String>,
}

impl ResponseShape {
    /// Interprets a text. Only a text that is one object from its start can be a response. A log line in JSON is
    /// not one, whatever its members: it has no `jsonrpc`, and it has members that a response may not have.
    pub fn of(text: &str) -> ResponseShape {
        let error = match Message::parse(text) {
            Ok(Message::Response(response)) => {
                return ResponseShape { id: response.id, is_answer: true, fault: None };
            }
            Ok(_) => return ResponseShape::default(),
            Err(error) => error,
        };
        if !text.starts_with('{') {
            return ResponseShape::default();
        }
        let first = raw::first_members(text);
        let has = |key: &str| first.iter().any(|member| member.key == key);
        // The text after a value that cannot be parsed can be searched, not parsed.
        let is_cut = matches!(error, EnvelopeError::NotJson(_));
        let is_written = |key: &str| is_cut && text.contains(&format!("\"{key}\""));
        let is_request = has("method") || first.is_empty() && is_written("method");
        let has_outcome = ["result", "error"].iter().any(|key| has(key) || is_written(key));
        let is_plain = first.iter().all(|member| MEMBERS.contains(&&*member.key));
        if is_request || !(has("jsonrpc") || has_outcome && is_plain) {
            return ResponseShape::default();
        }
        let fault = match error {
            EnvelopeError::NoKind if has("result") && has("error") => {
                "it has both \"result\" and \"error\"".to_owned()
            }
            EnvelopeError::NoKind if has_outcome => "it has no \"id\"".to_owned(),
            EnvelopeError::NoKind => "it has neither \"result\" nor \"error\"".to_owned(),
            error => error.to_string(),
        };
        ResponseShape {
            id: only_id(&first).unwrap_or_else(|| id_in(text, text)),
            is_answer: true,
            fault: Some(fault),
        }
    }
}

/// The only id among these members, if there is one; `Some(None)` if it is present twice with different values.
fn only_id(first: &[RawMember<'_>]) -> Option<Option<Id>> {
    let mut ids = first.iter().filter(|member| member.key == "id").map(|member| member.value);
    let id = ids.next()?;
    Some(ids.all(|other| other == id).then(|| Id::from_json(Json::parse(id).ok()?)).flatten())
}

/// Decodes an object that is written in UTF-16, of either byte order. Characters outside ASCII may be wrong.
pub(super) fn of_utf16(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.strip_prefix(b"\xff\xfe").or(bytes.strip_prefix(b"\xfe\xff")).unwrap_or(bytes);
    // The second half of the previous line end, or the high byte of the first character of a big-endian text.
    let bytes = bytes.strip_prefix(b"\0").unwrap_or(bytes);
    if !matches!(bytes, [b'{', 0, _, 0, ..]) {
        return None;
    }
    let (pairs, _) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    // A big-endian text has lost its last byte to the line end.
    let rest = (bytes.len() % 2 == 1).then(|| bytes.last().copied()).flatten().filter(|byte| *byte != 0);
    let mut text = String::from_utf16_lossy(&units);
    text.extend(rest.map(char::from));
    Some(text.trim_end_matches(['\0', '\r']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::{Line, read};

    /// The id, whether it is a response, and the fault of the noise on a line.
    fn noise_of(line: &[u8]) -> (Option<String>, bool, String) {
        let reading = read(Line::Whole(line));
        assert!(reading.messages.is_empty(), "{}", String::from_utf8_lossy(line));
        let noise = reading.noise.expect("noise");
        (noise.id.map(|id| id.to_string()), noise.is_answer, noise.fault.unwrap_or_default())
    }

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn invalid_response_is_matched_by_id() {
        for (line, fault) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"x":NaN}}"#, "JSON"),
            (r#"{"result":{"x":NaN},"id":7}"#, "JSON"),
            (r#"{"jsonrpc":"2.0","id":7,"result":{},}"#, "JSON"),
            (r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":"m"}}"#, "both"),
            (r#"{"jsonrpc":"2.0","id":7}"#, "neither"),
            (r#"{"jsonrpc":"2.0","id":7,"result":{},"result":{}}"#, "\"result\" is present twice"),
            (r#"{"jsonrpc":"2.0","id":7,"id":7,"result":{}}"#, "\"id\" is present twice"),
            (r#"{"jsonrpc":"2.0","id":7,"error":"boom"}"#, "wrong type"),
            (r#"{"jsonrpc":"1.0","id":7,"result":{}}"#, "\"jsonrpc\": \"2.0\""),
            (r#"{"id":7,"result":{}}"#, "\"jsonrpc\": \"2.0\""),
        ] {
            let (id, is_answer, noise_of) = noise_of(line.as_bytes());
            assert_eq!((id.as_deref(), is_answer), (Some("7"), true), "{line}");
            assert!(noise_of.contains(fault), "{line}: {noise_of}");
        }
        let response_shape = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
        for line in [utf16(response_shape, u16::to_le_bytes), utf16(response_shape, u16::to_be_bytes)] {
            let (id, is_answer, noise_of) = noise_of(&line);
            assert_eq!((id.as_deref(), is_answer), (Some("7"), true));
            assert!(noise_of.contains("UTF-16"), "{noise_of}");
        }
    }

    #[test]
    fn response_without_valid_id_is_recognized() {
        for line in [
            r#"{"jsonrpc":"2.0","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":7,"id":8,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":[7],"result":{}}"#,
            r#"{"error":"boom"}"#,
        ] {
            let (id, is_answer, _) = noise_of(line.as_bytes());
            assert_eq!((id, is_answer), (None, true), "{line}");
        }
    }

    #[test]
    fn log_lines_and_requests_are_not_responses() {
        for line in [
            r#"{"level":"error","id":7,"error":"boom"}"#,
            r#"{"ts":1,"id":7,"result":NaN}"#,
            r#"{"id":7,"name":"x"}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"m","params":NaN}"#,
            r#"{"params":NaN,"method":"error","id":7}"#,
            r#"sent {"jsonrpc":"2.0","id":7,"result":NaN}"#,
            "{}",
            "{",
        ] {
            assert_eq!(noise_of(line.as_bytes()), (None, false, String::new()), "{line}");
        }
    }
}
