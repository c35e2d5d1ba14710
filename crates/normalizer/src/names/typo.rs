//! Typing errors: a sent word that is not a word, at a small distance from one that the schema has.
//!
//! Names are compared word by word. An existing word is intentional (`product_id` is not a misspelt
//! `project_id`), and so is one that inverts another (`unread` for `read`).

use super::english::is_word;
use super::lexicon::{is_distinct, is_unit, takes_side};
use super::name::SplitName;

/// Maximum edit distance between two names.
const MAX_EDITS: usize = 2;
/// A longer word is not compared: no name has it.
const MAX_WORD_BYTES: usize = 64;

/// The edit distance between two names, if the difference can be a typing error.
pub(crate) fn edit_distance(sent: &SplitName, known: &SplitName) -> Option<u32> {
    if sent.folded.len().abs_diff(known.folded.len()) > 2 * MAX_EDITS {
        return None;
    }
    if sent.words.len() != known.words.len() {
        return joined_distance(sent, known);
    }
    let pairs = || sent.words.iter().zip(&known.words).filter(|(sent, known)| sent != known);
    let agrees = pairs().count() < sent.words.len();
    let mut edits = 0;
    for (sent, known) in pairs() {
        edits += word_distance(sent, known, agrees)?;
    }
    (1..=MAX_EDITS).contains(&edits).then_some(edits as u32)
}

/// `filepaht` for `file_path`: a typing error in a name that is also written with other separators.
fn joined_distance(sent: &SplitName, known: &SplitName) -> Option<u32> {
    let is_misspelt = |word: &&String| word.len() > 3 && !is_word(word);
    let is_kept = |word: &String| word.len() > 1 && known.folded.contains(word.as_str());
    let mut others = sent.words.iter().filter(|word| !is_kept(word)).peekable();
    if others.peek().is_none() || !others.all(|word| is_misspelt(&word)) || is_word(&sent.folded) {
        return None;
    }
    word_distance(&sent.folded, &known.folded, false).map(|edits| edits as u32)
}

/// The edit distance between a sent word and the known one. If the rest of the name `agrees`, the
/// rules are less strict.
fn word_distance(sent: &str, known: &str, agrees: bool) -> Option<usize> {
    if is_plural_pair(sent, known) {
        return (!is_set_apart(sent) && !is_set_apart(known)).then_some(1);
    }
    let (sent_length, known_length) = (sent.chars().count(), known.chars().count());
    let longest = sent_length.max(known_length);
    let allowed = match longest {
        _ if sent.len().max(known.len()) > MAX_WORD_BYTES => return None,
        0..=1 => return None,
        2..=7 => 1,
        _ => MAX_EDITS,
    };
    if sent_length.abs_diff(known_length) > allowed {
        return None;
    }
    let distance = strsim::osa_distance(sent, known);
    if distance == 0 || distance > allowed || digits(sent).ne(digits(known)) {
        return None;
    }
    let is_swapped = is_swap(sent, known);
    // In a short word a different letter makes another word, the first one above all; a swapped, lost
    // or doubled letter seldom does.
    let is_open = match longest {
        2 => agrees && is_swapped && known == "id",
        _ if known_length <= 3 => is_swapped,
        4 | 5 => {
            let same_start = sent.chars().next() == known.chars().next();
            let may_be_other = longest == 4 && sent_length == known_length && !agrees;
            is_swapped || same_start && !may_be_other || agrees && known.ends_with(sent)
        }
        _ => true,
    };
    if !is_open {
        return None;
    }
    let is_another = is_word(sent) || inverts(sent, known) || are_roles(sent, known);
    let is_short_unit = known.len() <= 4 && is_unit(known);
    (!is_another && !is_short_unit).then_some(distance)
}

/// Words whose plural has another meaning: `new` and `news`.
fn is_set_apart(word: &str) -> bool {
    word.len() < 3 || word.len() == 3 && (is_distinct(word) || takes_side(word))
}

/// `tags` and `tag`: singular and plural of the same word.
pub(crate) fn is_plural_pair(a: &str, b: &str) -> bool {
    let plural_of = |plural: &str, one: &str| {
        plural.strip_suffix('s') == Some(one)
            || plural.strip_suffix("es") == Some(one)
            || plural.strip_suffix("ies").is_some_and(|stem| one.strip_suffix('y') == Some(stem))
    };
    plural_of(a, b) || plural_of(b, a)
}

/// `valid` and `invalid`, `network` and `subnetwork`, `address` and `addressee`: more added letters
/// than in a typing error, which make another word.
fn inverts(a: &str, b: &str) -> bool {
    let adds = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|beginning| beginning.len() >= 2 || beginning == "a")
            || long.strip_prefix(short).is_some_and(|ending| ending.len() >= 2)
    };
    adds(a, b) || adds(b, a)
}

/// `payer` and `payee`.
fn are_roles(a: &str, b: &str) -> bool {
    let stem = |word: &str, endings: [&str; 2]| {
        endings.iter().find_map(|ending| word.strip_suffix(ending).map(str::to_owned))
    };
    let is_pair = |doer: &str, other: &str| {
        let doer = stem(doer, ["er", "or"]);
        doer.is_some() && doer == stem(other, ["ee", "ees"])
    };
    is_pair(a, b) || is_pair(b, a)
}

fn is_swap(a: &str, b: &str) -> bool {
    a.len() == b.len() && strsim::osa_distance(a, b) == 1 && strsim::levenshtein(a, b) == 2
}

fn digits(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().filter(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::{SplitName, edit_distance};

    fn is_typo(sent: &str, known: &str) -> bool {
        edit_distance(&SplitName::new(sent), &SplitName::new(known)).is_some()
    }

    #[test]
    fn typos_are_recognized() {
        for (sent, known) in [
            ("pth", "path"),
            ("qeury", "query"),
            ("contents", "content"),
            ("descripton", "description"),
            ("urls", "url"),
            ("ulr", "url"),
            ("recusrive_serach", "recursive_search"),
            ("filepaht", "file_path"),
            ("file_pahth", "filePath"),
            ("longtitude", "longitude"),
        ] {
            assert!(is_typo(sent, known), "{sent} → {known}");
        }
    }

    #[test]
    fn other_words_are_not_typos() {
        for (sent, known) in [
            ("node", "mode"),
            ("date", "data"),
            ("form", "from"),
            ("post", "port"),
            ("path1", "path2"),
            ("id", "ip"),
            ("radius", "diameter"),
            ("test", "text"),
            ("product_id", "project_id"),
            ("case_insensitive", "case_sensitive"),
            ("only_read", "only_unread"),
            ("allow_unsafe", "allow_safe"),
            ("contact_id", "contract_id"),
            ("transaction_id", "translation_id"),
            ("payment_id", "parent_id"),
            ("reference", "preference"),
            ("lang", "lng"),
            ("payee", "payer"),
            ("news", "new"),
            ("delay_s", "delay_ms"),
            ("energy_kwh", "energy_wh"),
        ] {
            assert!(!is_typo(sent, known), "{sent} → {known}");
        }
    }
}
