//! `encoded`: long runs of base64 or hexadecimal digits that are a readable text.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::instruction;
use super::text::Folded;
use super::{Severity, Spot};

const CODE: &str = "encoded";

/// Shorter runs are examples, names and numbers.
const MIN_RUN_BYTES: usize = 40;

/// A text has at least so many words.
const MIN_WORDS: usize = 4;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

pub(super) fn look(spot: &mut Spot<'_>) {
    split(spot);
    let text = spot.text;
    let mut at = 0;
    for run in text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_'))) {
        let start = at;
        // What divides two runs may be longer than a byte.
        at += run.len();
        at += text[at..].chars().next().map_or(0, char::len_utf8);
        if run.len() < MIN_RUN_BYTES {
            continue;
        }
        let Some(hidden) = decoded(run) else { continue };
        let range = (start, start + run.len());
        if instruction::gives_orders(&Folded::new(&hidden)) {
            spot.tell(CODE, Severity::High, range, "An encoded text that gives orders.");
        } else {
            spot.tell(
                CODE,
                Severity::Medium,
                range,
                "An encoded text that people can read only when it is decoded.",
            );
        }
    }
}

/// Pieces of base64 with little between them: none of them says anything alone.
fn split(spot: &mut Spot<'_>) {
    /// Shorter pieces are words.
    const MIN_PIECE_BYTES: usize = 4;
    /// What stands between two pieces: a space, quotes, a plus.
    const MAX_GAP_BYTES: usize = 6;
    let text = spot.text;
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
            spot.tell(CODE, Severity::High, range, "An encoded text in pieces that gives orders.");
        }
    }
}

/// Words have no large letters or digits behind their first letter; pieces of base64 nearly always do.
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

/// Whether a text is made of words, unlike the JSON in a token.
fn is_prose(text: &str) -> bool {
    let all = text.chars().count();
    let letters = text.chars().filter(|c| c.is_alphabetic() || *c == ' ').count();
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    words >= MIN_WORDS && letters * 10 >= all * 8
}
