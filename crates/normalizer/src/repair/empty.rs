//! V2: an empty value for an optional parameter.
//!
//! # What it does
//! Leaves out `null`, `""`, `"None"` or `"null"` for an optional parameter that does not accept it.
//!
//! # What it refuses
//! The same for a required parameter, and every other word (`"none"` may be intended). For a destructive or
//! writing tool, any parameter that narrows or guards its effect (see `reach.rs`): without `{"filter": null}` it
//! would delete everything.

use toolwright_jsonrpc::raw::{Kind, Member, Node};
use toolwright_model::Code;

use super::object::ObjectDraft;
use super::{Fitter, ValuePath, preview};
use crate::costs;
use crate::names::{NameContext, SplitName, compare};
use crate::schema::{Goal, KeyState};

/// Whether a value is empty.
pub(super) fn is_empty_value(value: &Node<'_>) -> bool {
    match value.kind {
        Kind::Null => true,
        Kind::String(_) => value.as_text().is_some_and(|text| is_word_for_nothing(text.trim())),
        _ => false,
    }
}

pub(super) fn is_word_for_nothing(text: &str) -> bool {
    matches!(text, "" | "null" | "Null" | "NULL" | "None" | "nil" | "undefined")
}

impl<'s, 'a> Fitter<'s, 'a> {
    /// Leaves out a misspelt optional key with an empty value: `{"Year_Built": "null"}`.
    pub(super) fn drop_empty_spellings(
        &self,
        goal: &Goal,
        draft: &mut ObjectDraft<'s, 'a>,
        path: &ValuePath<'_>,
    ) {
        for entry in std::mem::take(&mut draft.entries) {
            let value = entry.member.value;
            // A forbidden null is dropped later.
            let is_plain_drop = entry.state == KeyState::Forbidden && matches!(value.kind, Kind::Null);
            let is_void = entry.state != KeyState::Declared && is_empty_value(&value) && !is_plain_drop;
            let optional_name =
                if is_void { self.optional_misspelt_as(goal, draft, &entry.member, path) } else { None };
            match optional_name {
                Some(name) => {
                    let why = format!("an optional parameter, \"{name}\", that says nothing");
                    draft.note(
                        Code::EmptyOptional,
                        path,
                        entry.member.key,
                        Some(preview(&value)),
                        None,
                        &why,
                    );
                    draft.cost += costs::VALUE_EMPTY;
                }
                None => draft.entries.push(entry),
            }
        }
    }

    /// The optional parameter that a key is a spelling of and that does not accept the value.
    fn optional_misspelt_as(
        &self,
        goal: &Goal,
        draft: &ObjectDraft<'s, 'a>,
        member: &Member<'a>,
        path: &ValuePath<'_>,
    ) -> Option<&'s str> {
        let schema = self.validator.schema();
        let sent = SplitName::new(member.key);
        draft.free.iter().copied().find(|name| {
            let similarity = schema.name(name).and_then(|known| compare(&sent, known, NameContext::NONE));
            let is_spelling =
                similarity.is_some_and(|similarity| matches!(similarity.code, Code::KeyForm | Code::KeyTypo));
            let ids = goal.key(schema, name).1;
            is_spelling
                && !draft.is_required(name)
                && self.may_leave_out(path, name, &ids)
                && !self.accepts(&ids, &member.value)
        })
    }
}
