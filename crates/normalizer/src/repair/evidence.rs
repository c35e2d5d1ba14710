//! Evidence that a key is a parameter: its name, the target's description, its value.

use std::borrow::Cow;

use toolwright_jsonrpc::raw::{Kind, Node};
use toolwright_model::Code;

use super::object::ObjectDraft;
use super::{Fit, Fitter, ParameterSlot, ValuePath};
use crate::costs;
use crate::names::{
    NameContext, Similarity, SplitName, ValueShape, are_opposed_names, clause_words, compare, fold,
    has_destructive_word, is_destructive_flag, is_kind, is_vague, meaningful_words, subject_words,
    takes_another_side,
};
use crate::schema::{Goal, KeyState, SchemaId, Types};

/// Share of the step limit for the comparison of two names.
const COMPARISON_STEPS: u32 = 16;

/// A key that may be a misspelt or alternative name of a parameter.
pub(super) struct KeyMatch<'s, 'a> {
    pub entry: usize,
    pub name: &'s str,
    pub similarity: Similarity,
    pub cost: u32,
    pub fit: Fit<'a>,
}

/// The text of a string, trimmed, or the digits of a number.
pub(super) fn text_of<'v>(value: &Node<'v>) -> Cow<'v, str> {
    match value.kind {
        Kind::Number(digits) => Cow::Borrowed(digits),
        _ => value.as_text().map_or(Cow::Borrowed(""), |text| text.trim().to_owned().into()),
    }
}

impl<'s, 'a> Fitter<'s, 'a> {
    /// Every unknown key with every free name that it may match.
    pub(super) fn pairs(
        &self,
        goal: &Goal,
        draft: &ObjectDraft<'s, 'a>,
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) -> Vec<KeyMatch<'s, 'a>> {
        let schema = self.validator.schema();
        let declared = goal.names(schema);
        let mut pairs = Vec::new();
        for (index, entry) in draft.entries.iter().enumerate() {
            if entry.state == KeyState::Declared {
                continue;
            }
            // The tool's own name is an envelope, not a parameter with a similar name.
            let is_level = matches!(entry.member.value.kind, Kind::Object(_) | Kind::Array(_));
            if slot.is_root && is_level && fold(entry.member.key) == fold(slot.name) {
                continue;
            }
            let is_null = matches!(entry.member.value.kind, Kind::Null);
            let sent = SplitName::new(entry.member.key);
            // `id` is too vague if `user_id` and `group_id` are free.
            let shares_head = |name: &&&str| {
                let known = schema.name(name);
                sent.meaning.len() == 1
                    && known.is_some_and(|known| known.meaning.last() == sent.meaning.first())
            };
            let is_vague_head = draft.free.iter().filter(shares_head).count() > 1;
            for name in &draft.free {
                if !self.validator.spend_many(COMPARISON_STEPS) {
                    return Vec::new();
                }
                let Some(known) = schema.name(name) else { continue };
                let by_name = self.compare_with(goal, &declared, &sent, known, &entry.member.value);
                let Some(similarity) = by_name.or_else(|| self.described(goal, &sent, known)) else {
                    continue;
                };
                if is_vague_head && similarity.code == Code::AliasBySchema && known.meaning.len() > 1 {
                    continue;
                }
                let required = draft.is_required(name);
                if !self.may_stand_for(goal, &similarity, name, required, entry.state) {
                    self.trace.rejected(path, similarity.cost, || {
                        format!(
                            "\"{}\" → \"{name}\": {} is not enough here",
                            entry.member.key, similarity.why
                        )
                    });
                    continue;
                }
                let (_, ids) = goal.key(schema, name);
                // A null is no evidence for a parameter; only its own name is.
                if is_null
                    && !(matches!(similarity.code, Code::KeyForm | Code::KeyTypo)
                        && self.accepts(&ids, &entry.member.value))
                {
                    continue;
                }
                let slot = ParameterSlot { name, in_list: false, is_root: false };
                let Ok(fit) = self.fit(&ids, entry.member.value, &path.key(entry.member.key), slot) else {
                    self.trace.rejected(path, similarity.cost, || {
                        format!("\"{}\" → \"{name}\": the value does not fit", entry.member.key)
                    });
                    continue;
                };
                // A `debug_level` of 1 is a level: a digit is a boolean only under the flag's own name.
                let is_digit_of_flag = matches!(entry.member.value.kind, Kind::Number(_))
                    && matches!(fit.node.kind, Kind::Bool(_));
                if is_digit_of_flag && similarity.code == Code::AliasBySchema {
                    continue;
                }
                if similarity.needs_exact_value && fit.cost > costs::VALUE_FORM {
                    continue;
                }
                let optional = if required { 0 } else { costs::KEY_OPTIONAL };
                let cost = similarity.cost + optional + fit.cost;
                pairs.push(KeyMatch { entry: index, name, similarity, cost, fit });
            }
        }
        pairs
    }

    /// Whether the evidence is sufficient for this target.
    fn may_stand_for(
        &self,
        goal: &Goal,
        similarity: &Similarity,
        name: &str,
        required: bool,
        state: KeyState,
    ) -> bool {
        if similarity.code == Code::KeyForm {
            return true;
        }
        if self.is_dangerous(goal, name) {
            return false;
        }
        // In an open object an unknown key may be intentional: only a typing error or the same words are
        // sufficient for an optional name.
        required
            || state == KeyState::Forbidden
            || similarity.code == Code::KeyTypo
            || similarity.cost <= costs::KEY_SPELLING
    }

