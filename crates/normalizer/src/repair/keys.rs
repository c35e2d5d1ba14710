//! N1, N2, N4: assignment of unknown keys to declared names.
//!
//! # What it does
//! Keys are matched to free names by the evidence of [`crate::names`], the cheapest pair first. A
//! pair is used only if the value fits the target and no other key or name is within the margin.
//! The last unknown key may fill the last missing required name on weaker evidence: its value is in
//! the target's enum, or the target's description mentions it.
//!
//! # What it refuses
//! Two keys for one name, two names for one key, opposites, units, destructive flags by anything but
//! their own name, and structure without any evidence in words.

use toolwright_jsonrpc::raw::{Kind, quote};
use toolwright_model::Code;

use super::evidence::KeyMatch;
use super::object::ObjectDraft;
use super::{Fitter, ParameterSlot, ValuePath, problem};
use crate::costs;
use crate::names::Similarity;
use crate::schema::{Goal, KeyState};

impl<'s, 'a> Fitter<'s, 'a> {
    pub(super) fn align_names(
        &self,
        goal: &Goal,
        draft: &mut ObjectDraft<'s, 'a>,
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) {
        self.drop_empty_spellings(goal, draft, path);
        self.align_ends(goal, draft, path);
        let mut pairs = self.pairs(goal, draft, path, slot);
        pairs.sort_by_key(|pair| pair.cost);
        while !pairs.is_empty() {
            let pair = pairs.remove(0);
            let is_rival = |other: &&KeyMatch<'s, 'a>| {
                (other.entry == pair.entry) != (other.name == pair.name)
                    && other.cost < pair.cost + costs::MARGIN
            };
            let key = draft.entries[pair.entry].member.key;
            if let Some(rival) = pairs.iter().find(is_rival) {
                let rival_key = draft.entries[rival.entry].member.key;
                self.trace.rejected(path, pair.cost, || {
                    format!(
                        "\"{key}\" → \"{}\": \"{rival_key}\" → \"{}\" is as likely",
                        pair.name, rival.name
                    )
                });
                self.report_rivals(draft, &pair, key, rival_key, rival.name, path);
                let (entry, name) = (pair.entry, pair.name);
                let (rival_entry, rival_name) = (rival.entry, rival.name);
                pairs.retain(|other| {
                    ![entry, rival_entry].contains(&other.entry) && ![name, rival_name].contains(&other.name)
                });
                continue;
            }
            self.trace.chosen(path, pair.cost, || {
                format!("\"{key}\" → \"{}\": {}", pair.name, pair.similarity.why)
            });
            self.report_leftover(draft, &pair, &pairs, path);
            pairs.retain(|other| other.entry != pair.entry && other.name != pair.name);
            self.rename(goal, draft, pair, path);
        }
        self.align_last(goal, draft, path, slot);
    }

    fn report_rivals(
        &self,
        draft: &mut ObjectDraft<'s, 'a>,
        pair: &KeyMatch<'s, 'a>,
        key: &str,
        rival_key: &str,
        rival_name: &'s str,
        path: &ValuePath<'_>,
    ) {
        let forced = draft.entries[pair.entry].state == KeyState::Forbidden || draft.is_required(pair.name);
        if !forced {
            return;
        }
        let found = if key == rival_key {
            let message = format!(
                "\"{key}\" could stand for \"{}\" or \"{rival_name}\"; use the one you mean",
                pair.name
            );
            draft.contested.extend([pair.name, rival_name]);
            problem(Code::AmbiguousReading, &path.key(key), message)
        } else {
            let message =
                format!("\"{key}\" and \"{rival_key}\" could both stand for \"{}\"; send it once", pair.name);
            problem(Code::ConflictingValues, &path.key(pair.name), message)
        };
        draft.problems.push(found);
    }

