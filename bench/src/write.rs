//! Writing a value as text, with the slips of the pen that models make.

use serde_json::{Map, Value};

/// How the text deviates from JSON. The default is plain JSON.
#[derive(Debug, Clone, Default)]
pub struct Style {
    /// Line breaks and indentation.
    pub pretty: bool,
    /// Python's quotes, `True`, `False` and `None`.
    pub python: bool,
    /// A comma before closing brackets.
    pub trailing_comma: Option<Trailing>,
    /// The comma before this member is missing (members counted over the whole text, firsts excluded).
    pub missing_comma: Option<usize>,
    /// A comment before this member (firsts included).
    pub comment: Option<(usize, Comment)>,
    /// Keys that are plain words have no quotes.
    pub bare_keys: bool,
    /// The first quote of this key is missing.
    pub open_key: Option<usize>,
    /// Line breaks and tabs stand in strings as they are.
    pub raw_breaks: bool,
    /// Backslashes stand in strings as they are.
    pub raw_backslashes: bool,
}

/// Where commas trail.
#[derive(Debug, Clone, Copy)]
pub enum Trailing {
    /// Before the last bracket.
    Outermost,
    /// In every container.
    Everywhere,
}

/// Ways to write a comment.
#[derive(Debug, Clone, Copy)]
pub enum Comment {
    /// `// …` to the end of the line.
    Slashes,
    /// `/* … */`
    Block,
    /// `# …` to the end of the line.
    Hash,
}

/// Writes a value in a style.
pub fn text(value: &Value, style: &Style) -> String {
    let mut writer = Writer { style, out: String::new(), members: 0, commas: 0 };
    writer.value(value, 0);
    writer.out
}

/// Writes a value as Python would print it.
pub fn python(value: &Value) -> String {
    text(value, &Style { python: true, ..Style::default() })
}

/// How many members the objects of a value have, all levels together.
pub fn members(value: &Value) -> usize {
    match value {
        Value::Object(map) => map.len() + map.values().map(members).sum::<usize>(),
        Value::Array(items) => items.iter().map(members).sum(),
        _ => 0,
    }
}

/// How many commas stand between members of objects.
pub fn commas(value: &Value) -> usize {
    match value {
        Value::Object(map) => map.len().saturating_sub(1) + map.values().map(commas).sum::<usize>(),
        Value::Array(items) => items.iter().map(commas).sum(),
        _ => 0,
    }
}

/// Whether a key can stand without quotes.
pub fn is_plain_word(key: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$';
    key.chars().next().is_some_and(|first| plain(first) && !first.is_ascii_digit()) && key.chars().all(plain)
}

