//! Whether a model is asked to think.

use crate::form::{Effort, Request};
use crate::{Notes, Target, Thinks};

/// Leaves out what a model that does not think refuses: also the word that it is not to think.
pub(super) fn fit_thinking(request: &mut Request, target: &Target, notes: &mut Notes) {
    if target.thinks != Thinks::No {
        return;
    }
    let Some(reasoning) = request.reasoning.take() else { return };
    if reasoning.is_on != Some(false) && reasoning.effort != Some(Effort::None) {
        notes.add("reasoning_not_sent", "the model does not think; it was not asked to");
    }
}
