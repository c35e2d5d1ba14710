//! One module per dialect, behind one interface: [`DialectModule`].
//!
//! [`of`] is the table of dialects. Nothing outside of the folders here decides by the dialect: it asks the module.

pub mod anthropic;
pub mod ollama;
pub mod openai_chat;
pub mod openai_responses;

mod interface;

pub(crate) mod base64;
pub(crate) mod data_url;
pub(crate) mod error_shapes;
pub(crate) mod fields;
pub(crate) mod history;
pub(crate) mod namespace;
pub(crate) mod offer;
pub(crate) mod prompt;
pub(crate) mod strict;
pub(crate) mod system;
pub(crate) mod time;

use crate::form::Request;
use crate::{Dialect, Failure, Notes, Target};

pub use interface::{
    Conversion, DialectModule, Endpoint, HttpApi, LocalServer, ModelPage, PassThrough, TokenCount,
};

/// The module of a dialect.
pub fn of(dialect: Dialect) -> &'static dyn DialectModule {
    match dialect {
        Dialect::AnthropicMessages => &anthropic::Module,
        Dialect::OpenAiChat => &openai_chat::Module,
        Dialect::OpenAiResponses => &openai_responses::Module,
        Dialect::OllamaChat => &ollama::Module,
    }
}

/// All dialects with their modules, in their order.
pub fn all() -> impl DoubleEndedIterator<Item = (Dialect, &'static dyn DialectModule)> {
    Dialect::ALL.into_iter().map(|dialect| (dialect, of(dialect)))
}

/// Writes a request for an upstream, in its dialect.
pub fn write_request(request: &Request, target: &Target, notes: &mut Notes) -> Result<String, Failure> {
    for (_, other) in all().rev().filter(|(dialect, _)| *dialect != target.dialect) {
        other.refuse_elsewhere(request)?;
    }
    of(target.dialect).write_request(request, target, notes)
}
