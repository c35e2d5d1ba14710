//! X1: a parameter that the tool does not have and that has no meaning.
//!
//! # What it does
//! Drops `description`, `reasoning` and other remarks next to the arguments of a tool that has no such
//! parameter, and unknown parameters with an empty value. Everything else is dropped by rules only.
//!
//! # What it refuses
//! An unknown parameter with a meaning: the model would assume that it has an effect. The same holds for a
//! remark that restrains (`do not send before Friday`), and for a destructive tool for any remark that
//! negates, conditions or narrows. The purpose of an unknown parameter of such a tool is unknown too, so there
//! only remarks are dropped: `{"only": []}` may have been a guard that lost its value. A writing tool keeps every
//! name that narrows or guards.

use toolwright_jsonrpc::raw::{Kind, Member};

use super::{Fitter, ToolEffect, ValuePath};
use crate::call::objections::restricts;
use crate::names::{fold, is_envelope};

/// Folded names of unknown parameters that explain a call and do not affect it.
const REMARKS: &[&str] = &["rationale", "reasoning", "thinking", "thought", "thoughts", "toolsummary"];

impl Fitter<'_, '_> {
    /// Whether an unknown member can be dropped without losing meaning.
    pub(super) fn is_droppable(&self, member: &Member<'_>, path: &ValuePath<'_>, at_root: bool) -> bool {
        let is_empty_value = match member.value.kind {
            Kind::Null | Kind::Array([]) | Kind::Object([]) => true,
            Kind::String(text) => text.raw().trim().is_empty(),
            _ => false,
        };
        let is_remark = || at_root && is_remark(member.key);
        match member.value.kind {
            // `{"arguments": null}`: all arguments may be missing.
            _ if is_empty_value && at_root && is_envelope(&fold(member.key)) => {
                self.context.effect == ToolEffect::Reads
            }
            _ if is_empty_value => is_remark() || !self.is_guarded(&path.key(member.key)),
            Kind::String(_) => is_remark() && !is_restriction(member, self.context.is_destructive()),
            _ => false,
        }
    }
}

fn is_remark(key: &str) -> bool {
    // A `comment` may be the text to post; with the underscore it is about the call.
    key == "description" || key == "_comment" || REMARKS.contains(&fold(key).as_str())
}

fn is_restriction(member: &Member<'_>, is_destructive: bool) -> bool {
    member.value.as_text().is_some_and(|text| restricts(&text, is_destructive))
}
