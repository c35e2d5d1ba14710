//! What a tool says of its failure, as far as it can be said aloud.

use super::spoken::{is_port, is_speakable};

/// The longest message of a tool that is said, in characters.
const MAX_CHARS: usize = 200;

/// How much of a message is read for it, in bytes: a server may send megabytes, and what is said is in the beginning.
const MAX_READ_BYTES: usize = 8 << 10;

/// How many words the beginning of a sentence must have to say something without its end.
const FEWEST_WORDS: usize = 4;

/// As much of a message as is read.
pub(super) fn beginning(message: &str) -> &str {
    &message[..message.floor_char_boundary(MAX_READ_BYTES)]
}

/// The message as it is, or its first sentence in words: names like `start_line` are said as words, of a
/// path only the last name is said, and addresses and what stands in brackets are left out. Where the reason behind
/// a colon cannot be said, what stands before it is. Nothing when that is not enough.
pub(super) fn own_words(message: &str) -> Option<String> {
    let read = beginning(message).trim();
    let is_cut = message.len() > MAX_READ_BYTES;
    if !is_cut && is_speakable(message, MAX_CHARS) {
        return Some(read.to_owned());
    }
    let sentence = first_sentence(read);
    // A sentence whose end was not read may say something else.
    let is_whole = !is_cut || sentence.len() < read.len();
    said(sentence).filter(|_| is_whole).or_else(|| {
        let (beginning, _) = sentence.split_once(": ")?;
        let is_enough = beginning.split_whitespace().count() >= FEWEST_WORDS;
        said(beginning).filter(|_| is_enough)
    })
}

/// A sentence as it is said.
fn said(sentence: &str) -> Option<String> {
    let said = in_words(sentence)?;
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
            (')', _) if is_speakable(inside, MAX_CHARS) && !inside.starts_with("os error") => {
                said.push_str(&format!("({inside})"))
            }
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

/// `start_line` is said "start line", and addresses and ports are not said.
fn names_as_words(text: &str) -> String {
    let is_name = |word: &str| word.chars().all(|c| c.is_ascii_lowercase() || "_.,:;".contains(c));
    let mut words: Vec<String> = Vec::new();
    let mut rest = text.split(' ').peekable();
    while let Some(word) = rest.next() {
        let is_before_number = rest.peek().is_some_and(|next| is_port(word, next));
        let word = if is_before_number { rest.next().unwrap_or(word) } else { word };
        let bare = word.trim_end_matches([':', ',', ';', '.']);
        if is_before_number || is_address(bare) {
            // "on port 1883" goes whole, and what stood behind it belongs to the word before.
            if words.last().is_some_and(|last| ["on", "at"].contains(&last.as_str())) {
                words.pop();
            }
            if let Some(last) = words.last_mut() {
                last.push_str(&word[bare.len()..]);
            }
        } else {
            words.push(if is_name(word) { word.replace('_', " ") } else { word.to_owned() });
        }
    }
    words.join(" ")
}

/// `mqtt://house:1883`, `192.168.1.2` or `house:1883`.
fn is_address(word: &str) -> bool {
    let (host, port) = word.rsplit_once(':').unwrap_or((word, ""));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_ip = host.split('.').count() == 4 && host.split('.').all(is_number);
    let has_port = port.len() >= 2 && is_number(port) && host.contains(|c: char| c.is_ascii_alphabetic());
    word.contains("://") || is_ip || has_port
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
            ("MQTT broker on port 1883 refused the connection", "MQTT broker refused the connection."),
            (
                "The MQTT broker mqtt://127.0.0.1:1883 cannot be reached: Connection refused (os error 111). Check MQTT_URL.",
                "The MQTT broker cannot be reached: Connection refused.",
            ),
            (
                "The MQTT broker mqtt://house:1883 cannot be reached: ETIMEDOUT. Nothing was sent.",
                "The MQTT broker cannot be reached.",
            ),
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
            "npm error: ENOENT_",
            "_",
            "",
        ] {
            assert_eq!(own_words(message), None, "{message}");
        }
    }

    #[test]
    fn of_a_very_long_message_only_the_beginning_is_read() {
        let rest = "{\"token\":[".repeat(100_000);
        assert_eq!(own_words(&format!("The lamp is_off. {rest}")).as_deref(), Some("The lamp is off."));
        assert_eq!(
            own_words(&format!("The lamp cannot be reached: {rest}")).as_deref(),
            Some("The lamp cannot be reached.")
        );
        assert_eq!(own_words(&rest), None);
        // What was cut could say the opposite.
        let bracketed = format!("The lamp is on ({})", "x".repeat(MAX_READ_BYTES - 18));
        assert_eq!(own_words(&bracketed).as_deref(), Some("The lamp is on."));
        assert_eq!(own_words(&format!("{bracketed} never")), None);
    }
}
