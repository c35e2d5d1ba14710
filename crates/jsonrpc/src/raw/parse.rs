//! A strict JSON parser that keeps the source text of every value.
//!
//! It accepts exactly the grammar of RFC 8259 (tested against `serde_json`), bounds the depth, and
//! reports the first object whose keys repeat with different values.

use std::fmt;

use bumpalo::Bump;

use super::{Kind, Member, Node, Str, same_value};

/// How deep values may nest.
pub const MAX_DEPTH: usize = 128;

/// Up to this many members, repeated keys are found by comparing each with each.
const PAIRWISE_KEYS: usize = 12;

/// A parsed document.
#[derive(Clone, Copy, Debug)]
pub struct Parsed<'a> {
    /// The value.
    pub root: Node<'a>,
    /// A key that stands twice in one object with different values.
    pub conflicting_key: Option<&'a str>,
}

/// A text that is not JSON, and what of it is.
#[derive(Clone, Copy, Debug)]
pub struct Broken<'a> {
    /// Where and why it is not JSON.
    pub error: ParseError,
    /// The members of the outermost object that a comma follows, when the text starts as an object.
    pub members: &'a [Member<'a>],
    /// A key among or within them that stands twice in one object with different values.
    pub conflicting_key: Option<&'a str>,
    /// Byte offset of that comma.
    pub comma: usize,
}

/// Where and why a text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct ParseError {
    /// Byte offset of the first character that cannot stand there.
    pub offset: usize,
    /// What is wrong.
    pub kind: ParseErrorKind,
}

/// What is wrong with a text that is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseErrorKind {
    /// The text ends inside a value.
    EndOfText,
    /// A character cannot stand where it does.
    Unexpected,
    /// Something follows the value.
    TrailingText,
    /// Values nest deeper than [`MAX_DEPTH`].
    TooDeep,
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseErrorKind::EndOfText => "the text ends too early",
            ParseErrorKind::Unexpected => "unexpected character",
            ParseErrorKind::TrailingText => "text after the value",
            ParseErrorKind::TooDeep => "nested too deeply",
        })
    }
}

/// Reads one JSON value; nodes are allocated in `arena`.
pub fn parse<'a>(text: &'a str, arena: &'a Bump) -> Result<Parsed<'a>, ParseError> {
    let mut parser = Parser::new(text, arena);
    parser.document().and_then(|parsed| parser.expect_end(parsed))
}

/// The same; what is not JSON is given back with the members that are.
pub fn parse_or_break<'a>(text: &'a str, arena: &'a Bump) -> Result<Parsed<'a>, Broken<'a>> {
    let mut parser = Parser::new(text, arena);
    parser.document().and_then(|parsed| parser.expect_end(parsed)).map_err(|error| parser.broken(error))
}

impl<'a> Broken<'a> {
    /// The members that are JSON, followed by those of an object that was read elsewhere.
    pub fn joined(&self, rest: Parsed<'a>, arena: &'a Bump) -> Parsed<'a> {
        let further = rest.root.as_object().unwrap_or_default();
        let mut parser = Parser::new("", arena);
        parser.conflicting_key = self.conflicting_key.or(rest.conflicting_key);
        parser.members.extend(self.members.iter().chain(further));
        parser.note_conflicting_keys(0);
        let members = arena.alloc_slice_copy(&parser.members);
        Parsed { root: Node::built(Kind::Object(members)), conflicting_key: parser.conflicting_key }
    }
}

