//! Somebody who says of one call whether it may be run, by what would be run and not by what was sent.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use toolwright_model::Change;

use crate::{CallError, RegisteredTool};

/// Judges a call after its arguments were made to fit, directly before it is run: whoever reads what a model wrote reads
/// something else than the tool gets.
pub trait CallJudge: Send + Sync {
    /// Whether this may be run.
    ///
    /// # Errors
    /// When it may not, with the words for it.
    fn judge(&self, call: &Judged<'_>) -> Result<(), Denied>;
}

/// A call that would be run.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// The tool.
    pub tool: &'a RegisteredTool,
    /// The arguments that it would get.
    pub arguments: &'a str,
    /// What was changed to make the call fit.
    pub changes: &'a [Change],
}

/// Why a call may not be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    /// For people: a sentence that can be spoken.
    pub sentence: String,
    /// For the model, besides.
    pub details: String,
}

/// The judge of a call.
#[derive(Clone)]
pub(crate) struct Judge(pub Arc<dyn CallJudge>);

impl Judge {
    /// A judge that breaks down lets nothing pass.
    pub fn judge(&self, call: &Judged<'_>) -> Result<(), CallError> {
        let judged = catch_unwind(AssertUnwindSafe(|| self.0.judge(call)));
        let denied = match judged {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(denied)) => denied,
            Err(_) => Denied {
                sentence: "I could not find out whether this is allowed, so I did not do it.".to_owned(),
                details: "The judge of this call broke down.".to_owned(),
            },
        };
        Err(CallError::denied(denied))
    }
}

impl fmt::Debug for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Judge")
    }
}
