//! OpenAI Responses.
//!
//! A conversation is a flat list of items: messages, thoughts, calls and their outputs. Items of the model that follow
//! each other are one turn of the form, in their order.

mod decoder;
mod encoder;
mod error;
mod input;
mod item;
pub(crate) mod namespace;
mod output;
mod request_read;
mod request_write;
mod response_read;
mod response_write;
mod seal;
mod tools;

pub use decoder::Decoder;
pub use encoder::Encoder;
pub use error::{read_error, refuses_thinking, write_error};
pub(crate) use output::error_code;
pub(crate) use output::is_made_id;
pub use request_read::{check_for_others, read_request};
pub use request_write::write_request;
pub use response_read::read_response;
pub use response_write::write_response;
