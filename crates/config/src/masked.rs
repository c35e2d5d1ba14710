//! A line of a file as it may be shown: secrets hidden, every other character in its place.

use std::ops::Range;

use toolwright_redact::{holds_secret, is_secret_key};

/// The longest rest beside `${…}` that is no secret: `Bearer `, a comma, a prefix.
const MAX_PLAIN_CHARS: usize = 7;

/// How far a long string is searched for secrets on both sides of what is shown of it, in bytes.
const LOOKED_AT_BYTES: usize = 1_000;

/// A line, and the strings in it.
pub(crate) struct Line<'l> {
    pub text: &'l str,
    strings: Vec<Found>,
}

/// A string in a line.
struct Found {
    /// What stands between its quotes, in bytes.
    place: Range<usize>,
    is_key: bool,
}

/// A text without the secrets in it.
pub(crate) fn masked(text: &str) -> String {
    Line::new(text).masked(0..text.len())
}

impl<'l> Line<'l> {
    /// Finds the strings of a line, as far as they can be told without the lines around it.
    pub fn new(text: &'l str) -> Self {
        let mut strings = Vec::new();
        let mut at = 0;
        while let Some(quote) = text[at..].find('"') {
            let start = at + quote + 1;
            let end = string_end(text, start);
            at = (end + 1).min(text.len());
            let is_key = text[at..].trim_start_matches([' ', '\t']).starts_with(':');
            strings.push(Found { place: start..end, is_key });
        }
        Line { text, strings }
    }

    /// A part of the line with the characters of secrets replaced, one by one: what follows a secret key or
    /// flag, and what looks like a secret.
    pub fn masked(&self, part: Range<usize>) -> String {
        let mut out = String::with_capacity(part.len());
        let mut shown = part.start;
        let first = self.strings.partition_point(|found| found.place.end <= part.start);
        for (at, found) in self.strings.iter().enumerate().skip(first) {
            if found.place.start >= part.end {
                break;
            }
            let hidden = found.place.start.max(part.start)..found.place.end.min(part.end);
            if self.is_secret(at, &hidden) {
                out.push_str(&self.text[shown..hidden.start]);
                out.extend(self.text[hidden.clone()].chars().map(|_| '*'));
                shown = hidden.end;
            }
        }
        out.push_str(&self.text[shown..part.end]);
        out
    }

    /// Whether a string of which this is shown is to be hidden.
    fn is_secret(&self, at: usize, shown: &Range<usize>) -> bool {
        let found = &self.strings[at];
        let text = &self.text[found.place.clone()];
        if found.is_key || is_flag(text) {
            return false;
        }
        let before = at.checked_sub(1).map(|before| &self.strings[before]);
        let follows = before.is_some_and(|before| {
            let text = &self.text[before.place.clone()];
            (before.is_key || is_flag(text)) && text.len() <= LOOKED_AT_BYTES && is_secret_key(text)
        });
        let from = shown.start.saturating_sub(LOOKED_AT_BYTES).max(found.place.start);
        let to = (shown.end + LOOKED_AT_BYTES).min(found.place.end);
        let near = self.text.floor_char_boundary(from)..self.text.floor_char_boundary(to);
        (follows || is_database(text) || holds_secret(&self.text[near])) && !is_reference(text)
    }
}

/// Whether the text is the address of a database with somebody's name in it, and so probably a password, however
/// that is written.
fn is_database(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, rest)| scheme.contains("sql") && rest.contains('@'))
        || text.starts_with("postgres:") && text.contains('@')
}

/// Where the string ends whose contents begin here: at its quote, or with the line.
fn string_end(text: &str, start: usize) -> usize {
    let mut is_escaped = false;
    let end = text.as_bytes()[start..].iter().position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| start + end)
}

/// Whether the text is the name of an option and nothing else.
fn is_flag(text: &str) -> bool {
    text.starts_with('-') && !text.contains(['=', ':', ' '])
}

/// Whether the text is little more than references to variables, or stands for any text: no secrets.
fn is_reference(text: &str) -> bool {
    if text == "…" {
        return true;
    }
    let mut rest = text;
    let mut plain = 0;
    let mut has_reference = false;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, behind)) = after.split_once('}') else { break };
        has_reference = true;
        plain +=
            before.chars().count() + name.split_once(":-").map_or(0, |(_, default)| default.chars().count());
        rest = behind;
    }
    has_reference && plain + rest.chars().count() <= MAX_PLAIN_CHARS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_a_line_are_hidden_and_the_rest_keeps_its_place() {
        for (line, shown) in [
            (r#"  "API_KEY": "abc123","#, r#"  "API_KEY": "******","#),
            (r#""API_KEY": "${API_KEY}""#, r#""API_KEY": "${API_KEY}""#),
            (r#""Authorization": "Bearer ${T}""#, r#""Authorization": "Bearer ${T}""#),
            (r#""TOKEN": "${T:-abcdefgh}""#, r#""TOKEN": "**************""#),
            (r#""args": ["--token", "abc", "--dir", "x"]"#, r#""args": ["--token", "***", "--dir", "x"]"#),
            (r#""args": ["--api-key=abc"]"#, r#""args": ["*************"]"#),
            (r#"["sk-abcdefghijkl", 1]"#, r#"["***************", 1]"#),
            (r#""password": "a\"b", "x": "y""#, r#""password": "****", "x": "y""#),
            (r#""password": "äß" , "x": "y""#, r#""password": "**" , "x": "y""#),
            (r#""password": "never closed"#, r#""password": "************"#),
            (r#""command": "npx","#, r#""command": "npx","#),
            (r#""store": "postgres://a:b c@d""#, r#""store": "********************""#),
            (r#""store": "sqlite:calls.db""#, r#""store": "sqlite:calls.db""#),
            ("", ""),
            ("\"", "\""),
        ] {
            assert_eq!(masked(line), shown);
            assert_eq!(masked(line).chars().count(), line.chars().count());
        }
    }
}
