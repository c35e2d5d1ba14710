//! X1: a parameter that the tool does not have and that says nothing.
//!
//! # What it does
//! `description` beside the arguments of a tool that has no such parameter, and unknown parameters
//! with an empty value, are dropped. Everything else is dropped by rules only.
//!
//! # What it refuses
//! An unknown parameter that carries a meaning: the model would believe that it was heeded.

use toolwright_jsonrpc::raw::{Kind, Member};

/// Unknown parameters that explain a call rather than shape it.
const BENIGN: &[&str] = &["description"];

/// Whether an unknown member can be dropped without losing what was meant.
pub(super) fn is_droppable(member: &Member<'_>, at_root: bool) -> bool {
    match member.value.kind {
        Kind::Null => true,
        Kind::String(text) if text.raw().trim().is_empty() => true,
        Kind::Array([]) | Kind::Object([]) => true,
        Kind::String(_) => at_root && BENIGN.contains(&member.key),
        _ => false,
    }
}
