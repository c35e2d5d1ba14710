//! What a value looks like, and whether that is what a name says.

use toolwright_jsonrpc::raw::{Kind, Node};

use super::name::Name;

/// What a value looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Nothing is known of it.
    #[default]
    Unknown,
    Number,
    Email,
    Url,
    Path,
    Date,
    /// One token with a digit in it: `C042`, `18c2f9`.
    Identifier,
    /// Digits only, in a string.
    Digits,
    /// A name with its sign: `#general`, `@ann`.
    Handle,
    /// One word.
    Word,
    /// Several words or lines.
    Prose,
    /// An object, a list or a flag.
    Other,
}

impl Shape {
    pub fn of(value: &Node<'_>) -> Shape {
        match value.kind {
            Kind::Number(_) => Shape::Number,
            Kind::String(_) => value.as_text().map_or(Shape::Unknown, |text| Shape::of_text(text.trim())),
            _ => Shape::Other,
        }
    }

    fn of_text(text: &str) -> Shape {
        let has_space = text.contains(char::is_whitespace);
        let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
        if text.is_empty() {
            Shape::Unknown
        } else if text.bytes().all(|byte| byte.is_ascii_digit()) {
            Shape::Digits
        } else if text.starts_with(['#', '@']) && !has_space {
            Shape::Handle
        } else if is_date(text) {
            Shape::Date
        } else if text.contains("://") && !has_space {
            Shape::Url
        } else if text.contains('@') && text.contains('.') && !text.starts_with('@') && !has_space {
            Shape::Email
        } else if has_space {
            Shape::Prose
        } else if text.contains(['/', '\\']) {
            Shape::Path
        } else if has_digit {
            Shape::Identifier
        } else {
            Shape::Word
        }
    }

    /// Whether it is a number, in a string or not.
    pub fn is_numeric(self) -> bool {
        matches!(self, Shape::Number | Shape::Digits)
    }

    /// A word that tells which of several senses of a name is meant.
    pub fn cue(self) -> Option<&'static str> {
        match self {
            Shape::Email => Some("email"),
            Shape::Url => Some("url"),
            Shape::Path => Some("path"),
            Shape::Date => Some("date"),
            _ => None,
        }
    }

    /// Whether a value of this shape can be what the last words of the name say.
    pub fn may_be(self, name: &Name) -> bool {
        let says = |word: &str| name.meaning.iter().any(|own| own == word);
        let head = name.meaning.last().map_or("", String::as_str);
        if matches!(self, Shape::Unknown | Shape::Other) {
            return true;
        }
        if says("email") && (head == "email" || head == "address") {
            return matches!(self, Shape::Email | Shape::Prose);
        }
        match head {
            "identifier" => {
                !matches!(self, Shape::Prose | Shape::Date | Shape::Path | Shape::Url | Shape::Handle)
            }
            "url" => !matches!(self, Shape::Prose | Shape::Number | Shape::Date | Shape::Email),
            "path" | "directory" => !matches!(self, Shape::Email | Shape::Date | Shape::Number),
            "date" | "time" | "datetime" | "timestamp" => {
                !matches!(self, Shape::Email | Shape::Url | Shape::Path)
            }
            _ => true,
        }
    }
}

/// `2026-11-16`, `2026-11-16T08:00:00Z`, `16.11.2026`, `11/16/2026`, `08:30`.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split(['T', ' ']).next().unwrap_or("").split(['-', '/', '.', ':']).collect();
    let numbers = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match parts.len() {
        2 => text.contains(':') && parts.iter().all(|part| numbers(part) && part.len() == 2),
        3 => {
            parts.iter().all(numbers)
                && parts.iter().any(|part| part.len() == 4)
                && parts.iter().all(|part| part.len() <= 4)
                || text.contains(':') && parts.iter().all(|part| numbers(part) && part.len() <= 2)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn texts_have_shapes() {
        for (text, shape) in [
            ("2026-11-16T08:00:00Z", Shape::Date),
            ("11/16/2026", Shape::Date),
            ("08:30", Shape::Date),
            ("ada@example.org", Shape::Email),
            ("https://example.org/a", Shape::Url),
            ("src/main.rs", Shape::Path),
            ("C042", Shape::Identifier),
            ("1.2.3", Shape::Identifier),
            ("open", Shape::Word),
            ("two words", Shape::Prose),
            ("42", Shape::Digits),
            ("#general", Shape::Handle),
        ] {
            assert_eq!(Shape::of_text(text), shape, "{text}");
        }
    }
}
