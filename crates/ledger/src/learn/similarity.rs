//! Similarity of names and words.

/// Jaro-Winkler similarity (0 to 1) from which two spellings are alike.
const MIN_SIMILARITY: f64 = 0.88;
/// Minimum length of a shared prefix or word.
const MIN_SHARED_CHARS: usize = 3;

/// Whether two names share a word, or have a similar spelling.
pub(super) fn are_related_names(one: &str, two: &str) -> bool {
    let (first, second) = (words(one), words(two));
    first.iter().any(|word| word.len() >= MIN_SHARED_CHARS && second.contains(word))
        || are_spelt_alike(one, two)
}

/// Whether a word is another spelling or a short form of exactly one of the choices, namely of `expected`.
pub(super) fn is_spelling_of(sent: &str, expected: &str, choices: &[String]) -> bool {
    are_spelt_alike(sent, expected)
        && choices.iter().filter(|choice| *choice != expected).all(|choice| !are_spelt_alike(sent, choice))
}

fn are_spelt_alike(one: &str, two: &str) -> bool {
    let (one, two) = (folded(one), folded(two));
    if one.is_empty() || two.is_empty() {
        return false;
    }
    let (short, long) = if one.len() <= two.len() { (&one, &two) } else { (&two, &one) };
    short.len() >= MIN_SHARED_CHARS && long.starts_with(short.as_str())
        || one == two
        || strsim::jaro_winkler(&one, &two) >= MIN_SIMILARITY
}

fn folded(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The words of `file_path`, `filePath` and `file-path`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        let starts = c.is_uppercase() && was_lower;
        was_lower = c.is_lowercase() || c.is_ascii_digit();
        if !c.is_alphanumeric() || starts {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::{are_related_names, is_spelling_of};

    #[test]
    fn names_are_related_by_a_word_or_by_their_spelling() {
        assert!(are_related_names("file_path", "targetPath"));
        assert!(are_related_names("content", "contents"));
        assert!(!are_related_names("radius", "diameter"));
        assert!(!are_related_names("a_b", "a_c"));
    }

    #[test]
    fn spelling_matches_one_choice_only() {
        let choices = ["high".to_owned(), "low".to_owned()];
        assert!(is_spelling_of("HIGH!", "high", &choices));
        assert!(!is_spelling_of("urgent", "high", &choices));
        let similar = ["started".to_owned(), "starter".to_owned()];
        assert!(!is_spelling_of("start", "started", &similar));
    }
}
