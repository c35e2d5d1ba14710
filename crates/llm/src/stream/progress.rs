//! Whether a JSON text that comes in pieces has come to its end.

/// Follows the brackets of a text. Lenient on purpose: what is wrong with the text is not its business.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    /// Something stands between the outermost brackets.
    has_content: bool,
    is_complete: bool,
}

impl Progress {
    /// Takes more of the text. Gives where the outermost bracket closed, the first time that it does.
    pub(crate) fn feed(&mut self, text: &str) -> Option<usize> {
        if self.is_complete {
            return None;
        }
        for (at, byte) in text.bytes().enumerate() {
            if self.is_in_string {
                match byte {
                    _ if self.is_escaped => self.is_escaped = false,
                    b'\\' => self.is_escaped = true,
                    b'"' => self.is_in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'{' | b'[' => {
                    self.has_content |= self.depth > 0;
                    self.depth += 1;
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        self.is_complete = true;
                        return Some(at + 1);
                    }
                }
                b' ' | b'\n' | b'\r' | b'\t' => {}
                byte => {
                    self.has_content |= self.depth > 0;
                    self.is_in_string = byte == b'"';
                }
            }
        }
        None
    }

    /// Whether the outermost bracket has closed.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether it has closed, and something stood in it.
    pub(crate) fn is_complete_and_says_something(&self) -> bool {
        self.is_complete && self.has_content
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_complete_with_its_last_bracket() {
        for (text, end) in [
            (r#"{"a":"}\"}"}"#, Some(12)),
            (r#" {"a":[{}]} x"#, Some(11)),
            (r#"{"a":"#, None),
            (r#"{"a":"}"#, None),
            ("", None),
            ("[{}]{}", Some(4)),
        ] {
            assert_eq!(Progress::default().feed(text), end, "{text}");
            let mut progress = Progress::default();
            let found = (0..text.len()).find(|at| progress.feed(&text[*at..=*at]).is_some());
            assert_eq!(found.map(|at| at + 1), end, "{text}");
            assert_eq!(progress.is_complete(), end.is_some(), "{text}");
        }
    }

    #[test]
    fn an_empty_object_says_nothing() {
        for (text, says) in [("{ }", false), ("{1}", true), ("[[]]", true), ("{\"a", false)] {
            let mut progress = Progress::default();
            progress.feed(text);
            assert_eq!(progress.is_complete_and_says_something(), says, "{text}");
        }
    }
}
