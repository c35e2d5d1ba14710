//! Output of a program without what would command a terminal.

use std::borrow::Cow;

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';

/// The text without codes for a terminal; other characters that do not print are shown as U+FFFD, and a
/// return that overwrites its line begins a new one.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !does_not_print(c) || matches!(c, '\n' | '\t');
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            ESCAPE => skip_code(&mut rest),
            // The same start of a code in one character.
            '\u{9b}' => skip_parameters(&mut rest),
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' => out.push('\n'),
            c if is_plain(c) => out.push(c),
            _ => out.push(char::REPLACEMENT_CHARACTER),
        }
    }
    Cow::Owned(out)
}

type Rest<'t> = std::iter::Peekable<std::str::Chars<'t>>;

/// Steps over what belongs to an escape.
fn skip_code(rest: &mut Rest<'_>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_parameters(rest);
        }
        // A title, a link: up to a bell or an escape with a backslash, and never over the line.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(c) = rest.next_if(|c| *c != '\n') {
                if c == BELL || c == ESCAPE && rest.next_if_eq(&'\\').is_some() {
                    return;
                }
            }
        }
        Some(c) if c.is_ascii() && !c.is_ascii_control() => {
            rest.next();
        }
        _ => {}
    }
}

/// Steps over parameters and the letter that ends them.
fn skip_parameters(rest: &mut Rest<'_>) {
    while rest.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    rest.next_if(|c| matches!(c, '@'..='~'));
}

/// Whether a character commands a terminal: control characters, and those that end a line or turn the
/// direction of writing.
pub fn does_not_print(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_taken_away_and_the_text_stays() {
        for (text, shown) in [
            ("plain\n\ttext é", "plain\n\ttext é"),
            ("\u{1b}[1;31merror\u{1b}[0m: no", "error: no"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]0;never closed\nnext", "\nnext"),
            ("\u{9b}2Jgone", "gone"),
            ("10%\r50%\r\ndone", "10%\n50%\ndone"),
            ("a\u{8}\u{0}b\u{202e}c", "a\u{fffd}\u{fffd}b\u{fffd}c"),
            ("\u{1b}7saved\u{1b}", "saved"),
        ] {
            assert_eq!(harmless(text), shown, "{text:?}");
        }
    }
}
