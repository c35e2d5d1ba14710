//! Recognition of English words: everyday English and the words of parameter names.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::lexicon::{is_abbreviation, is_common, is_distinct, takes_side};

/// Parsed when the first pair of similar names is compared.
static ENGLISH: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let text = include_str!("vocabulary/english.txt");
    text.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
});

/// Endings of inflected forms, and the endings of the base form.
const ENDINGS: &[(&str, &[&str])] = &[
    ("ies", &["y"]),
    ("es", &["e"]),
    ("ses", &["s"]),
    ("xes", &["x"]),
    ("zes", &["z"]),
    ("shes", &["sh"]),
    ("ches", &["ch"]),
    ("s", &[""]),
    ("ied", &["y"]),
    ("ed", &["", "e"]),
    ("ing", &["", "e"]),
    ("ly", &[""]),
];

/// Prefixes that make another word.
const BEGINNINGS: &[&str] =
    &["un", "in", "im", "ir", "non", "dis", "re", "de", "pre", "sub", "over", "under"];

/// Whether this is a word, and not a misspelling of another one. Words of other scripts cannot be
/// checked, so they count as words.
pub(crate) fn is_word(word: &str) -> bool {
    !word.is_ascii()
        || is_known(word)
        || forms(word).any(|form| is_known(&form))
        || BEGINNINGS.iter().any(|beginning| {
            let rest = word.strip_prefix(beginning).filter(|rest| rest.len() >= 4);
            rest.is_some_and(|rest| is_known(rest) || forms(rest).any(|form| is_known(&form)))
        })
}

fn is_known(word: &str) -> bool {
    ENGLISH.contains(word)
        || is_common(word)
        || is_abbreviation(word)
        || is_distinct(word)
        || takes_side(word)
}

/// Possible base forms of a word: `matches` → `match`, `planned` → `plan`.
fn forms(word: &str) -> impl Iterator<Item = String> + '_ {
    ENDINGS
        .iter()
        .filter_map(|(ending, others)| Some((word.strip_suffix(ending)?, *ending, *others)))
        .flat_map(|(stem, ending, others)| {
            let mut last = stem.chars().rev();
            let doubled = stem.len() > 3 && last.next() == last.next();
            let single = doubled.then(|| stem[..stem.len() - 1].to_owned());
            let is_stem = stem.len() >= 3;
            // `shiping` is not a form of `ship`.
            let doubles = matches!(ending, "ed" | "ing") && doubles_its_end(stem);
            others
                .iter()
                .filter(move |other| is_stem && !(doubles && other.is_empty()))
                .map(move |other| format!("{stem}{other}"))
                .chain(single)
        })
}

/// Whether a stem of one syllable ends in vowel and consonant: `ship`, `plan`.
fn doubles_its_end(stem: &str) -> bool {
    let is_vowel = |byte: &u8| b"aeiouy".contains(byte);
    let bytes = stem.as_bytes();
    let vowels = bytes.iter().filter(|byte| is_vowel(byte)).count();
    vowels == 1
        && bytes.len() >= 3
        && is_vowel(&bytes[bytes.len() - 2])
        && !b"wxy".contains(&bytes[bytes.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::is_word;

    #[test]
    fn words_and_their_forms_are_known() {
        for word in [
            "threat",
            "season",
            "matches",
            "planned",
            "sorted",
            "unread",
            "untracked",
            "insensitive",
            "categories",
            "repo",
            "cfg",
            "kwh",
            "uploaded",
        ] {
            assert!(is_word(word), "{word}");
        }
    }

    #[test]
    fn misspellings_are_not() {
        for word in
            ["pth", "qeury", "descripton", "recusrive", "adress", "recieve", "longtitude", "titel", "shiping"]
        {
            assert!(!is_word(word), "{word}");
        }
    }
}
