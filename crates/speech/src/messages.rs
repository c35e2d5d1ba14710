//! Message parsers, one file per protocol. Any bytes are either parsed or rejected with a reason.

pub mod hermes;
pub mod transcription;
pub mod wyoming;

/// The longest accepted sentence, in characters.
pub const MAX_TEXT_CHARS: usize = 2_000;
/// The largest payload of a message, in bytes.
pub const MAX_PAYLOAD_BYTES: usize = 64 * 1024;
