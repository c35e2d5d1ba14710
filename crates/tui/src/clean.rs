//! Sanitized texts: data from servers, models and clients must not control the terminal, and every
//! character must have the width that the layout assumes.

use std::fmt;

use serde::{Deserialize, Deserializer};
use toolwright_redact::harmless;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Limit of combining marks per character.
const MOST_MARKS: usize = 3;
/// Limit of characters in one text.
const MOST_CHARS: usize = 4_000;

/// A text that a terminal shows as text: one line, without control codes, bidirectional controls and
/// invisible characters, and of limited length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Clean(String);

impl Clean {
    /// Sanitizes a text.
    pub fn new(text: &str) -> Clean {
        // Processing more than can be shown would let one text block the page.
        let end = text.char_indices().nth(2 * MOST_CHARS).map_or(text.len(), |(end, _)| end);
        let text = harmless(&text[..end]);
        let mut out = String::with_capacity(text.len());
        let (mut chars, mut marks, mut is_behind_space) = (0, 0, true);
        for char in text.chars() {
            if chars == MOST_CHARS {
                out.push('…');
                break;
            }
            if char.is_whitespace() {
                // Line breaks become spaces.
                if !is_behind_space {
                    out.push(' ');
                    chars += 1;
                }
                is_behind_space = true;
                continue;
            }
            match char.width() {
                Some(0) if !is_mark(char) || is_behind_space || marks == MOST_MARKS => continue,
                Some(0) => marks += 1,
                Some(_) => marks = 0,
                None => continue,
            }
            is_behind_space = false;
            out.push(char);
            chars += 1;
        }
        out.truncate(out.trim_end().len());
        Clean(out)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&str> for Clean {
    fn from(text: &str) -> Clean {
        Clean::new(text)
    }
}

impl<'de> Deserialize<'de> for Clean {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Clean, D::Error> {
        String::deserialize(deserializer).map(|text| Clean::new(&text))
    }
}

/// Whether a zero-width character belongs to the one before it. Other zero-width characters join, hide or
/// vary their neighbours, and terminals disagree about the resulting width.
fn is_mark(char: char) -> bool {
    !matches!(char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The width of a text, in cells.
pub fn width(text: &str) -> usize {
    // By character, as it is truncated: a joined emoji would count less than its parts.
    text.chars().map(|char| char.width().unwrap_or(0)).sum::<usize>().max(text.width())
}

/// Truncates a text to a width, with an ellipsis.
pub fn fit(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    if room == 0 {
        return String::new();
    }
    let mut out = String::new();
    let mut used = 0;
    for char in text.chars() {
        used += char.width().unwrap_or(0);
        if used > room - 1 {
            break;
        }
        out.push(char);
    }
    out.push('…');
    out
}

/// Wraps a text into lines of a limited width, at a space if there is one in the second half of the line.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for char in text.chars() {
        let takes = char.width().unwrap_or(0);
        if used + takes > room {
            let rest = match line.rfind(' ').filter(|blank| *blank * 2 > line.len()) {
                Some(blank) => {
                    let rest = line[blank + 1..].to_owned();
                    line.truncate(blank);
                    rest
                }
                None => String::new(),
            };
            lines.push(std::mem::replace(&mut line, rest));
            used = width(&line);
            if line.is_empty() && char == ' ' {
                continue;
            }
        }
        line.push(char);
        used += takes;
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_invisible_characters_are_removed() {
        for (text, shown) in [
            ("plain é 世界", "plain é 世界"),
            ("\u{1b}[2J\u{1b}[1;1Hgone\u{7}", "gone\u{fffd}"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("a\u{202e}b\u{200b}c\u{200d}d\u{fe0f}e", "a\u{fffd}bcde"),
            ("one\r\n\ttwo\u{85}", "one two\u{fffd}"),
            ("\u{e0041}\u{e0042}tag", "tag"),
            ("e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}x", "e\u{301}\u{301}\u{301}x"),
            ("\u{301}alone", "alone"),
            ("👩\u{200d}👩", "👩👩"),
            ("  \n ", ""),
        ] {
            assert_eq!(Clean::new(text).as_str(), shown, "{text:?}");
        }
    }

    #[test]
    fn a_text_without_end_has_one() {
        let long = Clean::new(&"世".repeat(1_000_000));
        assert_eq!(long.as_str().chars().count(), MOST_CHARS + 1);
        assert!(long.as_str().ends_with('…'));
    }

    #[test]
    fn a_text_is_cut_by_the_cells_that_it_takes() {
        for (text, room, shown) in [
            ("short", 5, "short"),
            ("longer", 5, "long…"),
            ("世界世界", 5, "世界…"),
            ("世界世界", 4, "世…"),
            ("世", 1, "…"),
            ("x", 0, ""),
        ] {
            let cut = fit(text, room);
            assert_eq!(cut, shown);
            assert!(width(&cut) <= room);
        }
    }

    #[test]
    fn lines_break_at_blanks_and_nothing_is_lost() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("世界世", 4), ["世界", "世"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("世界", 1), ["世", "界"], "a line has room for one character at least");
    }
}
