//! Compiled tool schemas: one arena of plain nodes that is used both to validate values and to guide repairs.
//!
//! A schema is compiled once per tool. Nothing is ever fetched: a reference that does not point
//! into the schema itself is not validated, nor is a pattern that would need backtracking. What is
//! not validated accepts every value, so that the tool's own server decides.

mod choice;
mod compile;
mod draft;
mod dynamic;
mod error;
mod forms;
mod goal;
mod literal;
mod options;
mod pattern;
mod pointer;
mod types;
mod validator;

use std::collections::HashMap;

use toolwright_jsonrpc::raw::Number;

use crate::names::SplitName;

pub(crate) use choice::UnionChoice;
pub use error::SchemaError;
pub(crate) use goal::{Goal, KeyState, SchemaIds, distinct};
pub(crate) use literal::Literal;
pub(crate) use options::EnumOptions;
pub(crate) use pattern::SchemaPattern;
pub(crate) use types::Types;
pub(crate) use validator::{KEYS_PER_STEP, Validator, steps};

/// Longer names and keys are hardly typing errors: they are not compared by similarity.
pub(crate) const MAX_NAME_BYTES: usize = 256;

/// Index of a node of a compiled schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SchemaId(u32);

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    nodes: Vec<SchemaNode>,
    root: SchemaId,
    /// Every declared or required name that is short enough to be compared, split into words.
    names: HashMap<Box<str>, SplitName>,
    /// The parts of the schema that are not validated, in words for people.
    notes: Vec<String>,
}

/// One schema of the arena, its keywords as data.
#[derive(Debug, Default)]
pub(crate) struct SchemaNode {
    /// `false` schemas accept nothing.
    pub never: bool,
    /// The types of `type` that the allowed values have.
    pub types: Types,
    pub constant: Option<Literal>,
    pub options: Option<Box<EnumOptions>>,
    pub object: ObjectKeywords,
    pub array: ArrayKeywords,
    pub string: StringKeywords,
    pub number: NumberKeywords,
    pub all_of: Vec<SchemaId>,
    pub any_of: Vec<SchemaId>,
    pub one_of: Vec<SchemaId>,
    /// The discriminator of the branches of `anyOf`.
    pub any_choice: Option<Box<UnionChoice>>,
    /// The discriminator of the branches of `oneOf`.
    pub one_choice: Option<Box<UnionChoice>>,
    pub not: Option<SchemaId>,
    pub condition: Option<Condition>,
    pub reference: Option<SchemaId>,
    pub description: Box<str>,
    /// Whether `default` is `true`.
    pub defaults_to_true: bool,
    /// The groups of keywords that are present, so that validation skips the others.
    pub has: KeywordGroups,
}

/// The keyword groups that a node uses.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeywordGroups {
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
    pub pattern_properties: Vec<(SchemaPattern, SchemaId)>,
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
    /// Only for long lists; short ones are searched linearly.
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
    pub pattern: Option<SchemaPattern>,
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
    /// The parts of the schema that are not validated: remote references, backtracking patterns, keywords
    /// with an invalid value.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// A declared or required name, ready for comparison.
    pub(crate) fn name(&self, text: &str) -> Option<&SplitName> {
        self.names.get(text)
    }

    /// Whether some schema applies itself to the same value: such a schema can validate no value.
    pub(crate) fn applies_within_itself(&self) -> bool {
        #[derive(Clone, Copy, PartialEq)]
        enum VisitState {
            New,
            Open,
            Done,
        }
        let mut states = vec![VisitState::New; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let mut stack = vec![start];
            while let Some(&at) = stack.last() {
                if states[at] != VisitState::New {
                    if states[at] == VisitState::Open {
                        states[at] = VisitState::Done;
                    }
                    stack.pop();
                    continue;
                }
                states[at] = VisitState::Open;
                for applied in self.nodes[at].applied() {
                    match states[applied.0 as usize] {
                        VisitState::Open => return true,
                        VisitState::New => stack.push(applied.0 as usize),
                        VisitState::Done => {}
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

impl KeywordGroups {
    /// The groups of a node's keywords.
    fn of(node: &SchemaNode) -> KeywordGroups {
        let object = &node.object;
        let array = &node.array;
        KeywordGroups {
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
