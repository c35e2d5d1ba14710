//! X1: a parameter that the tool does not have and that says nothing.
//!
//! # What it does
//! `description`, `reasoning` and other remarks beside the arguments of a tool that has no such
//! parameter, and unknown parameters with an empty value, are dropped. Everything else is dropped by
//! rules only.
//!
//! # What it refuses
//! An unknown parameter that carries a meaning: the model would believe that it was heeded. So would it
//! of a remark that restrains (`do not send before Friday`), and for a tool that can destroy something of
//! any that negates, conditions or narrows down.

use toolwright_jsonrpc::raw::{Kind, Member};

use crate::call::words::restricts;
use crate::names::fold;

/// Unknown parameters that explain a call rather than shape it, folded.
const REMARKS: &[&str] = &["rationale", "reasoning", "thinking", "thought", "thoughts", "toolsummary"];

/// Whether an unknown member can be dropped without losing what was meant.
pub(super) fn is_droppable(member: &Member<'_>, at_root: bool, is_destructive: bool) -> bool {
    match member.value.kind {
        Kind::Null => true,
        Kind::String(text) if text.raw().trim().is_empty() => true,
        Kind::Array([]) | Kind::Object([]) => true,
        Kind::String(_) => at_root && is_remark(member.key) && !is_restriction(member, is_destructive),
        _ => false,
    }
}

fn is_remark(key: &str) -> bool {
    // A `comment` may be what is to be posted; with the underscore it is about the call.
    key == "description" || key == "_comment" || REMARKS.contains(&fold(key).as_str())
}

fn is_restriction(member: &Member<'_>, is_destructive: bool) -> bool {
    member.value.as_text().is_some_and(|text| restricts(&text, is_destructive))
}
