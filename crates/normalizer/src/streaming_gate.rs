//! Streaming of arguments: how much of them can be forwarded before they are complete.
//!
//! # What it does
//! Follows a call that arrives in pieces byte by byte. As long as it is strict JSON, its keys are declared and its
//! values are valid, the text can be forwarded to the client before the rest arrives. Inside a string of a
//! parameter that accepts any string, every character is forwarded at once; any other value is forwarded when it is
//! complete, valid, and followed by something that proves where it ends.
//!
//! # What it holds back
//! Everything that a repair of the whole text could still change: the last brace, a closing quote before it is clear
//! that it closes (`"he said "hi"`), a key before its value (an empty optional is left out), a comma, keys that label a
//! call before one that does not (`{"name": …, "arguments": …}`), an object inside an object once it is closed (members
//! may be moved into it), backslashes after a drive, leaked quote tokens, and every call of a tool whose rules may change
//! valid calls. After the first doubt nothing is forwarded until the whole call is normalized.

mod continuation;
mod plain;
mod text;

use std::collections::HashSet;
use std::sync::Arc;

use bumpalo::Bump;
use toolwright_jsonrpc::raw;
use toolwright_model::{Finish, Outcome};

pub use continuation::continuation;
use text::TextState;

use crate::engine::{Normalizer, RawArguments};
use crate::repair::envelope::is_part_of_an_envelope;
use crate::schema::{SchemaId, Validator};
use crate::tool::Tool;

/// Maximum depth of objects and arrays that are followed.
const MAX_FOLLOWED: usize = 16;

/// Arguments that arrive in pieces, and the length of the part that can be forwarded.
#[derive(Debug)]
pub struct Growing {
    normalizer: Arc<Normalizer>,
    tool: Arc<Tool>,
    text: String,
    /// Number of bytes that are processed.
    at: usize,
    safe: usize,
    /// Nothing more is forwarded before the whole call is normalized.
    is_stopped: bool,
    /// A root key was found that cannot be part of an envelope.
    is_anchored: bool,
    state: StreamState,
    /// The open objects and arrays, outermost first.
    frames: Vec<OpenContainer>,
    /// End of the last value.
    last_end: usize,
}

/// An open object or array.
#[derive(Debug)]
enum OpenContainer {
    Object { id: SchemaId, seen: HashSet<Box<str>> },
    List { id: SchemaId, items: usize },
}

/// The schema of a value; `None` if no schema applies.
type ExpectedSchema = Option<SchemaId>;

/// What the next byte belongs to.
#[derive(Clone, Copy, Debug)]
enum StreamState {
    /// The opening brace.
    Start,
    /// A key, or the end of an empty object.
    KeyOrEnd,
    /// A key.
    Key,
    InKey {
        start: usize,
    },
    Colon {
        expected: ExpectedSchema,
    },
    Value {
        expected: ExpectedSchema,
    },
    /// An item, or the end of an empty array.
    ItemOrEnd,
    /// A string of which every character can be forwarded.
    Text(TextState),
    /// A value that is forwarded as a whole.
    Whole {
        start: usize,
        expected: ExpectedSchema,
        scan: ValueScan,
    },
    /// A comma or a closing bracket.
    After,
    /// White space after the arguments.
    End,
}

/// Position inside a value that is forwarded as a whole.
#[derive(Clone, Copy, Debug)]
enum ValueScan {
    /// A number or a literal.
    Word,
    /// A string, an object or an array.
    Nested { depth: usize, in_string: bool, is_escaped: bool },
}

impl Growing {
    /// Starts with empty text.
    pub fn new(normalizer: Arc<Normalizer>, tool: Arc<Tool>) -> Growing {
        let is_stopped =
            normalizer.rules().may_change_valid_calls(&tool) || plain::root(tool.schema()).is_none();
        Growing {
            normalizer,
            tool,
            text: String::new(),
            at: 0,
            safe: 0,
            is_stopped,
            is_anchored: false,
            state: StreamState::Start,
            frames: Vec::new(),
            last_end: 0,
        }
    }

