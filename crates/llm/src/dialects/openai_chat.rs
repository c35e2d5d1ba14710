//! OpenAI Chat Completions, and what others made of it.

mod elsewhere;
mod error;
mod http;
mod marks;
mod media;
mod message_read;
mod messages_write;
pub(in crate::dialects) mod models;
mod pass;
mod quirks;
mod reasoning;
mod request_read;
mod request_write;
mod response;
mod spots;
mod stream_calls;
mod stream_read;
mod stream_write;
mod tools;

use super::Conversion;
use crate::form::{Request, Response};
use crate::quirks::Quirk;
use crate::stream::{Decode, Encode};
use crate::{Failure, Notes, Reply, Target};

pub use error::write_error;
pub(in crate::dialects) use pass::stream_error_type;
pub use request_read::read_request;
pub use request_write::write_request;
pub use response::{read_response, write_response};
pub use stream_read::Decoder;
pub use stream_write::Encoder;

/// The module of this dialect.
pub struct Module;

impl Conversion for Module {
    fn read_request(&self, body: &str) -> Result<Request, Failure> {
        read_request(body)
    }

    fn write_request(
        &self,
        request: &Request,
        target: &Target,
        notes: &mut Notes,
    ) -> Result<String, Failure> {
        write_request(request, target, notes)
    }

    fn read_response(&self, body: &str) -> Result<Response, Failure> {
        read_response(body)
    }

    fn write_response(&self, response: &Response, reply: &Reply) -> String {
        write_response(response, reply)
    }

    fn write_error(&self, failure: &Failure, request_id: &str) -> String {
        write_error(failure, request_id)
    }

    fn decoder(&self, id_seed: &str) -> Box<dyn Decode> {
        Box::new(Decoder::new(id_seed))
    }

    fn encoder(&self, reply: Reply) -> Box<dyn Encode> {
        Box::new(Encoder::new(reply))
    }

    fn quirks(&self) -> &'static [Quirk] {
        quirks::QUIRKS
    }

    fn refuses_thinking(&self, failure: &Failure) -> bool {
        error::refuses_thinking(failure)
    }

    fn response_member(&self) -> &'static str {
        "choices"
    }

    fn refuse_elsewhere(&self, request: &Request) -> Result<(), Failure> {
        elsewhere::refuse(request)
    }

    fn describe(&self, target: &mut Target) {
        target.most_stop_sequences = Some(4);
    }
}
