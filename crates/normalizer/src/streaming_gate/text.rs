//! A string of which every character can be forwarded as it arrives.

use super::{Growing, StreamState};

/// Position inside a string that is forwarded by characters.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextState {
    start: usize,
    escape: Escape,
    /// Something in it may be parsed differently if the rest is broken.
    is_frozen: bool,
}

/// Position inside an escape.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Escape {
    None,
    /// After a backslash.
    Begun,
    /// After `\u`, with the digits so far.
    Code {
        digits: u8,
        code: u16,
    },
    /// After `<`: a quote may have leaked as a token, `<|"|>`.
    Bracket,
}

impl TextState {
    /// A string whose first character is at `start`.
    pub(super) fn new(start: usize) -> TextState {
        TextState { start, escape: Escape::None, is_frozen: false }
    }
}

impl Growing {
    pub(super) fn in_text(&mut self, mut text: TextState) {
        let byte = self.text.as_bytes()[self.at];
        match text.escape {
            Escape::Begun => {
                text.escape = match byte {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Escape::None,
                    b'u' => Escape::Code { digits: 0, code: 0 },
                    _ => return self.stop(),
                };
                self.at += 1;
                if text.escape == Escape::None {
                    self.commit_text(&text);
                }
            }
            Escape::Code { digits, code } => {
                let Some(digit) = char::from(byte).to_digit(16) else { return self.stop() };
                let code = code << 4 | digit as u16;
                self.at += 1;
                text.escape = Escape::Code { digits: digits + 1, code };
                if digits == 3 {
                    text.escape = Escape::None;
                    // A high surrogate waits for the low one.
                    if !(0xD800..0xDC00).contains(&code) {
                        self.commit_text(&text);
                    }
                }
            }
            Escape::Bracket => {
                text.is_frozen |= byte == b'|';
                text.escape = Escape::None;
                self.commit_text(&text);
            }
            Escape::None => {
                let rest = &self.text.as_bytes()[self.at..];
                let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | b'<' | 0..0x20);
                let run = rest.iter().position(is_special).unwrap_or(rest.len());
                if run > 0 {
                    self.at += run;
                    self.commit_text(&text);
                    return;
                }
                match byte {
                    b'"' => {
                        self.at += 1;
                        return self.end_of_value();
                    }
                    b'\\' => {
                        text.is_frozen |= is_drive(&self.text[text.start..self.at]);
                        text.escape = Escape::Begun;
                    }
                    b'<' => text.escape = Escape::Bracket,
                    _ => return self.stop(),
                }
                self.at += 1;
            }
        }
        self.state = StreamState::Text(text);
    }

    /// Releases the characters of a string up to here.
    fn commit_text(&mut self, text: &TextState) {
        if !text.is_frozen {
            self.commit(self.at);
        }
    }
}

/// After `C:`, backslashes are literal if some of them are not escapes.
fn is_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
}
