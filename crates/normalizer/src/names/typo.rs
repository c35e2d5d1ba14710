//! Slips of the keyboard: a key that is no word of its own and one stroke away from another.

use super::lexicon::is_common;
use super::words::{singular, words};

/// How many strokes two folded names are apart, when that can be a slip; `None` when it cannot.
pub(crate) fn slips(sent: &str, sent_folded: &str, known: &str, known_folded: &str) -> Option<u32> {
    let longest = sent_folded.chars().count().max(known_folded.chars().count());
    let shortest = sent_folded.chars().count().min(known_folded.chars().count());
    let allowed = match longest {
        0..=3 => return None,
        4..=7 => 1,
        _ => 2,
    };
    if shortest < 3 || digits(sent_folded) != digits(known_folded) {
        return None;
    }
    let distance = strsim::osa_distance(sent_folded, known_folded);
    if distance == 0 || distance > allowed || distance == 2 && longest < 9 {
        return None;
    }
    if is_plural_pair(sent_folded, known_folded) {
        return Some(1);
    }
    // `node` is not a misspelt `mode`: both are words.
    let all_words = |name: &str| words(name).iter().all(|word| is_common(word) || is_common(singular(word)));
    if all_words(sent) && (all_words(known) || distance > 1) {
        return None;
    }
    // A slip on the very first letter of a short name is rarer than another word.
    if longest <= 5 && sent_folded.chars().next() != known_folded.chars().next() && !is_swap(sent_folded, known_folded) {
        return None;
    }
    Some(distance as u32)
}

/// `tags` and `tag`: the same word in number.
pub(crate) fn is_plural_pair(a: &str, b: &str) -> bool {
    let plural_of = |plural: &str, one: &str| {
        plural.strip_suffix('s') == Some(one)
            || plural.strip_suffix("es") == Some(one)
            || plural.strip_suffix("ies").is_some_and(|stem| one.strip_suffix('y') == Some(stem))
    };
    plural_of(a, b) || plural_of(b, a)
}

fn is_swap(a: &str, b: &str) -> bool {
    a.len() == b.len() && strsim::osa_distance(a, b) == 1 && strsim::levenshtein(a, b) == 2
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use super::slips;
    use crate::names::fold;

    fn slip(sent: &str, known: &str) -> bool {
        slips(sent, &fold(sent), known, &fold(known)).is_some()
    }

    #[test]
    fn slips_are_recognised() {
        for (sent, known) in [("pth", "path"), ("qeury", "query"), ("contents", "content"), ("descripton", "description"), ("urls", "url"), ("recusrive_serach", "recursive_search")] {
            assert!(slip(sent, known), "{sent} → {known}");
        }
    }

    #[test]
    fn other_words_are_not_slips() {
        for (sent, known) in [("node", "mode"), ("date", "data"), ("form", "from"), ("post", "port"), ("path1", "path2"), ("id", "ip"), ("radius", "diameter"), ("test", "text")] {
            assert!(!slip(sent, known), "{sent} → {known}");
        }
    }
}
