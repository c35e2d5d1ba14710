//! Reading what a client sends, so that nobody can read it differently.
//!
//! A key that stands twice, or that another reader would take for one of the protocol's because it does not
//! look at case, is an error: what was checked must be what is done.

use std::borrow::Cow;
use std::collections::HashSet;

use toolwright_jsonrpc::raw::{self, MAX_DEPTH, ParseErrorKind, RawMember};
use toolwright_jsonrpc::{
    EnvelopeError, ErrorObject, INVALID_PARAMS, INVALID_REQUEST, Id, Json, Message, PARSE_ERROR,
};

use super::service::HttpTrace;
use crate::peer::{CAPABILITIES, CLIENT, LOG_LEVEL, REVISION, SERVER};

/// The keys of an envelope.
const ENVELOPE: &[&str] = &["jsonrpc", "id", "method", "params", "result", "error"];

/// The keys of params that mean something to the protocol.
const PARAMS: &[&str] = &[
    "_meta",
    "name",
    "arguments",
    "uri",
    "cursor",
    "level",
    "protocolVersion",
    "capabilities",
    "clientInfo",
    "inputResponses",
    "requestState",
    "requestId",
    "notifications",
    "progressToken",
    "ref",
    "argument",
    "context",
    "task",
    "taskId",
];

/// The keys of `_meta` that mean something to us.
const META: &[&str] = &["progressToken", REVISION, CAPABILITIES, CLIENT, LOG_LEVEL, SERVER];

/// So many keys are compared with each other.
const FEW: usize = 16;

/// What came in one piece.
pub(super) enum Piece<'t> {
    /// One message.
    One(Message),
    /// The texts of several.
    Batch(Vec<&'t str>),
}

/// Something that is no message, and the request it was meant to be, as far as that can be told.
#[derive(Debug)]
pub(super) struct Unreadable {
    pub id: Option<Id>,
    pub error: ErrorObject,
}

/// The members of params and of their `_meta`, each key once.
#[derive(Default)]
pub(super) struct Params<'p> {
    pub members: Vec<RawMember<'p>>,
    /// `None` when there is no `_meta`.
    pub meta: Option<Vec<RawMember<'p>>>,
    /// What the headers beside them say of a trace.
    pub trace: Option<HttpTrace>,
}

/// Reads what came in one piece.
pub(super) fn piece(bytes: &[u8]) -> Result<Piece<'_>, Unreadable> {
    let Ok(text) = str::from_utf8(bytes) else {
        return Err(unreadable(PARSE_ERROR, "the message is not UTF-8"));
    };
    if text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('[') {
        return match raw::items(text) {
            Ok(items) => Ok(Piece::Batch(items)),
            Err(error) => Err(not_json(text, error)),
        };
    }
    message(text).map(Piece::One)
}

/// Reads one message.
pub(super) fn message(text: &str) -> Result<Message, Unreadable> {
    let message = match Message::parse(text) {
        Ok(message) => message,
        Err(EnvelopeError::NotJson(error)) => return Err(not_json(text, error)),
        Err(error) => {
            return Err(Unreadable {
                id: id_of(text),
                error: ErrorObject::new(INVALID_REQUEST, error.to_string()),
            });
        }
    };
    let extra = match &message {
        Message::Request(request) => &request.extra,
        Message::Notification(notification) => &notification.extra,
        Message::Response(response) => &response.extra,
    };
    if let Some((key, known)) = extra.iter().find_map(|(key, _)| Some((key, look_alike(key, ENVELOPE)?))) {
        let said = format!("the message has the key {}; write \"{known}\"", raw::quote(key));
        return Err(Unreadable { id: id_of(text), error: ErrorObject::new(INVALID_REQUEST, said) });
    }
    Ok(message)
}

fn unreadable(code: i64, said: impl Into<String>) -> Unreadable {
    Unreadable { id: None, error: ErrorObject::new(code, said) }
}

fn not_json(text: &str, error: raw::ParseError) -> Unreadable {
    if error.kind == ParseErrorKind::TooDeep {
        return unreadable(INVALID_REQUEST, format!("the message nests deeper than {MAX_DEPTH} levels"));
    }
    match raw::check(text) {
        Ok(()) => unreadable(INVALID_REQUEST, "a message is a JSON object"),
        Err(error) => unreadable(PARSE_ERROR, format!("the message is not JSON: {error}")),
    }
}

