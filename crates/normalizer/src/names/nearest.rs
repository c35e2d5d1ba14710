//! The closest names to one that no tool has. The comparison has bounded cost, whatever the lists and names are.

use std::cmp::Reverse;

use toolwright_base::{closest_by, keystrokes_apart, letters_apart};

use super::fold::fold;
use super::words::words;

/// Number of suggestions.
const SUGGESTED: usize = 3;

/// A longer name has no closest match: it cannot be a misspelt tool name.
const MAX_COMPARED_BYTES: usize = 128;

/// Up to three names that share the most words with the one sent, ordered by distance.
pub(super) fn nearest<'t>(sent: &str, names: impl Iterator<Item = &'t str>) -> Vec<String> {
    if sent.len() > MAX_COMPARED_BYTES {
        return Vec::new();
    }
    let (folded, sent_words) = (fold(sent), words(sent));
    let candidates = names.filter(|name| name.len() <= MAX_COMPARED_BYTES).map(|name| {
        let shared = words(name).iter().filter(|word| sent_words.contains(word)).count();
        (Reverse(shared), fold(name), name)
    });
    let nearest = closest_by(
        candidates,
        |(shared, other, name)| Some((*shared, letters_apart(&folded, other), *name)),
        |(shared, other, name)| Some((*shared, keystrokes_apart(&folded, other), *name)),
        SUGGESTED,
    );
    nearest.into_iter().map(|(.., name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_names_share_words_and_letters() {
        let names = ["write_file", "read_file", "read_files", "list", "stat"];
        assert_eq!(nearest("raed_file", names.into_iter()), ["read_file", "write_file", "read_files"]);
        assert!(nearest(&"read_file_".repeat(13), names.into_iter()).is_empty());
    }

    #[test]
    fn closest_of_many_names_is_found() {
        let names: Vec<String> = (0..2_000).map(|at| format!("tool_{at:04}_{}", "x".repeat(20))).collect();
        let sent = format!("tool_1320_{}", "x".repeat(19));
        let found = nearest(&sent, names.iter().map(String::as_str));
        assert_eq!(found.first().map(String::as_str), Some(names[1320].as_str()));
    }
}
