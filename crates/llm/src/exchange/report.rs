//! What became of an answer, for records and numbers.

use toolwright_model::Outcome;

use crate::Failure;
use crate::calls::CallReport;
use crate::form::{Stop, Usage};

/// What became of an answer.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What it cost.
    pub usage: Usage,
    /// Why it ended.
    pub stop: Option<Stop>,
    /// The model, as the upstream calls it.
    pub model: Option<String>,
    /// The calls in it.
    pub calls: Vec<CallReport>,
    /// So many of the calls were written as text.
    pub text_calls: usize,
    /// Whether anything of the answer has left.
    pub has_content: bool,
    /// Why there is none.
    pub failure: Option<Failure>,
}

impl Report {
    /// Adds calls.
    pub(super) fn take(&mut self, calls: Vec<CallReport>) {
        self.calls.extend(calls);
    }

    /// Takes over what a later report of the same answer says. What it has already is not copied again: a stream has as
    /// many reports as pieces.
    pub fn follow(&mut self, later: &Report) {
        // Calls are only added.
        let new = later.calls.get(self.calls.len()..).unwrap_or_default();
        if self.stop.is_none() || !new.is_empty() {
            self.stop.clone_from(&later.stop);
        }
        self.calls.extend_from_slice(new);
        self.usage = later.usage;
        self.text_calls = later.text_calls;
        self.has_content |= later.has_content;
        if self.model.is_none() {
            self.model.clone_from(&later.model);
        }
        if self.failure.is_none() {
            self.failure.clone_from(&later.failure);
        }
    }

    /// How many calls were mended, those that were written as text among them.
    pub fn repaired(&self) -> usize {
        (repaired(&self.calls) + self.text_calls).min(self.calls.len())
    }

    /// How many could not be.
    pub fn refused(&self) -> usize {
        self.calls.iter().filter(|call| matches!(call.outcome, Outcome::Refused { .. })).count()
    }
}

/// How many of these were mended. One that was cut off, or cannot be read, was not, whatever is told of it.
pub fn repaired(calls: &[CallReport]) -> usize {
    let is_mended = |call: &&CallReport| {
        let is_refused = matches!(call.outcome, Outcome::Refused { .. });
        call.is_changed() && !call.is_cut && (!is_refused || call.name != call.sent_name)
    };
    calls.iter().filter(is_mended).count()
}
