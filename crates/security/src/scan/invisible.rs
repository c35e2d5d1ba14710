//! `invisible`: characters that users do not see and models read.

use super::text::{is_direction, is_private, is_selector, is_tag, is_zero_width};
use super::{ScannedText, Severity};

const CODE: &str = "invisible";

/// Fewer invisible characters may be accidental; from these numbers on the severity rises.
const FEW: usize = 3;
const MANY: usize = 8;

/// The position of the first character of a kind, and their number.
#[derive(Default)]
struct CharCount {
    first: Option<usize>,
    count: usize,
}

impl CharCount {
    fn add(&mut self, place: usize) {
        self.first.get_or_insert(place);
        self.count += 1;
    }
}

#[derive(Default)]
struct InvisibleCounts {
    tags: CharCount,
    overrides: CharCount,
    directions: CharCount,
    zero_width: CharCount,
    inside_words: CharCount,
    selectors: CharCount,
    selector_runs: CharCount,
    private: CharCount,
    controls: CharCount,
}

pub(super) fn check(scanned: &mut ScannedText<'_>) {
    if scanned.text.bytes().all(|byte| (b' '..0x7f).contains(&byte) || matches!(byte, b'\n' | b'\r' | b'\t'))
    {
        return;
    }
    let counts = count(scanned.text);
    let mut add_finding = |count: &CharCount, severity: Severity, why: &'static str| {
        if let Some(place) = count.first {
            scanned.add_finding(CODE, severity, (place, place + 1), why);
        }
    };
    let by_number = |count: &CharCount| match count.count {
        0..FEW => Severity::Low,
        FEW..MANY => Severity::Medium,
        _ => Severity::High,
    };
    add_finding(&counts.tags, Severity::High, "Invisible copies of letters: they can spell a hidden text.");
    add_finding(
        &counts.overrides,
        Severity::High,
        "Bidirectional override characters: users see a different text.",
    );
    add_finding(
        &counts.directions,
        by_number(&counts.directions),
        "Unnecessary bidirectional formatting characters.",
    );
    add_finding(&counts.zero_width, by_number(&counts.zero_width), "Zero-width characters.");
    let inside = by_number(&counts.inside_words).max(Severity::Medium);
    add_finding(
        &counts.inside_words,
        inside,
        "Zero-width characters inside words: a search does not find these words.",
    );
    add_finding(
        &counts.selector_runs,
        Severity::High,
        "Several variation selectors in a row: they can carry a text.",
    );
    add_finding(
        &counts.selectors,
        by_number(&counts.selectors),
        "Variation selectors after characters without variants.",
    );
    add_finding(
        &counts.private,
        by_number(&counts.private),
        "Private-use characters without a meaning in Unicode.",
    );
    add_finding(
        &counts.controls,
        Severity::Medium,
        "Control characters: a terminal obeys them instead of showing them.",
    );
}

fn count(text: &str) -> InvisibleCounts {
    let mut counts = InvisibleCounts::default();
    let written_right_to_left = text.chars().any(is_right_to_left);
    let mut before: Option<char> = None;
    let mut in_flag = false;
    let mut characters = text.char_indices().peekable();
    while let Some((place, character)) = characters.next() {
        let after = characters.peek().map(|&(_, next)| next);
        // The flags of England, Scotland and Wales consist of a black flag and tag characters.
        in_flag = character == '\u{1f3f4}' || (in_flag && is_tag(character));
        if is_tag(character) {
            if !in_flag {
                counts.tags.add(place);
            }
        } else if matches!(character, '\u{202d}' | '\u{202e}') {
            counts.overrides.add(place);
        } else if is_direction(character) {
            if !written_right_to_left {
                counts.directions.add(place);
            }
        } else if is_selector(character) {
            if before.is_some_and(is_selector) {
                counts.selector_runs.add(place);
            } else if !may_vary(before, character) {
                counts.selectors.add(place);
            }
        } else if is_zero_width(character) {
            if !is_legitimate(before, character, after, place) {
                let letter = |side: Option<char>| side.is_some_and(|side| side.is_ascii_alphanumeric());
                let inside = letter(before) && letter(after) && character != '\u{ad}';
                if inside { &mut counts.inside_words } else { &mut counts.zero_width }.add(place);
            }
        } else if is_private(character) {
            counts.private.add(place);
        } else if character.is_control() && !matches!(character, '\n' | '\r' | '\t' | '\u{85}') {
            counts.controls.add(place);
        }
        before = Some(character);
    }
    // A flag has at most six tag characters: more is a text that hides behind one.
    if let Some(hidden) = long_flag(text) {
        counts.tags.add(hidden);
    }
    counts
}

fn long_flag(text: &str) -> Option<usize> {
    text.match_indices('\u{1f3f4}').map(|(place, flag)| (place, place + flag.len())).find_map(
        |(place, end)| {
            (text[end..].chars().take(8).filter(|&next| is_tag(next)).count() > 7).then_some(place)
        },
    )
}

/// Whether a zero-width character has a legitimate use at this position.
fn is_legitimate(before: Option<char>, character: char, after: Option<char>, place: usize) -> bool {
    let is_letter_beyond_latin = |side: Option<char>| {
        side.is_some_and(|side| side > '\u{24f}' && side.is_alphanumeric() || is_mark(side))
    };
    match character {
        // The byte order mark.
        '\u{feff}' => place == 0,
        // The zero-width joiner combines emoji, and the letters of several scripts.
        '\u{200d}' => {
            let picture = |side: Option<char>| side.is_some_and(|side| is_picture(side) || is_selector(side));
            (picture(before) && picture(after)) || is_letter_beyond_latin(before)
        }
        '\u{200c}' => is_letter_beyond_latin(before),
        // Thai, Lao, Burmese and Khmer have no spaces between words.
        '\u{200b}' | '\u{2060}' => is_letter_beyond_latin(before) && is_letter_beyond_latin(after),
        '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{34f}' => is_letter_beyond_latin(before),
        '\u{115f}' | '\u{1160}' => after.is_some_and(|after| matches!(after, '\u{1100}'..='\u{11ff}')),
        _ => false,
    }
}

fn may_vary(before: Option<char>, selector: char) -> bool {
    let Some(before) = before else { return false };
    match selector {
        '\u{fe0e}' | '\u{fe0f}' => is_picture(before) || matches!(before, '0'..='9' | '#' | '*'),
        _ => before > '\u{7f}' && before.is_alphanumeric() || is_picture(before),
    }
}

fn is_picture(character: char) -> bool {
    matches!(
        u32::from(character),
        0xa9 | 0xae | 0x203c..=0x3299 | 0x1f000..=0x1faff
    )
}

fn is_mark(character: char) -> bool {
    matches!(u32::from(character), 0x300..=0x36f | 0x900..=0xdff | 0xe00..=0x109f | 0x1780..=0x17ff)
}

fn is_right_to_left(character: char) -> bool {
    matches!(u32::from(character), 0x590..=0x8ff if character != '\u{61c}')
        || matches!(u32::from(character), 0xfb1d..=0xfdff | 0xfe70..=0xfefe | 0x10800..=0x10fff | 0x1e800..=0x1efff)
}
