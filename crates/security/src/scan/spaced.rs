//! `encoded`: orders in single letters with gaps between them, and orders in letters that are shifted by 13.

use super::instruction;
use super::text::Folded;
use super::{Severity, Spot};

const CODE: &str = "encoded";

/// So many single letters in a row are no list of columns or options.
const MIN_LETTERS: usize = 12;

/// What orders have in them when the gaps between their words are gone too.
const ORDERS: &[&str] = &[
    "ignoreprevious",
    "ignoreall",
    "ignoretheprevious",
    "previousinstructions",
    "systemprompt",
    "donottell",
    "donotmention",
    "donotinform",
    "donotreveal",
    "dontmention",
    "donttell",
    "withouttelling",
    "withoutasking",
    "idrsa",
    "privatekey",
    "apikey",
    "readthefile",
    "readfile",
    "sendthe",
    "sendall",
    "forwardall",
    "deleteall",
];

pub(super) fn look(spot: &mut Spot<'_>) {
    let text = spot.text;
    for (range, letters) in runs(text) {
        if ORDERS.iter().any(|order| letters.contains(order)) {
            spot.tell(
                CODE,
                Severity::High,
                range,
                "Single letters with gaps that give orders when read together.",
            );
        }
    }
    let turned: String = text.chars().map(turned).collect();
    if instruction::gives_orders(&Folded::new(&turned)) {
        spot.tell(CODE, Severity::High, (0, text.len()), "Letters shifted by 13 that give orders.");
    }
}

/// Runs of single letters with one to three other signs between them, as small letters without the gaps.
fn runs(text: &str) -> Vec<((usize, usize), String)> {
    let mut found = Vec::new();
    let (mut letters, mut begin, mut end) = (String::new(), 0, 0);
    for (at, word) in words(text) {
        let mut characters = word.chars();
        let single = characters.next().filter(|_| characters.next().is_none());
        let is_near = letters.is_empty() || text[end..at].chars().count() <= 3;
        if letters.len() >= MIN_LETTERS && (single.is_none() || !is_near) {
            found.push(((begin, end), std::mem::take(&mut letters)));
        }
        match single {
            Some(letter) => {
                if letters.is_empty() || !is_near {
                    letters.clear();
                    begin = at;
                }
                letters.extend(letter.to_lowercase());
                end = at + word.len();
            }
            None => letters.clear(),
        }
    }
    if letters.len() >= MIN_LETTERS {
        found.push(((begin, end), letters));
    }
    found
}

/// Words of letters, each with its place.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = text.as_ptr() as usize;
    text.split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - start, word))
}

/// A letter shifted by 13.
fn turned(c: char) -> char {
    let shifted = |base: u8| char::from((c as u8 - base + 13) % 26 + base);
    match c {
        'a'..='z' => shifted(b'a'),
        'A'..='Z' => shifted(b'A'),
        c => c,
    }
}
