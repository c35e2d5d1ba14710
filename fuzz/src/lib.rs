//! What must hold for any input at all: one function for each target, which panics when it does not.
//!
//! The functions are plain, so that seeds and past finds are replayed by an ordinary test as well.

mod clients;
mod config;
mod lines;
mod rules;
mod schema_arguments;
mod streams;
mod text;
mod voice;
mod zwave;

pub use clients::clients;
pub use config::config;
pub use lines::lines;
pub use rules::rules;
pub use schema_arguments::schema_arguments;
pub use streams::{stream_anthropic, stream_chat, stream_ollama, stream_responses};
pub use text::text;
pub use voice::{voice_payload, voice_wyoming};
pub use zwave::zwave;

/// Whether serde_json, which shares no code with us, reads the text as JSON.
fn is_strict_json(text: &str) -> bool {
    // Skipping a value is not recursive, so that depth is no objection.
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}
