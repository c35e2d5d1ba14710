//! OpenAI Chat Completions, and what others made of it.

mod error;
mod media;
mod message_read;
mod messages_write;
mod reasoning;
mod request_read;
mod request_write;
mod response;
mod stream_calls;
mod stream_read;
mod stream_write;
mod tools;

pub use error::{read_error, refuses_thinking, write_error};
pub(crate) use reasoning::is_marked_detail;
pub use request_read::read_request;
pub use request_write::write_request;
pub use response::{read_response, write_response};
pub use stream_read::Decoder;
pub use stream_write::Encoder;