    /// Adds the next piece. Takes time proportional to this piece, not to the length of the text.
    pub fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
        while !self.is_stopped && self.at < self.text.len() {
            self.step();
        }
    }

    /// Number of bytes that can be forwarded: whatever follows them, a repair of the whole text can start
    /// with them. The last brace is never included: text after it may revoke the call.
    pub fn safe(&self) -> usize {
        self.safe
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the text so far is complete and valid. Validates all of it: call it once, at the end.
    pub fn is_whole(&self) -> bool {
        let sent = RawArguments::text(&self.text, Finish::Unknown);
        self.normalizer.normalize(&self.tool, &sent) == Outcome::Unchanged
    }

    /// Releases the text up to `end`.
    fn commit(&mut self, end: usize) {
        if self.is_anchored {
            self.safe = self.safe.max(end);
        }
    }

    fn stop(&mut self) {
        self.is_stopped = true;
    }

    fn step(&mut self) {
        let byte = self.text.as_bytes()[self.at];
        match self.state {
            StreamState::Text(text) => return self.in_text(text),
            StreamState::InKey { start } => return self.in_key(start),
            StreamState::Whole { start, expected, scan } => {
                return self.in_whole(start, expected, scan, byte);
            }
            _ if matches!(byte, b' ' | b'\n' | b'\r' | b'\t') => {
                self.at += 1;
                return;
            }
            _ => {}
        }
        match (self.state, byte) {
            (StreamState::Start, b'{') => match plain::root(self.tool.schema()) {
                Some(id) => {
                    self.open(OpenContainer::Object { id, seen: HashSet::new() }, StreamState::KeyOrEnd)
                }
                None => self.stop(),
            },
            (StreamState::KeyOrEnd | StreamState::Key, b'"') => {
                self.at += 1;
                self.state = StreamState::InKey { start: self.at };
            }
            (StreamState::KeyOrEnd, b'}') | (StreamState::ItemOrEnd, b']') => self.close(),
            (StreamState::Colon { expected }, b':') => {
                self.at += 1;
                self.commit(self.last_end);
                self.state = StreamState::Value { expected };
            }
            (StreamState::Value { expected }, _) => self.value(expected, byte),
            (StreamState::ItemOrEnd, _) => self.item(byte),
            (StreamState::After, b',') => {
                self.at += 1;
                self.state = match self.frames.last() {
                    Some(OpenContainer::Object { .. }) => StreamState::Key,
                    _ => StreamState::ItemOrEnd,
                };
                // A closing bracket after a comma is not JSON.
                if let Some(OpenContainer::List { .. }) = self.frames.last() {
                    self.after_comma();
                }
            }
            (StreamState::After, b'}')
                if matches!(self.frames.last(), Some(OpenContainer::Object { .. })) =>
            {
                self.commit(self.last_end);
                self.close();
            }
            (StreamState::After, b']') if matches!(self.frames.last(), Some(OpenContainer::List { .. })) => {
                self.commit(self.last_end);
                self.close();
            }
            _ => self.stop(),
        }
    }

    /// After the comma of an array: an item must follow.
    fn after_comma(&mut self) {
        if let Some(OpenContainer::List { id, items }) = self.frames.last() {
            let expected = plain::item(self.tool.schema(), *id, *items);
            self.state = StreamState::Value { expected };
        }
    }

    fn item(&mut self, byte: u8) {
        self.after_comma();
        if let StreamState::Value { expected } = self.state {
            self.value(expected, byte);
        }
    }

    fn open(&mut self, frame: OpenContainer, state: StreamState) {
        if self.frames.len() >= MAX_FOLLOWED {
            return self.stop();
        }
        self.at += 1;
        self.frames.push(frame);
        self.state = state;
    }

    /// The innermost object or array ends here.
    fn close(&mut self) {
        self.at += 1;
        let closed = self.frames.pop();
        self.last_end = self.at;
        self.state = match (self.frames.last_mut(), closed) {
            (None, _) => StreamState::End,
            // Members that are one level too high may still be moved into it.
            (Some(OpenContainer::Object { .. }), Some(OpenContainer::Object { .. })) => return self.stop(),
            (Some(OpenContainer::List { items, .. }), _) => {
                *items += 1;
                StreamState::After
            }
            (Some(OpenContainer::Object { .. }), _) => StreamState::After,
        };
    }

    fn in_key(&mut self, start: usize) {
        let rest = &self.text.as_bytes()[self.at..];
        let Some(end) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)) else {
            self.at = self.text.len();
            return;
        };
        self.at += end;
        if self.text.as_bytes()[self.at] != b'"' {
            return self.stop();
        }
        let key = &self.text[start..self.at];
        let is_root = self.frames.len() == 1;
        let Some(OpenContainer::Object { id, seen }) = self.frames.last_mut() else { return self.stop() };
        let declared = self.tool.schema().node(*id).object.properties.get(key);
        if declared.is_none() || !is_plain_key(key) || !seen.insert(key.into()) {
            return self.stop();
        }
        self.is_anchored |= is_root && !is_part_of_an_envelope(key, self.tool.name());
        self.at += 1;
        self.state = StreamState::Colon { expected: declared };
    }

    fn value(&mut self, expected: ExpectedSchema, byte: u8) {
        let schema = self.tool.schema();
        let start = self.at;
        if byte == b'"' && expected.is_none_or(|id| plain::takes_any_text(schema, id)) {
            self.at += 1;
            self.commit(self.at);
            self.state = StreamState::Text(TextState::new(self.at));
            return;
        }
        let object = expected.filter(|_| byte == b'{').and_then(|id| plain::object(schema, id));
        let list = expected.filter(|_| byte == b'[').and_then(|id| plain::list(schema, id));
        // A literal ends the previous item only if it is valid.
        if !matches!(byte, b't' | b'f' | b'n') {
            self.commit_item_before();
        }
        if let Some(id) = object {
            return self.open(OpenContainer::Object { id, seen: HashSet::new() }, StreamState::KeyOrEnd);
        }
        if let Some(id) = list {
            return self.open(OpenContainer::List { id, items: 0 }, StreamState::ItemOrEnd);
        }
        let scan = match byte {
            // Its members may be moved out, or others into it.
            b'{' if matches!(self.frames.last(), Some(OpenContainer::Object { .. })) => return self.stop(),
            b'"' | b'{' | b'[' => {
                let in_string = byte == b'"';
                ValueScan::Nested { depth: usize::from(!in_string), in_string, is_escaped: false }
            }
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => ValueScan::Word,
            _ => return self.stop(),
        };
        self.at += 1;
        self.state = StreamState::Whole { start, expected, scan };
    }

    /// Another item of an array starts, so the previous one has ended.
    fn commit_item_before(&mut self) {
        if let Some(OpenContainer::List { items: 1.., .. }) = self.frames.last() {
            self.commit(self.last_end);
        }
    }

    fn in_whole(&mut self, start: usize, expected: ExpectedSchema, scan: ValueScan, byte: u8) {
        let scan = match scan {
            ValueScan::Word => {
                if matches!(byte, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t') {
                    return self.validate(start, expected);
                }
                scan
            }
            ValueScan::Nested { depth, in_string: true, is_escaped } => {
                let ends = byte == b'"' && !is_escaped;
                let is_escaped = byte == b'\\' && !is_escaped;
                ValueScan::Nested { depth, in_string: !ends, is_escaped }
            }
            ValueScan::Nested { depth, .. } => {
                let depth = match byte {
                    b'{' | b'[' => depth + 1,
                    b'}' | b']' => depth - 1,
                    _ => depth,
                };
                ValueScan::Nested { depth, in_string: byte == b'"', is_escaped: false }
            }
        };
        self.at += 1;
        match scan {
            ValueScan::Nested { depth: 0, in_string: false, .. } => self.validate(start, expected),
            _ => self.state = StreamState::Whole { start, expected, scan },
        }
    }

    /// A value that is forwarded as a whole is complete.
    fn validate(&mut self, start: usize, expected: ExpectedSchema) {
        let text = &self.text[start..self.at];
        let arena = Bump::new();
        let accepts = |value: &raw::Node<'_>| {
            expected.is_none_or(|id| Validator::new(self.tool.schema(), text.len()).accepts(id, value))
        };
        let is_accepted = raw::parse(text, &arena)
            .is_ok_and(|parsed| parsed.conflicting_key.is_none() && accepts(&parsed.root));
        if !is_accepted {
            return self.stop();
        }
        self.commit_item_before();
        self.end_of_value();
    }

    /// The current value ends here.
    fn end_of_value(&mut self) {
        self.last_end = self.at;
        if let Some(OpenContainer::List { items, .. }) = self.frames.last_mut() {
            *items += 1;
        }
        self.state = StreamState::After;
    }
}

/// In broken text, keys with other characters are not recognized as keys.
fn is_plain_key(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|char| char.is_alphanumeric() || "_-$. ".contains(char))
}
