//! Values in changes and messages, shortened for display.
//!
//! Omitted parts are marked by `…`, and the rest is still JSON of the same kind: a long text becomes
//! a shorter text, a long list a list of its first items.

use toolwright_jsonrpc::raw::{Kind, Node, quote};

/// Maximum length of a displayed value, in bytes.
const PREVIEW_BYTES: usize = 240;

/// A value's JSON text; long ones are shortened.
pub(crate) fn preview(node: &Node<'_>) -> String {
    let mut text = String::new();
    if node.write_at_most(&mut text, PREVIEW_BYTES) {
        return if text.contains("\\u") { readable(&text) } else { text };
    }
    text.clear();
    shorten(node, &mut text);
    text
}

/// Replaces escapes such as `\u0131` by the characters themselves, if they are visible.
fn readable(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        // A surrogate pair is one character.
        let unit = |from: usize| {
            let digits = escape.get(from..from + 6)?.strip_prefix("\\u")?;
            u16::from_str_radix(digits, 16).ok()
        };
        let units: Vec<u16> = unit(0).into_iter().chain(unit(6)).collect();
        let char = char::decode_utf16(units).next().and_then(Result::ok);
        let length = match char {
            Some(char) => 6 * char.len_utf16(),
            None => escape.char_indices().nth(2).map_or(escape.len(), |(end, _)| end),
        };
        match char.filter(|char| char.escape_debug().len() == 1) {
            Some(char) => out.push(char),
            None => out.push_str(&escape[..length]),
        }
        rest = &escape[length..];
    }
    out.push_str(rest);
    out
}

fn shorten(node: &Node<'_>, out: &mut String) {
    let left = PREVIEW_BYTES.saturating_sub(out.len());
    match node.kind {
        Kind::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                if out.len() >= PREVIEW_BYTES {
                    out.push_str(&quote(&format!("… {} more", items.len() - index)));
                    break;
                }
                shorten(item, out);
            }
            out.push(']');
        }
        Kind::Object(members) => {
            out.push('{');
            for (index, member) in members.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                if out.len() >= PREVIEW_BYTES {
                    out.push_str(&format!("\"…\":\"{} more\"", members.len() - index));
                    break;
                }
                out.push_str(&shortened(member.key, left));
                out.push(':');
                shorten(&member.value, out);
            }
            out.push('}');
        }
        Kind::String(text) => out.push_str(&shortened(&text.decode(), left)),
        Kind::Number(digits) if digits.len() > left => out.push_str(&shortened(digits, left)),
        _ => node.write(out),
    }
}

/// A text as JSON, cut to about `limit` bytes.
fn shortened(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return quote(text);
    }
    let end = (0..=limit).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    quote(&format!("{}…", &text[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bumpalo::Bump;
    use toolwright_jsonrpc::raw::parse;

    fn shown(json: &str) -> String {
        let arena = Bump::new();
        let text = preview(&parse(json, &arena).unwrap().root);
        assert!(parse(&text, &arena).is_ok(), "{text}");
        assert!(text.len() < 2 * PREVIEW_BYTES, "{text}");
        text
    }

    #[test]
    fn short_values_are_shown_as_they_are() {
        assert_eq!(shown(r#"{"a": [1.0, "x\n"]}"#), r#"{"a": [1.0, "x\n"]}"#);
    }

    #[test]
    fn visible_characters_are_shown_unescaped() {
        for (json, expected) in [
            (r#"{"\u0131nfo": "\ud83d\ude00"}"#, "{\"ınfo\": \"😀\"}"),
            (
                r#""\\u0131 \u0022 \u005c \u0000 \u200b \ud83d""#,
                r#""\\u0131 \u0022 \u005c \u0000 \u200b \ud83d""#,
            ),
            (r#""a\n\u00e9""#, r#""a\né""#),
        ] {
            assert_eq!(shown(json), expected);
        }
    }

    #[test]
    fn long_text_is_shortened_not_nested() {
        let text = shown(&format!("\"{}\"", "ä\\n".repeat(200)));
        assert!(text.starts_with("\"ä\\nä") && text.ends_with("…\""), "{text}");
    }

    #[test]
    fn long_value_reports_omitted_count() {
        let list = shown(&format!("[{}1]", "12345,".repeat(100)));
        assert!(list.starts_with("[12345,12345,") && list.ends_with(",\"… 61 more\"]"), "{list}");
        let text = "x".repeat(300);
        let object = shown(&format!(r#"{{"a":{{"b":"{text}"}},"c":1,"d":2}}"#));
        assert!(
            object.starts_with(r#"{"a":{"b":"xxx"#) && object.ends_with(r#"…"},"…":"2 more"}"#),
            "{object}"
        );
    }
}
