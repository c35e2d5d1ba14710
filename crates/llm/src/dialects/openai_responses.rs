//! OpenAI Responses.
//!
//! A conversation is a flat list of items: messages, thoughts, calls and their outputs. Items of the model that follow
//! each other are one turn of the form, in their order.

mod decoder;
mod encoder;
mod error;
mod http;
mod input;
mod item;
mod marks;
mod output;
mod pass;
mod quirks;
mod request_read;
mod request_write;
mod response_read;
mod response_write;
mod seal;
mod spots;
mod tools;

use super::Conversion;
use crate::form::{Request, Response};
use crate::quirks::Quirk;
use crate::stream::{Decode, Encode};
use crate::{Failure, Notes, Reply, Target};

pub use decoder::Decoder;
pub use encoder::Encoder;
pub use error::write_error;
pub(in crate::dialects) use item::CUSTOM;
pub use request_read::read_request;
pub use request_write::write_request;
pub use response_read::read_response;
pub use response_write::write_response;

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
        "output"
    }

    fn conversation_member(&self) -> &'static str {
        "input"
    }

    fn refuse_elsewhere(&self, request: &Request) -> Result<(), Failure> {
        request_read::refuse_elsewhere(request)
    }

    fn has_namespaces(&self) -> bool {
        true
    }
}
