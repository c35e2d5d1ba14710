//! V2: nothing said for an optional parameter.
//!
//! # What it does
//! `null`, `""`, `"None"` or `"null"` for an optional parameter that does not accept it is left out.
//!
//! # What it refuses
//! The same for a required parameter, and every other word (`"none"` may be meant). For a tool that destroys or
//! writes, whatever narrows or guards what it touches (see `reach.rs`): `{"filter": null}` left out would delete
//! everything.

use toolwright_jsonrpc::raw::{Kind, Member, Node};
use toolwright_model::Code;

use super::object::Draft;
use super::{Fitter, Path, preview};
use crate::costs;
use crate::names::{Name, Surroundings, compare};
use crate::schema::{Goal, KeyState};

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

impl<'s, 'a> Fitter<'s, 'a> {
    /// A misspelt optional key that says nothing is left out with its value: `{"Year_Built": "null"}`.
    pub(super) fn leave_out_void_spellings(&self, goal: &Goal, draft: &mut Draft<'s, 'a>, path: &Path<'_>) {
        for entry in std::mem::take(&mut draft.entries) {
            let value = entry.member.value;
            // A forbidden null is dropped by itself later.
            let is_plain_drop = entry.state == KeyState::Forbidden && matches!(value.kind, Kind::Null);
            let is_void = entry.state != KeyState::Declared && says_nothing(&value) && !is_plain_drop;
            let meant =
                if is_void { self.optional_misspelt_as(goal, draft, &entry.member, path) } else { None };
            match meant {
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

    /// The optional parameter that a key is a spelling of and that does not take the value.
    fn optional_misspelt_as(
        &self,
        goal: &Goal,
        draft: &Draft<'s, 'a>,
        member: &Member<'a>,
        path: &Path<'_>,
    ) -> Option<&'s str> {
        let schema = self.judge.schema();
        let sent = Name::new(member.key);
        draft.free.iter().copied().find(|name| {
            let likeness = schema.name(name).and_then(|known| compare(&sent, known, Surroundings::NONE));
            let is_spelling =
                likeness.is_some_and(|likeness| matches!(likeness.code, Code::KeyForm | Code::KeyTypo));
            let ids = goal.key(schema, name).1;
            is_spelling
                && !draft.is_required(name)
                && self.may_leave_out(path, name, &ids)
                && !self.accepts(&ids, &member.value)
        })
    }
}
