//! Calls one after the other, whatever order their pieces come in.

/// Holds what belongs to a later call until the calls before it are complete.
#[derive(Debug, Default)]
pub struct Sequencer {}
