//! Settings that a model takes each, but not together.

use crate::form::{Effort, Reasoning, Request};
use crate::{Notes, Target};

/// Leaves out the one that matters less.
pub(super) fn fit_sampling(request: &mut Request, target: &Target, notes: &mut Notes) {
    let has_both = request.temperature.is_some() && request.top_p.is_some();
    if has_both && target.takes_temperature && !target.takes_temperature_with_top_p {
        request.top_p = None;
        notes.add(
            "top_p_left_out",
            "this model takes temperature or top_p, not both: temperature was sent".to_owned(),
        );
    }
    if !target.takes_effort_with_tools && !request.tools.is_empty() {
        let is_asked =
            request.reasoning.as_ref().is_some_and(|asked| asked.is_on != Some(false) && *asked != OFF);
        request.reasoning = Some(OFF);
        if is_asked {
            notes.add(
                "reasoning_left_out",
                "this model takes no tools on Chat Completions while it thinks, so thinking is off: give its \
                 upstream the kind \"openai-responses\" to have both"
                    .to_owned(),
            );
        }
    }
}

/// Said outright: such models think when nothing is said.
const OFF: Reasoning =
    Reasoning { is_on: Some(false), effort: Some(Effort::None), budget: None, summary: None, raw: None };
