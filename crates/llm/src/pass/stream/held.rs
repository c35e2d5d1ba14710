//! Frames that wait, and frames with some of their spans replaced.

use crate::pass::{Shape, Span, edit};
use crate::stream::Frame;

/// What of a frame may have to be replaced.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// What is certain.
    pub edits: Vec<(Span, String)>,
    /// What depends on what is decided later.
    pub slots: Vec<Slot>,
    /// The type of the event, where its head lacks it.
    pub event: Option<String>,
    /// The frame does not leave at all.
    pub is_dropped: bool,
}

/// A place whose text depends on what is decided later.
#[derive(Debug)]
pub(super) enum Slot {
    /// A piece of a call's arguments. With it, so many bytes of them were sent.
    Fragment { call: usize, span: Span, sent: usize },
    /// All of a call's arguments, told once more or at once.
    Arguments { call: usize, span: Span, shape: Shape },
    /// Where a call ends: nothing of it may come after this.
    End { call: usize },
    /// A piece of text that may be a call.
    Text(Span),
    /// A block that is such a text.
    TextBlock(Span),
    /// The whole frame is about such a text.
    TextFrame,
}

impl Slot {
    /// Whether it is of this call.
    pub fn is_of(&self, of: usize) -> bool {
        match self {
            Slot::Fragment { call, .. } | Slot::Arguments { call, .. } | Slot::End { call } => *call == of,
            Slot::Text(_) | Slot::TextBlock(_) | Slot::TextFrame => false,
        }
    }

    /// Whether it is of the text that may be a call.
    pub fn is_text(&self) -> bool {
        matches!(self, Slot::Text(_) | Slot::TextBlock(_) | Slot::TextFrame)
    }
}

/// A frame that waits.
#[derive(Debug)]
pub(super) struct Held {
    pub raw: Vec<u8>,
    pub data: Data,
    pub marks: Marks,
}

/// Where the data of a frame are.
#[derive(Debug)]
pub(super) enum Data {
    /// There in its bytes.
    At(Span),
    /// Put together from several lines.
    Joined(String),
}

impl Data {
    pub fn of(frame: &Frame<'_>) -> Data {
        let (raw, data) = (frame.raw.as_ptr() as usize, frame.data.as_ptr() as usize);
        match data.checked_sub(raw) {
            Some(start) if start + frame.data.len() <= frame.raw.len() => {
                Data::At(start..start + frame.data.len())
            }
            _ => Data::Joined(frame.data.to_owned()),
        }
    }
}

/// Writes a frame as it is marked.
pub(super) fn write(raw: &[u8], data: &Data, marks: &Marks, out: &mut Vec<u8>) {
    let edits = &marks.edits;
    if marks.is_dropped {
        return;
    }
    if let Some(event) = &marks.event {
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(event.as_bytes());
        out.push(b'\n');
    }
    if edits.is_empty() {
        return out.extend_from_slice(raw);
    }
    match data {
        Data::At(span) => {
            let text = std::str::from_utf8(&raw[span.clone()]).unwrap_or_default();
            out.extend_from_slice(&raw[..span.start]);
            out.extend_from_slice(edit(text, edits).as_bytes());
            out.extend_from_slice(&raw[span.end..]);
        }
        Data::Joined(text) => write_lines(raw, &edit(text, edits), out),
    }
}

/// Writes a server-sent event with these data in the place of its own; all other lines stay.
fn write_lines(raw: &[u8], data: &str, out: &mut Vec<u8>) {
    let mut is_written = false;
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        if !line.starts_with(b"data") {
            out.extend_from_slice(line);
            continue;
        }
        if is_written {
            continue;
        }
        is_written = true;
        let end: &[u8] = if line.ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
        for piece in data.split('\n') {
            out.extend_from_slice(b"data: ");
            out.extend_from_slice(piece.trim_end_matches('\r').as_bytes());
            out.extend_from_slice(end);
        }
    }
}
