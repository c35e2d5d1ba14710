//! JSON with comments and trailing commas: both become spaces, so that every other byte keeps its offset.

/// Replaces comments and trailing commas by spaces. Length and line breaks stay the same. An unclosed comment stays
/// unchanged.
pub fn blanked(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let mut at = 0;
    // The comma that becomes a trailing one if the next token is a closing bracket.
    let mut comma: Option<usize> = None;
    // Whether a value may have ended here: only then may a comma follow.
    let mut after_value = false;
    let last_end = text.rfind("*/").unwrap_or_default();
    while let Some(&byte) = out.get(at) {
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => at += 1,
            b'/' => match comment_end(&out, at, last_end) {
                Some(end) => {
                    blank(&mut out[at..end]);
                    at = end;
                }
                None => (at, comma, after_value) = (at + 1, None, false),
            },
            b'"' => {
                at = string_end(&out, at);
                (comma, after_value) = (None, true);
            }
            b',' => {
                comma = after_value.then_some(at);
                (at, after_value) = (at + 1, false);
            }
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    out[comma] = b' ';
                }
                (at, after_value) = (at + 1, true);
            }
            b'{' | b'[' | b':' => (at, comma, after_value) = (at + 1, None, false),
            _ => (at, comma, after_value) = (at + 1, None, true),
        }
    }
    // Only whole comments and commas were replaced, so the result is UTF-8. Otherwise the text stays unchanged.
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// The offset of an unclosed comment.
pub(crate) fn open_comment(blanked: &str) -> Option<usize> {
    let bytes = blanked.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'*') => return Some(at),
            _ => at += 1,
        }
    }
    None
}

/// The end of a comment that starts here. `last_end` avoids a search through the rest of the text for each unclosed
/// comment.
fn comment_end(bytes: &[u8], at: usize, last_end: usize) -> Option<usize> {
    match bytes.get(at + 1)? {
        b'/' => {
            let length = bytes[at..].iter().position(|byte| *byte == b'\n');
            Some(length.map_or(bytes.len(), |length| at + length))
        }
        b'*' if at + 2 <= last_end => {
            let inside = at + 2;
            bytes[inside..].windows(2).position(|pair| pair == b"*/").map(|length| inside + length + 2)
        }
        _ => None,
    }
}

/// The end of a string that starts here. An unclosed string ends with its line.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\n' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
        *byte = b' ';
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_become_spaces() {
        for (text, expected) in [
            ("{} // äö", "{}        "),
            ("// a\n{}", "    \n{}"),
            ("{/* a\n ü */\"b\": 1}", "{    \n      \"b\": 1}"),
            ("[1, 2, ]", "[1, 2  ]"),
            ("[1, // x\n]", "[1      \n]"),
            ("{\"a\": \"x\",\n}", "{\"a\": \"x\" \n}"),
            ("[[1,],]", "[[1 ] ]"),
            ("[true,]", "[true ]"),
        ] {
            assert_eq!(blanked(text), expected);
        }
    }

    #[test]
    fn other_text_stays_unchanged() {
        for text in [
            r#"{"url": "https://example.com/*x*/"}"#,
            r#"["a\"// b", ",]"]"#,
            "[,]",
            "{,}",
            "[1,,]",
            "{\"a\":,}",
            "{} /* never closed",
            "{} /",
            "[1, 2]",
            "\"never closed // x\n",
        ] {
            assert_eq!(blanked(text), if text == "[1,,]" { "[1,,]" } else { text });
        }
        assert_eq!(open_comment("{\"a/*\": 1} /* x"), Some(11));
        assert_eq!(open_comment("{}"), None);
    }
}
