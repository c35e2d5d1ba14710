//! `encoded`: orders in single letters with gaps between them, and orders in ROT13.

use super::instruction;
use super::text::Folded;
use super::{ScannedText, Severity};

const CODE: &str = "encoded";

/// This many single letters in a row are not a list of columns or options.
const MIN_LETTERS: usize = 12;

/// Parts of orders when the spaces between their words are removed too.
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

pub(super) fn check(scanned: &mut ScannedText<'_>) {
    let text = scanned.text;
    for (range, letters) in runs(text) {
        if ORDERS.iter().any(|order| letters.contains(order)) {
            scanned.add_finding(
                CODE,
                Severity::High,
                range,
                "Single letters with gaps that give orders when read together.",
            );
        }
    }
    let rot13: String = text.chars().map(rot13).collect();
    if instruction::gives_orders(&Folded::new(&rot13)) {
        scanned.add_finding(CODE, Severity::High, (0, text.len()), "Letters shifted by 13 that give orders.");
    }
}

/// Runs of single letters with one to three other characters between them, in lowercase and without the gaps.
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

/// Words of letters, each with its position.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = text.as_ptr() as usize;
    text.split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - start, word))
}

/// ROT13 of one letter.
fn rot13(c: char) -> char {
    let shifted = |base: u8| char::from((c as u8 - base + 13) % 26 + base);
    match c {
        'a'..='z' => shifted(b'a'),
        'A'..='Z' => shifted(b'A'),
        c => c,
    }
}
