//! The names that share the most with one that no tool has. Compared within a bound, whatever the lists and names are.

use super::fold::fold;
use super::words::words;

/// How many are suggested.
const SUGGESTED: usize = 3;

/// A longer name was not meant as any tool's: it has no nearest.
const MAX_COMPARED_BYTES: usize = 128;

/// How many names are compared letter by letter, which takes time by the product of two lengths. The others are
/// sorted out by what takes time by their sum.
const MAX_DISTANCES: usize = 32;

/// Up to three names that share the most words with the one sent, and of these the ones that are closest to it.
pub(super) fn nearest<'t>(sent: &str, names: impl Iterator<Item = &'t str>) -> Vec<String> {
    let folded = fold(sent);
    let mut near = likely(sent, &folded, names);
    for (_, apart, name) in &mut near {
        *apart = strsim::osa_distance(&folded, &fold(name));
    }
    near.sort_unstable();
    near.into_iter().take(SUGGESTED).map(|(_, _, name)| name.to_owned()).collect()
}

/// The names that are worth comparing letter by letter, at most so many: each with the words that it does not share, and
/// the letters.
fn likely<'t>(
    sent: &str,
    folded: &str,
    names: impl Iterator<Item = &'t str>,
) -> Vec<(usize, usize, &'t str)> {
    if sent.len() > MAX_COMPARED_BYTES {
        return Vec::new();
    }
    let sent_words = words(sent);
    let mut likely: Vec<(usize, usize, &str)> = names
        .filter(|name| name.len() <= MAX_COMPARED_BYTES)
        .map(|name| {
            let shared = words(name).iter().filter(|word| sent_words.contains(word)).count();
            (usize::MAX - shared, letters_apart(folded, &fold(name)), name)
        })
        .collect();
    likely.sort_unstable();
    likely.truncate(MAX_DISTANCES);
    likely
}

/// How many letters (bytes) one of two texts has and the other lacks. In ASCII never more than the strokes between them,
/// and found in one pass over each.
pub fn letters_apart(one: &str, other: &str) -> usize {
    let mut counts = [0_i32; 64];
    let place = |byte: u8| usize::from(byte & 63);
    one.bytes().for_each(|byte| counts[place(byte)] += 1);
    other.bytes().for_each(|byte| counts[place(byte)] -= 1);
    let more: i32 = counts.iter().filter(|count| **count > 0).sum();
    let fewer: i32 = counts.iter().filter(|count| **count < 0).sum();
    more.max(-fewer) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_share_words_and_letters() {
        let names = ["write_file", "read_file", "read_files", "list", "stat"];
        assert_eq!(nearest("raed_file", names.into_iter()), ["read_file", "write_file", "read_files"]);
        assert!(nearest(&"read_file_".repeat(13), names.into_iter()).is_empty());
    }

    #[test]
    fn the_right_one_of_many_is_found_within_the_bound() {
        let names: Vec<String> = (0..2_000).map(|at| format!("tool_{at:04}_{}", "x".repeat(20))).collect();
        let sent = format!("tool_1320_{}", "x".repeat(19));
        let found = nearest(&sent, names.iter().map(String::as_str));
        assert_eq!(found.first().map(String::as_str), Some(names[1320].as_str()));
        let compared = |sent: &str| likely(sent, &fold(sent), names.iter().map(String::as_str)).len();
        assert_eq!(compared(&sent), MAX_DISTANCES);
        assert_eq!(compared(&"tool_".repeat(26)), 0);
    }

    #[test]
    fn letters_are_counted_on_both_sides() {
        assert_eq!(letters_apart("read", "raed"), 0);
        assert_eq!(letters_apart("read", "reads"), 1);
        assert_eq!(letters_apart("abc", "xyz"), 3);
    }
}
