//! Slips of the keyboard: a key that is no word of its own and one stroke away from another.

use super::lexicon::{is_common, is_short_word};
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
    if differ_by_whole_words(sent, known)
        || is_negation(sent_folded, known_folded)
        || differ_in_a_short_word(sent, known)
    {
        return None;
    }
    // In a short name another letter makes another word; a swapped, lost or doubled one seldom does.
    let is_substitution = sent_folded.len() == known_folded.len() && !is_swap(sent_folded, known_folded);
    if longest <= 5 && is_substitution {
        return None;
    }
    // `node` is not a misspelt `mode`: both are words.
    let all_words = |name: &str| words(name).iter().all(|word| is_common(word) || is_common(singular(word)));
    if all_words(sent) && (all_words(known) || distance > 1) {
        return None;
    }
    // A slip on the very first letter of a short name is rarer than another word.
    if longest <= 5
        && sent_folded.chars().next() != known_folded.chars().next()
        && !is_swap(sent_folded, known_folded)
    {
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

/// `valid` and `invalid`: a prefix that turns the meaning around.
fn is_negation(a: &str, b: &str) -> bool {
    let negates = |long: &str, short: &str| {
        long.strip_suffix(short)
            .is_some_and(|prefix| ["un", "in", "de", "dis", "non", "re", "no", "im", "a"].contains(&prefix))
    };
    negates(a, b) || negates(b, a)
}

/// `timeout` and `timeout_ms`: a word more is no slip.
fn differ_by_whole_words(sent: &str, known: &str) -> bool {
    let (sent, known) = (words(sent), words(known));
    let (short, long) = if sent.len() < known.len() { (&sent, &known) } else { (&known, &sent) };
    short.len() < long.len() && short.iter().all(|word| long.contains(word))
}

/// `delay_s` and `delay_ms`: the difference is in a word too short to be misspelt.
fn differ_in_a_short_word(sent: &str, known: &str) -> bool {
    let (sent, known) = (words(sent), words(known));
    sent.len() > 1
        && sent.len() == known.len()
        && sent
            .iter()
            .zip(&known)
            .any(|(a, b)| a != b && a.len() <= 3 && b.len() <= 3 && is_short_word(a) && b != "id")
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
        for (sent, known) in [
            ("pth", "path"),
            ("qeury", "query"),
            ("contents", "content"),
            ("descripton", "description"),
            ("urls", "url"),
            ("recusrive_serach", "recursive_search"),
        ] {
            assert!(slip(sent, known), "{sent} → {known}");
        }
    }

    #[test]
    fn other_words_are_not_slips() {
        for (sent, known) in [
            ("node", "mode"),
            ("date", "data"),
            ("form", "from"),
            ("post", "port"),
            ("path1", "path2"),
            ("id", "ip"),
            ("radius", "diameter"),
            ("test", "text"),
        ] {
            assert!(!slip(sent, known), "{sent} → {known}");
        }
    }
}
