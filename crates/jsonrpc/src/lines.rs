//! Lines of a byte stream, and the messages among whatever else a program prints.
//!
//! [`Lines`] cuts bytes into lines and never holds more than its limit. [`read`] tells what a line is:
//! one message, several, or noise with the reason. A message behind other text on its line is found as
//! well, but marked: a program that logs what it receives prints our own requests back at us.

mod answer;
mod reader;

use memchr::memchr;

use crate::raw::{self, ParseErrorKind};
use crate::{EnvelopeError, Id, Json, Message};
use answer::Answer;

pub use reader::Reader;

/// The longest line that is taken unless somebody says otherwise, in bytes.
pub const MAX_LINE_BYTES: usize = 16 << 20;

/// How much of a line that is too long is kept to be shown.
const SHOWN_BYTES: usize = 512;
/// How much of its end is kept to find out what it answers.
const END_BYTES: usize = 256;
/// How many places in a line are tried as the start of a message.
const MAX_STARTS: usize = 64;

/// What the codes of a terminal start with.
const ESCAPE: char = '\u{1b}';

/// Cuts a stream of bytes into lines.
#[derive(Debug)]
pub struct Lines {
    buffer: Vec<u8>,
    limit: usize,
    /// How many bytes the line has so far that is too long to be kept.
    overlong: usize,
    /// The last of them.
    end: Vec<u8>,
}

/// A line, or the rest of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'l> {
    /// The bytes of a line without its end.
    Whole(&'l [u8]),
    /// A line that is too long: its start and its end, and how long it was.
    TooLong {
        /// Its first bytes.
        start: &'l [u8],
        /// Its last bytes.
        end: &'l [u8],
        /// All its bytes.
        bytes: usize,
        /// How many a line may have.
        limit: usize,
    },
}

impl Lines {
    /// Lines of at most so many bytes.
    pub fn new(limit: usize) -> Lines {
        Lines { buffer: Vec::new(), limit, overlong: 0, end: Vec::new() }
    }

    /// Takes the next bytes of the stream and hands over every line that ends in them.
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

    /// What stands after the last line end, when the stream is over.
    pub fn finish(&mut self, mut each: impl FnMut(Line<'_>)) {
        if !self.buffer.is_empty() || self.overlong > 0 {
            self.end_line(&mut each);
        }
    }

    /// Hands over what stands after the last line end when it is a whole message: some programs write no line end
    /// and wait for the next request. To be called when nothing more comes for a moment.
    pub fn finish_message(&mut self, each: impl FnMut(Line<'_>)) {
        let is_closed = self.buffer.trim_ascii_end().last() == Some(&b'}');
        if self.overlong == 0 && is_closed && !read(Line::Whole(&self.buffer)).messages.is_empty() {
            self.finish(each);
        }
    }

    /// How many bytes wait for the end of their line.
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
        // A line of megabytes does not keep its memory.
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

/// What a line holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The messages, in order.
    pub messages: Vec<Found>,
    /// What else is on the line, if anything.
    pub noise: Option<Noise>,
}

/// A message that was found on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The message.
    pub message: Message,
    /// Other text stands before it on its line, so it may be quoted: only an answer that is waited for
    /// should be believed.
    pub is_behind_text: bool,
}

/// Something on a line that is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noise {
    /// What is wrong with it.
    pub kind: NoiseKind,
    /// Its text, shortened; bytes that are no text are shown as U+FFFD.
    pub shown: String,
    /// The request that it was meant to answer, as far as that can be told.
    pub id: Option<Id>,
    /// Whether it has the shape of an answer. A log line, also one that is JSON, has not.
    pub is_answer: bool,
    /// What is wrong with it, where it was meant as an answer.
    pub fault: Option<String>,
}

/// Why a part of a line is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoiseKind {
    /// Text that is no JSON.
    Text,
    /// The line is longer than the limit.
    TooLong,
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// JSON that is nested too deeply.
    TooDeep,
    /// JSON that is no message of the protocol.
    NotAMessage,
}

/// Tells what a line holds.
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
    if let Some(text) = answer::of_utf16(bytes) {
        let fault = Some("it is written in UTF-16, not in UTF-8".to_owned());
        let Answer { id, is_answer, .. } = Answer::of(&text);
        let noise = Noise { id, is_answer, fault, ..noise(NoiseKind::NotUtf8, text.as_bytes()) };
        return Reading { messages: Vec::new(), noise: Some(noise) };
    }
    match str::from_utf8(bytes) {
        Ok(text) => read_text(text),
        Err(_) => {
            // What is broken may stand around the message and not in it.
            let mut reading = read_text(&String::from_utf8_lossy(bytes));
            let inner = reading.noise.take().unwrap_or_else(|| noise(NoiseKind::NotUtf8, bytes));
            reading.noise = Some(Noise { kind: NoiseKind::NotUtf8, ..inner });
            reading
        }
    }
}

fn read_text(text: &str) -> Reading {
    let quiet = |char: char| char.is_whitespace() || char.is_control() || char == '\u{feff}';
    // The start of a terminal's code belongs to what follows it.
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
        let Answer { id, is_answer, fault } = Answer::of(text);
        noise.id = noise.id.take().or(id);
        noise.is_answer |= is_answer;
        noise.fault = noise.fault.take().or(fault);
    }
    reading
}

/// A list of messages, as revisions before 2025-06-18 allow.
fn batch(text: &str) -> Option<Vec<Found>> {
    let items = raw::items(text).ok().filter(|items| !items.is_empty())?;
    let found =
        |item: &str| Message::parse(item).ok().map(|message| Found { message, is_behind_text: false });
    items.into_iter().map(found).collect()
}

/// Messages side by side, or behind other text.
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
        let is_said = before.chars().any(|char| !quiet(char));
        match raw::value_end(&text[start..]) {
            Ok(length) => match Message::parse(&text[start..start + length]) {
                Ok(message) => {
                    if is_said {
                        other.get_or_insert((NoiseKind::Text, at));
                    }
                    let is_behind_text = is_said || other.is_some();
                    messages.push(Found { message, is_behind_text });
                    at = start + length;
                }
                Err(error) => {
                    let kind = if is_said { NoiseKind::Text } else { kind_of(&error) };
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
                    let fault = Some(format!("the answer nests deeper than {} levels", raw::MAX_DEPTH));
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

/// A text without the codes that colour it or move the cursor of a terminal.
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

/// What is said of a message that is longer than so many bytes.
pub fn too_long(limit: usize) -> String {
    let size = match limit {
        0x0010_0000.. if limit.is_multiple_of(0x0010_0000) => format!("{} MiB", limit >> 20),
        _ => format!("{limit} bytes"),
    };
    format!(
        "the answer is larger than {size}; ask for less at once, or raise \"maxResponseBytes\" of its server"
    )
}

/// The id of an answer that cannot be read whole: among its first members, or at its very end.
fn id_in(start: &str, end: &str) -> Option<Id> {
    let first = raw::first_members(start);
    let is_answer = !first.iter().any(|member| member.key == "method");
    let found = first.into_iter().find(|member| member.key == "id").map(|member| member.value);
    let found = found.filter(|_| is_answer).or_else(|| id_at_end(end))?;
    Id::from_json(Json::parse(found).ok()?)
}

/// `…,"jsonrpc":"2.0","id":7}`, in either order.
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
