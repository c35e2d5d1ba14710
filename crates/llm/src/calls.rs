//! Calls of tools, mended by the tools that the request itself brings.
//!
//! A [`ToolCache`] compiles the tools of requests once and gives each exchange its [`Toolset`]. A [`Mender`] judges
//! one call: what fits goes on with the same bytes, what can be mended is delivered mended, and what cannot is
//! delivered so that the client tells the model what is wrong with it; never completed, never emptied. [`CallStage`]
//! does that in a stream, [`mend_response`] in a whole answer and [`mend_history`] in what a client sends back.

mod cache;
mod delivery;
mod growing;
mod mender;
mod stage;
mod stop;
mod too_late;
mod whole;

pub use cache::{ToolCache, Toolset};
pub use delivery::{CallReport, Delivery, Mended};
pub use growing::{GrowingCall, Rest};
pub use mender::{Mender, Named};
pub use stage::CallStage;
pub use stop::finish_of;
pub use whole::{mend_history, mend_response};

use toolwright_normalizer::RuleSet;
use toolwright_normalizer::rules::BUILTIN_SETS;

/// The built-in rules for calls of language models: those for every call, and those for these calls only, which drop
/// `offset` and `limit` from a `read_file` that has no such parameters.
pub fn builtin_rules() -> RuleSet {
    RuleSet::from_sets(&BUILTIN_SETS.iter().map(|set| set.name).collect::<Vec<_>>())
}

/// A call that may not be one, as text: what the model wanted can be read, and nobody runs it.
fn as_text(name: &str, arguments: &str) -> String {
    let arguments = match toolwright_jsonrpc::raw::check(arguments) {
        Ok(()) => arguments.to_owned(),
        Err(_) => toolwright_jsonrpc::raw::quote(arguments),
    };
    format!("{{\"name\":{},\"arguments\":{arguments}}}", toolwright_jsonrpc::raw::quote(name))
}
