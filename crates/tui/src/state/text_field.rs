//! A text input.

/// Limit of characters.
const MOST_CHARS: usize = 100;

/// The input and its editing operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextField(String);

impl TextField {
    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The words to search for, in lower case.
    pub fn words(&self) -> Vec<String> {
        self.0.to_lowercase().split_whitespace().map(str::to_owned).collect()
    }

    pub(super) fn push(&mut self, char: char) {
        // Pasted text may contain anything.
        if !toolwright_redact::does_not_print(char) && self.0.chars().count() < MOST_CHARS {
            self.0.push(char);
        }
    }

    pub(super) fn pop(&mut self) {
        self.0.pop();
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
