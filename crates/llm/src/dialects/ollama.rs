//! Ollama chat.
//!
//! Streams are lines of JSON, arguments are objects, calls come whole, and ids may be missing.

mod conversation;
mod decoder;
mod encoder;
mod error;
mod http;
mod models;
mod pairing;
mod pass;
mod quirks;
mod request_read;
mod request_write;
mod response;
mod spots;

use super::Conversion;
use crate::form::{Request, Response};
use crate::quirks::Quirk;
use crate::stream::{Decode, Encode, Frames};
use crate::{Failure, Notes, Reply, SchemaRule, Target};

pub use decoder::Decoder;
pub use encoder::Encoder;
pub use error::write_error;
pub use request_read::read_request;
pub use request_write::write_request;
pub use response::{read_response, write_response};

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
        "message"
    }

    fn has_object_arguments(&self) -> bool {
        true
    }

    fn frames(&self) -> Frames {
        Frames::lines()
    }

    fn streams_by_default(&self) -> bool {
        true
    }

    fn describe(&self, target: &mut Target) {
        target.schemas = SchemaRule::Ollama;
        target.takes_top_k = true;
    }

    fn prepare_conversation(&self, request: &mut Request, answer_tokens: u64) {
        conversation::make_room(request, answer_tokens);
    }
}
