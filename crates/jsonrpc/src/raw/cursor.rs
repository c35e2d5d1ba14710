//! A cursor over JSON text: strings, numbers, literals and the punctuation between them.

use super::{ParseError, ParseErrorKind};

/// A position in a text.
pub(super) struct JsonCursor<'a> {
    pub text: &'a str,
    pub bytes: &'a [u8],
    pub at: usize,
}

impl<'a> JsonCursor<'a> {
    pub fn new(text: &'a str) -> Self {
        JsonCursor { text, bytes: text.as_bytes(), at: 0 }
    }

    pub fn open(&mut self, bracket: u8) -> Result<(), ParseError> {
        self.skip_space();
        if !self.take(bracket) {
            return Err(self.unexpected());
        }
        self.skip_space();
        Ok(())
    }

    /// Reads a key and its colon: the key's raw text, and whether it contains an escape.
    #[inline]
    pub fn key(&mut self) -> Result<(&'a str, bool), ParseError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected());
        }
        let key = self.string()?;
        self.skip_space();
        if !self.take(b':') {
            return Err(self.unexpected());
        }
        self.skip_space();
        Ok(key)
    }

    /// After a value: consumes a comma (true) or the closing bracket (false).
    #[inline]
    pub fn has_more(&mut self, close: u8) -> Result<bool, ParseError> {
        self.skip_space();
        if self.take(b',') {
            self.skip_space();
            return Ok(true);
        }
        if self.take(close) {
            return Ok(false);
        }
        Err(self.unexpected())
    }

    /// Reads a string: its raw text, and whether it contains an escape.
    #[inline]
    pub fn string(&mut self) -> Result<(&'a str, bool), ParseError> {
        self.at += 1;
        let start = self.at;
        let mut is_escaped = false;
        loop {
            self.at += plain_run(&self.bytes[self.at..]);
            match self.peek() {
                Some(b'"') => {
                    let raw = &self.text[start..self.at];
                    self.at += 1;
                    return Ok((raw, is_escaped));
                }
                Some(b'\\') => {
                    is_escaped = true;
                    self.escape()?;
                }
                Some(_) => return Err(self.error(ParseErrorKind::Unexpected)),
                None => return Err(self.error(ParseErrorKind::EndOfText)),
            }
        }
    }

    fn escape(&mut self) -> Result<(), ParseError> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return Err(self.unexpected());
                    }
                    self.at += 1;
                }
            }
            _ => return Err(self.unexpected()),
        }
        Ok(())
    }

    /// Reads a number: its text.
    #[inline]
    pub fn number(&mut self) -> Result<&'a str, ParseError> {
        let start = self.at;
        match number_length(&self.bytes[start..]) {
            0 => {
                self.at += usize::from(self.peek() == Some(b'-'));
                Err(self.unexpected())
            }
            length => {
                self.at += length;
                Ok(&self.text[start..self.at])
            }
        }
    }

    #[inline]
    pub fn literal(&mut self, word: &str) -> Result<(), ParseError> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(());
        }
        Err(self.error(ParseErrorKind::Unexpected))
    }

    pub fn expect_end(&mut self) -> Result<(), ParseError> {
        self.skip_space();
        if self.at < self.bytes.len() {
            return Err(self.error(ParseErrorKind::TrailingText));
        }
        Ok(())
    }

    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    #[inline]
    pub fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub fn unexpected(&self) -> ParseError {
        let is_end = self.at >= self.bytes.len();
        self.error(if is_end { ParseErrorKind::EndOfText } else { ParseErrorKind::Unexpected })
    }

    pub fn error(&self, kind: ParseErrorKind) -> ParseError {
        ParseError { offset: self.at, kind }
    }
}

