//! Splits a byte stream into lines, and finds the messages among the other output of a program.
//!
//! [`Lines`] splits bytes into lines and never buffers more than its limit. [`read`] classifies a line:
//! one message, several, or noise with the reason. A message after other text on its line is found as
//! well, but marked: a program that logs its input prints Toolwright's own requests back.

mod reader;
mod response_shape;

use memchr::memchr;

use crate::raw::{self, ParseErrorKind};
use crate::{EnvelopeError, Id, Json, Message};
use response_shape::ResponseShape;

pub use reader::Reader;

/// Default limit of the length of a line, in bytes.
pub const MAX_LINE_BYTES: usize = 16 << 20;

/// Number of bytes of an overlong line that are stored for display.
const SHOWN_BYTES: usize = 512;
/// Number of bytes stored from the end of an overlong line, to find the request id in it.
const END_BYTES: usize = 256;
/// Maximum number of positions in a line that are tried as the start of a message.
const MAX_STARTS: usize = 64;

/// First character of a terminal escape sequence.
const ESCAPE: char = '\u{1b}';

/// Splits a stream of bytes into lines.
#[derive(Debug)]
pub struct Lines {
    buffer: Vec<u8>,
    limit: usize,
    /// Length so far of a line that is over the limit, in bytes; 0 if the line is within the limit.
    overlong: usize,
    /// The last bytes of that line.
    end: Vec<u8>,
}

/// A complete line, or the ends of an overlong one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'l> {
    /// The bytes of a line without its line end.
    Whole(&'l [u8]),
    /// A line over the limit: its start, its end and its length.
    TooLong {
        /// Its first bytes.
        start: &'l [u8],
        /// Its last bytes.
        end: &'l [u8],
        /// Length in bytes.
        bytes: usize,
        /// The limit that it exceeds, in bytes.
        limit: usize,
    },
}

impl Lines {
    /// Splits into lines of at most `limit` bytes.
    pub fn new(limit: usize) -> Lines {
        Lines { buffer: Vec::new(), limit, overlong: 0, end: Vec::new() }
    }

    /// Consumes the next bytes of the stream and passes every line that ends in them to `each`.
    pub fn push(&mut self, mut bytes: &[u8], mut each: impl FnMut(Line<'_>)) {
        while let Some(end) = memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            bytes = &rest[1..];
            if self.buffer.is_empty() && self.overlong == 0 && line.len() <= self.limit {
                each(Line::Whole(without_return(line)));
                continue;
            }
            self.keep(line);
            self.end_line(&mut each);
        }
        self.keep(bytes);
    }

    /// Passes the text after the last line end to `each`. Call it at the end of the stream.
    pub fn finish(&mut self, mut each: impl FnMut(Line<'_>)) {
        if !self.buffer.is_empty() || self.overlong > 0 {
            self.end_line(&mut each);
        }
    }

    /// Passes the text after the last line end to `each` if it is a whole message: some programs write no line end
    /// and wait for the next request. Call it when the stream is idle for a moment.
    pub fn finish_message(&mut self, each: impl FnMut(Line<'_>)) {
        let is_closed = self.buffer.trim_ascii_end().last() == Some(&b'}');
        if self.overlong == 0 && is_closed && !read(Line::Whole(&self.buffer)).messages.is_empty() {
            self.finish(each);
        }
    }

    /// Number of bytes that are buffered for an incomplete line.
    pub fn waiting(&self) -> usize {
        self.buffer.len().max(self.overlong)
    }

    fn keep(&mut self, bytes: &[u8]) {
        let known = self.overlong.max(self.buffer.len()) + bytes.len();
        if known <= self.limit {
            self.buffer.extend_from_slice(bytes);
            return;
        }
        if self.overlong == 0 {
            self.end = self.buffer[self.buffer.len().saturating_sub(END_BYTES)..].to_vec();
        }
        self.overlong = known;
        self.end.extend_from_slice(&bytes[bytes.len().saturating_sub(END_BYTES)..]);
        self.end.drain(..self.end.len().saturating_sub(END_BYTES));
        let wanted = SHOWN_BYTES.saturating_sub(self.buffer.len()).min(bytes.len());
        self.buffer.extend_from_slice(&bytes[..wanted]);
        if self.buffer.len() > SHOWN_BYTES {
            self.buffer.truncate(SHOWN_BYTES);
            self.buffer.shrink_to_fit();
        }
    }

    fn end_line(&mut self, each: &mut impl FnMut(Line<'_>)) {
        // The buffer of a line of megabytes is released, not reused.
        let buffer = std::mem::take(&mut self.buffer);
        match std::mem::take(&mut self.overlong) {
            0 => each(Line::Whole(without_return(&buffer))),
            bytes => {
                let end = std::mem::take(&mut self.end);
                each(Line::TooLong { start: &buffer, end: &end, bytes, limit: self.limit });
            }
        }
        if buffer.capacity() <= SHOWN_BYTES * 16 {
            self.buffer = buffer;
            self.buffer.clear();
        }
    }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The contents of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The messages, in order.
    pub messages: Vec<Found>,
    /// The rest of the line, if any.
    pub noise: Option<Noise>,
}

/// A message found on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The message.
    pub message: Message,
    /// Other text precedes it on its line, so it may be a quotation: accept it only if it is the response to
    /// a pending request.
    pub is_behind_text: bool,
}

/// A part of a line that is not a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noise {
    /// Why it is not a message.
    pub kind: NoiseKind,
    /// Its text, shortened; invalid UTF-8 is shown as U+FFFD.
    pub shown: String,
    /// The id of the request that it responds to, if it can be determined.
    pub id: Option<Id>,
    /// Whether it has the shape of a response. A log line has not, even if it is JSON.
    pub is_answer: bool,
    /// Why it is not a valid response, if it has the shape of one.
    pub fault: Option<String>,
}

/// Why a part of a line is not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoiseKind {
    /// Text that is not JSON.
    Text,
    /// The line is longer than the limit.
    TooLong,
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// JSON that is nested too deeply.
    TooDeep,
    /// JSON that is not a JSON-RPC message.
    NotAMessage,
}