    /// In an open object a second key for the same name would remain without effect: two candidates for one
    /// target, unless the first is its exact name.
    fn report_leftover(
        &self,
        draft: &mut ObjectDraft<'s, 'a>,
        pair: &KeyMatch<'s, 'a>,
        others: &[KeyMatch<'s, 'a>],
        path: &ValuePath<'_>,
    ) {
        if pair.similarity.code == Code::KeyForm {
            return;
        }
        let stays = |other: &&KeyMatch<'s, 'a>| {
            let elsewhere =
                others.iter().any(|better| better.entry == other.entry && better.name != pair.name);
            other.name == pair.name
                && other.entry != pair.entry
                && draft.entries[other.entry].state == KeyState::Open
                && !elsewhere
        };
        if let Some(other) = others.iter().find(stays) {
            let (key, other) = (draft.entries[pair.entry].member.key, draft.entries[other.entry].member.key);
            let message =
                format!("\"{key}\" and \"{other}\" could both stand for \"{}\"; send it once", pair.name);
            draft.problems.push(problem(Code::ConflictingValues, &path.key(pair.name), message));
        }
    }

    pub(super) fn rename(
        &self,
        goal: &Goal,
        draft: &mut ObjectDraft<'s, 'a>,
        pair: KeyMatch<'s, 'a>,
        path: &ValuePath<'_>,
    ) {
        let entry = &mut draft.entries[pair.entry];
        let key = entry.member.key;
        let name: &'a str = self.arena.alloc_str(pair.name);
        entry.member = toolwright_jsonrpc::raw::Member::new(name, entry.member.value);
        (entry.state, entry.ids) = goal.key(self.validator.schema(), name);
        entry.fitted = Some(pair.fit);
        draft.free.retain(|free| *free != pair.name);
        draft.note(
            pair.similarity.code,
            path,
            key,
            Some(quote(key)),
            Some(quote(name)),
            &pair.similarity.why,
        );
        draft.cost += pair.similarity.cost;
        draft.risk += match pair.similarity.code {
            Code::KeyForm => 0,
            Code::KeyTypo => costs::RISK_TYPO,
            _ if pair.similarity.needs_exact_value && pair.similarity.cost < costs::KEY_WEAK => {
                costs::RISK_FOREIGN_NAME
            }
            _ if pair.similarity.cost >= costs::KEY_WEAK => costs::RISK_WEAK_NAME,
            _ => costs::RISK_NAME,
        };
    }

    /// One unknown key is left and one required name is missing: weaker evidence is sufficient.
    fn align_last(
        &self,
        goal: &Goal,
        draft: &mut ObjectDraft<'s, 'a>,
        path: &ValuePath<'_>,
        parent: ParameterSlot<'_>,
    ) {
        let [name] = draft.missing()[..] else { return };
        if !draft.free.contains(&name) || !draft.problems.is_empty() || self.is_dangerous(goal, name) {
            return;
        }
        let unknown: Vec<usize> = draft
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| {
                entry.state != KeyState::Declared && !matches!(entry.member.value.kind, Kind::Null)
            })
            .map(|(index, _)| index)
            .collect();
        let [index] = unknown[..] else { return };
        let member = draft.entries[index].member;
        let (_, ids) = goal.key(self.validator.schema(), name);
        let slot = ParameterSlot { name, in_list: false, is_root: false };
        let Ok(fit) = self.fit(&ids, member.value, &path.key(member.key), slot) else { return };
        let Some(why) = self.weak_evidence(&ids, member.key, name, &fit, parent) else {
            self.trace.rejected(path, costs::KEY_WEAK, || {
                format!("\"{}\" → \"{name}\": the only two left, but no word speaks for it", member.key)
            });
            return;
        };
        self.trace.chosen(path, costs::KEY_WEAK, || format!("\"{}\" → \"{name}\": {why}", member.key));
        let cost = costs::KEY_WEAK + fit.cost;
        let similarity =
            Similarity { cost: costs::KEY_WEAK, code: Code::AliasBySchema, why, needs_exact_value: true };
        self.rename(goal, draft, KeyMatch { entry: index, name, similarity, cost, fit }, path);
    }
}
