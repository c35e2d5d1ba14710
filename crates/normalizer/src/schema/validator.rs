//! Validates values against a schema: exact, bounded in time, without allocation for ordinary schemas.

use std::cell::Cell;
use std::collections::HashSet;

use toolwright_jsonrpc::raw::{Kind, Member, Node, Number, are_distinct};

use super::{Schema, SchemaId, SchemaNode};

/// Maximum number of schema nodes that are visited for one call, whatever its size.
const MAX_STEPS: u32 = 400_000;
/// Additional steps for every byte of the arguments.
const STEPS_PER_BYTE: u32 = 8;
/// Number of keys that are compared in one step.
pub(crate) const KEYS_PER_STEP: usize = 16;
/// Number of patterns that are matched with a short key in one step.
const PATTERNS_PER_STEP: usize = 4;
/// Every further block of this many bytes of a key costs as much again.
const PATTERN_BLOCK: usize = 64;
/// Maximum depth of schemas that apply within each other.
const MAX_NESTING: u32 = 400;

/// Shorter lists and objects are validated again faster than they are looked up.
const MIN_CACHED_BYTES: usize = 64;
/// Number of accepted lists and objects that are cached.
const CACHED_TEXTS: usize = 8;

/// Validates values against one schema, within limits.
pub(crate) struct Validator<'s> {
    schema: &'s Schema,
    steps: Cell<u32>,
    max_steps: u32,
    nesting: Cell<u32>,
    /// Cache of the last lists and objects that were accepted unchanged: each step of a repair validates
    /// those that it did not change again.
    accepted: [Cell<Option<AcceptedText>>; CACHED_TEXTS],
    /// Index of the next entry to replace.
    oldest: Cell<usize>,
}

/// A text in memory that a schema accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
struct AcceptedText {
    id: SchemaId,
    address: usize,
    bytes: usize,
}

impl<'s> Validator<'s> {
    /// A validator for arguments of `bytes` bytes.
    pub fn new(schema: &'s Schema, bytes: usize) -> Self {
        let more = u32::try_from(bytes).unwrap_or(u32::MAX).saturating_mul(STEPS_PER_BYTE);
        let max_steps = MAX_STEPS.saturating_add(more);
        Validator {
            schema,
            steps: Cell::new(0),
            max_steps,
            nesting: Cell::new(0),
            accepted: Default::default(),
            oldest: Cell::new(0),
        }
    }

