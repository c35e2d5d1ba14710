//! Slips of the keyboard: a key that is no word of its own and one stroke away from another.

use super::lexicon::{is_common, is_short_word, is_unit};
use super::name::Name;
use super::words::singular;

/// How many strokes two names are apart, when that can be a slip; `None` when it cannot.
pub(crate) fn slips(sent: &Name, known: &Name) -> Option<u32> {
    let (a, b) = (&*sent.folded, &*known.folded);
    let (sent_length, known_length) = (a.chars().count(), b.chars().count());
    let longest = sent_length.max(known_length);
    let allowed = match longest {
        0..=3 => return None,
        4..=8 => 1,
        _ => 2,
    };
    if sent_length.min(known_length) < 3 || sent_length.abs_diff(known_length) > allowed {
        return None;
    }
    let distance = strsim::osa_distance(a, b);
    if distance == 0 || distance > allowed || digits(a).ne(digits(b)) {
        return None;
    }
    if sent.words.len() == known.words.len() && is_plural_pair(a, b) {
        return Some(1);
    }
    if differ_by_whole_words(sent, known)
        || is_negation(a, b)
        || differ_in_a_short_word(sent, known)
        || differ_in_a_word_of_its_own(sent, known)
    {
        return None;
    }
    // In a short name another letter makes another word; a swapped, lost or doubled one seldom does.
    let is_swapped = is_swap(a, b);
    if longest <= 5 && sent_length == known_length && !is_swapped {
        return None;
    }
    // `node` is not a misspelt `mode`: both are words.
    let all_words = |name: &Name| name.words.iter().all(|word| is_common(word) || is_common(singular(word)));
    if all_words(sent) && (all_words(known) || distance > 1) {
        return None;
    }
    // A slip on the very first letter of a short name is rarer than another word.
    if longest <= 5 && a.chars().next() != b.chars().next() && !is_swapped {
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
        // `byproducts`, `subnetwork`: a prefix of two letters and more is seldom a slip.
        long.strip_suffix(short).is_some_and(|prefix| prefix.len() >= 2 || prefix == "a")
    };
    negates(a, b) || negates(b, a)
}

/// `timeout` and `timeout_ms`: a word more is no slip.
fn differ_by_whole_words(sent: &Name, known: &Name) -> bool {
    let (sent, known) = (&sent.words, &known.words);
    let (short, long) = if sent.len() < known.len() { (sent, known) } else { (known, sent) };
    short.len() < long.len() && short.iter().all(|word| long.contains(word))
}

/// `energy_kwh` and `energy_wh`, `payer` and `payee`, `dna` and `rna`: words of their own.
fn differ_in_a_word_of_its_own(sent: &Name, known: &Name) -> bool {
    let is_role_pair = |a: &str, b: &str| {
        let doer = a.strip_suffix("er").or_else(|| a.strip_suffix("or"));
        doer.is_some() && doer == b.strip_suffix("ee")
    };
    sent.words.len() == known.words.len()
        && sent.words.iter().zip(&known.words).filter(|(a, b)| a != b).any(|(a, b)| {
            let short =
                a.len() <= 3 && b.len() <= 3 && a.chars().next() != b.chars().next() && !is_swap(a, b);
            let is_short = a.len() <= 4 || b.len() <= 4;
            is_unit(a) && is_unit(b)
                || is_short && (is_unit(a) || is_unit(b)) && b != "id"
                || is_role_pair(a, b)
                || is_role_pair(b, a)
                || sent.words.len() > 1 && short
        })
}

/// `delay_s` and `delay_ms`: the difference is in a word too short to be misspelt.
fn differ_in_a_short_word(sent: &Name, known: &Name) -> bool {
    let (sent, known) = (&sent.words, &known.words);
    sent.len() > 1
        && sent.len() == known.len()
        && sent
            .iter()
            .zip(known)
            .any(|(a, b)| a != b && a.len() <= 3 && b.len() <= 3 && is_short_word(a) && b != "id")
}

fn is_swap(a: &str, b: &str) -> bool {
    a.len() == b.len() && strsim::osa_distance(a, b) == 1 && strsim::levenshtein(a, b) == 2
}

fn digits(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().filter(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::{Name, slips};

    fn slip(sent: &str, known: &str) -> bool {
        slips(&Name::new(sent), &Name::new(known)).is_some()
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
