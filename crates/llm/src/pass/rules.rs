//! What tells the streams of one dialect from those of another, where both are passed on.

/// How a dialect's streams tell calls and texts. It is looked up once per stream.
#[derive(Clone, Copy, Debug, Default)]
pub struct StreamRules {
    /// Whether parts are choices, each an answer of its own; else they are blocks or items of one answer.
    pub has_choices: bool,
    /// Whether calls are deltas that clients add up: nothing says where a call ends, names come in pieces, and clients
    /// know a call by its number.
    pub has_deltas: bool,
    /// The frame that clients wait for behind the last one. Without it a stream is over when every choice is finished.
    pub closing_frame: Option<&'static str>,
    /// Whether a call without any arguments has an empty object.
    pub is_nothing_empty_object: bool,
    /// Whether text has blocks of its own, which calls can take the place of.
    pub has_text_blocks: bool,
    /// Whether the frames that begin such a block come before those with its text, and go with it.
    pub announces_text: bool,
}
