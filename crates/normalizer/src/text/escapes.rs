//! Contents of a string: written as strict JSON, with every backslash accounted for.

use toolwright_jsonrpc::raw::is_string_contents;
use toolwright_model::Code;

use super::lenient::Lenient;
use super::{Step, Unreadable};

/// Writes a string's contents as strict JSON.
pub(super) fn write(reader: &mut Lenient<'_>, content: &str, quote: char) -> Result<(), Unreadable> {
    if is_string_contents(content) {
        reader.out.push('"');
        reader.out.push_str(content);
        reader.out.push('"');
        return Ok(());
    }
    let escapes = Escapes::of(content);
    if escapes.is_ambiguous(content) {
        return Err(reader.error(
            Code::AmbiguousReading,
            "a string mixes backslashes that are escapes with some that are not; double the ones that stand for themselves",
        ));
    }
    let literal = escapes.invalid && escapes.valid;
    reader.out.push('"');
    let is_special = |byte: u8| byte == b'\\' || byte == b'"' || byte < 0x20;
    let mut rest = content;
    while let Some(at) = rest.bytes().position(is_special) {
        reader.out.push_str(&rest[..at]);
        let special = rest.as_bytes()[at];
        rest = &rest[at + 1..];
        match special {
            b'\\' => match rest.as_bytes().first().copied() {
                Some(b'\\') if !literal => {
                    rest = &rest[1..];
                    reader.out.push_str("\\\\");
                }
                Some(b'"') => {
                    rest = &rest[1..];
                    reader.out.push_str("\\\"");
                }
                Some(b'\'') if !literal && (quote == '\'' || !escapes.invalid) => {
                    rest = &rest[1..];
                    reader.out.push('\'');
                    reader.note(Step::EscapedApostrophe);
                }
                Some(b'/' | b'b' | b'f' | b'n' | b'r' | b't') if !literal => reader.out.push('\\'),
                Some(b'u') if !literal && has_hex(&rest[1..]) => reader.out.push('\\'),
                _ => {
                    reader.out.push_str("\\\\");
                    reader.note(Step::Backslashes);
                }
            },
            b'"' => reader.out.push_str("\\\""),
            b'\n' => control(reader, "\\n"),
            b'\r' => control(reader, "\\r"),
            b'\t' => control(reader, "\\t"),
            other => control(reader, &format!("\\u{other:04x}")),
        }
    }
    reader.out.push_str(rest);
    reader.out.push('"');
    Ok(())
}

fn control(reader: &mut Lenient<'_>, escape: &str) {
    reader.out.push_str(escape);
    reader.note(Step::RawControl);
}

fn has_hex(text: &str) -> bool {
    text.as_bytes().get(..4).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
}

/// The kinds of backslashes in a string.
#[derive(Default)]
struct Escapes {
    /// `\n`, `\t` and other escapes that would change the text if they were literal.
    valid: bool,
    /// Backslashes that are not JSON escapes.
    invalid: bool,
    /// `\\`.
    doubled: bool,
    /// `\x41`, `\0`: escapes of other languages.
    foreign: bool,
}

impl Escapes {
    fn of(content: &str) -> Escapes {
        let mut found = Escapes::default();
        let mut octal = false;
        let mut rest = content;
        while let Some(at) = rest.find('\\') {
            rest = &rest[at + 1..];
            let Some(char) = rest.chars().next() else {
                found.invalid = true;
                break;
            };
            rest = &rest[char.len_utf8()..];
            match char {
                '\\' => found.doubled = true,
                '"' | '/' | '\'' => {}
                'b' | 'f' | 'n' | 'r' | 't' => found.valid = true,
                'u' if has_hex(rest) => found.valid = true,
                'x' if rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2 => {
                    found.foreign = true
                }
                '0'..='7' => octal = true,
                _ => found.invalid = true,
            }
        }
        // Next to `\d`, `\1` is part of a pattern.
        if octal && content.contains("\\d") {
            found.invalid = true;
        } else if octal {
            found.foreign = true;
        }
        found
    }

    /// Whether both kinds are in one string: only a path that starts with a drive is unambiguous.
    fn is_ambiguous(&self, content: &str) -> bool {
        let drive = content.len() > 2
            && content.as_bytes()[0].is_ascii_alphabetic()
            && content[1..].starts_with(":\\");
        self.foreign || self.invalid && self.valid && (self.doubled || !drive)
    }
}
