//! What a refusal says as a whole: its reasons and its hint.

use toolwright_model::{Change, Code, Outcome, Problem};

use crate::names::{Name, Surroundings, compare, fold, is_envelope};
use crate::repair::{Path, THE_TOOL_HAS, problem};

/// A longer form is nothing that anyone would read.
const MAX_FORM_BYTES: usize = 16 << 10;

/// A refusal with its reasons and the form to send instead, if there is one.
pub(crate) fn refused(problems: Vec<Problem>, form: Option<String>) -> Outcome {
    let problems = if problems.is_empty() {
        vec![problem(Code::ValueMismatch, &Path::Root, "the arguments do not fit the tool's schema")]
    } else {
        problems
    };
    // Something was sent: to send nothing is no way to say it.
    let form = form.filter(|form| form.len() <= MAX_FORM_BYTES && form != "{}");
    let hint = form.map_or_else(|| told(&problems), |form| format!("send {form}"));
    Outcome::Refused { problems, hint }
}

/// The reasons as a hint. What is unknown may be left out by the model alone, which knows whether it
/// is needed.
fn told(problems: &[Problem]) -> String {
    // The list of what the tool has is in the problem; the hint only says what to do.
    let short = |problem: &'_ Problem| match problem.code {
        Code::MeaningfulUnknown => problem.message.rfind(THE_TOOL_HAS).unwrap_or(problem.message.len()),
        _ => problem.message.len(),
    };
    let mut parts: Vec<&str> = problems.iter().map(|problem| &problem.message[..short(problem)]).collect();
    match problems.iter().filter(|problem| problem.code == Code::MeaningfulUnknown).count() {
        0 => {}
        1 => parts.push("leave the unknown parameter out only if the call does not need it"),
        _ => parts.push("leave the unknown parameters out only if the call does not need them"),
    }
    parts.join("; ")
}

/// Whether no word speaks for the change: a name that is not alike, or a level that does not call
/// itself an envelope. `{"except": "open"}` must not be told to send `{"status": "open"}`.
pub(super) fn is_bare_guess(change: &Change, tool_name: &str) -> bool {
    let word =
        |side: &Option<String>| Some(side.as_deref()?.strip_prefix('"')?.strip_suffix('"')?.to_owned());
    let Some(from) = word(&change.from).filter(|_| change.rule.is_none()) else { return false };
    match (change.code, word(&change.to)) {
        (Code::KeyTypo | Code::AliasBySchema, Some(to)) => {
            compare(&Name::new(&from), &Name::new(&to), Surroundings::NONE).is_none()
        }
        (Code::EnvelopeRemoved, None) => {
            let folded = fold(&from);
            !is_envelope(&folded) && folded != fold(tool_name)
        }
        _ => false,
    }
}