/// Reads the JSON value at the start of a text: the value, and where the text goes on behind it and
/// the white space that follows.
pub fn parse_prefix<'a>(text: &'a str, arena: &'a Bump) -> Result<(Parsed<'a>, usize), ParseError> {
    let mut parser = Parser::new(text, arena);
    parser.document().map(|parsed| (parsed, parser.at))
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    arena: &'a Bump,
    /// Items of the arrays being read, innermost last.
    nodes: Vec<Node<'a>>,
    /// Members of the objects being read, innermost last.
    members: Vec<Member<'a>>,
    conflicting_key: Option<&'a str>,
    /// How many members of the outermost object a comma follows.
    complete: usize,
    /// Where that comma is.
    comma: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, arena: &'a Bump) -> Self {
        Parser {
            text,
            bytes: text.as_bytes(),
            at: 0,
            arena,
            nodes: Vec::new(),
            members: Vec::new(),
            conflicting_key: None,
            complete: 0,
            comma: 0,
        }
    }

    fn document(&mut self) -> Result<Parsed<'a>, ParseError> {
        self.skip_space();
        let root = self.value(0)?;
        self.skip_space();
        Ok(Parsed { root, conflicting_key: self.conflicting_key })
    }

    fn expect_end(&self, parsed: Parsed<'a>) -> Result<Parsed<'a>, ParseError> {
        if self.at < self.bytes.len() {
            return Err(self.error(ParseErrorKind::TrailingText));
        }
        Ok(parsed)
    }

    /// What was read of a text that is not JSON. Behind the outermost members stand those of the objects
    /// that were open.
    fn broken(&mut self, error: ParseError) -> Broken<'a> {
        self.members.truncate(self.complete);
        self.note_conflicting_keys(0);
        let members = self.arena.alloc_slice_copy(&self.members);
        Broken { error, members, conflicting_key: self.conflicting_key, comma: self.comma }
    }

    fn value(&mut self, depth: usize) -> Result<Node<'a>, ParseError> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Kind::String(self.string()?.0),
            Some(b't') => self.literal("true", Kind::Bool(true))?,
            Some(b'f') => self.literal("false", Kind::Bool(false))?,
            Some(b'n') => self.literal("null", Kind::Null)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => return Err(self.error(ParseErrorKind::Unexpected)),
            None => return Err(self.error(ParseErrorKind::EndOfText)),
        };
        Ok(Node { source: &self.text[start..self.at], kind })
    }

    fn object(&mut self, depth: usize) -> Result<Kind<'a>, ParseError> {
        self.descend(depth)?;
        let first = self.members.len();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Kind::Object(&[]));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.unexpected());
            }
            let (key, is_escaped) = self.string()?;
            self.skip_space();
            self.expect(b':')?;
            self.skip_space();
            let value = self.value(depth + 1)?;
            let decoded = if is_escaped { self.arena.alloc_str(&key.decode()) } else { key.raw };
            self.members.push(Member { key: decoded, raw_key: key.raw, value });
            self.skip_space();
            let end = self.at;
            if self.next_or_close(b'}')? {
                break;
            }
            if depth == 0 {
                (self.complete, self.comma) = (self.members.len(), end);
            }
        }
        self.note_conflicting_keys(first);
        let members = self.arena.alloc_slice_copy(&self.members[first..]);
        self.members.truncate(first);
        Ok(Kind::Object(members))
    }

    fn array(&mut self, depth: usize) -> Result<Kind<'a>, ParseError> {
        self.descend(depth)?;
        let first = self.nodes.len();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Kind::Array(&[]));
        }
        loop {
            let item = self.value(depth + 1)?;
            self.nodes.push(item);
            if self.next_or_close(b']')? {
                break;
            }
        }
        let items = self.arena.alloc_slice_copy(&self.nodes[first..]);
        self.nodes.truncate(first);
        Ok(Kind::Array(items))
    }

    /// Steps over an opening bracket.
    fn descend(&mut self, depth: usize) -> Result<(), ParseError> {
        if depth >= MAX_DEPTH {
            return Err(self.error(ParseErrorKind::TooDeep));
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    /// After an item: steps over a comma (false) or the closing bracket (true).
    fn next_or_close(&mut self, close: u8) -> Result<bool, ParseError> {
        self.skip_space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.skip_space();
                Ok(false)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(true)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn note_conflicting_keys(&mut self, first: usize) {
        if self.conflicting_key.is_some() {
            return;
        }
        let members = &self.members[first..];
        let repeated = |a: &Member<'a>, b: &Member<'a>| a.key == b.key && !same_value(&a.value, &b.value);
        if members.len() <= PAIRWISE_KEYS {
            for (index, member) in members.iter().enumerate() {
                if members[..index].iter().any(|earlier| repeated(earlier, member)) {
                    self.conflicting_key = Some(member.key);
                }
            }
            return;
        }
        let mut sorted: Vec<&Member<'a>> = members.iter().collect();
        sorted.sort_by_key(|member| member.key);
        self.conflicting_key =
            sorted.windows(2).find(|pair| repeated(pair[0], pair[1])).map(|pair| pair[0].key);
    }

    /// A string, and whether something in it is escaped.
    fn string(&mut self) -> Result<(Str<'a>, bool), ParseError> {
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        loop {
            self.at += plain_run(&self.bytes[self.at..]);
            match self.peek() {
                Some(b'"') => {
                    let raw = &self.text[start..self.at];
                    self.at += 1;
                    return Ok((Str { raw }, escaped));
                }
                Some(b'\\') => {
                    escaped = true;
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

    fn number(&mut self) -> Result<Kind<'a>, ParseError> {
        let start = self.at;
        let length = number_length(&self.bytes[start..]);
        if length == 0 {
            self.at += usize::from(self.peek() == Some(b'-'));
            return Err(self.unexpected());
        }
        self.at += length;
        Ok(Kind::Number(&self.text[start..self.at]))
    }

    fn literal(&mut self, word: &str, kind: Kind<'a>) -> Result<Kind<'a>, ParseError> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(kind);
        }
        Err(self.error(ParseErrorKind::Unexpected))
    }

    fn expect(&mut self, byte: u8) -> Result<(), ParseError> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        Err(self.unexpected())
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn unexpected(&self) -> ParseError {
        self.error(if self.at < self.bytes.len() {
            ParseErrorKind::Unexpected
        } else {
            ParseErrorKind::EndOfText
        })
    }

    fn error(&self, kind: ParseErrorKind) -> ParseError {
        ParseError { offset: self.at, kind }
    }
}

/// How many bytes from the start stand for themselves inside a string. Eight at a time: a byte is
/// special when it is a quote, a backslash or below space.
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

/// Whether the text could stand between the quotes of a JSON string as it is.
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
pub(super) fn number_length(bytes: &[u8]) -> usize {
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

/// Decodes what follows `\u`, with its surrogate pair: the character and the bytes read.
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
    use proptest::prelude::*;

    fn accepts(text: &str) -> bool {
        parse(text, &Bump::new()).is_ok()
    }

    #[test]
    fn every_value_keeps_its_source() {
        let arena = Bump::new();
        let text = r#" {"a" : 1.0, "b":[ 1e3 ,-0], "\u0063": "x\ny"} "#;
        let parsed = parse(text, &arena).unwrap();
        assert_eq!(parsed.root.source(), Some(text.trim()));
        assert_eq!(parsed.root.get("a").unwrap().source(), Some("1.0"));
        assert_eq!(parsed.root.get("b").unwrap().source(), Some("[ 1e3 ,-0]"));
        assert_eq!(parsed.root.get("c").unwrap().as_text().unwrap(), "x\ny");
    }

    #[test]
    fn repeated_keys_conflict_only_when_their_values_differ() {
        let arena = Bump::new();
        assert_eq!(parse(r#"{"a":1,"a":1.0}"#, &arena).unwrap().conflicting_key, None);
        assert_eq!(parse(r#"{"a":1,"\u0061":2}"#, &arena).unwrap().conflicting_key, Some("a"));
        let many: Vec<String> = (0..40).map(|n| format!("\"k{n}\":{n}")).collect();
        let text = format!("{{{},\"k7\":8}}", many.join(","));
        assert_eq!(parse(&text, &arena).unwrap().conflicting_key, Some("k7"));
    }

    #[test]
    fn a_broken_text_keeps_the_members_before_the_break() {
        let arena = Bump::new();
        for (text, keys, comma) in [
            (r#"{"a": 1, "b" : [{"c": 2}] , }"#, "a b", 26),
            (r#" {"a": 1, "b": {"c": 2, "d": 3,"#, "a", 8),
            (r#"{"a": 1 "b": 2}"#, "", 0),
            (r#"[{"a": 1, "b": 2}, x]"#, "", 0),
            ("nothing", "", 0),
        ] {
            let broken = parse_or_break(text, &arena).unwrap_err();
            let found: Vec<&str> = broken.members.iter().map(|member| member.key).collect();
            assert_eq!((found.join(" ").as_str(), broken.comma), (keys, comma), "{text}");
        }
    }

    #[test]
    fn members_are_joined_and_those_that_clash_are_noted() {
        let arena = Bump::new();
        let broken = parse_or_break(r#"{"a": 1, "b": 2, x}"#, &arena).unwrap_err();
        let joined = |rest: &'static str| broken.joined(parse(rest, &arena).unwrap(), &arena);
        assert_eq!(joined(r#"{"c": 3}"#).root.to_json(), r#"{"a":1,"b":2,"c":3}"#);
        assert_eq!(joined("{}").conflicting_key, None);
        assert_eq!(joined(r#"{"b": 3}"#).conflicting_key, Some("b"));
        assert_eq!(parse_or_break(r#"{"a": 1, "a": 2, x}"#, &arena).unwrap_err().conflicting_key, Some("a"));
    }

    #[test]
    fn depth_is_bounded() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(accepts(&deep(MAX_DEPTH)));
        assert!(!accepts(&deep(MAX_DEPTH + 1)));
        assert!(!accepts(&"[".repeat(1_000_000)));
    }

    #[test]
    fn surrogate_pairs_are_joined_and_lone_ones_kept_raw() {
        let arena = Bump::new();
        let text = r#"["\ud83d\ude00","\ud83d"]"#;
        let parsed = parse(text, &arena).unwrap();
        let items = parsed.root.as_array().unwrap();
        assert_eq!(items[0].as_text().unwrap(), "😀");
        assert_eq!(items[1].source(), Some(r#""\ud83d""#));
    }

    #[test]
    fn the_first_special_byte_is_found_wherever_it_stands() {
        for length in 0..40 {
            for special in ["\"", "\\", "\n", "\u{1f}"] {
                let text = format!("{}{special}xyzä\u{7f}", "ö".repeat(length));
                assert_eq!(plain_run(text.as_bytes()), 2 * length, "{special:?} after {length}");
            }
        }
    }

    #[test]
    fn string_contents_are_what_may_stand_between_quotes() {
        for text in ["", "a", r"a\nb\u00e4", r#"\""#, r"\\", "ä😀", r"C:\\new"] {
            assert!(is_string_contents(text), "{text}");
            assert!(accepts(&format!("\"{text}\"")), "{text}");
        }
        for text in ["\"", "a\nb", r"\", r"\x", r"\u00", r"\u00g0", r"C:\sub", "\u{1}"] {
            assert!(!is_string_contents(text), "{text}");
            assert!(!accepts(&format!("\"{text}\"")), "{text}");
        }
    }

    #[test]
    fn long_strings_refuse_control_characters() {
        assert!(accepts(&format!("\"{}\"", "x".repeat(100))));
        assert!(!accepts(&format!("\"{}\n\"", "x".repeat(100))));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn it_accepts_what_serde_json_accepts(text in r#"[\[\]{}:,"0-9eE+\-. a-dtrufalsn\\]{0,24}"#) {
            let serde = serde_json::from_str::<serde_json::Value>(&text);
            // serde_json refuses numbers outside of f64; the grammar does not.
            let out_of_range = serde.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
            if !out_of_range {
                prop_assert_eq!(accepts(&text), serde.is_ok(), "{}", text);
            }
        }
    }
}
