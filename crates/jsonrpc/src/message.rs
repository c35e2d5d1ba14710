//! JSON-RPC messages: a strict envelope around payloads that stay text.
//!
//! The envelope is parsed by its exact keys, each once, and rewritten; unknown members are appended to it.
//! The payloads are only checked to be JSON, never parsed further.

use std::collections::HashSet;

use memchr::memchr2;

use crate::json::push_member;
use crate::raw::{self, ParseError};
use crate::{Id, Json};

/// The text is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The message is not a valid request.
pub const INVALID_REQUEST: i64 = -32600;
/// The method is unknown.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters do not fit the method.
pub const INVALID_PARAMS: i64 = -32602;
/// The receiver failed; the sender is not at fault.
pub const INTERNAL_ERROR: i64 = -32603;

/// A message in either direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Expects a response.
    Request(Request),
    /// Expects no response.
    Notification(Notification),
    /// Responds to a request.
    Response(Response),
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The id that the response repeats.
    pub id: Id,
    /// Name of the method.
    pub method: String,
    /// Parameters: an object, or seldom an array.
    pub params: Option<Json>,
    /// Members of the envelope that the protocol does not name.
    pub extra: Vec<(String, Json)>,
}

/// A notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// Name of the method.
    pub method: String,
    /// Parameters.
    pub params: Option<Json>,
    /// Members of the envelope that the protocol does not name.
    pub extra: Vec<(String, Json)>,
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The id of the request; `None` if the sender could not determine it.
    pub id: Option<Id>,
    /// The result or the error.
    pub outcome: Result<Json, ErrorObject>,
    /// Members of the envelope that the protocol does not name.
    pub extra: Vec<(String, Json)>,
}

/// An error as a peer reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorObject {
    /// Error code, as it was written: it need not be an integer that fits an `i64`.
    pub code: Json,
    /// Error message.
    pub message: String,
    /// Additional data.
    pub data: Option<Json>,
    /// Members that the protocol does not name.
    pub extra: Vec<(String, Json)>,
}

