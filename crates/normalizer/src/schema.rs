//! Compiled tool schemas: one arena of plain nodes that both judges values and guides repairs.
//!
//! A schema is compiled once per tool. Nothing is ever fetched: a reference that does not point
//! into the schema itself is left unjudged, as is a pattern that would need backtracking. What is
//! unjudged accepts every value, so that the tool's own server decides.

mod choice;
mod compile;
mod draft;
mod dynamic;
mod error;
mod forms;
mod goal;
mod judge;
mod literal;
mod options;
mod pattern;
mod pointer;
mod types;

use std::collections::HashMap;

use toolwright_jsonrpc::raw::Number;

use crate::names::Name;

pub(crate) use choice::Choice;
pub use error::SchemaError;
pub(crate) use goal::{Goal, Ids, KeyState, distinct};
pub(crate) use judge::{Judge, KEYS_PER_STEP, steps};
pub(crate) use literal::Literal;
pub(crate) use options::Options;
pub(crate) use pattern::Pattern;
pub(crate) use types::Types;

/// Longer names and keys are no names that anyone would mistake: they are not compared by likeness.
pub(crate) const MAX_NAME_BYTES: usize = 256;

/// Which node of a compiled schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SchemaId(u32);

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    nodes: Vec<SchemaNode>,
    root: SchemaId,
    /// Every declared or required name that is short enough to be compared, taken apart.
    names: HashMap<Box<str>, Name>,
    /// What could not be judged, in words for people.
    notes: Vec<String>,
}

/// One schema of the arena, its keywords as data.
#[derive(Debug, Default)]
pub(crate) struct SchemaNode {
    /// `false` schemas accept nothing.
    pub never: bool,
    /// Those of `type` that the allowed values have.
    pub types: Types,
    pub constant: Option<Literal>,
    pub options: Option<Box<Options>>,
    pub object: ObjectKeywords,
    pub array: ArrayKeywords,
    pub string: StringKeywords,
    pub number: NumberKeywords,
    pub all_of: Vec<SchemaId>,
    pub any_of: Vec<SchemaId>,
    pub one_of: Vec<SchemaId>,
    /// What tells the branches of `anyOf` apart.
    pub any_choice: Option<Box<Choice>>,
    /// The same for `oneOf`.
    pub one_choice: Option<Box<Choice>>,
    pub not: Option<SchemaId>,
    pub condition: Option<Condition>,
    pub reference: Option<SchemaId>,
    pub description: Box<str>,
    /// Whether `default` is `true`.
    pub defaults_to_true: bool,
    /// Which groups of keywords are there at all, so that judging skips the rest.
    pub has: Has,
}

/// Which keyword groups a node uses.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Has {
    pub object: bool,
    pub array: bool,
    pub string: bool,
    pub number: bool,
    pub values: bool,
    pub combinators: bool,
}

/// `if` / `then` / `else`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    pub test: SchemaId,
    pub then: Option<SchemaId>,
    pub otherwise: Option<SchemaId>,
}

/// Keywords about objects.
#[derive(Debug, Default)]
pub(crate) struct ObjectKeywords {
    pub properties: Properties,
    pub pattern_properties: Vec<(Pattern, SchemaId)>,
    pub additional: Option<SchemaId>,
    pub unevaluated: Option<SchemaId>,
    pub names: Option<SchemaId>,
    pub required: Vec<Box<str>>,
    pub dependent_required: Vec<(Box<str>, Vec<Box<str>>)>,
    pub dependent_schemas: Vec<(Box<str>, SchemaId)>,
    pub min: Option<u64>,
    pub max: Option<u64>,
}

/// Declared properties in their order, found by name.
#[derive(Debug, Default)]
pub(crate) struct Properties {
    list: Vec<(Box<str>, SchemaId)>,
    /// Only for long lists; short ones are searched.
    index: HashMap<Box<str>, SchemaId>,
}

/// Keywords about arrays.
#[derive(Debug, Default)]
pub(crate) struct ArrayKeywords {
    pub prefix: Vec<SchemaId>,
    pub items: Option<SchemaId>,
    pub contains: Option<SchemaId>,
    pub min_contains: Option<u64>,
    pub max_contains: Option<u64>,
    pub unevaluated: Option<SchemaId>,
    pub min: Option<u64>,
    pub max: Option<u64>,
    pub unique: bool,
}