struct Writer<'a> {
    style: &'a Style,
    out: String,
    members: usize,
    commas: usize,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Null if self.style.python => self.out.push_str("None"),
            Value::Bool(true) if self.style.python => self.out.push_str("True"),
            Value::Bool(false) if self.style.python => self.out.push_str("False"),
            Value::String(text) => self.string(text),
            Value::Array(items) => self.array(items, depth),
            Value::Object(members) => self.object(members, depth),
            _ => self.out.push_str(&value.to_string()),
        }
    }

    fn array(&mut self, items: &[Value], depth: usize) {
        self.out.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.value(item, depth + 1);
        }
        if !items.is_empty() && self.trails(depth) {
            self.out.push(',');
        }
        self.out.push(']');
    }

    fn object(&mut self, members: &Map<String, Value>, depth: usize) {
        self.out.push('{');
        for (index, (key, value)) in members.iter().enumerate() {
            if index > 0 {
                if self.style.missing_comma != Some(self.commas) {
                    self.out.push(',');
                }
                self.commas += 1;
            }
            self.gap(depth + 1, index > 0);
            self.comment(depth + 1);
            self.key(key);
            self.out.push_str(": ");
            self.members += 1;
            self.value(value, depth + 1);
        }
        if !members.is_empty() && self.trails(depth) {
            self.out.push(',');
        }
        if !members.is_empty() {
            self.gap(depth, false);
        }
        self.out.push('}');
    }

    fn trails(&self, depth: usize) -> bool {
        match self.style.trailing_comma {
            Some(Trailing::Everywhere) => true,
            Some(Trailing::Outermost) => depth == 0,
            None => false,
        }
    }

    fn gap(&mut self, depth: usize, spaced: bool) {
        if self.style.pretty {
            self.out.push('\n');
            self.out.push_str(&"  ".repeat(depth));
        } else if spaced {
            self.out.push(' ');
        }
    }

    fn comment(&mut self, depth: usize) {
        let Some((place, comment)) = self.style.comment else { return };
        if place != self.members {
            return;
        }
        match comment {
            Comment::Block => self.out.push_str("/* as the user asked */ "),
            Comment::Slashes => self.out.push_str("// as the user asked"),
            Comment::Hash => self.out.push_str("# as the user asked"),
        }
        if !matches!(comment, Comment::Block) {
            self.out.push('\n');
            self.out.push_str(&"  ".repeat(depth));
        }
    }

    fn key(&mut self, key: &str) {
        if self.style.bare_keys && is_plain_word(key) {
            self.out.push_str(key);
        } else if self.style.open_key == Some(self.members) {
            self.out.push_str(key);
            self.out.push('"');
        } else if self.style.python {
            self.python_string(key);
        } else {
            self.out.push_str(&Value::from(key).to_string());
        }
    }

    fn string(&mut self, text: &str) {
        if self.style.python {
            return self.python_string(text);
        }
        let mut quoted = Value::from(text).to_string();
        if self.style.raw_breaks {
            quoted = unescape(&quoted, |letter| match letter {
                'n' => Some('\n'),
                't' => Some('\t'),
                _ => None,
            });
        }
        if self.style.raw_backslashes {
            quoted = unescape(&quoted, |letter| (letter == '\\').then_some('\\'));
        }
        self.out.push_str(&quoted);
    }

    fn python_string(&mut self, text: &str) {
        let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
        self.out.push(quote);
        for letter in text.chars() {
            match letter {
                '\n' => self.out.push_str("\\n"),
                '\t' => self.out.push_str("\\t"),
                '\r' => self.out.push_str("\\r"),
                '\\' => self.out.push_str("\\\\"),
                _ if letter == quote => {
                    self.out.push('\\');
                    self.out.push(letter);
                }
                _ => self.out.push(letter),
            }
        }
        self.out.push(quote);
    }
}

/// Replaces escapes in JSON text by what `raw` gives for the letter after the backslash.
fn unescape(quoted: &str, raw: impl Fn(char) -> Option<char>) -> String {
    let mut out = String::new();
    let mut letters = quoted.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        let Some(escaped) = letters.next() else { break };
        match raw(escaped) {
            Some(raw) => out.push(raw),
            None => out.extend(['\\', escaped]),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn plain_style_is_json() {
        let value = json!({"a": [1, "x\n", null], "b": {"c": true}, "d": {}});
        for pretty in [true, false] {
            let written = text(&value, &Style { pretty, ..Style::default() });
            assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), value);
        }
    }

    #[test]
    fn python_style_looks_like_python() {
        let value = json!({"a": "it's", "b": [true, null], "c": "say \"hi\"", "d": "both ' and \""});
        let expected = r#"{'a': "it's", 'b': [True, None], 'c': 'say "hi"', 'd': 'both \' and "'}"#;
        assert_eq!(python(&value), expected);
    }

    #[test]
    fn slips_are_where_they_were_asked_for() {
        let value = json!({"a": 1, "b": "C:\\Users", "c": "x\ny"});
        let write = |style: Style| text(&value, &style);
        assert!(write(Style { missing_comma: Some(0), ..Style::default() }).starts_with(r#"{"a": 1 "b""#));
        assert!(write(Style { open_key: Some(1), ..Style::default() }).contains(r#", b": "#));
        assert!(write(Style { raw_backslashes: true, ..Style::default() }).contains(r#""C:\Users""#));
        assert!(write(Style { raw_breaks: true, ..Style::default() }).contains("x\ny"));
        assert!(write(Style { bare_keys: true, ..Style::default() }).starts_with("{a: 1"));
        assert!(
            write(Style { trailing_comma: Some(Trailing::Outermost), ..Style::default() }).ends_with(",}")
        );
    }
}
