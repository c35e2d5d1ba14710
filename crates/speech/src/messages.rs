//! Messages out of bytes, one file for each protocol. Any bytes are read or refused with a reason.

pub mod hermes;
pub mod transcription;
pub mod wyoming;

/// The longest sentence that is taken, in characters: more is no sentence.
pub const MAX_TEXT_CHARS: usize = 2_000;
/// The largest payload of a message, in bytes.
pub const MAX_PAYLOAD_BYTES: usize = 64 * 1024;
