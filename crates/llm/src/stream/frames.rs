//! Frames out of bytes, however these are cut: server-sent events, or lines.
//!
//! Apart from `toolwright_jsonrpc::events`, which reads events too: the streams of models are forwarded, so a frame keeps
//! its raw bytes and is not copied, and a frame that is too long or no text ends the stream. There, an event breaks only
//! itself, and a client needs its id and the time to wait.

/// The most bytes that one frame may have.
pub const MOST_FRAME_BYTES: usize = 16 * 1024 * 1024;

/// A buffer that grew beyond this is given back once it is empty.
const KEPT_CAPACITY: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// One frame of a stream.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// All of its bytes, with those that end it and the comments before it. The `raw` of all frames of a stream, and
    /// what is left at its end, are the bytes of the stream, without a byte order mark at its start, which few clients
    /// expect, and with the line ends that a last frame lacks.
    pub raw: &'a [u8],
    /// The type of a server-sent event; empty when it has none, and for lines.
    pub event: &'a str,
    /// The data; empty for comments and for events without data.
    pub data: &'a str,
}

/// Why there are no more frames.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// One frame has more bytes than are taken.
    #[error("one event of the stream has more than {limit} bytes")]
    TooLong {
        /// The most that are taken.
        limit: usize,
    },
    /// A frame is not UTF-8.
    #[error("an event of the stream is not UTF-8")]
    NotUtf8,
}

/// Takes a stream of bytes and finds its frames. A frame that comes whole is not copied.
#[derive(Debug)]
pub struct Frames {
    shape: Shape,
    limit: usize,
    /// Bytes of a frame that is not whole yet.
    held: Vec<u8>,
    search: Search,
    /// Data of several lines, put together.
    joined: String,
    is_first: bool,
    failed: Option<FrameError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Events,
    Lines,
}

/// How far the end of the frame was looked for, from the frame's first byte on.
#[derive(Clone, Copy, Debug, Default)]
struct Search {
    /// Where the line starts that was being looked at.
    line: usize,
    /// Up to where nothing is left to be found.
    seen: usize,
}

impl Frames {
    /// Server-sent events. A frame ends with an empty line.
    pub fn sse() -> Frames {
        Frames::new(Shape::Events, MOST_FRAME_BYTES)
    }

    /// Lines, as of NDJSON. A frame ends with a line feed.
    pub fn lines() -> Frames {
        Frames::new(Shape::Lines, MOST_FRAME_BYTES)
    }

    fn new(shape: Shape, limit: usize) -> Frames {
        Frames {
            shape,
            limit,
            held: Vec::new(),
            search: Search::default(),
            joined: String::new(),
            is_first: true,
            failed: None,
        }
    }

    /// Takes more bytes and gives every frame that is whole by now. After an error nothing more is taken.
    pub fn push(&mut self, bytes: &[u8], each: &mut dyn FnMut(Frame<'_>)) -> Result<(), FrameError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = if self.held.is_empty() {
            let (taken, result) = self.take_frames(bytes, each);
            self.held.extend_from_slice(&bytes[taken..]);
            result
        } else {
            let mut held = std::mem::take(&mut self.held);
            held.extend_from_slice(bytes);
            let (taken, result) = self.take_frames(&held, each);
            held.drain(..taken);
            if held.is_empty() && held.capacity() > KEPT_CAPACITY {
                held = Vec::new();
            }
            self.held = held;
            result
        };
        if let Err(error) = &result {
            self.failed = Some(error.clone());
        }
        result
    }