    /// Whether a wrong value for a name can destroy something. A text is not a flag: the `replace` of an
    /// edit is the text to write.
    pub(super) fn is_dangerous(&self, goal: &Goal, name: &str) -> bool {
        let schema = self.validator.schema();
        let is_text = || {
            let (_, ids) = goal.key(schema, name);
            let goals = Goal::alternatives(self.validator, &ids, &Node::built(Kind::Null));
            let is_free = |goal: &Goal| goal.types(schema) == Types::STRING && !goal.has_options(schema);
            !goals.is_empty() && goals.iter().all(is_free)
        };
        is_destructive_flag(name) && (has_destructive_word(name) || !is_text())
    }

    /// Compares a sent key with a declared name in its full context.
    pub(super) fn compare_with(
        &self,
        goal: &Goal,
        declared: &[&SplitName],
        sent: &SplitName,
        known: &SplitName,
        value: &Node<'a>,
    ) -> Option<Similarity> {
        let name = &*known.text;
        let around = NameContext {
            tool_words: self.context.tool_words,
            declared,
            described: &|| self.described_words(goal, name),
            clause: &|| self.descriptions(goal, name).iter().flat_map(|text| clause_words(text)).collect(),
            shape: ValueShape::of(value),
            text: &text_of(value),
            is_option: &|| self.is_option(goal, name, value),
        };
        compare(sent, known, around)
    }

    /// The words of the schema's descriptions of a parameter.
    pub(super) fn described_words(&self, goal: &Goal, name: &str) -> Vec<String> {
        self.descriptions(goal, name).iter().flat_map(|text| meaningful_words(text)).collect()
    }

    /// Matches several words that the target's description contains in a row.
    fn described(&self, goal: &Goal, sent: &SplitName, known: &SplitName) -> Option<Similarity> {
        if sent.meaning.len() < 2 || are_opposed_names(sent, known) {
            return None;
        }
        let description: Vec<String> =
            self.descriptions(goal, &known.text).iter().flat_map(|text| subject_words(text)).collect();
        let is_said = description.windows(sent.meaning.len()).any(|words| words == &sent.meaning[..]);
        is_said.then(|| Similarity {
            cost: costs::KEY_DESCRIBED,
            code: Code::AliasBySchema,
            why: format!("the description of \"{}\" says so", known.text),
            needs_exact_value: true,
        })
    }

    /// Whether a string is one of the values that a parameter lists.
    fn is_option(&self, goal: &Goal, name: &str, value: &Node<'a>) -> bool {
        let schema = self.validator.schema();
        let (_, ids) = goal.key(schema, name);
        matches!(value.kind, Kind::String(_))
            && Goal::alternatives(self.validator, &ids, value)
                .iter()
                .any(|goal| goal.options(schema).iter().any(|option| option.equals(value)))
    }

    /// The schema's descriptions of a parameter.
    fn descriptions(&self, goal: &Goal, name: &str) -> Vec<String> {
        let schema = self.validator.schema();
        let (_, ids) = goal.key(schema, name);
        let goals = Goal::alternatives(self.validator, &ids, &Node::built(Kind::Null));
        goals.iter().map(|goal| goal.description(schema)).collect()
    }

    pub(super) fn weak_evidence(
        &self,
        ids: &[SchemaId],
        key: &str,
        name: &str,
        fit: &Fit<'a>,
        parent: ParameterSlot<'_>,
    ) -> Option<String> {
        // `{"tool": {"tool": "x"}}`: the name of the thing itself.
        let own_name =
            !parent.is_root && fold(key) == fold(parent.name) && ["name", "id", "value"].contains(&name);
        if own_name && fit.cost == 0 {
            return Some(format!("the only unknown key is the thing's own name, and \"{name}\" is missing"));
        }
        let (sent, known) = (SplitName::new(key), SplitName::new(name));
        let looks_like_it = ValueShape::of(&fit.node).may_be(&known);
        if !looks_like_it || are_opposed_names(&sent, &known) || takes_another_side(&sent, &known) {
            return None;
        }
        let schema = self.validator.schema();
        let goals = Goal::alternatives(self.validator, ids, &fit.node);
        let is_option = matches!(fit.node.kind, Kind::String(_))
            && goals.iter().any(|goal| goal.options(schema).iter().any(|option| option.equals(&fit.node)));
        // `theme` for `mode`, but not `door` for a `status`: both must name the kind of thing that is selected.
        let are_kinds = |name: &SplitName| matches!(&name.meaning[..], [only] if is_kind(only));
        if is_option && are_kinds(&sent) && are_kinds(&known) {
            return Some("the only unknown key, and its value is one of the allowed ones".to_owned());
        }
        if fit.cost > 0 {
            return None;
        }
        let key_words = meaningful_words(key);
        let described: Vec<String> =
            goals.iter().flat_map(|goal| subject_words(&goal.description(schema))).collect();
        let speaks = !key_words.is_empty()
            && fold(key).len() >= 4
            && key_words.iter().all(|word| described.contains(word) && !is_vague(word));
        speaks.then(|| format!("the only unknown key, and the description of \"{name}\" speaks of it"))
    }
}
