//! How much of arguments that are still being written may leave already.
//!
//! # What it does
//! A call that comes in pieces is followed byte by byte: as long as it is strict JSON, its keys are declared and its
//! values are accepted, what was written can go on to the client before the rest is there. Inside a string of a
//! parameter that takes any string, every character goes on at once; everything else goes on when it is whole,
//! accepted, and followed by something that proves where it ends.
//!
//! # What it holds back
//! Whatever a repair of the whole text could still change: the last brace, a closing quote before it is clear that it
//! closes (`"he said "hi"`), a key before its value (an empty optional is left out), a comma, keys that label a call
//! before one that does not (`{"name": …, "arguments": …}`), an object inside an object once it is closed (members may
//! be moved into it), backslashes behind a drive, leaked quote tokens, and every call of a tool whose rules may change
//! valid calls. From the first doubt on, nothing leaves until the whole call is decided.

mod continuation;
mod plain;
mod text;

use std::collections::HashSet;
use std::sync::Arc;

use bumpalo::Bump;
use toolwright_jsonrpc::raw;
use toolwright_model::{Finish, Outcome};

pub use continuation::continuation;
use text::Text;

use crate::engine::{Normalizer, RawArguments};
use crate::repair::envelope::is_part_of_an_envelope;
use crate::schema::{Judge, SchemaId};
use crate::tool::Tool;

/// How deep objects and lists are followed.
const MAX_FOLLOWED: usize = 16;

/// Arguments that are being written, and how much of them may leave.
#[derive(Debug)]
pub struct Growing {
    normalizer: Arc<Normalizer>,
    tool: Arc<Tool>,
    text: String,
    /// How much of the text was looked at.
    at: usize,
    safe: usize,
    /// Nothing more leaves before the whole call is decided.
    is_stopped: bool,
    /// A root key was seen that cannot be a part of an envelope.
    is_anchored: bool,
    state: State,
    /// The objects and lists that are open, outermost first.
    frames: Vec<Frame>,
    /// Where the value ends that was read last.
    last_end: usize,
}

/// An object or a list that is open.
#[derive(Debug)]
enum Frame {
    Object { id: SchemaId, seen: HashSet<Box<str>> },
    List { id: SchemaId, items: usize },
}

/// What a value has to satisfy; nothing where no schema speaks of it.
type Wanted = Option<SchemaId>;

/// What the next byte belongs to.
#[derive(Clone, Copy, Debug)]
enum State {
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
        wanted: Wanted,
    },
    Value {
        wanted: Wanted,
    },
    /// An item, or the end of an empty list.
    ItemOrEnd,
    /// A string of which every character may leave.
    Text(Text),
    /// A value that leaves as a whole.
    Whole {
        start: usize,
        wanted: Wanted,
        scan: Scan,
    },
    /// A comma or a closing bracket.
    After,
    /// White space behind the arguments.
    End,
}

/// Where inside a value that leaves as a whole.
#[derive(Clone, Copy, Debug)]
enum Scan {
    /// A number or a word.
    Word,
    /// A string, an object or a list.
    Nested { depth: usize, in_string: bool, is_escaped: bool },
}

