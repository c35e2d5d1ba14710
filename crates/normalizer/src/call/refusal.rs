//! Assembly of a refusal: its problems and its hint.

use toolwright_model::{Change, Code, Outcome, Problem};

use crate::names::{NameContext, SplitName, compare, fold, is_envelope};
use crate::repair::{THE_TOOL_HAS, ValuePath, problem};

/// A longer form is of no use to a reader.
const MAX_FORM_BYTES: usize = 16 << 10;

/// A refusal with its problems and the form to send instead, if there is one.
pub(crate) fn refused(problems: Vec<Problem>, form: Option<String>) -> Outcome {
    let problems = if problems.is_empty() {
        vec![problem(Code::ValueMismatch, &ValuePath::Root, "the arguments do not fit the tool's schema")]
    } else {
        problems
    };
    // The caller sent something, so an empty object is not a useful hint.
    let form = form.filter(|form| form.len() <= MAX_FORM_BYTES && form != "{}");
    let hint = form.map_or_else(|| hint_of(&problems), |form| format!("send {form}"));
    Outcome::Refused { problems, hint }
}

/// The problems as a hint. Only the model may leave out an unknown parameter: it knows whether the call
/// needs it.
fn hint_of(problems: &[Problem]) -> String {
    // The list of the tool's parameters is in the problem; the hint only says what to do.
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

/// Whether no word supports the change: a name that is not similar, or a level that is not named like an
/// envelope. The hint for `{"except": "open"}` must not be to send `{"status": "open"}`.
pub(super) fn is_bare_guess(change: &Change, tool_name: &str) -> bool {
    let word =
        |side: &Option<String>| Some(side.as_deref()?.strip_prefix('"')?.strip_suffix('"')?.to_owned());
    let Some(from) = word(&change.from).filter(|_| change.rule.is_none()) else { return false };
    match (change.code, word(&change.to)) {
        (Code::KeyTypo | Code::AliasBySchema, Some(to)) => {
            compare(&SplitName::new(&from), &SplitName::new(&to), NameContext::NONE).is_none()
        }
        (Code::EnvelopeRemoved, None) => {
            let folded = fold(&from);
            !is_envelope(&folded) && folded != fold(tool_name)
        }
        _ => false,
    }
}
