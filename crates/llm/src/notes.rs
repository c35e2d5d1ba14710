//! What could not be said in the other dialect, and what was done instead.

/// One thing that was left out or said differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// One word for programs: `stop_sequences_cut`.
    pub code: &'static str,
    /// The words for people.
    pub message: String,
}

/// All of them, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(Vec<Note>);

impl Notes {
    /// Adds one.
    pub fn add(&mut self, code: &'static str, message: impl Into<String>) {
        self.0.push(Note { code, message: message.into() });
    }

    /// The notes.
    pub fn as_slice(&self) -> &[Note] {
        &self.0
    }
}