/// Why a JSON text is not a JSON-RPC message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// It is not JSON, or not an object.
    #[error("not a JSON object: {0}")]
    NotJson(#[from] ParseError),
    /// A key is present twice.
    #[error("\"{0}\" is present twice in the message")]
    RepeatedKey(String),
    /// `"jsonrpc": "2.0"` is missing.
    #[error("the message has no \"jsonrpc\": \"2.0\"")]
    NotVersion2,
    /// It is neither request nor response, or both.
    #[error("the message is neither a request nor a notification nor a response")]
    NoKind,
    /// A part has the wrong type.
    #[error("\"{0}\" of the message has the wrong type")]
    WrongType(&'static str),
}

/// The members of an envelope, each found by its exact key.
#[derive(Default)]
struct Envelope {
    version: Option<Json>,
    id: Option<Json>,
    method: Option<Json>,
    params: Option<Json>,
    result: Option<Json>,
    error: Option<Json>,
    extra: Vec<(String, Json)>,
}

impl Envelope {
    fn read(text: &str) -> Result<Envelope, EnvelopeError> {
        let mut envelope = Envelope::default();
        let mut others = HashSet::new();
        for member in raw::members(text)? {
            let value = Json::scanned(member.value);
            let place = match &*member.key {
                "jsonrpc" => &mut envelope.version,
                "id" => &mut envelope.id,
                "method" => &mut envelope.method,
                "params" => &mut envelope.params,
                "result" => &mut envelope.result,
                "error" => &mut envelope.error,
                key => {
                    // A set, because a sender may invent as many keys as fit into a message.
                    if !others.insert(key.to_owned()) {
                        return Err(EnvelopeError::RepeatedKey(key.to_owned()));
                    }
                    envelope.extra.push((key.to_owned(), value));
                    continue;
                }
            };
            if place.replace(value).is_some() {
                return Err(EnvelopeError::RepeatedKey(member.key.into_owned()));
            }
        }
        Ok(envelope)
    }
}

impl Message {
    /// Parses one message.
    pub fn parse(text: &str) -> Result<Message, EnvelopeError> {
        let Envelope { version, id, method, params, result, error, extra } = Envelope::read(text)?;
        if version.and_then(|version| version.to_text()).as_deref() != Some("2.0") {
            return Err(EnvelopeError::NotVersion2);
        }
        let is_null = id.as_ref().is_some_and(|id| id.as_str() == "null");
        let given = id.filter(|_| !is_null);
        let id = given.map(|id| Id::from_json(id).ok_or(EnvelopeError::WrongType("id"))).transpose()?;
        // Some servers write the part that does not apply as null.
        let error = error.filter(|error| error.as_str() != "null");
        match (method, result, error) {
            (Some(method), None, None) => {
                let method = method.to_text().ok_or(EnvelopeError::WrongType("method"))?;
                let params = params.filter(|params| params.as_str() != "null");
                if params.as_ref().is_some_and(|params| !params.as_str().starts_with(['{', '['])) {
                    return Err(EnvelopeError::WrongType("params"));
                }
                match id {
                    Some(id) => Ok(Message::Request(Request { id, method, params, extra })),
                    None if is_null => Err(EnvelopeError::WrongType("id")),
                    None => Ok(Message::Notification(Notification { method, params, extra })),
                }
            }
            (None, None, Some(error)) => {
                let outcome = Err(ErrorObject::from_json(&error)?);
                Ok(Message::Response(Response { id, outcome, extra }))
            }
            (None, Some(result), None) if id.is_some() => {
                Ok(Message::Response(Response { id, outcome: Ok(result), extra }))
            }
            (None, Some(result), Some(error)) if result.as_str() == "null" => {
                let outcome = Err(ErrorObject::from_json(&error)?);
                Ok(Message::Response(Response { id, outcome, extra }))
            }
            _ => Err(EnvelopeError::NoKind),
        }
    }

    /// The message on one line, without a line end.
    pub fn to_line(&self) -> String {
        let (payload, extra) = match self {
            Message::Request(Request { params, extra, .. })
            | Message::Notification(Notification { params, extra, .. }) => (params.as_ref(), extra),
            Message::Response(Response { outcome, extra, .. }) => (outcome.as_ref().ok(), extra),
        };
        let mut out = String::with_capacity(payload.map_or(0, |payload| payload.as_str().len()) + 320);
        out.push_str("{\"jsonrpc\":\"2.0\"");
        match self {
            Message::Request(request) => {
                push_member(&mut out, "id", request.id.as_json().as_str());
                push_member(&mut out, "method", &raw::quote(&request.method));
            }
            Message::Notification(notification) => {
                push_member(&mut out, "method", &raw::quote(&notification.method));
            }
            Message::Response(response) => {
                push_member(&mut out, "id", response.id.as_ref().map_or("null", |id| id.as_json().as_str()));
            }
        }
        match self {
            Message::Request(Request { params: Some(params), .. })
            | Message::Notification(Notification { params: Some(params), .. }) => {
                push_on_one_line(&mut out, "params", params);
            }
            Message::Response(Response { outcome: Ok(result), .. }) => {
                push_on_one_line(&mut out, "result", result);
            }
            Message::Response(Response { outcome: Err(error), .. }) => {
                push_on_one_line(&mut out, "error", &error.to_json());
            }
            _ => {}
        }
        for (key, value) in extra {
            push_on_one_line(&mut out, key, value);
        }
        out.push('}');
        out
    }
}

/// Line breaks in JSON occur only between tokens: strings have them escaped.
fn push_on_one_line(out: &mut String, key: &str, value: &Json) {
    if memchr2(b'\n', b'\r', value.as_str().as_bytes()).is_some() {
        push_member(out, key, &value.as_str().replace(['\n', '\r'], " "));
    } else {
        push_member(out, key, value.as_str());
    }
}

impl ErrorObject {
    /// An error reported by Toolwright.
    pub fn new(code: i64, message: impl Into<String>) -> ErrorObject {
        let code = Json::scanned(&code.to_string());
        ErrorObject { code, message: message.into(), data: None, extra: Vec::new() }
    }

    /// Adds data.
    pub fn with_data(self, data: Json) -> ErrorObject {
        ErrorObject { data: Some(data), ..self }
    }

    /// The code, if it is an integer that fits.
    pub fn number(&self) -> Option<i64> {
        self.code.as_str().parse().ok()
    }

    /// Parses an error object. A missing code or message gets a default, so that the rest is not lost.
    fn from_json(value: &Json) -> Result<ErrorObject, EnvelopeError> {
        let members = value.members().ok_or(EnvelopeError::WrongType("error"))?;
        let mut error = ErrorObject::new(INTERNAL_ERROR, "");
        for member in members {
            let value = Json::scanned(member.value);
            match &*member.key {
                "code" => error.code = value,
                "message" => error.message = value.to_text().unwrap_or_else(|| value.to_string()),
                "data" => error.data = Some(value),
                key => error.extra.push((key.to_owned(), value)),
            }
        }
        Ok(error)
    }

    /// The object as JSON.
    pub fn to_json(&self) -> Json {
        let mut out = String::from("{");
        push_member(&mut out, "code", self.code.as_str());
        push_member(&mut out, "message", &raw::quote(&self.message));
        for (key, value) in self.data.iter().map(|data| ("data", data)).chain(named(&self.extra)) {
            push_member(&mut out, key, value.as_str());
        }
        out.push('}');
        Json::scanned(&out)
    }
}

fn named(extra: &[(String, Json)]) -> impl Iterator<Item = (&str, &Json)> {
    extra.iter().map(|(key, value)| (key.as_str(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        Message::parse(text).unwrap().to_line()
    }

    #[test]
    fn message_round_trips() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"b":1.0,"a":12345678901234567890,"_meta":{"x/y":null}}}"#,
            r#"{"jsonrpc":"2.0","id":"a\"b","method":"ping"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"total":10}}"#,
            r#"{"jsonrpc":"2.0","id":-1.5,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"$defs":{"a":true},"z":[1e400]},"trace":{"id":"t"}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad","data":[1],"hint":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":99999999999999999999,"message":"big"}}"#,
        ] {
            assert_eq!(line(text), text);
        }
    }

    #[test]
    fn a_message_is_written_on_one_line() {
        let text =
            "{\"id\": 1,\n \"jsonrpc\": \"2.0\", \"method\": \"x\", \"params\": {\"a\":\r\n \"b\\nc\"}}";
        assert_eq!(line(text), r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":   "b\nc"}}"#);
    }

    #[test]
    fn envelope_keys_are_exact_and_unique() {
        for (text, error) in [
            (r#"{"jsonrpc":"2.0","id":1,"Method":"x"}"#, EnvelopeError::NoKind),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"x","method":"y"}"#,
                EnvelopeError::RepeatedKey("method".into()),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"m\u0065thod":"x","method":"x"}"#,
                EnvelopeError::RepeatedKey("method".into()),
            ),
            (r#"{"jsonrpc":"2.0","x":1,"x":1,"method":"x"}"#, EnvelopeError::RepeatedKey("x".into())),
            (r#"{"id":1,"method":"x"}"#, EnvelopeError::NotVersion2),
            (r#"{"jsonrpc":2.0,"id":1,"method":"x"}"#, EnvelopeError::NotVersion2),
            (r#"{"jsonrpc":"2.0","id":true,"method":"x"}"#, EnvelopeError::WrongType("id")),
            (r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#, EnvelopeError::WrongType("id")),
            (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, EnvelopeError::WrongType("method")),
            (r#"{"jsonrpc":"2.0","id":1,"method":"x","params":"y"}"#, EnvelopeError::WrongType("params")),
            (r#"{"jsonrpc":"2.0","id":1,"method":"x","result":{}}"#, EnvelopeError::NoKind),
            (r#"{"jsonrpc":"2.0","result":{}}"#, EnvelopeError::NoKind),
            (r#"{"jsonrpc":"2.0","id":1,"error":"broken"}"#, EnvelopeError::WrongType("error")),
        ] {
            assert_eq!(Message::parse(text), Err(error), "{text}");
        }
        assert!(matches!(Message::parse("[]"), Err(EnvelopeError::NotJson(_))));
    }

    #[test]
    fn parts_that_do_not_apply_may_be_null() {
        let failed = r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":-1,"message":"no"}}"#;
        let Message::Response(Response { outcome: Err(error), .. }) = Message::parse(failed).unwrap() else {
            panic!("no error")
        };
        assert_eq!((error.number(), error.message.as_str()), (Some(-1), "no"));
        assert_eq!(
            line(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#),
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#
        );
        assert_eq!(
            line(r#"{"jsonrpc":"2.0","method":"x","params":null}"#),
            r#"{"jsonrpc":"2.0","method":"x"}"#
        );
    }

    #[test]
    fn error_without_code_is_accepted() {
        let odd = r#"{"jsonrpc":"2.0","id":1,"error":{"message":{"text":"no"},"reason":1}}"#;
        let Message::Response(Response { outcome: Err(error), .. }) = Message::parse(odd).unwrap() else {
            panic!("no error")
        };
        assert_eq!(error.number(), Some(INTERNAL_ERROR));
        assert_eq!(error.message, r#"{"text":"no"}"#);
        assert_eq!(error.extra, [("reason".to_owned(), Json::parse("1").unwrap())]);
    }
}
