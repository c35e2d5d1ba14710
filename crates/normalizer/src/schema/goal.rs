//! The constraints of a value: a conjunction of schemas, with one branch selected from every union.

use std::collections::HashSet;

use smallvec::SmallVec;
use toolwright_jsonrpc::raw::Node;

use crate::names::SplitName;

use super::{EnumOptions, Literal, Schema, SchemaId, SchemaNode, Types, Validator};

/// Maximum number of combinations of union branches that are tried for one value.
const MAX_ALTERNATIVES: usize = 64;

/// The schemas of one position: seldom more than a few, so they need no allocation.
pub(crate) type SchemaIds = SmallVec<[SchemaId; 4]>;

/// A set of schemas that all apply; one branch of each of their unions is selected.
#[derive(Clone, Debug, Default)]
pub(crate) struct Goal {
    ids: SchemaIds,
}

/// The state of a key in an object's schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyState {
    /// Named in `properties` or matched by `patternProperties`.
    Declared,
    /// Not named, but further members are allowed.
    Open,
    /// Not named, and further members are not allowed.
    Forbidden,
}

impl Goal {
    /// Every combination of branches that could apply to the value, up to a limit.
    pub fn alternatives(validator: &Validator<'_>, ids: &[SchemaId], value: &Node<'_>) -> Vec<Goal> {
        let mut goals = Goal::some_alternatives(validator, ids, value);
        goals.truncate(MAX_ALTERNATIVES);
        goals
    }

    /// Every combination of branches that could apply to the value; `None` if there are too many.
    pub fn all_alternatives(
        validator: &Validator<'_>,
        ids: &[SchemaId],
        value: &Node<'_>,
    ) -> Option<Vec<Goal>> {
        Some(Goal::some_alternatives(validator, ids, value)).filter(|goals| goals.len() <= MAX_ALTERNATIVES)
    }

    /// All combinations, up to one more than the limit.
    fn some_alternatives(validator: &Validator<'_>, ids: &[SchemaId], value: &Node<'_>) -> Vec<Goal> {
        // Most schemas have no combinators, and then there is one goal.
        let is_single = |id: &SchemaId| !validator.schema().node(*id).has.combinators;
        if ids.iter().all(is_single) {
            let mut goal = Goal::default();
            for id in ids {
                if !goal.ids.contains(id) && validator.spend() {
                    goal.ids.push(*id);
                }
            }
            return vec![goal];
        }
        let mut goals = vec![Goal::default()];
        for id in ids {
            goals = each(goals, |goal| goal.with(validator, *id, value));
        }
        goals
    }

    fn with(self, validator: &Validator<'_>, id: SchemaId, value: &Node<'_>) -> Vec<Goal> {
        if self.ids.contains(&id) || !validator.spend() {
            return vec![self];
        }
        let node = validator.schema().node(id);
        let mut goals = vec![self];
        goals[0].ids.push(id);
        let branch = node.condition.and_then(|condition| {
            if validator.accepts(condition.test, value) { condition.then } else { condition.otherwise }
        });
        for applied in node.reference.iter().chain(&node.all_of).chain(branch.iter()) {
            goals = each(goals, |goal| goal.with(validator, *applied, value));
        }
        for union in node.candidates(value) {
            if !union.is_empty() {
                let candidates = if union.len() > MAX_ALTERNATIVES {
                    with_required(validator.schema(), union, value)
                } else {
                    union.to_vec()
                };
                goals = each(goals, |goal| {
                    each(candidates.clone(), |branch| goal.clone().with(validator, branch, value))
                });
            }
        }
        goals
    }

    /// The schemas, to fit another value to the same goal.
    pub fn ids(&self) -> &[SchemaId] {
        &self.ids
    }

