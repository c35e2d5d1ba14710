//! A change to a call, and a reason why a call is refused.

use crate::Code;

/// One edit of a call. Every edit is reported; an empty report means identical bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The step that made the edit.
    pub code: Code,
    /// JSON Pointer of the position in the arguments at the time the step ran.
    pub path: String,
    /// The old value as JSON text; `None` if there was none.
    pub from: Option<String>,
    /// The new value as JSON text; `None` if it was removed.
    pub to: Option<String>,
    /// Id of the rule that caused it, if a rule did.
    pub rule: Option<String>,
    /// Type of that rule, as in rules files: `param_alias`.
    pub rule_type: Option<&'static str>,
    /// The evidence in a few words, for people.
    pub why: String,
}

/// One reason why a call was refused, worded so that a model can correct itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind of refusal.
    pub code: Code,
    /// JSON Pointer of the position in the arguments.
    pub path: String,
    /// The value found, what was expected, and the closest valid form.
    pub message: String,
}