/// Length of the prefix that needs no escape inside a string. Eight bytes at a time: a byte is
/// special if it is a quote, a backslash or below space. Larger blocks are no faster: most texts are short.
#[inline]
pub(super) fn plain_run(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH;
    let mut at = 0;
    while let Some(chunk) = bytes.get(at..at + 8) {
        let word = u64::from_le_bytes(chunk.try_into().unwrap_or_default());
        let quote = below(word ^ (ONES * u64::from(b'"')), 1);
        let backslash = below(word ^ (ONES * u64::from(b'\\')), 1);
        let special = below(word, 0x20) | quote | backslash;
        if special != 0 {
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = &bytes[at..];
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    at + rest.iter().position(special).unwrap_or(rest.len())
}

/// Whether the text is valid between the quotes of a JSON string as it is.
pub fn is_string_contents(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        at += plain_run(&bytes[at..]);
        match (bytes.get(at), bytes.get(at + 1)) {
            (None, _) => return true,
            (Some(b'\\'), Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => at += 2,
            (Some(b'\\'), Some(b'u')) => {
                let is_code = |hex: &[u8]| hex.iter().all(u8::is_ascii_hexdigit);
                if !bytes.get(at + 2..at + 6).is_some_and(is_code) {
                    return false;
                }
                at += 6;
            }
            _ => return false,
        }
    }
}

/// Whether the whole text is one JSON number.
pub fn is_json_number(text: &str) -> bool {
    !text.is_empty() && number_length(text.as_bytes()) == text.len()
}

/// The length of the JSON number at the start, 0 when there is none.
#[inline]
fn number_length(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    at += match bytes.get(at) {
        Some(b'0') => 1,
        Some(b'1'..=b'9') => digits(at),
        _ => return 0,
    };
    if bytes.get(at) == Some(&b'.') {
        match digits(at + 1) {
            0 => return 0,
            count => at += 1 + count,
        }
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        match digits(at + 1 + sign) {
            0 => return 0,
            count => at += 1 + sign + count,
        }
    }
    at
}

/// Decodes the escapes of a string that the parser has accepted.
pub(super) fn decode_escapes(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(found) = rest.find('\\') {
        out.push_str(&rest[..found]);
        let mut tail = &rest[found + 1..];
        let Some(escape) = tail.chars().next() else { break };
        tail = &tail[escape.len_utf8()..];
        match escape {
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => {
                let (decoded, length) = decode_unicode(tail);
                out.push(decoded);
                tail = &tail[length..];
            }
            other => out.push(other),
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// Decodes the text after `\u`, with its surrogate pair: the character and the number of bytes read.
fn decode_unicode(tail: &str) -> (char, usize) {
    let unit = |from: usize| tail.get(from..from + 4).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let Some(first) = unit(0) else { return (char::REPLACEMENT_CHARACTER, 0) };
    if (0xD800..0xDC00).contains(&first)
        && tail.get(4..6) == Some("\\u")
        && let Some(second) = unit(6).filter(|second| (0xDC00..0xE000).contains(second))
    {
        let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 10);
    }
    (char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_json(text: &str) -> bool {
        super::super::check(text).is_ok()
    }

    #[test]
    fn plain_run_finds_first_special_byte() {
        for length in 0..40 {
            for special in ["\"", "\\", "\n", "\u{1f}"] {
                let text = format!("{}{special}xyzä\u{7f}", "ö".repeat(length));
                assert_eq!(plain_run(text.as_bytes()), 2 * length, "{special:?} after {length}");
            }
        }
    }

    #[test]
    fn string_contents_are_valid_between_quotes() {
        for text in ["", "a", r"a\nb\u00e4", r#"\""#, r"\\", "ä😀", r"C:\\new"] {
            assert!(is_string_contents(text), "{text}");
            assert!(is_json(&format!("\"{text}\"")), "{text}");
        }
        for text in ["\"", "a\nb", r"\", r"\x", r"\u00", r"\u00g0", r"C:\sub", "\u{1}"] {
            assert!(!is_string_contents(text), "{text}");
            assert!(!is_json(&format!("\"{text}\"")), "{text}");
        }
    }
}
