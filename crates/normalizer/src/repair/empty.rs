//! V2: nothing said for an optional parameter.
//!
//! # What it does
//! `null`, `""`, `"None"` or `"null"` for an optional parameter that does not accept it is left out.
//!
//! # What it refuses
//! The same for a required parameter, and every other word (`"none"` may be meant). For a tool that destroys,
//! every parameter that is no remark, and for one that writes, every parameter that narrows or guards what it
//! touches: `{"filter": null}` left out would delete everything.

use toolwright_jsonrpc::raw::{Kind, Node};
use toolwright_model::Code;

use super::object::Draft;
use super::{Fitter, Path, preview};
use crate::costs;
use crate::names::{Name, Surroundings, compare, words};
use crate::schema::{Goal, KeyState};

/// Parameters that are remarks: nothing that is done depends on them.
const REMARKS: &[&str] = &["comment", "description", "note", "remark", "reason", "title", "label"];

/// Words of parameters that say how much is touched, or that hold a deed back.
const NARROWING: &[&str] = &[
    "filter",
    "filters",
    "where",
    "query",
    "prefix",
    "suffix",
    "path",
    "pattern",
    "dry",
    "limit",
    "condition",
    "match",
    "selector",
    "scope",
    "only",
    "include",
    "exclude",
    "except",
    "max",
    "since",
    "until",
    "before",
    "after",
    "confirm",
    "preview",
];

/// Verbs of tools that change what is there.
const WRITING: &[&str] = &[
    "update",
    "sync",
    "synchronize",
    "migrate",
    "write",
    "set",
    "edit",
    "modify",
    "patch",
    "replace",
    "upsert",
    "put",
    "apply",
    "alter",
    "change",
    "move",
    "rename",
    "merge",
    "restore",
    "import",
    "bulk",
    "archive",
    "deploy",
    "publish",
    "send",
    "grant",
    "assign",
];

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
    /// Whether a parameter that says nothing may be left out without the call touching more for it.
    pub(super) fn may_leave_out(&self, name: &str) -> bool {
        let has_word = |list: &[&str]| words(name).iter().any(|word| list.contains(&word.as_str()));
        let writes = || self.context.tool_words.iter().any(|word| WRITING.contains(&word.as_str()));
        match self.context.is_destructive {
            true => has_word(REMARKS),
            false => !has_word(NARROWING) || !writes(),
        }
    }

    /// A misspelt optional key that says nothing is left out with its value: `{"Year_Built": "null"}`.
    pub(super) fn leave_out_void_spellings(&self, goal: &Goal, draft: &mut Draft<'s, 'a>, path: &Path<'_>) {
        for entry in std::mem::take(&mut draft.entries) {
            let value = entry.member.value;
            // A forbidden null is dropped by itself later.
            let is_plain_drop = entry.state == KeyState::Forbidden && matches!(value.kind, Kind::Null);
            let is_void = entry.state != KeyState::Declared && says_nothing(&value) && !is_plain_drop;
            let meant =
                if is_void { self.optional_misspelt_as(goal, draft, entry.member.key, &value) } else { None };
            match meant {
                Some(name) => {
                    let why = format!("an optional parameter, \"{name}\", that says nothing");
                    draft.note(Code::V2, path, entry.member.key, Some(preview(&value)), None, &why);
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
        key: &str,
        value: &Node<'a>,
    ) -> Option<&'s str> {
        let schema = self.judge.schema();
        let sent = Name::new(key);
        draft.free.iter().copied().find(|name| {
            let likeness = schema.name(name).and_then(|known| compare(&sent, known, Surroundings::NONE));
            let is_spelling = likeness.is_some_and(|likeness| matches!(likeness.code, Code::N1 | Code::N2));
            is_spelling
                && !draft.is_required(name)
                && self.may_leave_out(name)
                && !self.accepts(&goal.key(schema, name).1, value)
        })
    }
}
