//! Text folding for patterns, and excerpts with visible escapes.

/// The number of characters in an excerpt.
const EXCERPT_CHARS: usize = 120;

/// The number of characters shown before a finding.
const BEFORE_CHARS: usize = 20;

/// Stands for a character without an ASCII look-alike.
const UNKNOWN_CHAR: u8 = 0x1a;

/// A text in lowercase ASCII with single spaces, so that patterns stay simple.
///
/// Look-alikes of ASCII letters become these letters; invisible characters and Markdown marks for bold and code are
/// removed.
pub(super) struct Folded {
    pub(super) text: String,
    /// For each byte, its position in the original.
    origins: Vec<u32>,
}

impl Folded {
    pub(super) fn new(original: &str) -> Self {
        let mut text = String::with_capacity(original.len());
        let mut origins = Vec::with_capacity(original.len());
        for (place, character) in original.char_indices() {
            let Some(byte) = fold_char(character) else { continue };
            if byte == b' ' && text.ends_with(' ') {
                continue;
            }
            text.push(char::from(byte));
            origins.push(u32::try_from(place).unwrap_or(u32::MAX));
        }
        Self { text, origins }
    }

    /// The byte range in the original of a range of this text.
    pub(super) fn origin(&self, start: usize, end: usize) -> (usize, usize) {
        let at = |place: usize| self.origins.get(place).map_or(0, |&origin| origin as usize);
        (at(start), at(end.saturating_sub(1)) + 1)
    }
}

/// The first bytes of a text, up to a character boundary.
pub(super) fn start(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// A part of a text with its surroundings. Invisible characters are escaped.
pub(super) fn excerpt(text: &str, (from, to): (usize, usize)) -> String {
    let from = text.floor_char_boundary(from.min(text.len()));
    let to = text.ceil_char_boundary(to.min(text.len())).max(from);
    let before = text[..from].char_indices().rev().take(BEFORE_CHARS).last().map_or(from, |(place, _)| place);
    // A long finding is truncated; a short one is shown with the text after it.
    let shown = &text[before..];
    let mut excerpt = if before > 0 { "…".to_owned() } else { String::new() };
    for (count, (place, character)) in shown.char_indices().enumerate() {
        if count == EXCERPT_CHARS || (before + place >= to && count >= EXCERPT_CHARS / 2) {
            excerpt.push('…');
            break;
        }
        match character {
            '\n' | '\r' | '\t' => excerpt.push(' '),
            _ if character.is_control() || is_invisible(character) || is_private(character) => {
                excerpt.extend(character.escape_unicode());
            }
            _ => excerpt.push(character),
        }
    }
    excerpt
}

/// Whether a character is invisible or reorders others.
pub(super) fn is_invisible(character: char) -> bool {
    is_zero_width(character) || is_direction(character) || is_selector(character) || is_tag(character)
}

/// Zero-width characters.
pub(super) fn is_zero_width(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{206a}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
    )
}

/// Bidirectional formatting characters.
pub(super) fn is_direction(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Variation selectors.
pub(super) fn is_selector(character: char) -> bool {
    matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Tag characters: invisible copies of ASCII.
pub(super) fn is_tag(character: char) -> bool {
    matches!(character, '\u{e0000}'..='\u{e007f}')
}

/// Private-use characters.
pub(super) fn is_private(character: char) -> bool {
    matches!(character, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}')
}

fn fold_char(character: char) -> Option<u8> {
    if character.is_whitespace() {
        return Some(b' ');
    }
    if is_invisible(character) || matches!(character, '*' | '`' | '\u{300}'..='\u{36f}') {
        return None;
    }
    if character.is_ascii() {
        return Some((character as u8).to_ascii_lowercase());
    }
    Some(look_alike(character).unwrap_or(UNKNOWN_CHAR))
}

/// The ASCII look-alike of a character. The table is not complete: it has those that are common and cheap.
fn look_alike(character: char) -> Option<u8> {
    let code = u32::from(character);
    let letter = |place: u32| u8::try_from(place % 26).map_or(UNKNOWN_CHAR, |place| b'a' + place);
    let ascii = match character {
        // Fullwidth forms of ASCII.
        '\u{ff01}'..='\u{ff5e}' => {
            u8::try_from(code - 0xff01 + 0x21).map_or(UNKNOWN_CHAR, |byte| byte.to_ascii_lowercase())
        }
        // Mathematical alphanumeric symbols: alphabets of 26 letters, one after the other.
        '\u{1d400}'..='\u{1d6a3}' => letter(code - 0x1d400),
        '\u{24b6}'..='\u{24e9}' => letter(code - 0x24b6),
        '‘' | '’' | 'ʼ' | '′' => b'\'',
        '“' | '”' | '„' => b'"',
        '‐' | '‑' | '‒' | '–' | '—' | '−' => b'-',
        '…' => b'.',
        'à'..='å' | 'À'..='Å' | 'а' | 'А' | 'α' | 'Α' | 'ɑ' => b'a',
        'в' | 'В' | 'Β' | 'Ь' => b'b',
        'ç' | 'Ç' | 'с' | 'С' | 'ϲ' => b'c',
        'ԁ' => b'd',
        'è'..='ë' | 'È'..='Ë' | 'е' | 'Е' | 'ё' | 'Ε' | 'ε' => b'e',
        'ɡ' => b'g',
        'һ' | 'Н' | 'Η' => b'h',
        'ì'..='ï' | 'Ì'..='Ï' | 'і' | 'І' | 'ı' | 'ι' | 'Ι' => b'i',
        'ј' | 'Ј' => b'j',
        'к' | 'К' | 'Κ' | 'κ' => b'k',
        'ӏ' | 'Ӏ' => b'l',
        'м' | 'М' | 'Μ' => b'm',
        'ñ' | 'Ñ' | 'Ν' | 'ո' => b'n',
        'ò'..='ö' | 'Ò'..='Ö' | 'о' | 'О' | 'ο' | 'Ο' | 'օ' => b'o',
        'р' | 'Р' | 'ρ' | 'Ρ' => b'p',
        'ѕ' | 'Ѕ' => b's',
        'т' | 'Т' | 'τ' | 'Τ' => b't',
        'ù'..='ü' | 'Ù'..='Ü' | 'υ' | 'ս' => b'u',
        'ν' | 'ѵ' => b'v',
        'ԝ' => b'w',
        'х' | 'Х' | 'χ' | 'Χ' => b'x',
        'у' | 'У' | 'Υ' | 'ý' | 'ÿ' => b'y',
        'Ζ' => b'z',
        _ => return None,
    };
    Some(ascii)
}
