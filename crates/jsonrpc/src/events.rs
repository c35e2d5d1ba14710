//! Incremental parser for server-sent events.
//!
//! An event that is too long or not UTF-8 breaks only itself: the reader stores its start and end to find
//! the id of the request that it responds to, and continues with the next event.

use std::mem::take;

use crate::lines::{self, Line, Lines, Reading};

/// The UTF-8 byte order mark, which some servers send first.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Number of bytes stored from the start and from the end of overlong data.
const TAIL: usize = 512;

/// One event.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ServerEvent {
    /// Its type; empty means `message`.
    pub kind: String,
    /// The id to resume the stream from. An empty id means that the stream cannot be resumed.
    pub id: Option<String>,
    /// Reconnection delay in milliseconds.
    pub retry: Option<u64>,
    data: Option<EventData>,
}

#[derive(Debug, PartialEq, Eq)]
enum EventData {
    Whole(Vec<u8>),
    TooLong { start: Vec<u8>, end: Vec<u8>, bytes: usize, limit: usize },
}

impl ServerEvent {
    /// Whether the event carries messages. An event without data only updates the last event id.
    pub fn is_message(&self) -> bool {
        matches!(self.kind.as_str(), "" | "message")
    }

    /// Parses the messages of the event, and the noise between them.
    pub fn read(&self) -> Reading {
        match &self.data {
            None => Reading { messages: Vec::new(), noise: None },
            Some(EventData::Whole(bytes)) => lines::read(Line::Whole(bytes)),
            Some(EventData::TooLong { start, end, bytes, limit }) => {
                lines::read(Line::TooLong { start, end, bytes: *bytes, limit: *limit })
            }
        }
    }

    /// The data; `None` if there is none or it was too long.
    pub fn data(&self) -> Option<&[u8]> {
        match self.data.as_ref()? {
            EventData::Whole(bytes) => Some(bytes),
            EventData::TooLong { .. } => None,
        }
    }

    /// The data as text.
    pub fn text(&self) -> Option<&str> {
        str::from_utf8(self.data()?).ok()
    }

    /// Whether the data was too long.
    pub fn is_too_long(&self) -> bool {
        matches!(self.data, Some(EventData::TooLong { .. }))
    }
}

/// Parses a byte stream into events.
#[derive(Debug)]
pub struct EventReader {
    lines: Lines,
    limit: usize,
    event: ServerEvent,
    has_fields: bool,
    is_first_line: bool,
    /// The last byte was a carriage return. It ends a line, whether or not a line feed follows.
    is_after_return: bool,
}

impl EventReader {
    /// Reads events of at most `limit` bytes.
    pub fn new(limit: usize) -> EventReader {
        EventReader {
            lines: Lines::new(limit),
            limit,
            event: ServerEvent::default(),
            has_fields: false,
            is_first_line: true,
            is_after_return: false,
        }
    }

    /// Consumes the next bytes and passes every event that ends in them to `each`. An incomplete event at the
    /// end of the stream is dropped, as the specification of server-sent events demands.
    pub fn push(&mut self, bytes: &[u8], mut each: impl FnMut(ServerEvent)) {
        let with_feeds;
        let bytes = if self.is_after_return || bytes.contains(&b'\r') {
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

    /// Replaces every kind of line end by a line feed.
    fn with_line_feeds(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for byte in bytes {
            let was_after_return = take(&mut self.is_after_return);
            match byte {
                b'\n' if was_after_return => {}
                b'\r' => {
                    self.is_after_return = true;
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
                    let data = EventData::TooLong { start: start.to_vec(), end: end.to_vec(), bytes, limit };
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
            // A comment, or an unknown field.
            _ => return,
        }
        self.has_fields = true;
    }

    fn take_data(&mut self, value: &[u8]) {
        match &mut self.event.data {
            None => self.event.data = Some(EventData::Whole(value.to_vec())),
            Some(EventData::Whole(data)) if data.len() + value.len() < self.limit => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            Some(EventData::Whole(data)) => {
                let bytes = data.len() + value.len();
                let data = take(data);
                let mut tail = data[data.len() - data.len().min(TAIL)..].to_vec();
                push_tail(&mut tail, value);
                let start = data[..data.len().min(TAIL)].to_vec();
                self.event.data = Some(EventData::TooLong { start, end: tail, bytes, limit: self.limit });
            }
            Some(EventData::TooLong { end, bytes, .. }) => {
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

/// Splits a line into field name and value; a comment has an empty name.
fn field(line: &[u8]) -> (&[u8], &[u8]) {
    let Some(colon) = line.iter().position(|byte| *byte == b':') else { return (line, b"") };
    let value = &line[colon + 1..];
    (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
}

#[cfg(test)]
mod tests;
