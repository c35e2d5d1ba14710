//! Who says of a call whether it may be run.

use toolwright_executor::RegisteredTool;
use toolwright_model::Change;

/// Says of every call of a question whether it may be run.
///
/// It is asked after the call was normalized and directly before it would be run: it reads what the tool would get, never
/// what the model wrote.
pub trait Guard: Send + Sync {
    /// What becomes of the call.
    fn judge(&self, call: &Proposed<'_>) -> Verdict;
}

/// A call that would be run.
#[derive(Clone, Copy, Debug)]
pub struct Proposed<'a> {
    /// The tool; its annotations are the server's own words, and no promise.
    pub tool: &'a RegisteredTool,
    /// The arguments that it would get: the text of a JSON object.
    pub arguments: &'a str,
    /// What was changed to make the call fit.
    pub changes: &'a [Change],
}

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is run.
    Allow,
    /// It is not run, and the model is told this sentence.
    Deny {
        /// For people: it can be spoken.
        sentence: String,
    },
    /// It is run when the person says yes to this question.
    Confirm {
        /// For people: it can be spoken.
        question: String,
    },
}

/// Lets every call be run.
#[derive(Clone, Copy, Debug)]
pub struct AllowAll;

impl Guard for AllowAll {
    fn judge(&self, _: &Proposed<'_>) -> Verdict {
        Verdict::Allow
    }
}
