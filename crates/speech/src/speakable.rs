//! Speakable texts: short, complete sentences without markdown, codes, addresses and emojis.
//!
//! Elements for a screen are removed. A technical term removes its whole sentence: half of "connect
//! ECONNREFUSED" is worse than nothing.

mod markup;
mod sentences;
mod unspeakable;

pub use sentences::Sentences;

use unspeakable::Strictness;

/// The longest answer, in characters.
pub const MAX_SPOKEN_CHARS: usize = 299;

/// Spoken when nothing is left of a text.
const NOTHING_LEFT: &str = "I have an answer, but it cannot be said aloud.";
const FAILED: &str = "That did not work.";

/// Makes a text speakable: at most 299 characters, truncated after a sentence, with final punctuation.
pub fn speakable(text: &str) -> String {
    let spoken = whole_sentences(text, Strictness::Answer, MAX_SPOKEN_CHARS);
    if spoken.is_empty() { NOTHING_LEFT.to_owned() } else { spoken }
}

/// The same for the message of a failure: sentences about ports and connections are removed as well.
pub fn speakable_failure(text: &str) -> String {
    let spoken = whole_sentences(text, Strictness::Failure, MAX_SPOKEN_CHARS);
    if spoken.is_empty() { FAILED.to_owned() } else { spoken }
}

/// The speakable sentences, as many as fit into `room` characters.
fn whole_sentences(text: &str, strictness: Strictness, room: usize) -> String {
    let mut spoken = String::new();
    let mut left = room;
    for sentence in sentences::split(&markup::stripped(text)) {
        let Some(sentence) = one_sentence(&sentence, strictness) else { continue };
        let long = sentence.chars().count() + usize::from(!spoken.is_empty());
        if long > left {
            if spoken.is_empty() {
                spoken = cut(&sentence, room);
            }
            break;
        }
        if !spoken.is_empty() {
            spoken.push(' ');
        }
        spoken.push_str(&sentence);
        left -= long;
    }
    spoken
}

/// One sentence with final punctuation; `None` if it is not speakable.
fn one_sentence(sentence: &str, strictness: Strictness) -> Option<String> {
    let plain = unspeakable::plain(sentence);
    if unspeakable::is_technical(&plain, strictness) {
        return None;
    }
    let end = |c: char| !is_word(c) && !matches!(c, '%' | ')' | '"' | '€' | '£' | '$' | '°');
    let body = plain.trim_end_matches(end);
    let start = |c: char| !is_word(c) && !matches!(c, '(' | '"' | '€' | '£' | '$');
    let bare = body.trim_start_matches(start);
    // A negative number keeps its sign.
    let is_below_zero =
        bare.starts_with(|c: char| c.is_ascii_digit()) && body[..body.len() - bare.len()].ends_with('-');
    let body = &body[body.len() - bare.len() - usize::from(is_below_zero)..];
    if !body.chars().any(is_word) {
        return None;
    }
    let is_question = plain[plain.len().min(trimmed_end(&plain, body))..].contains('?');
    Some(format!("{body}{}", if is_question { '?' } else { '.' }))
}

/// The end of the body in the sentence that contains it.
fn trimmed_end(plain: &str, body: &str) -> usize {
    plain.find(body).map_or(plain.len(), |at| at + body.len())
}

/// Truncates a sentence that is too long, at a word.
fn cut(sentence: &str, room: usize) -> String {
    let most: String = sentence.chars().take(room - 1).collect();
    let shortened = match most.rfind([',', ';', ' ']) {
        Some(at) if at > most.len() / 2 => &most[..at],
        _ => &most,
    };
    format!("{}.", shortened.trim_end_matches(|c: char| !is_word(c)))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric()
}
