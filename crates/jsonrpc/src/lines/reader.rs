//! Joins messages that are written over several lines.

use super::{Line, Noise, Reading, read};
use crate::Message;

/// Reads lines in order. A line that opens an object and does not close it is buffered: the next lines may be the
/// rest of it, from a program that writes its messages over several lines.
#[derive(Debug)]
pub struct Reader {
    held: Vec<u8>,
    nesting: Nesting,
    limit: usize,
}

/// Nesting of a text in objects, arrays and strings.
#[derive(Debug, Default)]
struct Nesting {
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
}

impl Nesting {
    fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.is_in_string => self.is_escaped = true,
                b'"' => self.is_in_string = !self.is_in_string,
                _ if self.is_in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn is_open(&self) -> bool {
        self.depth > 0 || self.is_in_string
    }
}

impl Reader {
    /// Joins messages of at most `limit` bytes.
    pub fn new(limit: usize) -> Reader {
        Reader { held: Vec::new(), nesting: Nesting::default(), limit }
    }

    /// Reads the next line, and passes the complete readings to `each`.
    pub fn read(&mut self, line: Line<'_>, mut each: impl FnMut(Reading)) {
        let reading = read(line);
        let Line::Whole(bytes) = line else {
            self.flush(&mut each);
            return each(reading);
        };
        if !self.held.is_empty() {
            // A string contains no line break, and a complete message is not a part of another one.
            let goes_on = reading.messages.is_empty() && !self.nesting.is_in_string;
            if goes_on && self.held.len() + bytes.len() < self.limit {
                return self.join(bytes, &mut each);
            }
            self.flush_before(&reading, &mut each);
        }
        if reading.messages.is_empty() && bytes.trim_ascii_start().first() == Some(&b'{') {
            self.nesting = Nesting::default();
            self.nesting.feed(bytes);
            if self.nesting.is_open() {
                self.held.extend_from_slice(bytes);
                return;
            }
        }
        each(reading);
    }

    /// Whether an incomplete message is buffered.
    pub fn is_waiting(&self) -> bool {
        !self.held.is_empty()
    }

    /// Passes the buffered text to `each`. Call it at the end of the stream.
    pub fn flush(&mut self, mut each: impl FnMut(Reading)) {
        if !self.held.is_empty() {
            each(read(Line::Whole(&std::mem::take(&mut self.held))));
        }
    }

    fn join(&mut self, bytes: &[u8], each: &mut impl FnMut(Reading)) {
        self.held.push(b'\n');
        self.held.extend_from_slice(bytes);
        self.nesting.feed(bytes);
        if !self.nesting.is_open() {
            self.flush(each);
        }
    }

    /// Flushes before a line that may hold the whole response of which a part is buffered.
    fn flush_before(&mut self, next: &Reading, each: &mut impl FnMut(Reading)) {
        let answers = |noise: &Noise| {
            next.messages.iter().any(|found| match &found.message {
                Message::Response(response) => response.id.is_some() && response.id == noise.id,
                _ => false,
            })
        };
        self.flush(|mut reading| {
            if let Some(noise) = reading.noise.as_mut().filter(|noise| answers(noise)) {
                (noise.id, noise.is_answer) = (None, false);
            }
            each(reading);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Lines, NoiseKind};
    use super::*;

    const PRETTY: &str =
        "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 7,\n  \"result\": {\n    \"a\": \"}{\\\"\"\n  }\n}\n";

    /// The number of messages, the ids of the noise, and whether something is buffered.
    fn read_all(text: &str) -> (usize, Vec<Option<String>>, bool) {
        let (mut lines, mut reader) = (Lines::new(1000), Reader::new(1000));
        let (mut messages, mut noise) = (0, Vec::new());
        let mut each = |reading: Reading| {
            messages += reading.messages.len();
            noise.extend(reading.noise.map(|noise| noise.id.map(|id| id.to_string())));
        };
        lines.push(text.as_bytes(), |line| reader.read(line, &mut each));
        (messages, noise, reader.is_waiting())
    }

    #[test]
    fn multi_line_message_is_joined() {
        assert_eq!(read_all(PRETTY), (1, vec![], false));
        assert_eq!(read_all(&format!("log\n{PRETTY}{PRETTY}done\n")), (2, vec![None, None], false));
    }

    #[test]
    fn partial_response_is_dropped_before_the_whole_one() {
        let whole = "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":1}}\n";
        let other = whole.replace('7', "8");
        let half = "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\n";
        assert_eq!(read_all(&format!("{half}{whole}")), (1, vec![None], false));
        assert_eq!(read_all(&format!("{half}{other}")), (1, vec![Some("7".into())], false));
        assert_eq!(read_all(half), (0, vec![], true));
        // An object that is never closed does not block the stream.
        assert_eq!(read_all(&format!("{{ start\nlog\n{whole}")), (1, vec![None], false));
        let endless = format!("{{ start\n{}", "log line\n".repeat(200));
        let (messages, noise, _) = read_all(&endless);
        assert!(messages == 0 && noise.len() > 10, "{noise:?}");
    }

    #[test]
    fn message_without_line_end_is_found_when_idle() {
        let mut lines = Lines::new(1000);
        let whole = b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}";
        lines.push(&whole[..20], |_| panic!("no line ends here"));
        lines.finish_message(|_| panic!("no message ends here"));
        lines.push(&whole[20..], |_| panic!("no line ends here"));
        let mut found = 0;
        lines.finish_message(|line| found += read(line).messages.len());
        assert_eq!((found, lines.waiting()), (1, 0));
        lines.push(b"{\"level\":\"info\"}", |_| panic!("no line ends here"));
        lines.finish_message(|_| panic!("no message ends here"));
        assert_eq!(read(Line::Whole(b"{}")).noise.map(|noise| noise.kind), Some(NoiseKind::NotAMessage));
    }
}
