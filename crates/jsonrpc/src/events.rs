//! Server-sent events out of bytes, however they are cut.
//!
//! An event that is too long or not UTF-8 breaks only itself: its beginning and its end are kept to find
//! out what it answers, and the stream goes on.

use std::mem::take;

use crate::lines::{self, Line, Lines, Reading};

/// The mark that a text is UTF-8, which some servers put first.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// How much of the beginning and of the end of data that is too long is kept.
const TAIL: usize = 512;

/// One event.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ServerEvent {
    /// Its type; empty means `message`.
    pub kind: String,
    /// Where the stream can be taken up again. An empty one means nowhere.
    pub id: Option<String>,
    /// How many milliseconds to wait before that.
    pub retry: Option<u64>,
    data: Option<Data>,
}

#[derive(Debug, PartialEq, Eq)]
enum Data {
    Whole(Vec<u8>),
    TooLong { start: Vec<u8>, end: Vec<u8>, bytes: usize, limit: usize },
}

impl ServerEvent {
    /// Whether it carries messages: an event without data only says where the stream stands.
    pub fn is_message(&self) -> bool {
        matches!(self.kind.as_str(), "" | "message")
    }

    /// The messages in it, and what else is there.
    pub fn read(&self) -> Reading {
        match &self.data {
            None => Reading { messages: Vec::new(), noise: None },
            Some(Data::Whole(bytes)) => lines::read(Line::Whole(bytes)),
            Some(Data::TooLong { start, end, bytes, limit }) => {
                lines::read(Line::TooLong { start, end, bytes: *bytes, limit: *limit })
            }
        }
    }

    /// Its data; nothing when there is none, or it was too long.
    pub fn data(&self) -> Option<&[u8]> {
        match self.data.as_ref()? {
            Data::Whole(bytes) => Some(bytes),
            Data::TooLong { .. } => None,
        }
    }

    /// Its data as text.
    pub fn text(&self) -> Option<&str> {
        str::from_utf8(self.data()?).ok()
    }

    /// Whether its data was too long.
    pub fn is_too_long(&self) -> bool {
        matches!(self.data, Some(Data::TooLong { .. }))
    }
}

/// Takes a stream of bytes and finds its events.
#[derive(Debug)]
pub struct EventReader {
    lines: Lines,
    limit: usize,
    event: ServerEvent,
    has_fields: bool,
    is_first_line: bool,
    /// The last byte was a carriage return, which ends a line with or without what follows.
    is_behind_return: bool,
}

impl EventReader {
    /// Events with at most so many bytes.
    pub fn new(limit: usize) -> EventReader {
        EventReader {
            lines: Lines::new(limit),
            limit,
            event: ServerEvent::default(),
            has_fields: false,
            is_first_line: true,
            is_behind_return: false,
        }
    }

    /// Takes the next bytes and hands over every event that ends in them. What is no whole event at the
    /// end of the stream is none.
    pub fn push(&mut self, bytes: &[u8], mut each: impl FnMut(ServerEvent)) {
        let with_feeds;
        let bytes = if self.is_behind_return || bytes.contains(&b'\r') {
            with_feeds = self.with_line_feeds(bytes);
            &with_feeds
        } else {
            bytes
        };
        let mut lines = std::mem::replace(&mut self.lines, Lines::new(0));
        lines.push(bytes, |line| {
            if let Some(event) = self.take_line(line) {
                each(event);
            }
        });
        self.lines = lines;
    }

    /// The same with line feeds for every kind of line end.
    fn with_line_feeds(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for byte in bytes {
            let was_behind_return = take(&mut self.is_behind_return);
            match byte {
                b'\n' if was_behind_return => {}
                b'\r' => {
                    self.is_behind_return = true;
                    out.push(b'\n');
                }
                byte => out.push(*byte),
            }
        }
        out
    }

    fn take_line(&mut self, line: Line<'_>) -> Option<ServerEvent> {
        let is_first = take(&mut self.is_first_line);
        match line {
            Line::Whole(line) => {
                let line = if is_first { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line) } else { line };
                if line.is_empty() {
                    let event = take(&mut self.event);
                    return take(&mut self.has_fields).then_some(event);
                }
                let (name, value) = field(line);
                self.take_field(name, value);
            }
            Line::TooLong { start, end, bytes, limit } => {
                let (name, start) = field(start);
                if name == b"data" {
                    let data = Data::TooLong { start: start.to_vec(), end: end.to_vec(), bytes, limit };
                    self.event.data = Some(data);
                    self.has_fields = true;
                }
            }
        }
        None
    }

    fn take_field(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"data" => self.take_data(value),
            b"event" => self.event.kind = String::from_utf8_lossy(value).into_owned(),
            b"id" if !value.contains(&0) => {
                self.event.id = Some(String::from_utf8_lossy(value).into_owned());
            }
            b"retry" => {
                let text = str::from_utf8(value).ok();
                let number = text.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
                self.event.retry = number.and_then(|text| text.parse().ok()).or(self.event.retry);
            }
            // A comment, or a field that nobody knows.
            _ => return,
        }
        self.has_fields = true;
    }

    fn take_data(&mut self, value: &[u8]) {
        match &mut self.event.data {
            None => self.event.data = Some(Data::Whole(value.to_vec())),
            Some(Data::Whole(data)) if data.len() + value.len() < self.limit => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            Some(Data::Whole(data)) => {
                let bytes = data.len() + value.len();
                let data = take(data);
                let mut tail = data[data.len() - data.len().min(TAIL)..].to_vec();
                push_tail(&mut tail, value);
                let start = data[..data.len().min(TAIL)].to_vec();
                self.event.data = Some(Data::TooLong { start, end: tail, bytes, limit: self.limit });
            }
            Some(Data::TooLong { end, bytes, .. }) => {
                *bytes += value.len();
                push_tail(end, value);
            }
        }
    }
}

fn push_tail(tail: &mut Vec<u8>, value: &[u8]) {
    tail.extend_from_slice(&value[value.len() - value.len().min(TAIL)..]);
    let excess = tail.len().saturating_sub(TAIL);
    tail.drain(..excess);
}

/// The name of a field and its value; a comment has no name.
fn field(line: &[u8]) -> (&[u8], &[u8]) {
    let Some(colon) = line.iter().position(|byte| *byte == b':') else { return (line, b"") };
    let value = &line[colon + 1..];
    (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
}

#[cfg(test)]
mod tests;
