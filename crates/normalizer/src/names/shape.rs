//! The shape of a value, and whether it fits a name.

use toolwright_jsonrpc::raw::{Kind, Node};

use super::name::SplitName;

/// The shape of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ValueShape {
    /// Unknown.
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

impl ValueShape {
    pub fn of(value: &Node<'_>) -> ValueShape {
        match value.kind {
            Kind::Number(_) => ValueShape::Number,
            Kind::String(_) => {
                value.as_text().map_or(ValueShape::Unknown, |text| ValueShape::of_text(text.trim()))
            }
            _ => ValueShape::Other,
        }
    }

    fn of_text(text: &str) -> ValueShape {
        let has_space = text.contains(char::is_whitespace);
        let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
        if text.is_empty() {
            ValueShape::Unknown
        } else if text.bytes().all(|byte| byte.is_ascii_digit()) {
            ValueShape::Digits
        } else if text.starts_with(['#', '@']) && !has_space {
            ValueShape::Handle
        } else if is_date(text) {
            ValueShape::Date
        } else if text.contains("://") && !has_space {
            ValueShape::Url
        } else if text.contains('@') && text.contains('.') && !text.starts_with('@') && !has_space {
            ValueShape::Email
        } else if has_space {
            ValueShape::Prose
        } else if text.contains(['/', '\\']) {
            ValueShape::Path
        } else if has_digit {
            ValueShape::Identifier
        } else {
            ValueShape::Word
        }
    }

    /// Whether it is a number, in a string or not.
    pub fn is_numeric(self) -> bool {
        matches!(self, ValueShape::Number | ValueShape::Digits)
    }

    /// A cue for the sense of a name.
    pub fn cue(self) -> Option<&'static str> {
        match self {
            ValueShape::Email => Some("email"),
            ValueShape::Url => Some("url"),
            ValueShape::Path => Some("path"),
            ValueShape::Date => Some("date"),
            _ => None,
        }
    }

    /// Whether a value of this shape fits the last words of the name.
    pub fn may_be(self, name: &SplitName) -> bool {
        let says = |word: &str| name.meaning.iter().any(|own| own == word);
        let head = name.meaning.last().map_or("", String::as_str);
        if matches!(self, ValueShape::Unknown | ValueShape::Other) {
            return true;
        }
        if says("email") && (head == "email" || head == "address") {
            return matches!(self, ValueShape::Email | ValueShape::Prose);
        }
        match head {
            "identifier" => !matches!(
                self,
                ValueShape::Prose
                    | ValueShape::Date
                    | ValueShape::Path
                    | ValueShape::Url
                    | ValueShape::Handle
            ),
            "url" => {
                !matches!(self, ValueShape::Prose | ValueShape::Number | ValueShape::Date | ValueShape::Email)
            }
            "path" | "directory" => {
                !matches!(self, ValueShape::Email | ValueShape::Date | ValueShape::Number)
            }
            "date" | "time" | "datetime" | "timestamp" => {
                !matches!(self, ValueShape::Email | ValueShape::Url | ValueShape::Path)
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
    use super::ValueShape;

    #[test]
    fn texts_have_shapes() {
        for (text, shape) in [
            ("2026-11-16T08:00:00Z", ValueShape::Date),
            ("11/16/2026", ValueShape::Date),
            ("08:30", ValueShape::Date),
            ("ada@example.org", ValueShape::Email),
            ("https://example.org/a", ValueShape::Url),
            ("src/main.rs", ValueShape::Path),
            ("C042", ValueShape::Identifier),
            ("1.2.3", ValueShape::Identifier),
            ("open", ValueShape::Word),
            ("two words", ValueShape::Prose),
            ("42", ValueShape::Digits),
            ("#general", ValueShape::Handle),
        ] {
            assert_eq!(ValueShape::of_text(text), shape, "{text}");
        }
    }
}