/// The id of a message that is wrong otherwise, when there is exactly one.
fn id_of(text: &str) -> Option<Id> {
    let members = raw::members(text).ok()?;
    let mut ids = members.iter().filter(|member| member.key == "id");
    let id = ids.next()?.value;
    if ids.next().is_some() {
        return None;
    }
    Id::from_json(Json::parse(id).ok()?)
}

/// The key of the protocol that a reader without an eye for case would take this for.
fn look_alike<'k>(key: &str, known: &[&'k str]) -> Option<&'k str> {
    if known.contains(&key) {
        return None;
    }
    let folded = folded(key);
    known.iter().copied().find(|known| known.eq_ignore_ascii_case(&folded))
}

/// A key as the most forgiving reader sees it: `ſ` is an s, `K` (Kelvin) a k, `ı` an i, and a text of C ends at
/// its first NUL.
fn folded(key: &str) -> String {
    key.split('\0').next().unwrap_or_default().to_uppercase().to_lowercase()
}

impl<'p> Params<'p> {
    /// The params of a message. A list is none of this protocol.
    pub fn read(params: Option<&'p Json>) -> Result<Params<'p>, ErrorObject> {
        let Some(params) = params else { return Ok(Params::default()) };
        let Some(members) = params.members() else {
            return Err(ErrorObject::new(INVALID_PARAMS, "\"params\" is not an object"));
        };
        check_keys(&members, PARAMS, "params")?;
        let meta = match members.iter().find(|member| member.key == "_meta").map(|member| member.value) {
            None | Some("null") => None,
            Some(text) => {
                let Ok(meta) = raw::members(text) else {
                    return Err(ErrorObject::new(INVALID_PARAMS, "\"_meta\" of params is not an object"));
                };
                check_keys(&meta, META, "_meta")?;
                Some(meta)
            }
        };
        Ok(Params { members, meta, trace: None })
    }

    /// The text of a member.
    pub fn get(&self, key: &str) -> Option<&'p str> {
        self.members.iter().find(|member| member.key == key).map(|member| member.value)
    }

    /// The text of a member of `_meta`.
    pub fn get_meta(&self, key: &str) -> Option<&'p str> {
        self.meta.as_ref()?.iter().find(|member| member.key == key).map(|member| member.value)
    }

    /// A member that is a string.
    pub fn get_text(&self, key: &str) -> Option<Cow<'p, str>> {
        text_of(self.get(key)?)
    }

    /// A member of `_meta` that is a string.
    pub fn get_meta_text(&self, key: &str) -> Option<Cow<'p, str>> {
        text_of(self.get_meta(key)?)
    }

    /// The token under which the client wants to hear of progress.
    pub fn progress_token(&self) -> Option<Json> {
        Json::parse(self.get_meta("progressToken").filter(|token| *token != "null")?).ok()
    }
}

/// The text that a JSON string stands for.
pub(super) fn text_of(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    Some(raw::Str::from_escaped(inner).decode())
}

fn check_keys(members: &[RawMember<'_>], known: &[&str], place: &str) -> Result<(), ErrorObject> {
    // A sender may make up as many keys as a message has room for.
    let is_long = members.len() > FEW;
    let mut seen = HashSet::with_capacity(if is_long { members.len() } else { 0 });
    for (at, member) in members.iter().enumerate() {
        let key = &member.key;
        let is_repeated = match is_long {
            true => !seen.insert(key.as_ref()),
            false => members[..at].iter().any(|before| before.key == *key),
        };
        if is_repeated {
            let said = format!("{} stands twice in \"{place}\"", raw::quote(key));
            return Err(ErrorObject::new(INVALID_PARAMS, said));
        }
        if let Some(known) = look_alike(key, known) {
            let said = format!("\"{place}\" has the key {}; write \"{known}\"", raw::quote(key));
            return Err(ErrorObject::new(INVALID_PARAMS, said));
        }
    }
    Ok(())
}
