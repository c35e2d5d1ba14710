//! Anthropic Messages.

mod blocks;
mod conversation;
mod error;
mod http;
mod marks;
mod media;
mod messages_write;
mod models;
mod pass;
mod quirks;
mod request_read;
mod request_write;
mod response;
mod spots;
mod stream_read;
mod stream_write;
mod tools;

use super::Conversion;
use crate::form::{Request, Response};
use crate::quirks::Quirk;
use crate::stream::{Decode, Encode};
use crate::{Failure, IdRule, Notes, Reply, SchemaRule, Target};

pub use error::write_error;
pub use request_read::read_request;
pub use request_write::write_request;
pub use response::{read_response, write_response};
pub use stream_read::Decoder;
pub use stream_write::Encoder;

pub(crate) use blocks::read_thinking;

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

    fn response_member(&self) -> &'static str {
        "content"
    }

    fn has_object_arguments(&self) -> bool {
        true
    }

    fn describe(&self, target: &mut Target) {
        target.name_chars = 128;
        target.ids = IdRule::Word;
        target.schemas = SchemaRule::Any;
        target.takes_top_k = true;
        target.reads_text_calls = false;
    }

    fn prepare_conversation(&self, request: &mut Request, _answer_tokens: u64) {
        conversation::mark(request);
    }
}
