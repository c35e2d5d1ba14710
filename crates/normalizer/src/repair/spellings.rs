//! N1: keys that are declared names in another case or with other separators.
//!
//! # What it does
//! `dueDays` is `due_days` if that is free and accepts the value as it is. This is the usual case, so it
//! is handled before keys are compared with names by similarity.
//!
//! # What it refuses
//! Two keys for one name, and a spelling whose value does not fit or that is sent together with the name
//! itself with another value.

use std::collections::HashSet;

use toolwright_jsonrpc::raw::{Kind, Member, quote, same_value};
use toolwright_model::Code;

use super::empty::is_empty_value;
use super::object::ObjectDraft;
use super::{Fit, Fitter, ParameterSlot, ValuePath, problem};
use crate::costs;
use crate::names::{Folded, fold};
use crate::schema::{Goal, KeyState};

/// Up to this many pairs of a key and a name are compared by similarity.
const MAX_COMPARED: usize = 1024;

/// Items sorted by their folded name.
fn forms<'f, T>(named: impl Iterator<Item = (&'f str, T)>) -> Vec<(&'f str, T)> {
    let mut forms: Vec<(&'f str, T)> = named.collect();
    forms.sort_by_key(|(form, _)| *form);
    forms
}

/// The items with a folded name.
fn with_form<'t, 'f, T>(forms: &'t [(&'f str, T)], form: &str) -> &'t [(&'f str, T)] {
    let start = forms.partition_point(|(known, _)| *known < form);
    let count = forms[start..].iter().take_while(|(known, _)| *known == form).count();
    &forms[start..start + count]
}

impl<'s, 'a> Fitter<'s, 'a> {
    /// Renames keys to the declared name that they are a spelling of, if nothing contradicts it.
    pub(super) fn take_spellings(
        &self,
        goal: &Goal,
        draft: &mut ObjectDraft<'s, 'a>,
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) {
        let schema = self.validator.schema();
        let unknown = draft.entries.iter().filter(|entry| entry.state != KeyState::Declared).count();
        if unknown == 0 || draft.free.is_empty() {
            return;
        }
        let by_form = forms(draft.free.iter().filter_map(|name| Some((&*schema.name(name)?.folded, *name))));
        let keys: Vec<Folded> = draft.entries.iter().map(|entry| fold(entry.member.key)).collect();
        let sent = forms(keys.iter().map(|folded| (folded.as_str(), ())));
        // If there are too many to compare by similarity, only the form of a name decides.
        let are_many = unknown.saturating_mul(draft.free.len()) > MAX_COMPARED;
        let mut taken: HashSet<&'s str> = HashSet::new();
        for (index, folded) in keys.iter().enumerate() {
            let Member { key, value, .. } = draft.entries[index].member;
            if draft.entries[index].state == KeyState::Declared || matches!(value.kind, Kind::Null) {
                continue;
            }
            // The tool's own name is an envelope, not a parameter with a similar name.
            let is_level = matches!(value.kind, Kind::Object(_) | Kind::Array(_));
            if slot.is_root && is_level && *folded == fold(slot.name) {
                continue;
            }
            let &[(_, name)] = with_form(&by_form, folded) else { continue };
            if with_form(&sent, folded).len() > 1 {
                continue;
            }
            let (state, ids) = goal.key(schema, name);
            let fit = if self.accepts(&ids, &value) {
                Fit::unchanged(value)
            } else if are_many {
                let slot = ParameterSlot { name, in_list: false, is_root: false };
                let Ok(fit) = self.fit_rejected(&ids, value, &path.key(key), slot) else { continue };
                fit
            } else {
                continue;
            };
            let why = "same name in another case or with other separators";
            self.trace.chosen(path, costs::KEY_FORM, || format!("\"{key}\" → \"{name}\": {why}"));
            let entry = &mut draft.entries[index];
            entry.member = Member::new(self.arena.alloc_str(name), value);
            (entry.state, entry.ids) = (state, ids);
            entry.fitted = Some(fit);
            taken.insert(name);
            draft.note(Code::KeyForm, path, key, Some(quote(key)), Some(quote(name)), why);
            draft.cost += costs::KEY_FORM;
        }
        draft.free.retain(|name| !taken.contains(name));
    }

    /// A key that is a declared name in another case is that parameter. If its value does not fit, or the
    /// parameter is present with another value, the call is refused.
    pub(super) fn check_spellings(&self, goal: &Goal, draft: &mut ObjectDraft<'s, 'a>, path: &ValuePath<'_>) {
        if draft.entries.iter().all(|entry| entry.state != KeyState::Open) {
            return;
        }
        let schema = self.validator.schema();
        let names = goal.property_names(schema);
        let mut found = Vec::new();
        for entry in draft.entries.iter().filter(|entry| entry.state == KeyState::Open) {
            let member = &entry.member;
            let folded = fold(member.key);
            let is_twin = |name: &&&str| schema.name(name).is_some_and(|known| *known.folded == *folded);
            let twins: Vec<&str> = names.iter().filter(is_twin).copied().collect();
            let [name] = twins[..] else { continue };
            let place = path.key(member.key);
            match draft.entries.iter().find(|other| other.member.key == name) {
                Some(other) if same_value(&other.member.value, &member.value) => {}
                Some(_) => {
                    let message = format!(
                        "\"{}\" and \"{name}\" are both given; send one value, as \"{name}\"",
                        member.key
                    );
                    found.push(problem(Code::ConflictingValues, &place, message));
                }
                None if is_empty_value(&member.value) => {}
                None => {
                    let slot = ParameterSlot { name, in_list: false, is_root: false };
                    if let Err(problems) = self.fit(&goal.key(schema, name).1, member.value, &place, slot) {
                        found.extend(problems);
                    }
                }
            }
        }
        draft.problems.extend(found);
    }
}