    /// The stream has ended. A last frame with data that nobody ended is a frame all the same; anything else that is
    /// left stays in [`rest`](Self::rest).
    pub fn end(&mut self, each: &mut dyn FnMut(Frame<'_>)) {
        if self.failed.is_some() || self.held.is_empty() {
            return;
        }
        let mut held = std::mem::take(&mut self.held);
        let sent = held.len();
        self.add_end(&mut held);
        // A character that was cut off is no reason to call the stream wrong: it ended too early, and who reads
        // the frames sees that.
        match self.read(&held) {
            Ok(frame) if !frame.data.trim().is_empty() => each(frame),
            _ => {
                held.truncate(sent);
                self.held = held;
            }
        }
        self.search = Search::default();
        self.is_first = false;
    }

    /// Ends a frame that nobody ended.
    fn add_end(&self, frame: &mut Vec<u8>) {
        if self.shape == Shape::Events && frame.ends_with(b"\r\r") {
            return;
        }
        if !frame.ends_with(b"\n") {
            frame.push(b'\n');
        }
        let has_empty_line = frame.ends_with(b"\n\n") || frame.ends_with(b"\n\r\n");
        if self.shape == Shape::Events && !has_empty_line {
            frame.push(b'\n');
        }
    }

    /// The bytes that are in no frame yet.
    pub fn rest(&self) -> &[u8] {
        &self.held
    }

    /// Gives the frames that are whole, and how many bytes they have.
    fn take_frames(
        &mut self,
        bytes: &[u8],
        each: &mut dyn FnMut(Frame<'_>),
    ) -> (usize, Result<(), FrameError>) {
        let mut start = 0;
        while let Some(length) = self.frame_end(&bytes[start..]) {
            if length > self.limit {
                return (start, Err(FrameError::TooLong { limit: self.limit }));
            }
            match self.read(&bytes[start..start + length]) {
                Ok(frame) => each(frame),
                Err(error) => return (start, Err(error)),
            }
            self.search = Search::default();
            self.is_first = false;
            start += length;
        }
        let is_too_long = bytes.len() - start > self.limit;
        (start, if is_too_long { Err(FrameError::TooLong { limit: self.limit }) } else { Ok(()) })
    }

    /// The length of the frame that the bytes start with, when all of it is there.
    fn frame_end(&mut self, bytes: &[u8]) -> Option<usize> {
        if self.shape == Shape::Lines {
            let end = memchr::memchr(b'\n', &bytes[self.search.seen..]);
            let end = end.map(|at| self.search.seen + at + 1);
            self.search.seen = bytes.len();
            return end;
        }
        loop {
            let Some(found) = memchr::memchr2(b'\n', b'\r', &bytes[self.search.seen..]) else {
                self.search.seen = bytes.len();
                return None;
            };
            let at = self.search.seen + found;
            let next = match (bytes[at], bytes.get(at + 1)) {
                // Whether a line feed belongs to it is known with the next byte.
                (b'\r', None) => {
                    self.search.seen = at;
                    return None;
                }
                (b'\r', Some(b'\n')) => at + 2,
                _ => at + 1,
            };
            let line = &bytes[self.search.line..at];
            if line.is_empty() || (self.is_first && self.search.line == 0 && line == BYTE_ORDER_MARK) {
                return Some(next);
            }
            self.search = Search { line: next, seen: next };
        }
    }

    fn read<'f>(&'f mut self, raw: &'f [u8]) -> Result<Frame<'f>, FrameError> {
        let text = std::str::from_utf8(raw).map_err(|_| FrameError::NotUtf8)?;
        let text = if self.is_first { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text };
        let raw = text.as_bytes();
        if self.shape == Shape::Lines {
            return Ok(Frame { raw, event: "", data: text.trim_end_matches(['\n', '\r']) });
        }
        let mut event = "";
        let mut data = None;
        let mut is_joined = false;
        for line in EventLines(text) {
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match (field, data) {
                ("event", _) => event = value,
                ("data", None) => data = Some(value),
                ("data", Some(first)) => {
                    if !is_joined {
                        self.joined.clear();
                        self.joined.push_str(first);
                        is_joined = true;
                    }
                    self.joined.push('\n');
                    self.joined.push_str(value);
                }
                // Comments have an empty name here.
                _ => {}
            }
        }
        let data = if is_joined { self.joined.as_str() } else { data.unwrap_or_default() };
        Ok(Frame { raw, event, data })
    }
}

/// The lines of an event, which end with LF, CR or both.
struct EventLines<'a>(&'a str);

impl<'a> Iterator for EventLines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        // An empty line between CR and LF says nothing.
        let end = memchr::memchr2(b'\n', b'\r', self.0.as_bytes()).unwrap_or(self.0.len());
        let line = &self.0[..end];
        self.0 = self.0.get(end + 1..).unwrap_or_default();
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Seen = (Vec<u8>, String, String);

