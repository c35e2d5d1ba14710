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
//! any that negates, conditions or narrows down. What an unknown parameter of such a tool is for is unknown
//! too, so there only remarks are dropped: `{"only": []}` may have been a guard that lost its value. A tool
//! that writes keeps every name that narrows or guards.

use toolwright_jsonrpc::raw::{Kind, Member};

use super::{Effect, Fitter, Path};
use crate::call::words::restricts;
use crate::names::{fold, is_envelope};

/// Unknown parameters that explain a call rather than shape it, folded.
const REMARKS: &[&str] = &["rationale", "reasoning", "thinking", "thought", "thoughts", "toolsummary"];

impl Fitter<'_, '_> {
    /// Whether an unknown member can be dropped without losing what was meant.
    pub(super) fn is_droppable(&self, member: &Member<'_>, path: &Path<'_>, at_root: bool) -> bool {
        let says_nothing = match member.value.kind {
            Kind::Null | Kind::Array([]) | Kind::Object([]) => true,
            Kind::String(text) => text.raw().trim().is_empty(),
            _ => false,
        };
        let is_remark = || at_root && is_remark(member.key);
        match member.value.kind {
            // `{"arguments": null}`: all that was to be said may be missing.
            _ if says_nothing && at_root && is_envelope(&fold(member.key)) => {
                self.context.effect == Effect::Reads
            }
            _ if says_nothing => is_remark() || !self.is_guarded(&path.key(member.key)),
            Kind::String(_) => is_remark() && !is_restriction(member, self.context.is_destructive()),
            _ => false,
        }
    }
}

fn is_remark(key: &str) -> bool {
    // A `comment` may be what is to be posted; with the underscore it is about the call.
    key == "description" || key == "_comment" || REMARKS.contains(&fold(key).as_str())
}

fn is_restriction(member: &Member<'_>, is_destructive: bool) -> bool {
    member.value.as_text().is_some_and(|text| restricts(&text, is_destructive))
}