impl Growing {
    /// Nothing written yet.
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
            state: State::Start,
            frames: Vec::new(),
            last_end: 0,
        }
    }

    /// Adds what was written next. Takes time for this piece only, however long the text is by now.
    pub fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
        while !self.is_stopped && self.at < self.text.len() {
            self.step();
        }
    }

    /// How many bytes of the text may leave: whatever is written behind them, a repair of the whole text can begin
    /// with them. The last brace is never among them: words behind it may take the call back.
    pub fn safe(&self) -> usize {
        self.safe
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the text so far is whole and goes on as it is. Judges all of it: to be asked once, at the end.
    pub fn is_whole(&self) -> bool {
        let sent = RawArguments::text(&self.text, Finish::Unknown);
        self.normalizer.normalize(&self.tool, &sent) == Outcome::Unchanged
    }

    /// What was read up to here may leave.
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
            State::Text(text) => return self.in_text(text),
            State::InKey { start } => return self.in_key(start),
            State::Whole { start, wanted, scan } => return self.in_whole(start, wanted, scan, byte),
            _ if matches!(byte, b' ' | b'\n' | b'\r' | b'\t') => {
                self.at += 1;
                return;
            }
            _ => {}
        }
        match (self.state, byte) {
            (State::Start, b'{') => match plain::root(self.tool.schema()) {
                Some(id) => self.open(Frame::Object { id, seen: HashSet::new() }, State::KeyOrEnd),
                None => self.stop(),
            },
            (State::KeyOrEnd | State::Key, b'"') => {
                self.at += 1;
                self.state = State::InKey { start: self.at };
            }
            (State::KeyOrEnd, b'}') | (State::ItemOrEnd, b']') => self.close(),
            (State::Colon { wanted }, b':') => {
                self.at += 1;
                self.commit(self.last_end);
                self.state = State::Value { wanted };
            }
            (State::Value { wanted }, _) => self.value(wanted, byte),
            (State::ItemOrEnd, _) => self.item(byte),
            (State::After, b',') => {
                self.at += 1;
                self.state = match self.frames.last() {
                    Some(Frame::Object { .. }) => State::Key,
                    _ => State::ItemOrEnd,
                };
                // A closing bracket behind a comma is no JSON.
                if let Some(Frame::List { .. }) = self.frames.last() {
                    self.after_comma();
                }
            }
            (State::After, b'}') if matches!(self.frames.last(), Some(Frame::Object { .. })) => {
                self.commit(self.last_end);
                self.close();
            }
            (State::After, b']') if matches!(self.frames.last(), Some(Frame::List { .. })) => {
                self.commit(self.last_end);
                self.close();
            }
            _ => self.stop(),
        }
    }

    /// Behind the comma of a list: an item must follow.
    fn after_comma(&mut self) {
        if let Some(Frame::List { id, items }) = self.frames.last() {
            let wanted = plain::item(self.tool.schema(), *id, *items);
            self.state = State::Value { wanted };
        }
    }

    fn item(&mut self, byte: u8) {
        self.after_comma();
        if let State::Value { wanted } = self.state {
            self.value(wanted, byte);
        }
    }

    fn open(&mut self, frame: Frame, state: State) {
        if self.frames.len() >= MAX_FOLLOWED {
            return self.stop();
        }
        self.at += 1;
        self.frames.push(frame);
        self.state = state;
    }

    /// The innermost object or list ends here.
    fn close(&mut self) {
        self.at += 1;
        let closed = self.frames.pop();
        self.last_end = self.at;
        self.state = match (self.frames.last_mut(), closed) {
            (None, _) => State::End,
            // Members that stand a level too high may still be moved into it.
            (Some(Frame::Object { .. }), Some(Frame::Object { .. })) => return self.stop(),
            (Some(Frame::List { items, .. }), _) => {
                *items += 1;
                State::After
            }
            (Some(Frame::Object { .. }), _) => State::After,
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
        let Some(Frame::Object { id, seen }) = self.frames.last_mut() else { return self.stop() };
        let declared = self.tool.schema().node(*id).object.properties.get(key);
        if declared.is_none() || !is_plain_key(key) || !seen.insert(key.into()) {
            return self.stop();
        }
        self.is_anchored |= is_root && !is_part_of_an_envelope(key, self.tool.name());
        self.at += 1;
        self.state = State::Colon { wanted: declared };
    }

    fn value(&mut self, wanted: Wanted, byte: u8) {
        let schema = self.tool.schema();
        let start = self.at;
        if byte == b'"' && wanted.is_none_or(|id| plain::takes_any_text(schema, id)) {
            self.at += 1;
            self.commit(self.at);
            self.state = State::Text(Text::new(self.at));
            return;
        }
        let object = wanted.filter(|_| byte == b'{').and_then(|id| plain::object(schema, id));
        let list = wanted.filter(|_| byte == b'[').and_then(|id| plain::list(schema, id));
        // A word ends the item before it only when it is one.
        if !matches!(byte, b't' | b'f' | b'n') {
            self.commit_item_before();
        }
        if let Some(id) = object {
            return self.open(Frame::Object { id, seen: HashSet::new() }, State::KeyOrEnd);
        }
        if let Some(id) = list {
            return self.open(Frame::List { id, items: 0 }, State::ItemOrEnd);
        }
        let scan = match byte {
            // Its members may be moved, or others into it.
            b'{' if matches!(self.frames.last(), Some(Frame::Object { .. })) => return self.stop(),
            b'"' | b'{' | b'[' => {
                let in_string = byte == b'"';
                Scan::Nested { depth: usize::from(!in_string), in_string, is_escaped: false }
            }
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => Scan::Word,
            _ => return self.stop(),
        };
        self.at += 1;
        self.state = State::Whole { start, wanted, scan };
    }

    /// Another item of a list begins, so the one before it has ended.
    fn commit_item_before(&mut self) {
        if let Some(Frame::List { items: 1.., .. }) = self.frames.last() {
            self.commit(self.last_end);
        }
    }

    fn in_whole(&mut self, start: usize, wanted: Wanted, scan: Scan, byte: u8) {
        let scan = match scan {
            Scan::Word => {
                if matches!(byte, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t') {
                    return self.judge(start, wanted);
                }
                scan
            }
            Scan::Nested { depth, in_string: true, is_escaped } => {
                let ends = byte == b'"' && !is_escaped;
                let is_escaped = byte == b'\\' && !is_escaped;
                Scan::Nested { depth, in_string: !ends, is_escaped }
            }
            Scan::Nested { depth, .. } => {
                let depth = match byte {
                    b'{' | b'[' => depth + 1,
                    b'}' | b']' => depth - 1,
                    _ => depth,
                };
                Scan::Nested { depth, in_string: byte == b'"', is_escaped: false }
            }
        };
        self.at += 1;
        match scan {
            Scan::Nested { depth: 0, in_string: false, .. } => self.judge(start, wanted),
            _ => self.state = State::Whole { start, wanted, scan },
        }
    }

    /// A value that leaves as a whole is all there.
    fn judge(&mut self, start: usize, wanted: Wanted) {
        let text = &self.text[start..self.at];
        let arena = Bump::new();
        let accepts = |value: &raw::Node<'_>| {
            wanted.is_none_or(|id| Judge::new(self.tool.schema(), text.len()).accepts(id, value))
        };
        let is_accepted = raw::parse(text, &arena)
            .is_ok_and(|parsed| parsed.conflicting_key.is_none() && accepts(&parsed.root));
        if !is_accepted {
            return self.stop();
        }
        self.commit_item_before();
        self.end_of_value();
    }

    /// The value that was read last ends here.
    fn end_of_value(&mut self) {
        self.last_end = self.at;
        if let Some(Frame::List { items, .. }) = self.frames.last_mut() {
            *items += 1;
        }
        self.state = State::After;
    }
}

/// Keys of other characters are not known for keys when the text around them is broken.
fn is_plain_key(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|char| char.is_alphanumeric() || "_-$. ".contains(char))
}
