//! What a tool says of its failure, as far as it can be said aloud.

use super::spoken::is_speakable;

/// The longest message of a tool that is said, in characters.
const MAX_CHARS: usize = 200;

/// The message as it is, or its first sentence in words: names like `start_line` are said as words, of a
/// path only the last name is said, and what stands in brackets is left out. Nothing when that is not enough.
pub(super) fn own_words(message: &str) -> Option<String> {
    if is_speakable(message, MAX_CHARS) {
        return Some(message.trim().to_owned());
    }
    let said = in_words(first_sentence(message.trim()))?;
    let said = said.trim_end_matches(['.', ':', ' ']);
    let mut chars = said.chars();
    let said: String = chars.next()?.to_uppercase().chain(chars).chain(['.']).collect();
    is_speakable(&said, MAX_CHARS).then_some(said)
}

/// Up to the first full stop between words or the end of the line. What announces the next line is cut off.
fn first_sentence(message: &str) -> &str {
    let line = message.lines().next().unwrap_or_default();
    let (mut in_quotes, mut before) = (false, ' ');
    for (at, c) in line.char_indices() {
        match c {
            '"' if before != '\\' => in_quotes = !in_quotes,
            ' ' if before == '.' && !in_quotes => return &line[..at],
            _ => {}
        }
        before = c;
    }
    match line.strip_suffix(':').map(|line| line.rsplit_once(": ")) {
        Some(Some((kept, _))) => kept,
        _ => line,
    }
}

/// The sentence without signs of code.
fn in_words(sentence: &str) -> Option<String> {
    let mut said = String::new();
    let mut rest = sentence;
    while let Some(at) = rest.find(['"', '(']) {
        let (plain, from) = rest.split_at(at);
        said.push_str(&names_as_words(plain));
        let close = if from.starts_with('"') { '"' } else { ')' };
        let end = from[1..].find(close)? + 1;
        let inside = &from[1..end];
        match (close, quotable(inside)) {
            ('"', Some(name)) => said.push_str(&format!("\"{name}\"")),
            // Without its name the sentence must still speak of something.
            ('"', None) if said.trim().is_empty() => return None,
            (')', _) if is_speakable(inside, MAX_CHARS) => said.push_str(&format!("({inside})")),
            _ => said.truncate(said.trim_end().len()),
        }
        rest = &from[end + 1..];
    }
    said.push_str(&names_as_words(rest));
    Some(said)
}

/// The last name of a path, in words.
fn quotable(quoted: &str) -> Option<String> {
    let name = quoted.trim_end_matches('/').rsplit('/').next()?.replace('_', " ");
    is_speakable(&name, MAX_CHARS).then_some(name)
}

/// `start_line` is said "start line".
fn names_as_words(text: &str) -> String {
    let is_name = |word: &str| word.chars().all(|c| c.is_ascii_lowercase() || "_.,:;".contains(c));
    let words =
        text.split(' ').map(|word| if is_name(word) { word.replace('_', " ") } else { word.to_owned() });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_spoken_is_said_as_it_is() {
        assert_eq!(
            own_words(" No lamp is called so. Is it on? ").as_deref(),
            Some("No lamp is called so. Is it on?")
        );
    }

    #[test]
    fn of_other_messages_the_first_sentence_is_said_in_words() {
        for (message, said) in [
            ("end_line 2 comes before start_line 3. Send x_y", "End line 2 comes before start line 3."),
            (
                "the path \"../my_notes.txt\" leads outside of the folders (/a/b). Use another",
                "The path \"my notes.txt\" leads outside of the folders.",
            ),
            ("\"a/b. c.txt\" does not exist. Use list_directory", "\"b. c.txt\" does not exist."),
            ("the pattern is wrong: regex parse error:\n    (\n", "The pattern is wrong."),
            ("it takes no more (HTTP 429: {}). Try again", "It takes no more."),
        ] {
            assert_eq!(own_words(message).as_deref(), Some(said));
        }
    }

    #[test]
    fn what_only_programmers_understand_is_not_said() {
        for message in [
            "TypeError: x is undefined\n  at y",
            "\"{}\" is wrong. Or_not",
            "MCP error -32602: \"query\" is required",
            "a \"quote without end_",
            "_",
            "",
        ] {
            assert_eq!(own_words(message), None, "{message}");
        }
    }
}
