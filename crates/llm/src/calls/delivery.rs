//! What becomes of a call, and what is reported of it.

use toolwright_model::{Change, Outcome};

/// What the client gets for the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The bytes that were sent.
    AsSent,
    /// This JSON object in their place.
    Instead(String),
    /// Nothing: the length limit cut the call off, and a part of it is not executed.
    CutOff,
}

/// A call that was judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    /// What the client gets.
    pub delivery: Delivery,
    /// What was found and done.
    pub report: CallReport,
}

/// What was found and done about one call: for the log, the numbers and the audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallReport {
    /// The name that the client is told.
    pub name: String,
    /// The name that the model wrote.
    pub sent_name: String,
    /// The arguments that the model wrote.
    pub sent: String,
    /// The arguments that the client got in their place.
    pub instead: Option<String>,
    /// How the name was changed.
    pub name_change: Option<Change>,
    /// What the normalizer says of the arguments.
    pub outcome: Outcome,
    /// In words: no tool has the name, and which are the nearest.
    pub unknown_tool: Option<String>,
    /// In words: why calls of this tool are not judged. Told for the first call only.
    pub unjudged_tool: Option<String>,
    /// Whether the length limit cut the call off.
    pub is_cut: bool,
    /// Whether a part had left that what would have been delivered instead cannot begin with, so that the rest
    /// followed as it was sent, or what has left was marked as unreadable.
    pub is_too_late: bool,
}

impl CallReport {
    /// Whether the client got something else than the model wrote.
    pub fn is_changed(&self) -> bool {
        self.instead.is_some() || self.name != self.sent_name || self.is_cut
    }
}