    /// The nodes of the schemas.
    pub fn nodes<'s>(&self, schema: &'s Schema) -> impl Iterator<Item = &'s SchemaNode> {
        self.ids.iter().map(|id| schema.node(*id))
    }

    /// The types that every schema allows.
    pub fn types(&self, schema: &Schema) -> Types {
        self.nodes(schema).fold(Types::ALL, |types, node| types.intersection(node.types))
    }

    /// The allowed values, if they are listed.
    pub fn options<'s>(&self, schema: &'s Schema) -> Vec<&'s Literal> {
        self.nodes(schema)
            .flat_map(|node| {
                node.constant.iter().chain(node.options.iter().flat_map(|options| options.iter()))
            })
            .collect()
    }

    /// Number of allowed values, if they are listed.
    pub fn option_count(&self, schema: &Schema) -> usize {
        self.nodes(schema)
            .map(|node| {
                usize::from(node.constant.is_some())
                    + node.options.as_ref().map_or(0, |options| options.len())
            })
            .sum()
    }

    /// The first `count` allowed values.
    pub fn first_options<'s>(&self, schema: &'s Schema, count: usize) -> Vec<&'s Literal> {
        let of = |node: &'s SchemaNode| {
            node.constant.iter().chain(node.options.iter().flat_map(|options| options.iter()))
        };
        self.nodes(schema).flat_map(of).take(count).collect()
    }

    /// Whether the value is one of the listed ones.
    pub fn lists(&self, schema: &Schema, value: &Node<'_>) -> bool {
        self.nodes(schema).any(|node| {
            node.constant.as_ref().is_some_and(|constant| constant.equals(value))
                || node.options.as_ref().is_some_and(|options| options.contain(value))
        })
    }

    /// Whether there is a list of allowed values.
    pub fn has_options(&self, schema: &Schema) -> bool {
        self.nodes(schema).any(|node| node.has.values)
    }

    /// The allowed texts that pass a test, each once; `find` is the test for a list.
    pub fn texts<'s, I: Iterator<Item = &'s str>>(
        &self,
        schema: &'s Schema,
        is_match: impl Fn(&str) -> bool,
        find: impl Fn(&'s EnumOptions) -> I,
    ) -> Vec<&'s str> {
        let mut found: Vec<&'s str> = Vec::new();
        for node in self.nodes(schema) {
            let constant = node.constant.iter().filter_map(Literal::as_text).filter(|text| is_match(text));
            found.extend(constant);
            found.extend(node.options.iter().flat_map(|options| find(options)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The declared property names in order, each once.
    pub fn property_names<'s>(&self, schema: &'s Schema) -> Vec<&'s str> {
        distinct(self.nodes(schema).flat_map(|node| node.object.properties.iter().map(|(name, _)| name)))
    }

    /// Number of declared property names, as an upper bound.
    pub fn property_count(&self, schema: &Schema) -> usize {
        self.nodes(schema).map(|node| node.object.properties.len()).sum()
    }

    /// The declared names, ready for comparison.
    pub fn names<'s>(&self, schema: &'s Schema) -> Vec<&'s SplitName> {
        self.property_names(schema).into_iter().filter_map(|name| schema.name(name)).collect()
    }

    /// The required names.
    pub fn required<'s>(&self, schema: &'s Schema) -> Vec<&'s str> {
        distinct(self.nodes(schema).flat_map(|node| node.object.required.iter().map(|name| &**name)))
    }

    /// The state of a key, and the schemas for its value.
    pub fn key(&self, schema: &Schema, key: &str) -> (KeyState, SchemaIds) {
        let mut ids = SchemaIds::new();
        let mut state = KeyState::Open;
        let mut forbidden = false;
        for node in self.nodes(schema) {
            let object = &node.object;
            let mut known = false;
            if let Some(id) = object.properties.get(key) {
                ids.push(id);
                known = true;
            }
            for (pattern, id) in &object.pattern_properties {
                if pattern.matches(key) {
                    ids.push(*id);
                    known = true;
                }
            }
            if known {
                state = KeyState::Declared;
            } else if let Some(additional) = object.additional {
                forbidden |= schema.node(additional).never;
                ids.push(additional);
            }
        }
        let unevaluated = self.nodes(schema).find_map(|node| node.object.unevaluated);
        if let Some(rest) = unevaluated.filter(|_| state != KeyState::Declared) {
            forbidden |= schema.node(rest).never;
        }
        (if forbidden { KeyState::Forbidden } else { state }, ids)
    }

    /// Whether members are allowed that the schemas do not name.
    pub fn is_open(&self, schema: &Schema) -> bool {
        let never = |id: Option<SchemaId>| id.is_some_and(|id| schema.node(id).never);
        !self.nodes(schema).any(|node| never(node.object.additional) || never(node.object.unevaluated))
    }

    /// Whether the schemas describe members that they do not name.
    pub fn describes_further_members(&self, schema: &Schema) -> bool {
        self.nodes(schema).any(|node| {
            let object = &node.object;
            object.additional.is_some()
                || object.unevaluated.is_some()
                || !object.pattern_properties.is_empty()
        })
    }

    /// Number of required names, as an upper bound.
    pub fn required_count(&self, schema: &Schema) -> usize {
        self.nodes(schema).map(|node| node.object.required.len()).sum()
    }

    /// Number of patterns that keys are matched with.
    pub fn pattern_count(&self, schema: &Schema) -> usize {
        self.nodes(schema).map(|node| node.object.pattern_properties.len()).sum()
    }

    /// The patterns that keys are matched with, as written in the schema.
    pub fn key_patterns<'s>(&self, schema: &'s Schema) -> Vec<&'s str> {
        let patterns = self.nodes(schema).flat_map(|node| node.object.pattern_properties.iter());
        distinct(patterns.map(|(pattern, _)| pattern.source()))
    }

    /// Whether a schema names the key in `properties`.
    pub fn declares(&self, schema: &Schema, key: &str) -> bool {
        self.nodes(schema).any(|node| node.object.properties.get(key).is_some())
    }

    /// The schemas of the item at an index.
    pub fn item(&self, schema: &Schema, index: usize) -> SchemaIds {
        self.nodes(schema)
            .filter_map(|node| node.array.prefix.get(index).copied().or(node.array.items))
            .collect()
    }

    /// All descriptions of the schemas.
    pub fn description(&self, schema: &Schema) -> String {
        let texts: Vec<&str> =
            self.nodes(schema).map(|node| &*node.description).filter(|text| !text.is_empty()).collect();
        texts.join(" ")
    }

    /// Whether a schema says that its strings contain JSON.
    pub fn holds_json(&self, schema: &Schema) -> bool {
        self.nodes(schema).any(|node| node.string.holds_json)
    }
}