    fn frames_of(mut frames: Frames, pieces: &[&[u8]]) -> (Vec<Seen>, Vec<u8>, Result<(), FrameError>) {
        let mut found = Vec::new();
        let mut result = Ok(());
        let mut each = |frame: Frame<'_>| {
            found.push((frame.raw.to_vec(), frame.event.to_owned(), frame.data.to_owned()));
        };
        for piece in pieces {
            result = frames.push(piece, &mut each);
            if result.is_err() {
                break;
            }
        }
        frames.end(&mut each);
        (found, frames.rest().to_vec(), result)
    }

    /// Whether these are the bytes of a stream, but for its byte order mark and the line ends that it lacks.
    fn is_all_of(raw: &[u8], bytes: &[u8]) -> bool {
        let without = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        let is_ended =
            |sent: &[u8]| raw.strip_prefix(sent).is_some_and(|added| added.iter().all(|byte| *byte == b'\n'));
        is_ended(without) || is_ended(bytes)
    }

    fn events(bytes: &[u8]) -> Vec<(String, String)> {
        let (found, rest, result) = frames_of(Frames::sse(), &[bytes]);
        assert_eq!(result, Ok(()));
        let raw: Vec<u8> = found.iter().flat_map(|(raw, ..)| raw.iter().copied()).chain(rest).collect();
        assert!(is_all_of(&raw, bytes), "{raw:?}");
        found.into_iter().map(|(_, event, data)| (event, data)).collect()
    }

    fn data(bytes: &[u8]) -> Vec<String> {
        events(bytes).into_iter().map(|(_, data)| data).collect()
    }

    #[test]
    fn an_event_has_a_type_and_data() {
        let found = events(b"event: ping\ndata: {}\n\nid: 7\nretry: 3\ndata:x\n\n");
        assert_eq!(found, [("ping".into(), "{}".into()), (String::new(), "x".into())]);
    }

    #[test]
    fn lines_end_as_they_like() {
        for stream in ["data: a\n\ndata: b\n\n", "data: a\r\n\r\ndata: b\r\n\r\n", "data: a\r\rdata: b\r\r"] {
            assert_eq!(data(stream.as_bytes()), ["a", "b"], "{stream:?}");
        }
        assert_eq!(data(b"data: a\n\r\ndata: b\r\n\n"), ["a", "b"]);
    }

    #[test]
    fn data_of_several_lines_is_joined_and_bare_data_is_an_empty_line() {
        assert_eq!(data(b"data: {\ndata:  1\ndata\ndata: }\n\n"), ["{\n 1\n\n}"]);
        assert_eq!(data(b"data\n\ndata\ndata\n\n"), ["", "\n"]);
    }

    #[test]
    fn comments_and_other_fields_are_no_data() {
        assert_eq!(data(b": ping\n\ndata: a\n: in between\nfoo: b\n\n"), ["", "a"]);
        assert_eq!(data(b"\n\ndata: a\n\n"), ["", "", "a"]);
    }

    #[test]
    fn a_byte_order_mark_is_left_out_at_the_start_only() {
        assert_eq!(data("\u{feff}data: a\n\n\u{feff}data: b\n\n".as_bytes()), ["a", ""]);
        assert_eq!(data("\u{feff}\n\ndata: a\n\n".as_bytes()), ["", "", "a"]);
        let (found, ..) = frames_of(Frames::lines(), &["\u{feff}{}\n".as_bytes()]);
        assert_eq!(found[0].2, "{}");
    }

    #[test]
    fn a_last_event_that_nobody_ended_counts_when_it_has_data() {
        assert_eq!(data(b"data: a\n\ndata: [DONE]"), ["a", "[DONE]"]);
        assert_eq!(data(b"data: a\n\ndata: [DONE]\n"), ["a", "[DONE]"]);
        assert_eq!(data(b"data: a\r\n\r"), ["a"]);
        for (sent, ended) in
            [("data: a", "data: a\n\n"), ("data: a\r\n", "data: a\r\n\n"), ("data: a\r\r", "data: a\r\r")]
        {
            assert_eq!(frames_of(Frames::sse(), &[sent.as_bytes()]).0[0].0, ended.as_bytes(), "{sent:?}");
        }
        assert_eq!(frames_of(Frames::lines(), &[b"{}"]).0[0].0, b"{}\n");
        let (found, rest, _) = frames_of(Frames::sse(), &[b"data: a\n\n: bye\n"]);
        assert_eq!((found.len(), rest.as_slice()), (1, b": bye\n".as_slice()));
    }

    #[test]
    fn a_character_that_was_cut_off_at_the_end_stays_behind() {
        let (found, rest, result) = frames_of(Frames::sse(), &["data: ä".as_bytes().split_last().unwrap().1]);
        assert_eq!((found, rest.as_slice(), result), (Vec::new(), b"data: \xc3".as_slice(), Ok(())));
    }

    #[test]
    fn bytes_that_are_no_text_end_the_stream() {
        let (found, _, result) = frames_of(Frames::sse(), &[b"data: a\n\ndata: \xff\n\ndata: b\n\n"]);
        assert_eq!((found.len(), result), (1, Err(FrameError::NotUtf8)));
    }

    #[test]
    fn a_frame_beyond_the_limit_ends_the_stream_however_it_comes() {
        let limited = || Frames::new(Shape::Events, 10);
        let (found, _, result) = frames_of(limited(), &[b"data: 12\n\ndata: 123\n\n"]);
        assert_eq!((found.len(), result), (1, Err(FrameError::TooLong { limit: 10 })));
        let mut frames = limited();
        assert_eq!(frames.push(b"data: 123", &mut |_| {}), Ok(()));
        assert_eq!(frames.push(b"45", &mut |_| {}), Err(FrameError::TooLong { limit: 10 }));
        assert_eq!(frames.push(b"\n\n", &mut |_| {}), Err(FrameError::TooLong { limit: 10 }));
    }

    #[test]
    fn a_line_of_a_megabyte_is_one_frame() {
        let line = format!("data: {}\n\n", "é".repeat(512 * 1024));
        let pieces: Vec<&[u8]> = line.as_bytes().chunks(1001).collect();
        let (found, rest, _) = frames_of(Frames::sse(), &pieces);
        assert_eq!((found.len(), found[0].2.len(), rest.len()), (1, 1024 * 1024, 0));
    }

    #[test]
    fn lines_are_frames_of_ndjson() {
        let (found, rest, _) = frames_of(Frames::lines(), &[b"{\"a\":1}\r\n\n{\"b\"", b":2}\n{}\n "]);
        let data: Vec<&str> = found.iter().map(|(.., data)| data.as_str()).collect();
        assert_eq!((data, rest.as_slice()), (vec!["{\"a\":1}", "", "{\"b\":2}", "{}"], b" ".as_slice()));
        let (found, rest, _) = frames_of(Frames::lines(), &[b"{\"a\":1}"]);
        assert_eq!((found.len(), rest.len()), (1, 0));
    }

    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let word = prop::sample::select(vec![
            "data",
            "event",
            ":",
            " ",
            "\n",
            "\n\n",
            "\r",
            "\r\n",
            "\u{feff}",
            "{\"a\":\"ä€🙂\"}",
            "[DONE]",
            "x",
        ]);
        let bytes = prop::collection::vec(word, 0..24).prop_map(|words| words.concat().into_bytes());
        (bytes, prop::option::weighted(0.1, any::<u8>())).prop_map(|(mut bytes, wild)| {
            bytes.extend(wild);
            bytes
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn every_split_gives_the_same_frames(bytes in stream()) {
            for shape in [Shape::Events, Shape::Lines] {
                let new = || Frames::new(shape, 40);
                let whole = frames_of(new(), &[&bytes]);
                if whole.2.is_ok() {
                    let raw: Vec<u8> = whole.0.iter().flat_map(|(raw, ..)| raw).chain(&whole.1).copied().collect();
                    prop_assert!(is_all_of(&raw, &bytes), "{:?} {:?}", raw, bytes);
                }
                for at in 0..=bytes.len() {
                    let (left, right) = bytes.split_at(at);
                    let halves = frames_of(new(), &[left, right]);
                    prop_assert_eq!((&halves.0, &halves.2), (&whole.0, &whole.2));
                }
                let single: Vec<&[u8]> = bytes.chunks(1).collect();
                let letters = frames_of(new(), &single);
                prop_assert_eq!((&letters.0, &letters.2), (&whole.0, &whole.2));
            }
        }
    }
}
