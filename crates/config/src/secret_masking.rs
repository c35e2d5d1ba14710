//! Masking of secrets in a line of a file: every other character keeps its column.

use std::ops::Range;

use toolwright_redact::{holds_secret, is_secret_key};

/// The longest text next to `${…}` that is not a secret: `Bearer `, a comma, a prefix.
const MAX_PLAIN_CHARS: usize = 7;

/// How far a long string is searched for secrets on both sides of its shown part, in bytes.
const LOOKED_AT_BYTES: usize = 1_000;

/// Keys whose values are addresses.
const ADDRESS_KEYS: &[&str] = &["url", "httpUrl", "serverUrl", "baseUrl", "otlp", "store"];

/// A line and its strings.
pub(crate) struct MaskableLine<'l> {
    pub text: &'l str,
    strings: Vec<LineString>,
}

/// A string in a line.
struct LineString {
    /// The byte range between its quotes.
    place: Range<usize>,
    is_key: bool,
}

/// Masks the secrets in a text.
pub(crate) fn mask(text: &str) -> String {
    MaskableLine::new(text).mask(0..text.len())
}

impl<'l> MaskableLine<'l> {
    /// Finds the strings of a line, as far as possible without the surrounding lines.
    pub fn new(text: &'l str) -> Self {
        let mut strings = Vec::new();
        let mut at = 0;
        while let Some(quote) = text[at..].find('"') {
            let start = at + quote + 1;
            let end = string_end(text, start);
            at = (end + 1).min(text.len());
            let is_key = text[at..].trim_start_matches([' ', '\t']).starts_with(':');
            strings.push(LineString { place: start..end, is_key });
        }
        MaskableLine { text, strings }
    }

    /// A part of the line with each character of a secret replaced by `*`. Secrets follow a secret key or flag, or
    /// look like a secret.
    pub fn mask(&self, part: Range<usize>) -> String {
        let mut out = String::with_capacity(part.len());
        let mut shown = part.start;
        let first = self.strings.partition_point(|string| string.place.end <= part.start);
        for (at, string) in self.strings.iter().enumerate().skip(first) {
            if string.place.start >= part.end {
                break;
            }
            let hidden = string.place.start.max(part.start)..string.place.end.min(part.end);
            if self.is_secret(at, &hidden) {
                out.push_str(&self.text[shown..hidden.start]);
                out.extend(self.text[hidden.clone()].chars().map(|_| '*'));
                shown = hidden.end;
            }
        }
        out.push_str(&self.text[shown..part.end]);
        out
    }

    /// Whether a string of which this part is shown must be masked.
    fn is_secret(&self, at: usize, shown: &Range<usize>) -> bool {
        let string = &self.strings[at];
        let text = &self.text[string.place.clone()];
        if string.is_key || is_flag(text) {
            return false;
        }
        let before = at.checked_sub(1).map(|before| &self.strings[before]);
        let follows = before.is_some_and(|before| {
            let text = &self.text[before.place.clone()];
            (before.is_key || is_flag(text)) && text.len() <= LOOKED_AT_BYTES && is_secret_key(text)
        });
        // A user name in an address: a password probably follows it, with or without a scheme.
        let is_address = before.is_some_and(|before| {
            before.is_key && ADDRESS_KEYS.contains(&&self.text[before.place.clone()]) && text.contains('@')
        });
        let from = shown.start.saturating_sub(LOOKED_AT_BYTES).max(string.place.start);
        let to = (shown.end + LOOKED_AT_BYTES).min(string.place.end);
        let near = self.text.floor_char_boundary(from)..self.text.floor_char_boundary(to);
        (follows || is_address || is_database(text) || holds_secret(&self.text[near])) && !is_reference(text)
    }
}

/// Whether the text is a database address with a user name, and so probably with a password in any notation.
fn is_database(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, rest)| scheme.contains("sql") && rest.contains('@'))
        || text.starts_with("postgres:") && text.contains('@')
}

/// The end of the string whose content starts here: its closing quote, or the end of the line.
fn string_end(text: &str, start: usize) -> usize {
    let mut is_escaped = false;
    let end = text.as_bytes()[start..].iter().position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| start + end)
}

/// Whether the text is only the name of an option.
fn is_flag(text: &str) -> bool {
    text.starts_with('-') && !text.contains(['=', ':', ' '])
}

/// Whether the text consists of variable references and little else, or is a placeholder: no secret.
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
    fn secrets_are_masked_and_columns_stay() {
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
            (r#""store": "postgres://a:b c@d""#, r#""store": "******************""#),
            (r#""otlp": "ann:hunter2@localhost""#, r#""otlp": "*********************""#),
            (r#""store": "sqlite:calls.db""#, r#""store": "sqlite:calls.db""#),
            ("", ""),
            ("\"", "\""),
        ] {
            assert_eq!(mask(line), shown);
            assert_eq!(mask(line).chars().count(), line.chars().count());
        }
    }
}
