//! Approval of calls.

use toolwright_executor::RegisteredTool;
use toolwright_model::Change;

/// Decides for every call of a question whether it may run.
///
/// It is called after normalization and directly before the call would run: it sees the arguments that the
/// tool would receive, never those that the model wrote.
pub trait Guard: Send + Sync {
    /// Decides about the call.
    fn judge(&self, call: &Proposed<'_>) -> Verdict;
}

/// A call that would run.
#[derive(Clone, Copy, Debug)]
pub struct Proposed<'a> {
    /// The tool; its annotations come from the server and are not trusted.
    pub tool: &'a RegisteredTool,
    /// The arguments that the tool would receive: the text of a JSON object.
    pub arguments: &'a str,
    /// The repairs.
    pub changes: &'a [Change],
}

/// The decision about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The call runs.
    Allow,
    /// The call does not run, and the model receives this sentence.
    Deny {
        /// For people: it is speakable.
        sentence: String,
    },
    /// The call runs if the user confirms this question.
    Confirm {
        /// For people: it is speakable.
        question: String,
    },
}

/// Allows every call.
#[derive(Clone, Copy, Debug)]
pub struct AllowAll;

impl Guard for AllowAll {
    fn judge(&self, _: &Proposed<'_>) -> Verdict {
        Verdict::Allow
    }
}
