//! A call as code: `read_note(path="a.md", limit=5)`.
//!
//! # What it does
//! Parses named arguments with literal values as an object. The caller checks that the name is the
//! tool's own.
//!
//! # What it refuses
//! Values that are variables, calls or sums, arguments without a name, objects among them, and anything
//! after the closing parenthesis.

use toolwright_model::Finish;

use super::lenient::{Lenient, ParseResult, ParsedValue, is_key_char};
use super::{Step, Unreadable};

/// Marks the parenthesis of a call among the open brackets.
pub(super) const CALL: char = '\u{1}';

/// The name and the arguments of a call that is the whole text, if it looks like one.
pub(super) fn read(text: &str, finish: Finish) -> Option<Result<(&str, ParsedValue), Unreadable>> {
    let end = text.find(|char: char| !(char.is_alphanumeric() || "_-.".contains(char)))?;
    let inner = text[end..].strip_prefix('(').filter(|_| end > 0)?;
    if !starts_keyword(inner.trim_start()) || text.contains('{') {
        return None;
    }
    let mut reader = Lenient::new(text, end, finish);
    reader.open.push(CALL);
    if let Err(error) = reader.keywords() {
        return Some(Err(error));
    }
    reader.note(Step::KeywordCall);
    let is_whole = text[reader.at..].trim_end_matches([';', '`']).trim().is_empty();
    is_whole.then(|| Ok((&text[..end], reader.found())))
}

/// Whether a name and one `=` start here.
pub(super) fn starts_keyword(text: &str) -> bool {
    let end = text.find(|char: char| !is_key_char(char)).unwrap_or(text.len());
    let value = text[end..].trim_start().strip_prefix('=');
    end > 0 && text.starts_with(|char: char| char.is_alphabetic() || char == '_') && {
        value.is_some_and(|value| !value.starts_with('='))
    }
}

impl Lenient<'_> {
    fn keywords(&mut self) -> ParseResult {
        self.advance('(');
        self.out.push('{');
        let mut first = true;
        loop {
            self.trivia()?;
            let rest = &self.text[self.at..];
            if rest.starts_with(')') {
                self.advance(')');
                self.out.push('}');
                return Ok(());
            }
            if rest.is_empty() {
                return Err(self.truncated());
            }
            if !starts_keyword(rest) {
                return Err(self.expression());
            }
            let end = rest.find(|char: char| !is_key_char(char)).unwrap_or(rest.len());
            let comma = if first { "" } else { "," };
            self.out.push_str(&format!("{comma}\"{}\":", &rest[..end]));
            self.at += rest.find('=').map_or(rest.len(), |at| at + 1);
            first = false;
            self.value(1)?;
            self.trivia()?;
            match self.peek() {
                Some(',') => self.advance(','),
                Some(')') => {}
                None => return Err(self.truncated()),
                Some(_) => return Err(self.expression()),
            }
        }
    }
}
