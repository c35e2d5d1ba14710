//! `encoded`: long runs of base64 or hexadecimal digits that decode to readable text.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::instruction;
use super::text::Folded;
use super::{ScannedText, Severity};

const CODE: &str = "encoded";

/// Shorter runs are examples, names and numbers.
const MIN_RUN_BYTES: usize = 40;

/// The fewest words of a readable text.
const MIN_WORDS: usize = 4;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

pub(super) fn check(scanned: &mut ScannedText<'_>) {
    split(scanned);
    let text = scanned.text;
    let mut at = 0;
    for run in text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_'))) {
        let start = at;
        // The separator may be longer than one byte.
        at += run.len();
        at += text[at..].chars().next().map_or(0, char::len_utf8);
        if run.len() < MIN_RUN_BYTES {
            continue;
        }
        let Some(hidden) = decoded(run) else { continue };
        let range = (start, start + run.len());
        if instruction::gives_orders(&Folded::new(&hidden)) {
            scanned.add_finding(CODE, Severity::High, range, "An encoded text that gives orders.");
        } else {
            scanned.add_finding(
                CODE,
                Severity::Medium,
                range,
                "An encoded text that is readable only after decoding.",
            );
        }
    }
}

/// Checks pieces of base64 with short gaps between them, such as concatenated string literals. No piece is readable
/// alone.
fn split(scanned: &mut ScannedText<'_>) {
    /// Shorter pieces are words.
    const MIN_PIECE_BYTES: usize = 4;
    /// The longest gap between two pieces: a space, quotes, a plus.
    const MAX_GAP_BYTES: usize = 6;
    let text = scanned.text;
    let (mut joined, mut pieces, mut range) = (String::new(), 0, (0, 0));
    let start = text.as_ptr() as usize;
    let is_digit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let mut found = Vec::new();
    for run in text.split(|c: char| !is_digit(c)).filter(|run| !run.is_empty()) {
        let at = run.as_ptr() as usize - start;
        let is_operator = run.chars().all(|c| c == '+');
        if is_operator && pieces > 0 {
            continue;
        }
        let is_piece = run.len() >= MIN_PIECE_BYTES && looks_encoded(run);
        let is_near = pieces == 0 || at - range.1 <= MAX_GAP_BYTES;
        if !(is_piece && is_near) {
            if pieces > 1 {
                found.push((range, std::mem::take(&mut joined)));
            }
            (joined, pieces) = (String::new(), 0);
        }
        if is_piece {
            if pieces == 0 {
                range.0 = at;
            }
            joined.push_str(run.trim_end_matches('='));
            pieces += 1;
            range.1 = at + run.len();
        }
    }
    if pieces > 1 {
        found.push((range, joined));
    }
    for (range, joined) in found.into_iter().filter(|(_, joined)| joined.len() >= MIN_RUN_BYTES) {
        let Some(hidden) = decoded(&joined) else { continue };
        if instruction::gives_orders(&Folded::new(&hidden)) {
            scanned.add_finding(CODE, Severity::High, range, "An encoded text in pieces that gives orders.");
        }
    }
}

/// Words have only lowercase letters after the first one; pieces of base64 nearly always have others.
fn looks_encoded(run: &str) -> bool {
    run.chars().skip(1).any(|c| !c.is_ascii_lowercase())
}

fn decoded(run: &str) -> Option<String> {
    let hexadecimal = || {
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let pair = |pair: &[u8]| u8::try_from(digit(pair[0])? * 16 + digit(*pair.get(1)?)?).ok();
        run.as_bytes().chunks(2).map(pair).collect::<Option<Vec<u8>>>()
    };
    let ways = [hexadecimal(), STANDARD.decode(run).ok(), URL_SAFE.decode(run).ok()];
    ways.into_iter().flatten().filter_map(|bytes| String::from_utf8(bytes).ok()).find(|text| is_prose(text))
}

/// Whether a text consists of words, unlike the JSON in a token.
fn is_prose(text: &str) -> bool {
    let all = text.chars().count();
    let letters = text.chars().filter(|c| c.is_alphabetic() || *c == ' ').count();
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    words >= MIN_WORDS && letters * 10 >= all * 8
}