/// Classifies a line.
pub fn read(line: Line<'_>) -> Reading {
    let bytes = match line {
        Line::TooLong { start, end, limit, .. } => {
            let id = id_in(&String::from_utf8_lossy(start), &String::from_utf8_lossy(end));
            let fault = Some(too_long(limit));
            let noise = Noise { id, fault, ..noise(NoiseKind::TooLong, start) };
            return Reading { messages: Vec::new(), noise: Some(noise) };
        }
        Line::Whole(bytes) => bytes,
    };
    if let Some(text) = response_shape::of_utf16(bytes) {
        let fault = Some("it is written in UTF-16, not in UTF-8".to_owned());
        let ResponseShape { id, is_answer, .. } = ResponseShape::of(&text);
        let noise = Noise { id, is_answer, fault, ..noise(NoiseKind::NotUtf8, text.as_bytes()) };
        return Reading { messages: Vec::new(), noise: Some(noise) };
    }
    match str::from_utf8(bytes) {
        Ok(text) => read_text(text),
        Err(_) => {
            // The invalid bytes may be around the message and not in it.
            let mut reading = read_text(&String::from_utf8_lossy(bytes));
            let inner = reading.noise.take().unwrap_or_else(|| noise(NoiseKind::NotUtf8, bytes));
            reading.noise = Some(Noise { kind: NoiseKind::NotUtf8, ..inner });
            reading
        }
    }
}

fn read_text(text: &str) -> Reading {
    let quiet = |char: char| char.is_whitespace() || char.is_control() || char == '\u{feff}';
    // An escape character belongs to the terminal sequence that follows it.
    let text = text.trim_matches(|char| quiet(char) && char != ESCAPE);
    if text.is_empty() {
        return Reading { messages: Vec::new(), noise: None };
    }
    if let Ok(message) = Message::parse(text) {
        return Reading { messages: vec![Found { message, is_behind_text: false }], noise: None };
    }
    if let Some(messages) = batch(text) {
        return Reading { messages, noise: None };
    }
    let mut reading = search(text, quiet);
    if let Some(noise) = reading.noise.as_mut().filter(|_| reading.messages.is_empty()) {
        let ResponseShape { id, is_answer, fault } = ResponseShape::of(text);
        noise.id = noise.id.take().or(id);
        noise.is_answer |= is_answer;
        noise.fault = noise.fault.take().or(fault);
    }
    reading
}

/// A batch of messages, which protocol versions before 2025-06-18 allow.
fn batch(text: &str) -> Option<Vec<Found>> {
    let items = raw::items(text).ok().filter(|items| !items.is_empty())?;
    let found =
        |item: &str| Message::parse(item).ok().map(|message| Found { message, is_behind_text: false });
    items.into_iter().map(found).collect()
}

