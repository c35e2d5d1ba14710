//! Scans the outermost level of a value without building a tree.
//!
//! A message of many megabytes needs no more memory than its own text: the scanner checks nested values
//! against the same grammar as the parser, and returns them as text.

use std::borrow::Cow;

use super::cursor::{JsonCursor, decode_escapes};
use super::{MAX_DEPTH, ParseError, ParseErrorKind};

/// Initial capacity: most objects have at most this many members.
const USUAL_MEMBERS: usize = 8;

/// A member of an object whose value is still text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawMember<'a> {
    /// The key, decoded.
    pub key: Cow<'a, str>,
    /// The value's exact text.
    pub value: &'a str,
}

/// Whether the text is one JSON value.
pub fn check(text: &str) -> Result<(), ParseError> {
    let mut scanner = JsonCursor::new(text);
    scanner.skip_space();
    scanner.skip_value(0)?;
    scanner.expect_end()
}

/// Length of the JSON value at the start of a text.
pub fn value_end(text: &str) -> Result<usize, ParseError> {
    let mut scanner = JsonCursor::new(text);
    scanner.skip_value(0).map(|()| scanner.at)
}

/// The members of an object, including repeated keys.
pub fn members(text: &str) -> Result<Vec<RawMember<'_>>, ParseError> {
    let mut scanner = JsonCursor::new(text);
    let mut found = Vec::with_capacity(USUAL_MEMBERS);
    scanner.open(b'{')?;
    if scanner.take(b'}') {
        return scanner.expect_end().map(|()| found);
    }
    loop {
        let (raw, is_escaped) = scanner.key()?;
        let key = if is_escaped { Cow::Owned(decode_escapes(raw)) } else { Cow::Borrowed(raw) };
        found.push(RawMember { key, value: scanner.value(1)? });
        if !scanner.has_more(b'}')? {
            return scanner.expect_end().map(|()| found);
        }
    }
}

/// The value of the first member of this name in an object. The text after it is not checked.
pub fn find<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut scanner = JsonCursor::new(text);
    scanner.open(b'{').ok()?;
    if scanner.take(b'}') {
        return None;
    }
    loop {
        let (raw, is_escaped) = scanner.key().ok()?;
        let is_match = if is_escaped { decode_escapes(raw) == name } else { raw == name };
        let value = scanner.value(1).ok()?;
        if is_match {
            return Some(value);
        }
        if !scanner.has_more(b'}').ok()? {
            return None;
        }
    }
}

/// The members of the object that a text starts with, up to the first incomplete one.
pub fn first_members(text: &str) -> Vec<RawMember<'_>> {
    let mut scanner = JsonCursor::new(text);
    let mut found = Vec::with_capacity(USUAL_MEMBERS);
    if scanner.open(b'{').is_err() {
        return found;
    }
    while let Ok((raw, is_escaped)) = scanner.key() {
        let key = if is_escaped { Cow::Owned(decode_escapes(raw)) } else { Cow::Borrowed(raw) };
        let Ok(value) = scanner.value(1) else { break };
        // A number at the end of the text may be incomplete.
        if scanner.peek().is_none() {
            break;
        }
        found.push(RawMember { key, value });
        if !scanner.has_more(b'}').unwrap_or(false) {
            break;
        }
    }
    found
}

/// The items of an array.
pub fn items(text: &str) -> Result<Vec<&str>, ParseError> {
    let mut scanner = JsonCursor::new(text);
    let mut found = Vec::new();
    scanner.open(b'[')?;
    if scanner.take(b']') {
        return scanner.expect_end().map(|()| found);
    }
    loop {
        found.push(scanner.value(1)?);
        if !scanner.has_more(b']')? {
            return scanner.expect_end().map(|()| found);
        }
    }
}

impl<'a> JsonCursor<'a> {
    /// The text of the value that starts here.
    fn value(&mut self, depth: usize) -> Result<&'a str, ParseError> {
        let start = self.at;
        self.skip_value(depth)?;
        Ok(&self.text[start..self.at])
    }

    /// Skips a value. Open brackets are bits of an integer instead of stack frames, so depth costs no stack.
    fn skip_value(&mut self, depth: usize) -> Result<(), ParseError> {
        let mut objects: u128 = 0;
        let mut open = 0;
        loop {
            match self.peek() {
                Some(bracket @ (b'{' | b'[')) => {
                    if depth + open >= MAX_DEPTH {
                        return Err(self.error(ParseErrorKind::TooDeep));
                    }
                    let is_object = bracket == b'{';
                    objects = objects << 1 | u128::from(is_object);
                    open += 1;
                    self.at += 1;
                    self.skip_space();
                    if !self.take(if is_object { b'}' } else { b']' }) {
                        if is_object {
                            self.key()?;
                        }
                        continue;
                    }
                    objects >>= 1;
                    open -= 1;
                }
                Some(b'"') => {
                    self.string()?;
                }
                Some(b't') => self.literal("true")?,
                Some(b'f') => self.literal("false")?,
                Some(b'n') => self.literal("null")?,
                Some(b'-' | b'0'..=b'9') => {
                    self.number()?;
                }
                Some(_) => return Err(self.error(ParseErrorKind::Unexpected)),
                None => return Err(self.error(ParseErrorKind::EndOfText)),
            }
            // The value ends here, and with it every bracket that closes.
            loop {
                if open == 0 {
                    return Ok(());
                }
                let is_object = objects & 1 == 1;
                if self.has_more(if is_object { b'}' } else { b']' })? {
                    if is_object {
                        self.key()?;
                    }
                    break;
                }
                objects >>= 1;
                open -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;
    use proptest::prelude::*;

    use super::super::parse;
    use super::*;

    #[test]
    fn members_keep_their_text_and_repeat() {
        let text = r#" {"a" : 1.0, "\u0062":[ 1e3 ,-0], "a": "x\n"} "#;
        let found: Vec<(String, &str)> = members(text)
            .unwrap()
            .into_iter()
            .map(|member| (member.key.into_owned(), member.value))
            .collect();
        let expected = [("a", "1.0"), ("b", "[ 1e3 ,-0]"), ("a", r#""x\n""#)];
        assert_eq!(found, expected.map(|(key, value)| (key.to_owned(), value)));
        assert_eq!(members(" {} ").unwrap(), []);
    }

    #[test]
    fn items_are_the_text_between_the_commas() {
        assert_eq!(items(r#"[1, {"a": [2, 3]} , "x,y"]"#).unwrap(), ["1", r#"{"a": [2, 3]}"#, r#""x,y""#]);
        assert_eq!(items("[ ]").unwrap(), [""; 0]);
        assert!(items("[1,]").is_err());
        assert!(items("{}").is_err());
    }

    #[test]
    fn excessive_depth_is_refused_without_stack() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(check(&deep(MAX_DEPTH)).is_ok());
        assert_eq!(check(&deep(MAX_DEPTH + 1)).unwrap_err().kind, ParseErrorKind::TooDeep);
        assert!(check(&"[".repeat(1_000_000)).is_err());
        let inside = |levels: usize| format!(r#"{{"a":{}}}"#, deep(levels));
        assert!(members(&inside(MAX_DEPTH - 1)).is_ok());
        assert!(members(&inside(MAX_DEPTH)).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8192))]

        #[test]
        fn check_agrees_with_parser(text in r#"[\[\]{}:,"0-9eE+\-. a-dtrufalsn\\]{0,24}"#) {
            let arena = Bump::new();
            prop_assert_eq!(check(&text).map_err(Some), parse(&text, &arena).map(|_| ()).map_err(Some), "{}", text);
        }
    }
}
