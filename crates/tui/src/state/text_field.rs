//! A line that somebody writes.

/// How many characters it takes.
const MOST_CHARS: usize = 100;

/// What was written, and how to write on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextField(String);

impl TextField {
    /// What stands there.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// What is looked for: words in small letters.
    pub fn words(&self) -> Vec<String> {
        self.0.to_lowercase().split_whitespace().map(str::to_owned).collect()
    }

    pub(super) fn push(&mut self, char: char) {
        // What a terminal pastes may hold anything.
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
