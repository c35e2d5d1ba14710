//! A name split once, so that comparing it needs no allocation.

use super::fold::fold;
use super::lexicon::{canonical, is_filler};
use super::words::words;

/// Words next to which `min` is a minute and not a minimum.
const TIMES: &[&str] = &[
    "duration", "time", "timeout", "delay", "interval", "wait", "length", "age", "session", "timer",
    "period", "runtime",
];

/// A name in the forms in which names are compared.
#[derive(Clone, Debug)]
pub(crate) struct SplitName {
    pub text: Box<str>,
    /// Lower-case letters and digits only.
    pub folded: Box<str>,
    /// Its words as written, in lower case.
    pub words: Vec<String>,
    /// The words that describe the purpose of a value, in canonical form; all words if none does.
    pub meaning: Vec<String>,
}

impl SplitName {
    pub fn new(text: &str) -> SplitName {
        let words = words(text);
        let meaning = meaning(&words);
        SplitName { text: text.into(), folded: fold(text).into(), words, meaning }
    }
}

/// The meaningful words of a text, in canonical form.
pub(crate) fn meaningful_words(text: &str) -> Vec<String> {
    meaning(&words(text))
}

fn meaning(words: &[String]) -> Vec<String> {
    let all: Vec<&str> = (0..words.len()).map(|index| meaning_of(words, index)).collect();
    // `length_in_km` and `labels_to_add`, but not `check_in`.
    let is_link = |index: usize| ["in", "to"].contains(&all[index]) && index > 0 && index + 1 < all.len();
    let kept: Vec<String> = (0..all.len())
        .filter(|index| !is_filler(all[*index]) && !is_link(*index))
        .map(|index| all[index].to_owned())
        .collect();
    // `object_id` is the identifier of an object, not of anything.
    let says_little = matches!(&kept[..], [only] if only == "identifier");
    if kept.is_empty() || says_little { all.into_iter().map(str::to_owned).collect() } else { kept }
}

/// A word's canonical form. At the end of a name some words mean something else: `duration_min`,
/// `ticket_no`, `temperature_k`.
fn meaning_of(words: &[String], index: usize) -> &str {
    let word = &words[index];
    let ends_name = index > 0 && index + 1 == words.len();
    match word.as_str() {
        "min" | "mins" if ends_name && words.iter().any(|word| TIMES.contains(&word.as_str())) => "minute",
        "no" if ends_name => "number",
        "n" | "num" | "nr" | "number" if index == 0 && words.len() > 1 => "count",
        "k" if ends_name => "kelvin",
        "c" if ends_name => "celsius",
        "f" if ends_name => "fahrenheit",
        "s" if ends_name => "second",
        "h" if ends_name => "hour",
        _ => canonical(word),
    }
}