/// Finds messages that follow each other, or follow other text.
fn search(text: &str, quiet: impl Fn(char) -> bool) -> Reading {
    let mut messages = Vec::new();
    let mut other: Option<(NoiseKind, usize)> = None;
    let mut at = 0;
    let mut starts = 0;
    while let Some(found) = text[at..].find('{') {
        let start = at + found;
        starts += 1;
        if starts > MAX_STARTS {
            other.get_or_insert((NoiseKind::Text, at));
            break;
        }
        let before = without_codes(&text[at..start]);
        let has_text = before.chars().any(|char| !quiet(char));
        match raw::value_end(&text[start..]) {
            Ok(length) => match Message::parse(&text[start..start + length]) {
                Ok(message) => {
                    if has_text {
                        other.get_or_insert((NoiseKind::Text, at));
                    }
                    let is_behind_text = has_text || other.is_some();
                    messages.push(Found { message, is_behind_text });
                    at = start + length;
                }
                Err(error) => {
                    let kind = if has_text { NoiseKind::Text } else { kind_of(&error) };
                    other.get_or_insert((kind, at));
                    at = start + length;
                }
            },
            Err(error) => {
                let is_deep = error.kind == ParseErrorKind::TooDeep;
                let kind = if is_deep { NoiseKind::TooDeep } else { NoiseKind::Text };
                other.get_or_insert((kind, at));
                if is_deep {
                    let id = id_in(&text[start..], text);
                    let fault = Some(format!("the response nests deeper than {} levels", raw::MAX_DEPTH));
                    let noise = Noise { id, fault, ..noise(kind, text.as_bytes()) };
                    return Reading { messages, noise: Some(noise) };
                }
                at = start + 1;
            }
        }
    }
    if without_codes(&text[at..]).chars().any(|char| !quiet(char)) {
        other.get_or_insert((NoiseKind::Text, at));
    }
    let noise = other.map(|(kind, from)| noise(kind, &text.as_bytes()[from..]));
    Reading { messages, noise }
}

fn kind_of(error: &EnvelopeError) -> NoiseKind {
    match error {
        EnvelopeError::NotJson(error) if error.kind == ParseErrorKind::TooDeep => NoiseKind::TooDeep,
        _ => NoiseKind::NotAMessage,
    }
}

/// Removes terminal escape sequences: colours and cursor movements.
fn without_codes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, code)) = rest.split_once(ESCAPE) {
        out.push_str(before);
        let body = code.strip_prefix('[').unwrap_or(code);
        let end =
            body.find(|char: char| char.is_ascii_alphabetic() || char == '~').map_or(body.len(), |at| at + 1);
        rest = &body[end..];
    }
    out.push_str(rest);
    out
}

fn noise(kind: NoiseKind, bytes: &[u8]) -> Noise {
    let start = &bytes[..bytes.len().min(SHOWN_BYTES)];
    let text = String::from_utf8_lossy(start);
    let cut = if bytes.len() > SHOWN_BYTES { "…" } else { "" };
    Noise { kind, shown: format!("{}{cut}", text.trim()), id: None, is_answer: false, fault: None }
}

/// The message for a response that is longer than `limit` bytes.
pub fn too_long(limit: usize) -> String {
    let size = match limit {
        0x0010_0000.. if limit.is_multiple_of(0x0010_0000) => format!("{} MiB", limit >> 20),
        _ => format!("{limit} bytes"),
    };
    format!(
        "the response is larger than {size}; request less at once, or raise \"maxResponseBytes\" of its server"
    )
}

/// The id of a response that cannot be parsed: among its first members, or at its very end.
fn id_in(start: &str, end: &str) -> Option<Id> {
    let first = raw::first_members(start);
    let is_answer = !first.iter().any(|member| member.key == "method");
    let found = first.into_iter().find(|member| member.key == "id").map(|member| member.value);
    let found = found.filter(|_| is_answer).or_else(|| id_at_end(end))?;
    Id::from_json(Json::parse(found).ok()?)
}

/// Matches `…,"jsonrpc":"2.0","id":7}`, in either order.
fn id_at_end(end: &str) -> Option<&str> {
    let (_, rest) = end.rsplit_once("\"id\"")?;
    let value = rest.trim_start().strip_prefix(':')?.trim_start();
    let length = raw::value_end(value).ok()?;
    let mut rest = value[length..].trim_start();
    if let Some(more) = rest.strip_prefix(',') {
        let (_, version) = more.trim_start().strip_prefix("\"jsonrpc\"")?.split_once(':')?;
        rest = version.trim_start().strip_prefix("\"2.0\"")?.trim_start();
    }
    (rest.trim_end() == "}").then_some(&value[..length])
}

#[cfg(test)]
mod tests;
