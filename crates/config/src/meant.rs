//! The word that was probably meant.

/// Longer words are not compared: nobody mistypes a known one into them.
const MAX_COMPARED_BYTES: usize = 64;

/// The known word that was probably meant: one slip in every three letters; case and separators are none.
pub(crate) fn meant<'k>(known: impl IntoIterator<Item = &'k str>, written: &str) -> Option<&'k str> {
    if written.len() > MAX_COMPARED_BYTES {
        return None;
    }
    let folded = folded(written);
    known
        .into_iter()
        .map(|word| (strsim::osa_distance(&self::folded(word), &folded), word))
        .filter(|(distance, word)| distance * 3 <= word.len().max(folded.len()))
        .min()
        .map(|(_, word)| word)
}

/// A word without case and separators.
pub(crate) fn folded(word: &str) -> String {
    word.chars().filter(|char| !matches!(char, '_' | '-' | ' ' | '.')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_seen_and_another_word_is_not() {
        let known = ["command", "args", "env", "url", "toolFilters"];
        for (written, word) in [
            ("comand", Some("command")),
            ("Command", Some("command")),
            ("tool_filters", Some("toolFilters")),
            ("arg", Some("args")),
            ("port", None),
            ("", None),
        ] {
            assert_eq!(meant(known, written), word, "{written}");
        }
        assert_eq!(meant(known, &"command".repeat(20)), None);
    }
}
