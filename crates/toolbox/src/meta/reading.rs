//! A call while it is read: what it says so far, and what was changed to read it so.

use toolwright_jsonrpc::{Json, raw};
use toolwright_model::{Change, Code};

/// How much of a value a change shows.
const SHOWN_BYTES: usize = 200;

/// One reading of a call.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    /// The call as it is read now.
    pub value: Json,
    /// How that came about.
    pub changes: Vec<Change>,
}

impl Reading {
    pub fn of(sent: Json) -> Reading {
        Reading { value: sent, changes: Vec::new() }
    }

    pub fn get(&self, key: &str) -> Option<Json> {
        self.value.get(key)
    }

    /// The object under a key.
    pub fn object(&self, key: &str) -> Option<Json> {
        self.get(key).filter(is_object)
    }

    /// How many members the call has; none when it is no object.
    pub fn len(&self) -> usize {
        self.value.members().map_or(0, |members| members.len())
    }

    /// Notes a change.
    pub fn note(&mut self, code: Code, path: &str, from: Option<&Json>, to: Option<&Json>, why: &str) {
        self.changes.push(Change {
            code,
            path: path.to_owned(),
            from: from.map(shown),
            to: to.map(shown),
            rule: None,
            rule_type: None,
            why: why.to_owned(),
        });
    }
}

pub(super) fn is_object(value: &Json) -> bool {
    value.as_str().starts_with('{')
}

pub(super) fn is_string(value: &Json) -> bool {
    value.as_str().starts_with('"')
}

/// The object that a string holds as strict JSON.
pub(super) fn object_in_string(value: &Json) -> Option<Json> {
    Json::parse(&value.to_text()?).ok().filter(is_object)
}

/// The object that a value is, or that it holds as a string.
pub(super) fn as_object(value: &Json) -> Option<Json> {
    if is_object(value) { Some(value.clone()) } else { object_in_string(value) }
}

/// Whether a value says nothing: `null`, or a blank string.
pub(super) fn is_blank(value: &Json) -> bool {
    value.as_str() == "null" || value.to_text().is_some_and(|text| text.trim().is_empty())
}

/// A JSON Pointer to a member.
pub(super) fn pointer(base: &str, key: &str) -> String {
    format!("{base}/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn shown(value: &Json) -> String {
    let text = value.as_str();
    if text.len() <= SHOWN_BYTES {
        return text.to_owned();
    }
    raw::quote(&format!("{}…", &text[..text.floor_char_boundary(SHOWN_BYTES)]))
}
