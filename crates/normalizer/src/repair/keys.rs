//! N1, N2, N4: which unknown key stands for which declared name.
//!
//! # What it does
//! Keys are matched to free names by the evidence of [`crate::names`], the cheapest pair first. A
//! pair is taken only if the value fits the target and no other key or name comes within a margin.
//! The last unknown key may fill the last missing required name on weaker evidence: its value is in
//! the target's enum, or the target's description speaks of it.
//!
//! # What it refuses
//! Two keys for one name, two names for one key, opposites, units, flags that can destroy
//! something by anything but their own name, and structure without a word of evidence.

use toolwright_jsonrpc::raw::{Kind, quote};
use toolwright_model::Code;

use super::object::Draft;
use super::{Fit, Fitter, Path, Slot, problem};
use crate::costs;
use crate::names::{
    Likeness, Name, Surroundings, are_opposed_names, compare, fold, is_destructive_flag, is_vague,
    meaningful_words,
};
use crate::schema::{Goal, KeyState};

/// A key that may stand for a name.
struct Pair<'s, 'a> {
    entry: usize,
    name: &'s str,
    likeness: Likeness,
    cost: u32,
    fit: Fit<'a>,
}

impl<'s, 'a> Fitter<'s, 'a> {
    pub(super) fn align_names(
        &self,
        goal: &Goal,
        draft: &mut Draft<'s, 'a>,
        path: &Path<'_>,
        slot: Slot<'_>,
    ) {
        let mut pairs = self.pairs(goal, draft, path, slot);
        pairs.sort_by_key(|pair| pair.cost);
        let mut taken: Vec<(usize, &'s str)> = Vec::new();
        while !pairs.is_empty() {
            let pair = pairs.remove(0);
            let is_rival = |other: &&Pair<'s, 'a>| {
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
            self.trace
                .chosen(path, pair.cost, || format!("\"{key}\" → \"{}\": {}", pair.name, pair.likeness.why));
            pairs.retain(|other| other.entry != pair.entry && other.name != pair.name);
            taken.push((pair.entry, pair.name));
            self.rename(goal, draft, pair, path);
        }
        self.align_last(goal, draft, path, slot);
    }

    /// Every unknown key with every free name that it could stand for.
    fn pairs(
        &self,
        goal: &Goal,
        draft: &Draft<'s, 'a>,
        path: &Path<'_>,
        slot: Slot<'_>,
    ) -> Vec<Pair<'s, 'a>> {
        let schema = self.judge.schema();
        let declared = goal.names(schema);
        let around = Surroundings { tool_words: self.context.tool_words, declared: &declared };
        let mut pairs = Vec::new();
        for (index, entry) in draft.entries.iter().enumerate() {
            if entry.state == KeyState::Declared {
                continue;
            }
            // The tool's own name is an envelope, not a parameter that resembles it.
            let is_level = matches!(entry.member.value.kind, Kind::Object(_) | Kind::Array(_));
            if slot.is_root && is_level && fold(entry.member.key) == fold(slot.name) {
                continue;
            }
            let is_null = matches!(entry.member.value.kind, Kind::Null);
            let sent = Name::new(entry.member.key);
            for name in &draft.free {
                let Some(known) = schema.name(name) else { continue };
                let Some(likeness) = compare(&sent, known, around) else { continue };
                let required = draft.is_required(name);
                if !self.may_stand_for(&likeness, name, required, entry.state) {
                    self.trace.rejected(path, likeness.cost, || {
                        format!("\"{}\" → \"{name}\": {} is not enough here", entry.member.key, likeness.why)
                    });
                    continue;
                }
                let (_, ids) = goal.key(schema, name);
                // A null says nothing about which parameter it is; only its own name does.
                if is_null
                    && !(matches!(likeness.code, Code::N1 | Code::N2)
                        && self.accepts(&ids, &entry.member.value))
                {
                    continue;
                }
                let slot = Slot { name, in_list: false, is_root: false };
                let Ok(fit) = self.fit(&ids, entry.member.value, &path.key(entry.member.key), slot) else {
                    self.trace.rejected(path, likeness.cost, || {
                        format!("\"{}\" → \"{name}\": the value does not fit", entry.member.key)
                    });
                    continue;
                };
                if likeness.needs_exact_value && !required && fit.cost > costs::VALUE_FORM {
                    continue;
                }
                let optional = if required { 0 } else { costs::KEY_OPTIONAL };
                let cost = likeness.cost + optional + fit.cost;
                pairs.push(Pair { entry: index, name, likeness, cost, fit });
            }
        }
        pairs
    }

    /// Whether the evidence is enough for this target.
    fn may_stand_for(&self, likeness: &Likeness, name: &str, required: bool, state: KeyState) -> bool {
        if likeness.code == Code::N1 {
            return true;
        }
        if is_destructive_flag(name) {
            return false;
        }
        // In an open object an unknown key may be meant as it is: only a slip of the pen or the
        // same words are enough for a name that nothing calls for.
        required
            || state == KeyState::Forbidden
            || likeness.code == Code::N2
            || likeness.cost <= costs::KEY_SPELLING
    }

    fn report_rivals(
        &self,
        draft: &mut Draft<'s, 'a>,
        pair: &Pair<'s, 'a>,
        key: &str,
        rival_key: &str,
        rival_name: &str,
        path: &Path<'_>,
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
            problem(Code::R2, &path.key(key), message)
        } else {
            let message =
                format!("\"{key}\" and \"{rival_key}\" could both stand for \"{}\"; send it once", pair.name);
            problem(Code::R7, &path.key(pair.name), message)
        };
        draft.problems.push(found);
    }

    fn rename(&self, goal: &Goal, draft: &mut Draft<'s, 'a>, pair: Pair<'s, 'a>, path: &Path<'_>) {
        let entry = &mut draft.entries[pair.entry];
        let key = entry.member.key;
        let name: &'a str = self.arena.alloc_str(pair.name);
        entry.member = toolwright_jsonrpc::raw::Member::new(name, entry.member.value);
        (entry.state, entry.ids) = goal.key(self.judge.schema(), name);
        entry.fitted = Some(pair.fit);
        draft.free.retain(|free| *free != pair.name);
        draft.note(pair.likeness.code, path, key, Some(quote(key)), Some(quote(name)), &pair.likeness.why);
        draft.cost += pair.likeness.cost;
        draft.risk += match pair.likeness.code {
            Code::N1 => 0,
            Code::N2 => costs::RISK_TYPO,
            _ if pair.likeness.needs_exact_value && pair.likeness.cost < costs::KEY_WEAK => {
                costs::RISK_FOREIGN_NAME
            }
            _ if pair.likeness.cost >= costs::KEY_WEAK => costs::RISK_WEAK_NAME,
            _ => costs::RISK_NAME,
        };
    }

    /// One unknown key left, one required name missing: weaker evidence is enough.
    fn align_last(&self, goal: &Goal, draft: &mut Draft<'s, 'a>, path: &Path<'_>, parent: Slot<'_>) {
        let [name] = draft.missing()[..] else { return };
        if !draft.free.contains(&name) || !draft.problems.is_empty() || is_destructive_flag(name) {
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
        let (_, ids) = goal.key(self.judge.schema(), name);
        let slot = Slot { name, in_list: false, is_root: false };
        let Ok(fit) = self.fit(&ids, member.value, &path.key(member.key), slot) else { return };
        let Some(why) = self.weak_evidence(&ids, member.key, name, &fit, parent) else {
            self.trace.rejected(path, costs::KEY_WEAK, || {
                format!("\"{}\" → \"{name}\": the only two left, but no word speaks for it", member.key)
            });
            return;
        };
        self.trace.chosen(path, costs::KEY_WEAK, || format!("\"{}\" → \"{name}\": {why}", member.key));
        let cost = costs::KEY_WEAK + fit.cost;
        let likeness = Likeness { cost: costs::KEY_WEAK, code: Code::N4, why, needs_exact_value: true };
        self.rename(goal, draft, Pair { entry: index, name, likeness, cost, fit }, path);
    }

    fn weak_evidence(
        &self,
        ids: &[crate::schema::SchemaId],
        key: &str,
        name: &str,
        fit: &Fit<'a>,
        parent: Slot<'_>,
    ) -> Option<String> {
        // `{"tool": {"tool": "x"}}`: the name of the thing itself.
        let own_name =
            !parent.is_root && fold(key) == fold(parent.name) && ["name", "id", "value"].contains(&name);
        if own_name && fit.cost == 0 {
            return Some(format!("the only unknown key is the thing's own name, and \"{name}\" is missing"));
        }
        if are_opposed_names(&Name::new(key), &Name::new(name)) {
            return None;
        }
        let schema = self.judge.schema();
        let goals = Goal::alternatives(self.judge, ids, &fit.node);
        let is_option = matches!(fit.node.kind, Kind::String(_))
            && goals.iter().any(|goal| goal.options(schema).iter().any(|option| option.equals(&fit.node)));
        if is_option {
            return Some("the only unknown key, and its value is one of the allowed ones".to_owned());
        }
        if fit.cost > 0 {
            return None;
        }
        let key_words = meaningful_words(key);
        let described: Vec<String> =
            goals.iter().flat_map(|goal| meaningful_words(&goal.description(schema))).collect();
        let speaks = !key_words.is_empty()
            && fold(key).len() >= 4
            && key_words.iter().all(|word| described.contains(word) && !is_vague(word));
        speaks.then(|| format!("the only unknown key, and the description of \"{name}\" speaks of it"))
    }
}
