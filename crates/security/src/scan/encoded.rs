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
