//! Ollama chat.
//!
//! Streams are lines of JSON, arguments are objects, calls come whole, and ids may be missing.

mod decoder;
mod encoder;
mod error;
mod pairing;
mod request_read;
mod request_write;
mod response;
mod time;

pub use decoder::Decoder;
pub use encoder::Encoder;
pub use error::{read_error, refuses_thinking, write_error};
pub use request_read::read_request;
pub use request_write::write_request;
pub use response::{read_response, write_response};
