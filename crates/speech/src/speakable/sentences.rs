//! Sentence boundaries, in a complete text and in a stream.

use super::unspeakable::Strictness;
use super::{MAX_SPOKEN_CHARS, whole_sentences};

/// Abbreviations whose full stop does not end a sentence.
const ABBREVIATIONS: &[&str] =
    &["mr", "mrs", "ms", "dr", "prof", "st", "e.g", "i.e", "a.m", "p.m", "no", "vs", "etc", "approx"];

/// The sentences of a text, with their punctuation.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while let Some(end) = end_of_first(rest) {
        found.push(rest[..end].trim().to_owned());
        rest = rest[end..].trim_start();
    }
    if !rest.is_empty() {
        found.push(rest.to_owned());
    }
    found
}

/// The end of the first sentence; `None` if it extends to the end of the text.
fn end_of_first(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let is_stop = match c {
            '!' | '?' | '…' | '。' | '！' | '？' => true,
            '.' => !is_abbreviation(&text[..at]),
            _ => false,
        };
        // A closing quote or bracket belongs to its sentence.
        let is_followed = match chars.peek() {
            None => true,
            Some((_, next)) => next.is_whitespace() || matches!(c, '。' | '！' | '？'),
        };
        if is_stop && is_followed {
            return Some(end);
        }
    }
    None
}

fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default().to_lowercase();
    ABBREVIATIONS.contains(&word.trim_start_matches('('))
        || word.chars().count() == 1 && word.chars().all(char::is_alphabetic) && word != "i"
}

/// Extracts sentences from a streamed text. Their total length is limited to that of one answer.
#[derive(Debug, Default)]
pub struct Sentences {
    /// The start of an incomplete sentence.
    open: String,
    said: usize,
    is_over: bool,
}

/// Limit of the buffered incomplete sentence, in bytes.
const MAX_OPEN: usize = 8 * 1024;

impl Sentences {
    /// Adds a piece; returns the sentences that it completes.
    pub fn push(&mut self, piece: &str) -> Vec<String> {
        let mut found = Vec::new();
        if self.is_over {
            return found;
        }
        self.open.push_str(piece);
        // Code contains no sentences; the complete answer omits it.
        if self.open.len() > MAX_OPEN || self.open.contains("```") {
            self.is_over = true;
            return found;
        }
        // A full stop counts only before whitespace: `3.` may become `3.5`.
        while let Some(end) =
            end_of_first(&self.open).filter(|end| self.open[*end..].starts_with(char::is_whitespace))
        {
            let rest = self.open.split_off(end);
            let sentence = std::mem::replace(&mut self.open, rest);
            self.open = self.open.trim_start().to_owned();
            let spoken = whole_sentences(&sentence, Strictness::Answer, MAX_SPOKEN_CHARS);
            if spoken.is_empty() {
                continue;
            }
            let long = spoken.chars().count() + usize::from(self.said > 0);
            if self.said + long > MAX_SPOKEN_CHARS {
                self.is_over = true;
                break;
            }
            self.said += long;
            found.push(spoken);
        }
        found
    }
}
