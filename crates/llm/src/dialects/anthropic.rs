//! Anthropic Messages.

mod stream_read;
mod stream_write;

pub use stream_read::Decoder;
pub use stream_write::Encoder;
