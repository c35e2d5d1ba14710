//! Outcome of the normalization of a call.

use crate::{Change, Problem};

/// The result of the normalizer for one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The arguments are valid as they were sent and are forwarded unchanged.
    Unchanged,
    /// The arguments were repaired; `changes` has at least one entry.
    Repaired {
        /// The repaired arguments as JSON text.
        arguments: String,
        /// Every edit, in the order it was made.
        changes: Vec<Change>,
    },
    /// No safe repair exists; `problems` has at least one entry and nothing was changed.
    Refused {
        /// Every reason found.
        problems: Vec<Problem>,
        /// The closest valid form, or what to send instead.
        hint: String,
    },
}
