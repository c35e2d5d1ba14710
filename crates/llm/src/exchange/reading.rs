//! A request that is read as far as somebody needs it.
//!
//! Where both sides speak the same dialect the conversation goes on as bytes: only the tools and what stands beside
//! them are read, which for a long conversation is a small part.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use toolwright_jsonrpc::raw;

use crate::form::Request;
use crate::{Dialect, Failure, dialects};

/// The keys that decide where a request goes and how it is answered.
const DECIDING: [&str; 5] = ["model", "stream", "tools", "messages", "input"];

/// What a client sent.
#[derive(Debug)]
pub(super) struct Reading {
    pub front: Dialect,
    pub body: Box<str>,
    request: OnceLock<Result<Arc<Request>, Failure>>,
}

impl Reading {
    pub fn new(front: Dialect, body: &str) -> Reading {
        Reading { front, body: body.into(), request: OnceLock::new() }
    }

    /// One that was made here, and has no body.
    pub fn made(front: Dialect, request: Request) -> Reading {
        Reading { front, body: "".into(), request: OnceLock::from(Ok(Arc::new(request))) }
    }

    /// All of it.
    pub fn request(&self) -> Result<&Arc<Request>, Failure> {
        let read = || dialects::of(self.front).read_request(&self.body).map(Arc::new);
        self.request.get_or_init(read).as_ref().map_err(Clone::clone)
    }

    /// All of it but the conversation.
    pub fn beside_the_conversation(&self) -> Result<Request, Failure> {
        dialects::of(self.front).read_request(&without_conversation(self.front, &self.body))
    }

    /// What can be told without reading all of it.
    pub fn glance(&self) -> Glance {
        let members = raw::members(&self.body).unwrap_or_default();
        let count = |key: &str| members.iter().filter(|member| member.key == key).count();
        let value = |key: &str| members.iter().find(|member| member.key == key).map(|member| member.value);
        let is_stream = match value("stream") {
            None => Some(dialects::of(self.front).streams_by_default()),
            Some("true") => Some(true),
            Some("false") => Some(false),
            Some(_) => None,
        };
        Glance {
            repeated: DECIDING.into_iter().find(|key| count(key) > 1),
            told: value("model").and_then(string_of).zip(is_stream),
        }
    }
}

/// What a request says of itself at a glance.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Glance {
    /// What decides where the request goes, and stands there more than once.
    pub repeated: Option<&'static str>,
    /// The model, and whether the answer is to come in pieces.
    pub told: Option<(String, bool)>,
}

fn without_conversation(front: Dialect, body: &str) -> Cow<'_, str> {
    let key = dialects::of(front).conversation_member();
    let Some(list) = raw::find(body, key).filter(|value| value.starts_with('[')) else {
        return Cow::Borrowed(body);
    };
    // It is a part of this text.
    let start = list.as_ptr() as usize - body.as_ptr() as usize;
    Cow::Owned([&body[..start], "[]", &body[start + list.len()..]].concat())
}

pub(super) fn string_at(text: &str, key: &str) -> Option<String> {
    string_of(raw::find(text, key)?)
}

fn string_of(value: &str) -> Option<String> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    Some(raw::Str::from_escaped(inner).decode().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_read_without_the_conversation() {
        for (front, body) in [
            (
                Dialect::AnthropicMessages,
                r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"long"}],"tools":[{"name":"t","input_schema":{}}]}"#,
            ),
            (
                Dialect::OpenAiChat,
                r#"{"messages":[{"role":"user","content":"long"}],"model":"m","tools":[{"type":"function","function":{"name":"t"}}]}"#,
            ),
            (
                Dialect::OpenAiResponses,
                r#"{"model":"m","input":[{"role":"user","content":"long"}],"tools":[{"type":"function","name":"t","parameters":{}}]}"#,
            ),
            (
                Dialect::OllamaChat,
                r#"{"model":"m","messages":[{"role":"user","content":"long"}],"tools":[{"type":"function","function":{"name":"t"}}]}"#,
            ),
        ] {
            let reading = Reading::new(front, body);
            let beside = reading.beside_the_conversation().unwrap();
            let whole = reading.request().unwrap();
            assert!(beside.messages.is_empty() && !whole.messages.is_empty(), "{front:?}");
            assert_eq!((&beside.tools, &beside.model), (&whole.tools, &whole.model));
            assert_eq!(beside.tools.len(), 1);
            assert_eq!(reading.glance().told, Some(("m".to_owned(), whole.is_stream)));
        }
    }

    #[test]
    fn what_decides_stands_there_once() {
        for (body, repeated) in [
            (r#"{"model":"a","messages":[],"model":"b"}"#, Some("model")),
            (r#"{"model":"a","mod\u0065l":"b"}"#, Some("model")),
            (r#"{"model":"a","stream":false,"stream":true}"#, Some("stream")),
            (r#"{"model":"a","x":1,"x":2,"metadata":{"model":"b"}}"#, None),
            ("no JSON", None),
        ] {
            assert_eq!(Reading::new(Dialect::OpenAiChat, body).glance().repeated, repeated, "{body}");
        }
    }

    #[test]
    fn what_is_odd_is_not_told_at_a_glance() {
        for body in ["", "[]", r#"{"model":1}"#, r#"{"model":"m","stream":"yes"}"#, r#"{"model":"m""#, "{}"] {
            assert_eq!(Reading::new(Dialect::OpenAiChat, body).glance(), Glance::default(), "{body}");
        }
    }
}
