//! What became of a call's arguments.

use crate::{Change, Problem};

/// The normalizer's answer for one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The arguments fit as they were sent: the same bytes go on.
    Unchanged,
    /// The arguments were mended; `changes` holds at least one entry.
    Repaired {
        /// The mended arguments as JSON text.
        arguments: String,
        /// Every edit, in the order it was made.
        changes: Vec<Change>,
    },
    /// No safe repair exists; `problems` holds at least one entry and nothing was changed.
    Refused {
        /// Every reason found.
        problems: Vec<Problem>,
        /// The nearest valid form, or what to send instead.
        hint: String,
    },
}
