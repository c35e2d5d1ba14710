//! The gateway's server-sent events out of bytes, however they are cut.

use toolwright_jsonrpc::lines::{Line, Lines};

/// The longest event, in bytes. A longer one is left out.
const MAX_EVENT_BYTES: usize = 8 << 20;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// Its type; empty for a call.
    pub kind: String,
    /// Where the stream can be taken up again.
    pub id: Option<String>,
    /// What it says; nothing when that was too long.
    pub data: Option<Vec<u8>>,
    /// Whether it was too long.
    pub is_cut: bool,
}

/// Takes a stream of bytes and finds its events.
#[derive(Debug)]
pub(super) struct Events {
    lines: Lines,
    event: Event,
}

impl Events {
    pub fn new() -> Events {
        Events { lines: Lines::new(MAX_EVENT_BYTES), event: Event::default() }
    }

    /// Every event that ends in these bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut found = Vec::new();
        let event = &mut self.event;
        self.lines.push(bytes, |line| match line {
            Line::Whole(b"") => {
                let event = std::mem::take(event);
                if event != Event::default() {
                    found.push(event);
                }
            }
            Line::Whole(line) => take(event, line),
            Line::TooLong { .. } => event.is_cut = true,
        });
        found
    }
}

/// The gateway writes every value in one line.
fn take(event: &mut Event, line: &[u8]) {
    let Some(colon) = line.iter().position(|byte| *byte == b':') else { return };
    let (name, value) = (&line[..colon], &line[colon + 1..]);
    let value = value.strip_prefix(b" ").unwrap_or(value);
    match name {
        b"id" => event.id = std::str::from_utf8(value).ok().map(str::to_owned),
        b"event" => event.kind = String::from_utf8_lossy(value).into_owned(),
        b"data" => event.data = Some(value.to_vec()),
        // A comment shows that the stream lives; when to come back we know ourselves.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_split_of_the_bytes_gives_the_same_events() {
        let text = b"retry: 2000\nid: main:5\n\n: alive\n\nid: main:6\ndata: {\"a\": \"b: c\"}\n\nevent: missed\ndata: {\"count\":3}\n\ndata: unfinished";
        let whole = Events::new().push(text);
        assert_eq!(whole.len(), 3);
        assert_eq!((whole[0].id.as_deref(), &whole[0].data), (Some("main:5"), &None));
        assert_eq!(whole[1].data.as_deref(), Some(&b"{\"a\": \"b: c\"}"[..]));
        assert_eq!((whole[2].kind.as_str(), &whole[2].id), ("missed", &None));
        for at in 0..text.len() {
            let mut events = Events::new();
            let mut found = events.push(&text[..at]);
            found.extend(events.push(&text[at..]));
            assert_eq!(found, whole, "cut at {at}");
        }
    }

    #[test]
    fn an_event_without_end_is_not_kept() {
        let mut events = Events::new();
        let piece = vec![b'x'; 1 << 20];
        events.push(b"id: main:7\ndata: ");
        for _ in 0..20 {
            assert_eq!(events.push(&piece), []);
        }
        let cut = Event { id: Some("main:7".into()), is_cut: true, ..Event::default() };
        assert_eq!(events.push(b"\n\n"), [cut]);
        assert_eq!(events.push(b"data: next\n\n").len(), 1);
    }
}
