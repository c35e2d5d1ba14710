//! Splitting a name into its words.

/// The words of a name in lower case: `HTTPServerURL2` → `http server url 2`, `old_str` → `old str`.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = Vec::with_capacity(4);
    let mut word = String::with_capacity(name.len());
    let mut before: Option<char> = None;
    let mut chars = name.chars().peekable();
    while let Some(char) = chars.next() {
        if !char.is_alphanumeric() {
            flush(&mut word, &mut words);
        } else {
            if before.is_some_and(|before| starts_word(before, char, chars.peek().copied())) {
                flush(&mut word, &mut words);
            }
            word.extend(char.to_lowercase());
        }
        before = Some(char);
    }
    flush(&mut word, &mut words);
    words
}

fn flush(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(word.as_str().to_owned());
        word.clear();
    }
}

fn starts_word(before: char, char: char, after: Option<char>) -> bool {
    let hump = char.is_uppercase() && before.is_lowercase();
    let acronym_ends = char.is_uppercase() && before.is_uppercase() && after.is_some_and(char::is_lowercase);
    let number = char.is_numeric() != before.is_numeric() && before.is_alphanumeric();
    hump || acronym_ends || number
}

/// The singular of a regular English plural; other words unchanged.
pub(crate) fn singular(word: &str) -> &str {
    let kept =
        ["address", "class", "status", "news", "process", "access", "alias", "https", "canvas", "https"];
    if word.len() < 4 || kept.contains(&word) || word.ends_with("ss") || word.ends_with("us") {
        return word;
    }
    if word.ends_with("ies") {
        return word;
    }
    for ending in ["sses", "shes", "ches", "xes"] {
        if word.ends_with(ending) {
            return &word[..word.len() - 2];
        }
    }
    word.strip_suffix('s').unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::{singular, words};

    #[test]
    fn names_split_at_separators_humps_and_numbers() {
        assert_eq!(words("HTTPServerURL2"), ["http", "server", "url", "2"]);
        assert_eq!(words("old_str"), ["old", "str"]);
        assert_eq!(words("nextThoughtNeeded"), ["next", "thought", "needed"]);
        assert!(words("--").is_empty());
    }

    #[test]
    fn plurals_lose_their_ending() {
        assert_eq!(singular("urls"), "url");
        assert_eq!(singular("boxes"), "box");
        assert_eq!(singular("status"), "status");
        assert_eq!(singular("address"), "address");
    }
}
