//! Steps through a JSON text once, and tells where things stand in it.

use std::borrow::Cow;
use std::ops::Range;

use toolwright_jsonrpc::raw;

/// Where something stands in a text, in bytes. The span of a string has its quotes.
pub type Span = Range<usize>;

/// A place in a JSON text. What is stepped over is checked, what is not asked for is not kept.
///
/// Every reader steps over exactly one value, whatever it is. `None` says that the text is no JSON.
pub(crate) struct Walk<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Walk<'t> {
    pub fn new(text: &'t str) -> Walk<'t> {
        let mut walk = Walk { text, at: 0 };
        walk.space();
        walk
    }

    /// Steps through an object. `each` gets every key and steps over its value. Other values are stepped over.
    pub fn object(&mut self, mut each: impl FnMut(&mut Walk<'t>, &str) -> Option<()>) -> Option<()> {
        if self.peek() != Some(b'{') {
            return self.skip();
        }
        self.at += 1;
        self.space();
        if self.take(b'}') {
            return Some(());
        }
        loop {
            let key = self.key()?;
            each(self, &key)?;
            self.space();
            if self.take(b'}') {
                return Some(());
            }
            if !self.take(b',') {
                return None;
            }
            self.space();
        }
    }

    /// Steps through a list. `each` gets the number of every item and steps over it. Other values are stepped over.
    pub fn list(&mut self, mut each: impl FnMut(&mut Walk<'t>, usize) -> Option<()>) -> Option<()> {
        if self.peek() != Some(b'[') {
            return self.skip();
        }
        self.at += 1;
        self.space();
        if self.take(b']') {
            return Some(());
        }
        for number in 0.. {
            each(self, number)?;
            self.space();
            if self.take(b']') {
                return Some(());
            }
            if !self.take(b',') {
                return None;
            }
            self.space();
        }
        None
    }

    /// Where the value stands.
    pub fn span(&mut self) -> Option<Span> {
        let start = self.at;
        self.at += raw::value_end(&self.text[start..]).ok()?;
        Some(start..self.at)
    }

    /// Steps over the value.
    pub fn skip(&mut self) -> Option<()> {
        self.span().map(drop)
    }

    /// Where the value stands, when it is a string.
    pub fn string(&mut self, found: &mut Option<Span>) -> Option<()> {
        let is_string = self.peek() == Some(b'"');
        let span = self.span()?;
        if is_string {
            *found = Some(span);
        }
        Some(())
    }

    /// Where the value stands, unless it is `null`.
    pub fn present(&mut self, found: &mut Option<Span>) -> Option<()> {
        let is_null = self.peek() == Some(b'n');
        let span = self.span()?;
        if !is_null {
            *found = Some(span);
        }
        Some(())
    }

    /// Where the value stands and what its text is, when it is a string.
    pub fn worded(&mut self, found: &mut Option<Span>, word: &mut Option<Cow<'t, str>>) -> Option<()> {
        let mut span = None;
        self.string(&mut span)?;
        if let Some(span) = span {
            *word = Some(decoded(self.text, &span));
            *found = Some(span);
        }
        Some(())
    }

    /// The text of the value, when it is a string.
    pub fn word(&mut self, found: &mut Option<Cow<'t, str>>) -> Option<()> {
        self.worded(&mut None, found)
    }

    /// The value, when it is a whole number.
    pub fn number(&mut self, found: &mut Option<u64>) -> Option<()> {
        let span = self.span()?;
        if let Ok(number) = self.text[span].parse() {
            *found = Some(number);
        }
        Some(())
    }

    /// Whether the object or list that stands there has nothing in it.
    pub fn is_empty(&self, span: &Span) -> bool {
        inside(self.text, span).trim_ascii().is_empty()
    }

    /// Where the walk has come to.
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn key(&mut self) -> Option<Cow<'t, str>> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let span = self.span()?;
        self.space();
        if !self.take(b':') {
            return None;
        }
        self.space();
        Some(decoded(self.text, &span))
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }
}

/// The text of the string that stands there.
pub(crate) fn decoded<'t>(text: &'t str, span: &Span) -> Cow<'t, str> {
    raw::Str::from_escaped(inside(text, span)).decode()
}

/// The text between the quotes of the string that stands there.
pub(super) fn inside<'t>(text: &'t str, span: &Span) -> &'t str {
    text.get(span.start + 1..span.end.saturating_sub(1)).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_where_things_stand() {
        let text = r#" { "a" : [ 1 , {"n\u0061me" : "x\ny"} , null ], "b":7 } "#;
        let (mut name, mut number, mut items) = (None, None, 0);
        let mut walk = Walk::new(text);
        let done = walk.object(|walk, key| match key {
            "a" => walk.list(|walk, _| {
                items += 1;
                walk.object(|walk, key| if key == "name" { walk.string(&mut name) } else { walk.skip() })
            }),
            "b" => walk.number(&mut number),
            _ => walk.skip(),
        });
        assert_eq!((done, items, number), (Some(()), 3, Some(7)));
        let name = name.unwrap();
        assert_eq!(&text[name.clone()], r#""x\ny""#);
        assert_eq!(decoded(text, &name), "x\ny");
    }

    #[test]
    fn what_is_no_json_is_none() {
        for text in ["", "{", r#"{"a"}"#, r#"{"a":1,}"#, r#"{"a":[1}"#, "{\"a\":'x'}", r#"{"a":1 "b":2}"#] {
            let read = Walk::new(text).object(|walk, _| walk.list(|walk, _| walk.skip()));
            assert_eq!(read, None, "{text}");
        }
    }
}
