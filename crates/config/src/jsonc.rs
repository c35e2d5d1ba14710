//! JSON with comments and trailing commas: both become blanks, so that every other byte keeps its place.

/// A text in which comments and trailing commas are spaces. It has the same length, and the same line
/// breaks. A comment without an end stays as it is.
pub fn blanked(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let mut at = 0;
    // The comma that the next bracket would make a trailing one.
    let mut comma: Option<usize> = None;
    // Whether a value could have ended before here: only then a comma may follow.
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
    // Only whole comments and commas were replaced, so that this is text; if it were not, nothing is blanked.
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// Where a comment that nothing closes begins.
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

/// Behind a comment that begins here; the text is searched only where there is an end to be found.
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

/// Behind a string that begins here. One that is not closed ends with its line.
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
    fn what_is_no_comment_and_no_trailing_comma_stays() {
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
