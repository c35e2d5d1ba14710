//! One change that was made to a call, and one problem for which a call was refused.

use crate::Code;

/// One edit of a call. Every edit is reported; an empty report means identical bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which step made the edit.
    pub code: Code,
    /// JSON Pointer of the place in the arguments as they were when the step ran.
    pub path: String,
    /// What was there, as JSON text; `None` when nothing was there.
    pub from: Option<String>,
    /// What is there now, as JSON text; `None` when it was taken away.
    pub to: Option<String>,
    /// The id of the rule that asked for it, when a rule did.
    pub rule: Option<String>,
    /// The type of that rule, as rules files have it: `param_alias`.
    pub rule_type: Option<&'static str>,
    /// The evidence in a few words, for people.
    pub why: String,
}

/// One reason why a call was refused, worded so that a model can correct itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which kind of refusal.
    pub code: Code,
    /// JSON Pointer of the place in the arguments.
    pub path: String,
    /// What was found, what was expected, and the nearest valid form.
    pub message: String,
}
