//! V2: nothing said for an optional parameter.
//!
//! # What it does
//! `null`, `""`, `"None"` or `"null"` for an optional parameter that does not accept it is left out.
//!
//! # What it refuses
//! The same for a required parameter, and every other word (`"none"` may be meant).

use toolwright_jsonrpc::raw::{Kind, Node};

/// Whether a value says nothing.
pub(super) fn says_nothing(value: &Node<'_>) -> bool {
    match value.kind {
        Kind::Null => true,
        Kind::String(_) => value.as_text().is_some_and(|text| is_word_for_nothing(text.trim())),
        _ => false,
    }
}

pub(super) fn is_word_for_nothing(text: &str) -> bool {
    matches!(text, "" | "null" | "Null" | "NULL" | "None" | "nil" | "undefined")
}
