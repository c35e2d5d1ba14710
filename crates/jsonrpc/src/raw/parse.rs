//! A strict JSON parser that stores the source text of every value.
//!
//! It accepts exactly the grammar of RFC 8259 (tested against `serde_json`), bounds the depth, and
//! reports the first object whose keys repeat with different values.

use std::fmt;

use bumpalo::Bump;

use super::cursor::{JsonCursor, decode_escapes};
use super::{Kind, Member, Node, Str, same_value};

/// Maximum nesting depth of values.
pub const MAX_DEPTH: usize = 128;

/// Up to this many members, repeated keys are found pairwise.
const PAIRWISE_KEYS: usize = 12;

/// A parsed document.
#[derive(Clone, Copy, Debug)]
pub struct Parsed<'a> {
    /// The value.
    pub root: Node<'a>,
    /// A key that is present twice in one object with different values.
    pub conflicting_key: Option<&'a str>,
}

/// A text that is not JSON, and the part of it that is.
#[derive(Clone, Copy, Debug)]
pub struct Broken<'a> {
    /// Position and reason.
    pub error: ParseError,
    /// The members of the outermost object that are followed by a comma, if the text starts as an object.
    pub members: &'a [Member<'a>],
    /// A key among or within them that is present twice in one object with different values.
    pub conflicting_key: Option<&'a str>,
    /// Byte offset of the last such comma.
    pub comma: usize,
}

/// Position and reason of a syntax error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct ParseError {
    /// Byte offset of the first character that is not allowed there.
    pub offset: usize,
    /// What is wrong.
    pub kind: ParseErrorKind,
}

/// Kinds of syntax errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseErrorKind {
    /// The text ends inside a value.
    EndOfText,
    /// A character is not allowed at its position.
    Unexpected,
    /// Text follows the value.
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

/// Parses like [`parse`]; a text that is not JSON is returned with the members that are.
pub fn parse_or_break<'a>(text: &'a str, arena: &'a Bump) -> Result<Parsed<'a>, Broken<'a>> {
    let mut parser = Parser::new(text, arena);
    parser.document().and_then(|parsed| parser.expect_end(parsed)).map_err(|error| parser.broken(error))
}

impl<'a> Broken<'a> {
    /// Joins the members that are JSON with those of an object that was parsed elsewhere.
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

/// Parses the JSON value at the start of a text: the value, and the offset after it and the white space that
/// follows.
pub fn parse_prefix<'a>(text: &'a str, arena: &'a Bump) -> Result<(Parsed<'a>, usize), ParseError> {
    let mut parser = Parser::new(text, arena);
    parser.document().map(|parsed| (parsed, parser.cursor.at))
}

struct Parser<'a> {
    cursor: JsonCursor<'a>,
    arena: &'a Bump,
    /// Items of the arrays being read, innermost last.
    nodes: Vec<Node<'a>>,
    /// Members of the objects being read, innermost last.
    members: Vec<Member<'a>>,
    conflicting_key: Option<&'a str>,
    /// Number of members of the outermost object that are followed by a comma.
    complete: usize,
    /// Offset of the last such comma.
    comma: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, arena: &'a Bump) -> Self {
        Parser {
            cursor: JsonCursor::new(text),
            arena,
            nodes: Vec::new(),
            members: Vec::new(),
            conflicting_key: None,
            complete: 0,
            comma: 0,
        }
    }

    fn document(&mut self) -> Result<Parsed<'a>, ParseError> {
        self.cursor.skip_space();
        let root = self.value(0)?;
        self.cursor.skip_space();
        Ok(Parsed { root, conflicting_key: self.conflicting_key })
    }

    fn expect_end(&mut self, parsed: Parsed<'a>) -> Result<Parsed<'a>, ParseError> {
        self.cursor.expect_end().map(|()| parsed)
    }

    /// The parsed part of a text that is not JSON. After the outermost members the stack has those of the
    /// objects that were still open.
    fn broken(&mut self, error: ParseError) -> Broken<'a> {
        self.members.truncate(self.complete);
        self.note_conflicting_keys(0);
        let members = self.arena.alloc_slice_copy(&self.members);
        Broken { error, members, conflicting_key: self.conflicting_key, comma: self.comma }
    }

    fn value(&mut self, depth: usize) -> Result<Node<'a>, ParseError> {
        let start = self.cursor.at;
        let kind = match self.cursor.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Kind::String(Str { raw: self.cursor.string()?.0 }),
            Some(b't') => self.cursor.literal("true").map(|()| Kind::Bool(true))?,
            Some(b'f') => self.cursor.literal("false").map(|()| Kind::Bool(false))?,
            Some(b'n') => self.cursor.literal("null").map(|()| Kind::Null)?,
            Some(b'-' | b'0'..=b'9') => Kind::Number(self.cursor.number()?),
            Some(_) => return Err(self.cursor.error(ParseErrorKind::Unexpected)),
            None => return Err(self.cursor.error(ParseErrorKind::EndOfText)),
        };
        Ok(Node { source: &self.cursor.text[start..self.cursor.at], kind })
    }

    fn object(&mut self, depth: usize) -> Result<Kind<'a>, ParseError> {
        self.descend(depth)?;
        let first = self.members.len();
        if self.cursor.take(b'}') {
            return Ok(Kind::Object(&[]));
        }
        loop {
            let (raw_key, is_escaped) = self.cursor.key()?;
            let value = self.value(depth + 1)?;
            let key = if is_escaped { self.arena.alloc_str(&decode_escapes(raw_key)) } else { raw_key };
            self.members.push(Member { key, raw_key, value });
            if depth == 0 {
                self.cursor.skip_space();
                let end = self.cursor.at;
                if !self.cursor.has_more(b'}')? {
                    break;
                }
                (self.complete, self.comma) = (self.members.len(), end);
            } else if !self.cursor.has_more(b'}')? {
                break;
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
        if self.cursor.take(b']') {
            return Ok(Kind::Array(&[]));
        }
        loop {
            let item = self.value(depth + 1)?;
            self.nodes.push(item);
            if !self.cursor.has_more(b']')? {
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
            return Err(self.cursor.error(ParseErrorKind::TooDeep));
        }
        self.cursor.at += 1;
        self.cursor.skip_space();
        Ok(())
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
    fn joined_members_report_conflicts() {
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
    fn long_strings_refuse_control_characters() {
        assert!(accepts(&format!("\"{}\"", "x".repeat(100))));
        assert!(!accepts(&format!("\"{}\n\"", "x".repeat(100))));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn accepts_what_serde_json_accepts(text in r#"[\[\]{}:,"0-9eE+\-. a-dtrufalsn\\]{0,24}"#) {
            let serde = serde_json::from_str::<serde_json::Value>(&text);
            // serde_json refuses numbers outside of f64; the grammar does not.
            let out_of_range = serde.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
            if !out_of_range {
                prop_assert_eq!(accepts(&text), serde.is_ok(), "{}", text);
            }
        }
    }
}
