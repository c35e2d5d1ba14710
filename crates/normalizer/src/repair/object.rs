//! Objects: which member is which parameter, and what happens to the rest.
//!
//! The order is fixed: first names are aligned, then misplaced members are moved, then values are
//! fitted, and only then are members left out. If a member of a closed object is still unknown or a
//! required one is missing, the call is refused.

use std::collections::HashSet;

use toolwright_jsonrpc::raw::{Kind, Member, Node, same_value};
use toolwright_model::{Code, Problem};

pub(super) use super::draft::{DraftEntry, ObjectDraft};
use super::empty::is_empty_value;
use super::guesses::Guesses;
use super::limits::{MAX_PROBLEMS, is_comparable};
use super::unicode_forms::are_forms_of_one_text;
use super::{Attempt, Fit, Fitter, ParameterSlot, ValuePath, preview, problem, shown};
use crate::costs;
use crate::names::{NameContext, SplitName, compare, fold, folds_to, is_envelope};
use crate::schema::{Goal, KeyState, Types};

/// Up to this many pairs of names and keys are compared pairwise; above, a hash set is used.
const PAIRWISE: usize = 1024;

impl<'s, 'a> Fitter<'s, 'a> {
    /// Fits an object; `None` if the goal accepts no object.
    pub(super) fn object(
        &self,
        goal: &Goal,
        members: &'a [Member<'a>],
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) -> Option<Attempt<'a>> {
        if !goal.types(self.validator.schema()).overlaps(Types::OBJECT) {
            return None;
        }
        if let Some(limit) = self.too_large(goal, members, path) {
            return Some(Err(vec![limit]));
        }
        let mut draft = self.draft(goal, members, path);
        let is_plain = draft.is_plain();
        if !is_plain {
            // Spellings are looked up in an index, so they come before the limit of comparisons.
            self.find_free_names(goal, &mut draft);
            self.take_spellings(goal, &mut draft, path, slot);
            if let Some(limit) = self.too_many_unknown(goal, &draft, path) {
                return Some(Err(vec![limit]));
            }
            if draft.has_unknown() && draft.is_comparable() {
                self.align_names(goal, &mut draft, path, slot);
            }
            self.check_spellings(goal, &mut draft, path);
        }
        if !is_plain
            && draft.has_gaps()
            && let Some(restructured) = self.restructure(goal, members, path, slot)
        {
            return Some(restructured);
        }
        if slot.is_root {
            self.check_envelopes(&mut draft, path, slot);
        }
        self.fit_values(&mut draft, path);
        if draft.problems.len() < MAX_PROBLEMS {
            self.drop_the_rest(goal, &mut draft, path, slot);
            self.check_required(goal, &mut draft, path);
        }
        Some(self.finish(draft))
    }

    /// The members under their declared names, as far as the assignment is unambiguous.
    pub(super) fn aligned(
        &self,
        goal: &Goal,
        members: &'a [Member<'a>],
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) -> ObjectDraft<'s, 'a> {
        let mut draft = self.draft(goal, members, path);
        self.find_free_names(goal, &mut draft);
        if !draft.is_plain() {
            self.take_spellings(goal, &mut draft, path, slot);
        }
        let may_align = draft.is_comparable() && self.too_many_unknown(goal, &draft, path).is_none();
        if !draft.is_plain() && may_align {
            self.align_names(goal, &mut draft, path, slot);
        }
        draft
    }

    fn draft(&self, goal: &Goal, members: &'a [Member<'a>], path: &ValuePath<'_>) -> ObjectDraft<'s, 'a> {
        let schema = self.validator.schema();
        let mut draft = ObjectDraft::new(members.len(), goal.required(schema));
        let has_other_keys =
            || members.iter().any(|member| goal.key(schema, member.key).0 != KeyState::Declared);
        for member in members {
            let (state, ids) = goal.key(schema, member.key);
            let required = draft.required.contains(&member.key);
            // `{"path": null, "file_path": "a"}`: an invalid null leaves its name free.
            let is_void = matches!(member.value.kind, Kind::Null) && !self.accepts(&ids, &member.value);
            let may_leave_out = || state == KeyState::Declared && self.may_leave_out(path, member.key, &ids);
            if is_void && (required || may_leave_out() && has_other_keys()) {
                let why = match required {
                    true => "null for a required parameter",
                    false => "an optional parameter that says nothing",
                };
                draft.note(Code::EmptyOptional, path, member.key, Some(preview(&member.value)), None, why);
                draft.cost += costs::VALUE_EMPTY;
                continue;
            }
            draft.entries.push(DraftEntry { member: *member, state, ids, fitted: None });
        }
        draft
    }

    /// The declared or required names that no member has.
    fn find_free_names(&self, goal: &Goal, draft: &mut ObjectDraft<'s, 'a>) {
        let schema = self.validator.schema();
        let mut all = goal.property_names(schema);
        all.extend(draft.required.iter().filter(|name| !goal.declares(schema, name)));
        if all.len().saturating_mul(draft.entries.len()) <= PAIRWISE {
            all.retain(|name| !draft.has(name));
        } else {
            let keys: HashSet<&str> = draft.entries.iter().map(|entry| entry.member.key).collect();
            all.retain(|name| !keys.contains(name));
        }
        draft.free = all;
    }

    /// Arguments that are still inside an envelope are not extra members, even of an open object.
    fn check_envelopes(
        &self,
        draft: &mut ObjectDraft<'s, 'a>,
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) {
        let wraps = |member: &Member<'a>| {
            let name = fold(member.key);
            let holds = || match member.value.kind {
                Kind::Object(inner) => !inner.is_empty(),
                Kind::Array(_) => true,
                Kind::String(_) => self.open_container(&member.value).is_some(),
                _ => false,
            };
            (is_envelope(&name) || folds_to(slot.name, &name)) && holds()
        };
        let open = draft.entries.iter().filter(|entry| entry.state == KeyState::Open);
        let found: Vec<Problem> = open
            .filter(|entry| wraps(&entry.member))
            .map(|entry| {
                let key = entry.member.key;
                let message =
                    format!("\"{}\" is no parameter; send what is inside it as the arguments", shown(key));
                problem(Code::MeaningfulUnknown, &path.key(key), message)
            })
            .collect();
        draft.problems.extend(found);
    }

    fn fit_values(&self, draft: &mut ObjectDraft<'s, 'a>, path: &ValuePath<'_>) {
        let mut guesses = Guesses::default();
        let fitted_entries = Vec::with_capacity(draft.entries.len());
        let entries = std::mem::replace(&mut draft.entries, fitted_entries);
        for mut entry in entries {
            let key = entry.member.key;
            let attempt = match entry.fitted.take() {
                Some(fit) => Ok(fit),
                None if entry.state == KeyState::Forbidden => Ok(Fit::unchanged(entry.member.value)),
                None => {
                    // An entry of a map has no name that would describe its value.
                    let in_list = entry.state != KeyState::Declared;
                    let slot = ParameterSlot { name: key, in_list, is_root: false };
                    self.fit(&entry.ids, entry.member.value, &path.key(key), slot)
                }
            };
            match attempt {
                Ok(fit) => {
                    entry.member = entry.member.with_value(fit.node);
                    // The entries of a map share one schema, like the items of a list.
                    let is_named = entry.state == KeyState::Declared;
                    draft.absorb(if is_named { fit } else { guesses.count(fit, &path.key(key)) });
                    draft.entries.push(entry);
                }
                Err(_)
                    if entry.state == KeyState::Declared
                        && !draft.is_required(key)
                        && is_empty_value(&entry.member.value)
                        && self.may_leave_out(path, key, &entry.ids) =>
                {
                    let from = Some(preview(&entry.member.value));
                    draft.note(
                        Code::EmptyOptional,
                        path,
                        key,
                        from,
                        None,
                        "an optional parameter that says nothing",
                    );
                    draft.cost += costs::VALUE_EMPTY;
                }
                Err(problems) => draft.problems.extend(problems),
            }
            if draft.problems.len() >= MAX_PROBLEMS {
                return;
            }
        }
    }

    fn drop_the_rest(
        &self,
        goal: &Goal,
        draft: &mut ObjectDraft<'s, 'a>,
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) {
        if draft.entries.iter().all(|entry| entry.state != KeyState::Forbidden) {
            return;
        }
        let all = std::mem::take(&mut draft.entries);
        for entry in all.clone() {
            if entry.state != KeyState::Forbidden {
                draft.entries.push(entry);
                continue;
            }
            let key = entry.member.key;
            let from = Some(preview(&entry.member.value));
            if let Some((code, cost, risk)) = self.repeats_a_known_key(&all, goal, &entry.member, path) {
                let why = "the same parameter and value under its declared name";
                draft.note(code, path, key, from, None, why);
                draft.cost += cost;
                draft.risk += risk;
            } else if self.is_droppable(&entry.member, path, slot.is_root) {
                draft.note(
                    Code::UnsupportedDropped,
                    path,
                    key,
                    from,
                    None,
                    "the tool has no such parameter and it says nothing",
                );
                draft.cost += costs::DROP;
            } else {
                let place = path.key(key).to_string();
                if draft.problems.len() >= MAX_PROBLEMS {
                    return;
                }
                if !draft.problems.iter().any(|problem| problem.path == place) {
                    let found = self.unknown_key(goal, draft, &entry.member, path);
                    draft.problems.push(found);
                }
            }
        }
    }

    /// `{"path": "a", "file_path": "a"}`: two names of one parameter with one value. Returns the code, cost and
    /// risk of leaving out the second.
    fn repeats_a_known_key(
        &self,
        entries: &[DraftEntry<'a>],
        goal: &Goal,
        member: &Member<'a>,
        path: &ValuePath<'_>,
    ) -> Option<(Code, u32, u32)> {
        let schema = self.validator.schema();
        let sent = SplitName::new(member.key);
        let is_declared = |other: &&DraftEntry<'a>| {
            other.state == KeyState::Declared && goal.declares(schema, other.member.key)
        };
        let twin = entries
            .iter()
            .filter(is_declared)
            .filter(|other| same_value(&other.member.value, &member.value))
            .find(|other| folds_to(other.member.key, &sent.folded));
        if twin.is_some() {
            return Some((Code::KeyForm, costs::KEY_FORM, 0));
        }
        let declared = goal.names(schema);
        if !is_comparable(member.key) || !self.spend_on_comparisons(1, declared.len()) {
            return None;
        }
        // The alias must be clear, and no other name may be within the margin.
        let mut near: Vec<(u32, &str)> = declared
            .iter()
            .filter_map(|known| {
                let similarity = self.compare_with(goal, &declared, &sent, known, &member.value)?;
                let is_clear = similarity.code == Code::AliasBySchema && !similarity.needs_exact_value;
                is_clear.then_some((similarity.cost, &*known.text))
            })
            .collect();
        near.sort_unstable();
        let [(cost, name), rest @ ..] = &near[..] else { return None };
        let has_rival = rest.first().is_some_and(|(other, _)| *other < cost + costs::MARGIN);
        // Five items for five dollars: two parameters may have the same value by chance.
        if has_rival || self.context.is_destructive() || self.is_dangerous(goal, name) {
            return None;
        }
        let given = entries.iter().filter(is_declared).find(|other| other.member.key == *name)?;
        let slot = ParameterSlot { name, in_list: false, is_root: false };
        let fit = self.fit(&given.ids, member.value, &path.key(member.key), slot).ok()?;
        same_value(&given.member.value, &fit.node).then_some((Code::AliasBySchema, *cost, costs::RISK_NAME))
    }

    fn unknown_key(
        &self,
        goal: &Goal,
        draft: &ObjectDraft<'s, 'a>,
        member: &Member<'a>,
        path: &ValuePath<'_>,
    ) -> Problem {
        let names = goal.property_names(self.validator.schema());
        let declared = goal.names(self.validator.schema());
        let around =
            NameContext { tool_words: self.context.tool_words, declared: &declared, ..NameContext::NONE };
        let sent = SplitName::new(member.key);
        let place = path.key(member.key);
        let is_compared = is_comparable(member.key) && self.spend_on_comparisons(1, declared.len());
        let compared = declared.iter().filter(|_| is_compared);
        let near = compared
            .filter_map(|name| compare(&sent, name, around).map(|similarity| (similarity.cost, &*name.text)))
            .min();
        if let Some((_, name)) = near.filter(|(_, name)| !draft.free.contains(name)) {
            let message =
                format!("\"{}\" and \"{name}\" are both given; send one value, as \"{name}\"", member.key);
            return problem(Code::ConflictingValues, &place, message);
        }
        let in_another_form = || names.iter().find(|name| are_forms_of_one_text(member.key, name));
        let hint = match near {
            Some((_, name)) => format!(" (did you mean \"{name}\"?)"),
            None => in_another_form().map_or(String::new(), |name| {
                format!(
                    " (did you mean \"{name}\"? It looks the same, but its accents are characters of their own in one of the two)"
                )
            }),
        };
        let key = shown(member.key);
        let patterns = goal.key_patterns(self.validator.schema());
        let message = format!("unknown parameter \"{key}\"{hint}{THE_TOOL_HAS}{}", listed(&names, &patterns));
        self.trace.rejected(&place, 0, || message.clone());
        problem(Code::MeaningfulUnknown, &place, message)
    }

    fn check_required(&self, goal: &Goal, draft: &mut ObjectDraft<'s, 'a>, path: &ValuePath<'_>) {
        let failed_inside = |name: &str, problems: &[Problem]| {
            let place = path.key(name).to_string();
            let inside = |at: &str| {
                at.strip_prefix(&place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            problems.iter().any(|problem| inside(&problem.path))
        };
        let missing: Vec<&'s str> = draft.required.iter().filter(|name| !draft.has(name)).copied().collect();
        for name in missing.into_iter().take(MAX_PROBLEMS) {
            if !failed_inside(name, &draft.problems) && !draft.contested.contains(&name) {
                let place = path.key(name);
                let at = place.to_string();
                // A null was removed when the draft was made.
                let is_null = draft
                    .changes
                    .iter()
                    .any(|change| change.code == Code::EmptyOptional && change.path == at);
                let found = if is_null { "null" } else { "missing" };
                let wanted = self.expected(&goal.key(self.validator.schema(), name).1);
                let message = format!("required parameter \"{}\" is {found}; send {wanted}", shown(name));
                self.trace.rejected(&place, 0, || message.clone());
                draft.problems.push(problem(Code::MissingRequired, &place, message));
            }
        }
    }

    fn finish(&self, mut draft: ObjectDraft<'s, 'a>) -> Attempt<'a> {
        if !draft.problems.is_empty() {
            return Err(draft.problems);
        }
        for (change, price) in draft.prices() {
            self.trace.price(change, price);
        }
        let members: Vec<Member<'a>> = draft.entries.iter().map(|entry| entry.member).collect();
        let node = Node::built(Kind::Object(self.arena.alloc_slice_copy(&members)));
        Ok(Fit { node, cost: draft.cost, risk: draft.risk, changes: draft.changes })
    }
}

/// Prefix of the tool's parameters in the message for an unknown one.
pub(crate) const THE_TOOL_HAS: &str = "; the tool has ";

/// The names for a message: all of a few, the first of many; and the patterns of further names.
fn listed(names: &[&str], patterns: &[&str]) -> String {
    const SHOWN: usize = 24;
    const SHOWN_PATTERNS: usize = 4;
    let named = match names.len() {
        count if count > SHOWN => format!("{} and {} more", joined(&names[..SHOWN]), count - SHOWN),
        _ => joined(names),
    };
    let shown = &patterns[..patterns.len().min(SHOWN_PATTERNS)];
    let matching = format!("parameters whose names match {}", shown.join(" or "));
    match (names.is_empty(), patterns.is_empty()) {
        (true, true) => "no parameters".to_owned(),
        (false, true) => named,
        (true, false) => matching,
        (false, false) => format!("{named}, and {matching}"),
    }
}

fn joined(names: &[&str]) -> String {
    names.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ")
}
