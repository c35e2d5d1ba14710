//! One module per dialect: requests, answers, errors and streams, read and written.
//!
//! What a dialect is good for stands in one table: the functions below.

pub mod anthropic;
pub mod ollama;
pub mod openai_chat;
pub mod openai_responses;

pub(crate) mod base64;
pub(crate) mod data_url;
pub(crate) mod error_shapes;
pub(crate) mod fields;
pub(crate) mod history;
pub(crate) mod offer;
pub(crate) mod prompt;
pub(crate) mod strict;
pub(crate) mod system;

use crate::form::{Request, Response};
use crate::stream::{Decode, Encode};
use crate::{Dialect, Failure, Notes, Reply, Target};

/// The function of a dialect's module.
macro_rules! of {
    ($dialect:expr, $function:ident($($argument:expr),*)) => {
        match $dialect {
            Dialect::AnthropicMessages => anthropic::$function($($argument),*),
            Dialect::OpenAiChat => openai_chat::$function($($argument),*),
            Dialect::OpenAiResponses => openai_responses::$function($($argument),*),
            Dialect::OllamaChat => ollama::$function($($argument),*),
        }
    };
}

/// Reads a client's request.
pub fn read_request(dialect: Dialect, body: &str) -> Result<Request, Failure> {
    of!(dialect, read_request(body))
}

/// Writes a request for an upstream, in its dialect.
pub fn write_request(request: &Request, target: &Target, notes: &mut Notes) -> Result<String, Failure> {
    if target.dialect != Dialect::OpenAiResponses {
        openai_responses::check_for_others(request)?;
    }
    of!(target.dialect, write_request(request, target, notes))
}

/// Reads an upstream's whole answer.
pub fn read_response(dialect: Dialect, body: &str) -> Result<Response, Failure> {
    of!(dialect, read_response(body))
}

/// Writes a whole answer for a client.
pub fn write_response(dialect: Dialect, response: &Response, reply: &Reply) -> String {
    of!(dialect, write_response(response, reply))
}

/// Reads an upstream's error, whatever shape it has.
pub fn read_error(dialect: Dialect, status: u16, body: &str) -> Failure {
    of!(dialect, read_error(status, body))
}

/// Whether an upstream's error says that the model does not take the parameter that asks it to think.
pub fn refuses_thinking(dialect: Dialect, failure: &Failure) -> bool {
    of!(dialect, refuses_thinking(failure))
}

/// Writes an error for a client.
pub fn write_error(dialect: Dialect, failure: &Failure, request_id: &str) -> String {
    of!(dialect, write_error(failure, request_id))
}

/// What reads an upstream's stream.
pub fn decoder(dialect: Dialect, id_seed: &str) -> Box<dyn Decode> {
    match dialect {
        Dialect::AnthropicMessages => Box::new(anthropic::Decoder::new(id_seed)),
        Dialect::OpenAiChat => Box::new(openai_chat::Decoder::new(id_seed)),
        Dialect::OpenAiResponses => Box::new(openai_responses::Decoder::new(id_seed)),
        Dialect::OllamaChat => Box::new(ollama::Decoder::new(id_seed)),
    }
}

/// What writes a client's stream.
pub fn encoder(dialect: Dialect, reply: Reply) -> Box<dyn Encode> {
    match dialect {
        Dialect::AnthropicMessages => Box::new(anthropic::Encoder::new(reply)),
        Dialect::OpenAiChat => Box::new(openai_chat::Encoder::new(reply)),
        Dialect::OpenAiResponses => Box::new(openai_responses::Encoder::new(reply)),
        Dialect::OllamaChat => Box::new(ollama::Encoder::new(reply)),
    }
}
