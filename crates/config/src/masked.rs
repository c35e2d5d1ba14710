//! A line of a file as it may be shown: secrets hidden, every other character in its place.

use toolwright_model::{holds_secret, is_secret_key};

/// The longest rest beside `${…}` that is no secret: `Bearer `, a comma, a prefix.
const MAX_PLAIN_CHARS: usize = 7;

/// A string in a line.
struct Found<'l> {
    /// What stands between its quotes.
    text: &'l str,
    /// Where that begins, in bytes.
    start: usize,
    is_key: bool,
}

/// The line with the characters of secrets replaced, one by one: what follows a secret key or flag, and
/// what looks like a secret.
pub(crate) fn masked(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut shown = 0;
    let mut before: Option<Found<'_>> = None;
    for found in strings(line) {
        let follows = before.as_ref().is_some_and(|before| {
            (before.is_key || before.text.starts_with('-')) && is_secret_key(before.text)
        });
        let is_secret = !found.is_key && (follows || holds_secret(found.text));
        if is_secret && !is_reference(found.text) {
            out.push_str(&line[shown..found.start]);
            out.extend(found.text.chars().map(|_| '*'));
            shown = found.start + found.text.len();
        }
        before = Some(found);
    }
    out.push_str(&line[shown..]);
    out
}

/// The strings of a line, as far as they can be told without the lines around it.
fn strings(line: &str) -> impl Iterator<Item = Found<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + line[at..].find('"')? + 1;
        let mut is_escaped = false;
        let end = line[start..].find(|char: char| {
            let ends = char == '"' && !is_escaped;
            is_escaped = char == '\\' && !is_escaped;
            ends
        });
        let end = end.map_or(line.len(), |end| start + end);
        at = (end + 1).min(line.len());
        let is_key = line[at..].trim_start().starts_with(':');
        Some(Found { text: &line[start..end], start, is_key })
    })
}

/// Whether the text is little more than references to variables, which are no secrets.
fn is_reference(text: &str) -> bool {
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
            ("", ""),
            ("\"", "\""),
        ] {
            assert_eq!(masked(line), shown);
            assert_eq!(masked(line).chars().count(), line.chars().count());
        }
    }
}