/// Keywords about strings.
#[derive(Debug, Default)]
pub(crate) struct StringKeywords {
    pub min: Option<u64>,
    pub max: Option<u64>,
    pub pattern: Option<Pattern>,
    /// `contentMediaType` or `format` says that the text is JSON.
    pub holds_json: bool,
}

/// Keywords about numbers.
#[derive(Debug, Default)]
pub(crate) struct NumberKeywords {
    pub minimum: Option<Number>,
    pub maximum: Option<Number>,
    pub above: Option<Number>,
    pub below: Option<Number>,
    pub multiple_of: Option<Number>,
}

// === impl Schema ===

impl Schema {
    /// What the schema says that is not judged here: remote references, backtracking patterns, keywords
    /// whose value cannot be read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// A declared or required name, ready for comparison.
    pub(crate) fn name(&self, text: &str) -> Option<&Name> {
        self.names.get(text)
    }

    /// Whether some schema applies to a value because it applies to it: no value can be judged by it.
    pub(crate) fn applies_within_itself(&self) -> bool {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut states = vec![State::New; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let mut stack = vec![start];
            while let Some(&at) = stack.last() {
                if states[at] != State::New {
                    if states[at] == State::Open {
                        states[at] = State::Done;
                    }
                    stack.pop();
                    continue;
                }
                states[at] = State::Open;
                for applied in self.nodes[at].applied() {
                    match states[applied.0 as usize] {
                        State::Open => return true,
                        State::New => stack.push(applied.0 as usize),
                        State::Done => {}
                    }
                }
            }
        }
        false
    }

    pub(crate) fn root(&self) -> SchemaId {
        self.root
    }

    pub(crate) fn node(&self, id: SchemaId) -> &SchemaNode {
        &self.nodes[id.0 as usize]
    }
}

// === impl SchemaNode ===

impl SchemaNode {
    /// The schemas that it applies to the same value.
    fn applied(&self) -> impl Iterator<Item = SchemaId> {
        let condition = self.condition.iter().flat_map(|condition| {
            [Some(condition.test), condition.then, condition.otherwise].into_iter().flatten()
        });
        let unions = self.all_of.iter().chain(&self.any_of).chain(&self.one_of).copied();
        self.reference.into_iter().chain(self.not).chain(unions).chain(condition)
    }
}

// === impl Properties ===

impl Properties {
    const SEARCHED: usize = 12;

    fn push(&mut self, name: &str, id: SchemaId) {
        self.list.push((name.into(), id));
        if self.list.len() > Self::SEARCHED {
            if self.index.is_empty() {
                self.index = self.list.iter().map(|(name, id)| (name.clone(), *id)).collect();
            }
            self.index.insert(name.into(), id);
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<SchemaId> {
        if !self.index.is_empty() {
            return self.index.get(name).copied();
        }
        self.list.iter().find(|(known, _)| &**known == name).map(|(_, id)| *id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, SchemaId)> {
        self.list.iter().map(|(name, id)| (&**name, *id))
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

// === impl Has ===

impl Has {
    /// The groups that a node's keywords belong to.
    fn of(node: &SchemaNode) -> Has {
        let object = &node.object;
        let array = &node.array;
        Has {
            object: !object.properties.is_empty()
                || !object.pattern_properties.is_empty()
                || object.additional.is_some()
                || object.unevaluated.is_some()
                || object.names.is_some()
                || !object.required.is_empty()
                || !object.dependent_required.is_empty()
                || !object.dependent_schemas.is_empty()
                || object.min.is_some()
                || object.max.is_some(),
            array: !array.prefix.is_empty()
                || array.items.is_some()
                || array.contains.is_some()
                || array.unevaluated.is_some()
                || array.min.is_some()
                || array.max.is_some()
                || array.unique,
            string: node.string.min.is_some() || node.string.max.is_some() || node.string.pattern.is_some(),
            number: node.number.minimum.is_some()
                || node.number.maximum.is_some()
                || node.number.above.is_some()
                || node.number.below.is_some()
                || node.number.multiple_of.is_some(),
            values: node.constant.is_some() || node.options.is_some(),
            combinators: node.reference.is_some()
                || node.not.is_some()
                || node.condition.is_some()
                || !node.all_of.is_empty()
                || !node.any_of.is_empty()
                || !node.one_of.is_empty(),
        }
    }
}