    pub fn schema(&self) -> &'s Schema {
        self.schema
    }

    /// Whether a limit was reached: all results since then are refusals.
    pub fn is_exhausted(&self) -> bool {
        self.steps.get() >= self.max_steps
    }

    /// Stops: nothing is accepted any more.
    pub fn exhaust(&self) {
        self.steps.set(self.max_steps);
    }

    /// Spends one step of the limit; returns false if none is left.
    pub fn spend(&self) -> bool {
        self.spend_many(1)
    }

    /// Spends several steps of the limit at once.
    pub fn spend_many(&self, count: u32) -> bool {
        let steps = self.steps.get().saturating_add(count);
        self.steps.set(steps);
        steps < self.max_steps
    }

    /// Spends the steps to match a key with `patterns` patterns.
    pub fn spend_on_patterns(&self, patterns: usize, key: &str) -> bool {
        let blocks = 1 + key.len() / PATTERN_BLOCK;
        patterns == 0 || self.spend_many(steps(patterns.saturating_mul(blocks) / PATTERNS_PER_STEP))
    }

    /// Whether the schema accepts the value.
    pub fn accepts(&self, id: SchemaId, value: &Node<'_>) -> bool {
        if !self.spend() {
            return false;
        }
        let node = self.schema.node(id);
        if node.never || !node.types.accept(value) {
            return false;
        }
        if node.has.values && !fits_values(node, value) {
            return false;
        }
        let text = match value.kind {
            Kind::Object(_) | Kind::Array(_) => value
                .source()
                .filter(|source| source.len() >= MIN_CACHED_BYTES)
                .map(|source| AcceptedText { id, address: source.as_ptr().addr(), bytes: source.len() }),
            _ => None,
        };
        if text.is_some() && self.accepted.iter().any(|known| known.get() == text) {
            return true;
        }
        let fits = self.fits(id, node, value);
        if fits && text.is_some() {
            self.accepted[self.oldest.get() % CACHED_TEXTS].set(text);
            self.oldest.set(self.oldest.get() + 1);
        }
        fits
    }

    fn fits(&self, id: SchemaId, node: &SchemaNode, value: &Node<'_>) -> bool {
        let fits = match value.kind {
            Kind::Object(members) => !node.has.object || self.fits_object(id, node, members, value),
            Kind::Array(items) => !node.has.array || self.fits_array(id, node, items, value),
            Kind::String(_) => !node.has.string || fits_string(node, value),
            Kind::Number(text) => !node.has.number || fits_number(node, text),
            Kind::Null | Kind::Bool(_) => true,
        };
        fits && (!node.has.combinators || self.nested(|| self.fits_combinators(node, value)))
    }

    /// Guards against schemas that refer to themselves without descending into the value.
    fn nested(&self, check: impl FnOnce() -> bool) -> bool {
        let nesting = self.nesting.get();
        if nesting >= MAX_NESTING {
            self.exhaust();
            return false;
        }
        self.nesting.set(nesting + 1);
        let result = check();
        self.nesting.set(nesting);
        result
    }

    fn fits_combinators(&self, node: &SchemaNode, value: &Node<'_>) -> bool {
        let accepts = |id: &SchemaId| self.accepts(*id, value);
        let [any_of, one_of] = node.accepting(value);
        node.reference.as_ref().is_none_or(accepts)
            && node.all_of.iter().all(accepts)
            && (node.any_of.is_empty() || any_of.iter().any(accepts))
            && (node.one_of.is_empty() || one_of.iter().filter(|id| accepts(id)).take(2).count() == 1)
            && !node.not.as_ref().is_some_and(accepts)
            && node.condition.is_none_or(|condition| {
                let branch = if accepts(&condition.test) { condition.then } else { condition.otherwise };
                branch.as_ref().is_none_or(accepts)
            })
    }

    fn fits_object(&self, id: SchemaId, node: &SchemaNode, members: &[Member<'_>], value: &Node<'_>) -> bool {
        let object = &node.object;
        let has = |key: &str| members.iter().any(|member| member.key == key);
        let dependents = object.dependent_required.iter().map(|(_, needed)| 1 + needed.len()).sum::<usize>()
            + object.dependent_schemas.len();
        if dependents > 0 && !self.spend_many(steps(dependents.saturating_mul(members.len()) / KEYS_PER_STEP))
        {
            return false;
        }
        if !has_all(members, &object.required) || !within(members.len(), object.min, object.max) {
            return false;
        }
        let members_fit = members.iter().all(|member| {
            let declared = object.properties.get(member.key);
            let mut known = declared.is_some();
            if declared.is_some_and(|id| !self.accepts(id, &member.value)) {
                return false;
            }
            if !self.spend_on_patterns(object.pattern_properties.len(), member.key) {
                return false;
            }
            for (pattern, id) in &object.pattern_properties {
                if pattern.matches(member.key) {
                    known = true;
                    if !self.accepts(*id, &member.value) {
                        return false;
                    }
                }
            }
            known || object.additional.is_none_or(|id| self.accepts(id, &member.value))
        });
        members_fit
            && object.names.is_none_or(|names| {
                members.iter().all(|member| {
                    let escaped = toolwright_jsonrpc::raw::quote(member.key);
                    let text = toolwright_jsonrpc::raw::Str::from_escaped(&escaped[1..escaped.len() - 1]);
                    self.accepts(names, &Node::built(Kind::String(text)))
                })
            })
            && object
                .dependent_required
                .iter()
                .all(|(key, needed)| !has(key) || needed.iter().all(|needed| has(needed)))
            && object.dependent_schemas.iter().all(|(key, id)| !has(key) || self.accepts(*id, value))
            && object.unevaluated.is_none_or(|rest| {
                members.iter().all(|member| {
                    self.evaluates_key(id, member.key, value) || self.accepts(rest, &member.value)
                })
            })
    }

    /// Whether the schema, or one that it applies to the same object, evaluates the key.
    pub fn evaluates_key(&self, id: SchemaId, key: &str, value: &Node<'_>) -> bool {
        let node = self.schema.node(id);
        let object = &node.object;
        if !self.spend() || !self.spend_on_patterns(object.pattern_properties.len(), key) {
            return false;
        }
        object.properties.get(key).is_some()
            || object.pattern_properties.iter().any(|(pattern, _)| pattern.matches(key))
            || object.additional.is_some()
            || self.nested(|| {
                self.applied(node, value).into_iter().any(|applied| {
                    self.schema.node(applied).object.unevaluated.is_some()
                        || self.evaluates_key(applied, key, value)
                })
            })
    }

    /// The schemas that a node applies to the same value and that accept it.
    fn applied(&self, node: &SchemaNode, value: &Node<'_>) -> Vec<SchemaId> {
        let accepts = |id: &SchemaId| self.accepts(*id, value);
        let mut applied: Vec<SchemaId> =
            node.reference.into_iter().chain(node.all_of.iter().copied()).collect();
        let [any_of, one_of] = node.accepting(value);
        applied.extend(any_of.iter().chain(one_of).copied().filter(accepts));
        if let Some(condition) = node.condition {
            if accepts(&condition.test) {
                applied.push(condition.test);
                applied.extend(condition.then);
            } else {
                applied.extend(condition.otherwise);
            }
        }
        let present = |key: &str| value.get(key).is_some();
        let dependent = node.object.dependent_schemas.iter().filter(|(key, _)| present(key));
        applied.extend(dependent.map(|(_, id)| *id));
        applied
    }

    fn fits_array(&self, id: SchemaId, node: &SchemaNode, items: &[Node<'_>], value: &Node<'_>) -> bool {
        let array = &node.array;
        if !within(items.len(), array.min, array.max) || array.unique && !are_distinct(items) {
            return false;
        }
        let items_fit = items.iter().enumerate().all(|(index, item)| {
            let schema = array.prefix.get(index).copied().or(array.items);
            schema.is_none_or(|id| self.accepts(id, item))
        });
        items_fit
            && array.contains.is_none_or(|id| {
                let found = items.iter().filter(|item| self.accepts(id, item)).count();
                within(found, Some(array.min_contains.unwrap_or(1)), array.max_contains)
            })
            && array.unevaluated.is_none_or(|rest| {
                items.iter().enumerate().all(|(index, item)| {
                    self.evaluates_item(id, index, item, value) || self.accepts(rest, item)
                })
            })
    }

    /// Whether the schema, or one that it applies to the same array, evaluates the item.
    pub fn evaluates_item(&self, id: SchemaId, index: usize, item: &Node<'_>, value: &Node<'_>) -> bool {
        let node = self.schema.node(id);
        if !self.spend() {
            return false;
        }
        index < node.array.prefix.len()
            || node.array.items.is_some()
            || node.array.contains.is_some_and(|id| self.accepts(id, item))
            || self.nested(|| {
                self.applied(node, value).into_iter().any(|applied| {
                    self.schema.node(applied).array.unevaluated.is_some()
                        || self.evaluates_item(applied, index, item, value)
                })
            })
    }
}

/// A count as steps of the limit.
pub(crate) fn steps(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn fits_values(node: &SchemaNode, value: &Node<'_>) -> bool {
    node.constant.as_ref().is_none_or(|constant| constant.equals(value))
        && node.options.as_ref().is_none_or(|options| options.contain(value))
}

fn fits_string(node: &SchemaNode, value: &Node<'_>) -> bool {
    let Some(text) = value.as_text() else { return true };
    let string = &node.string;
    let length_fits =
        string.min.is_none() && string.max.is_none() || within(text.chars().count(), string.min, string.max);
    length_fits && string.pattern.as_ref().is_none_or(|pattern| pattern.matches(&text))
}

fn fits_number(node: &SchemaNode, text: &str) -> bool {
    let Some(number) = Number::parse(text) else { return false };
    let limits = &node.number;
    limits.minimum.as_ref().is_none_or(|limit| number >= *limit)
        && limits.maximum.as_ref().is_none_or(|limit| number <= *limit)
        && limits.above.as_ref().is_none_or(|limit| number > *limit)
        && limits.below.as_ref().is_none_or(|limit| number < *limit)
        && limits.multiple_of.as_ref().is_none_or(|step| number.is_multiple_of(step).unwrap_or(true))
}

/// Whether all the required keys are present.
fn has_all(members: &[Member<'_>], required: &[Box<str>]) -> bool {
    if required.len() * members.len() <= 4096 {
        return required.iter().all(|key| members.iter().any(|member| member.key == &**key));
    }
    let keys: HashSet<&str> = members.iter().map(|member| member.key).collect();
    required.iter().all(|key| keys.contains(&**key))
}

fn within(count: usize, min: Option<u64>, max: Option<u64>) -> bool {
    let count = count as u64;
    min.is_none_or(|min| count >= min) && max.is_none_or(|max| count <= max)
}