/// Expands each entry, up to one more than the limit.
fn each<T>(from: Vec<T>, make: impl FnMut(T) -> Vec<Goal>) -> Vec<Goal> {
    from.into_iter().flat_map(make).take(MAX_ALTERNATIVES + 1).collect()
}

/// The branches whose required members the value has; all of them if there is none.
fn with_required(schema: &Schema, union: &[SchemaId], value: &Node<'_>) -> Vec<SchemaId> {
    let has_all = |id: &&SchemaId| {
        let node = schema.node(**id);
        let node = node.reference.map_or(node, |target| schema.node(target));
        let required = &node.object.required;
        !required.is_empty() && required.iter().all(|name| value.get(name).is_some())
    };
    let found: Vec<SchemaId> = union.iter().filter(has_all).copied().collect();
    if found.is_empty() { union.to_vec() } else { found }
}

/// Each name once, in order.
pub(crate) fn distinct<'s>(names: impl Iterator<Item = &'s str>) -> Vec<&'s str> {
    /// Up to this many are compared pairwise.
    const FEW: usize = 32;
    let mut found: Vec<&'s str> = Vec::new();
    let mut seen: HashSet<&'s str> = HashSet::new();
    for name in names {
        if found.len() == FEW {
            seen.extend(&found);
        }
        let is_new = if found.len() < FEW { !found.contains(&name) } else { seen.insert(name) };
        if is_new {
            found.push(name);
        }
    }
    found
}
