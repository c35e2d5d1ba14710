//! The raw tree: nodes that store the exact text they were parsed from.

mod compare;
mod cursor;
mod number;
mod parse;
mod scan;
mod write;

use std::borrow::Cow;

pub use compare::{are_distinct, same_value};
pub use cursor::{is_json_number, is_string_contents};
pub use number::Number;
pub use parse::{Broken, MAX_DEPTH, ParseError, ParseErrorKind, Parsed, parse, parse_or_break, parse_prefix};
pub use scan::{RawMember, check, find, first_members, items, members, value_end};
pub use write::{quote, write_quoted};

/// One JSON value. Nodes live in an arena and are cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    /// The value's exact source text; empty for a value that was built or edited.
    source: &'a str,
    /// The kind and contents of the value.
    pub kind: Kind<'a>,
}

/// The kinds of JSON value.
#[derive(Clone, Copy, Debug)]
pub enum Kind<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it was written.
    Number(&'a str),
    /// A string.
    String(Str<'a>),
    /// An array.
    Array(&'a [Node<'a>]),
    /// An object, members in their order.
    Object(&'a [Member<'a>]),
}

/// A member of an object.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// The key, decoded.
    pub key: &'a str,
    /// The key as it was written between its quotes.
    raw_key: &'a str,
    /// The value.
    pub value: Node<'a>,
}

/// The text of a string between its quotes, still escaped.
#[derive(Clone, Copy, Debug)]
pub struct Str<'a> {
    raw: &'a str,
}

// === impl Node ===

impl<'a> Node<'a> {
    /// A value without source text: it will be serialized.
    pub fn built(kind: Kind<'a>) -> Self {
        Node { source: "", kind }
    }

    /// The source text, if the value is unchanged since it was parsed.
    pub fn source(&self) -> Option<&'a str> {
        (!self.source.is_empty()).then_some(self.source)
    }

    /// The members, when the value is an object.
    pub fn as_object(&self) -> Option<&'a [Member<'a>]> {
        match self.kind {
            Kind::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The items, when the value is an array.
    pub fn as_array(&self) -> Option<&'a [Node<'a>]> {
        match self.kind {
            Kind::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The decoded text, when the value is a string.
    pub fn as_text(&self) -> Option<Cow<'a, str>> {
        match self.kind {
            Kind::String(text) => Some(text.decode()),
            _ => None,
        }
    }

    /// The member of that key, when the value is an object that has it.
    pub fn get(&self, key: &str) -> Option<Node<'a>> {
        self.as_object()?.iter().find(|member| member.key == key).map(|member| member.value)
    }

    /// The JSON type's name with its article, for messages.
    pub fn a_type_name(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Number(_) => "a number",
            Kind::String(_) => "a string",
            Kind::Array(_) => "an array",
            Kind::Object(_) => "an object",
        }
    }

    /// The JSON type's name, for messages.
    pub fn type_name(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "boolean",
            Kind::Number(_) => "number",
            Kind::String(_) => "string",
            Kind::Array(_) => "array",
            Kind::Object(_) => "object",
        }
    }
}

// === impl Member ===

impl<'a> Member<'a> {
    /// A member under a new key.
    pub fn new(key: &'a str, value: Node<'a>) -> Self {
        Member { key, raw_key: "", value }
    }

    /// The key as it was written between its quotes; empty for a new key.
    pub fn raw_key(&self) -> &'a str {
        self.raw_key
    }

    /// Replaces the value; the key keeps its spelling.
    pub fn with_value(self, value: Node<'a>) -> Self {
        Member { value, ..self }
    }
}

// === impl Str ===

impl<'a> Str<'a> {
    /// Text that needs no escaping, or that is already escaped for JSON.
    pub fn from_escaped(raw: &'a str) -> Self {
        Str { raw }
    }

    /// The text between the quotes as it was written.
    pub fn raw(&self) -> &'a str {
        self.raw
    }

    /// The decoded text. Lone surrogates become U+FFFD here; the raw text still has them.
    pub fn decode(&self) -> Cow<'a, str> {
        // Computed only here: most strings are never decoded, and a node without this flag is smaller.
        let is_escaped = self.raw.as_bytes().contains(&b'\\');
        if is_escaped { Cow::Owned(cursor::decode_escapes(self.raw)) } else { Cow::Borrowed(self.raw) }
    }
}
