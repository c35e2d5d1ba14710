//! A tool ready for use: with compiled schema and known risk.

use toolwright_jsonrpc::raw::{Kind, Node};
use toolwright_model::{BuiltinRules, Origin, ToolDefinition};

use crate::costs;
use crate::names::{canonical, is_destructive_tool, is_running_tool, is_writing_tool, words};
use crate::repair::{ToolEffect, narrows};
use crate::schema::{Goal, Schema, SchemaError, Validator, distinct};

/// A compiled tool. Compile once, share, and use from every thread.
#[derive(Debug)]
pub struct Tool {
    name: String,
    server: Option<String>,
    origin: Origin,
    schema: Schema,
    destructive: bool,
    running: bool,
    writing: bool,
    words: Vec<String>,
    parameters: Vec<String>,
    builtin_rules: BuiltinRules,
    names: NameStyle,
    /// Whether an alternative of the schema accepts names that it does not declare.
    is_open: bool,
}

/// The style of names in the tool's schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameStyle {
    /// A declared name is in snake_case.
    Snake,
    /// `additionalProperties` or `unevaluatedProperties` describes further members: their names are data.
    Free,
    /// Nothing contradicts camelCase.
    Unsaid,
}

impl Tool {
    /// Compiles a definition. A missing schema means "any object".
    pub fn compile(definition: &ToolDefinition) -> Result<Tool, SchemaError> {
        let text = definition.input_schema.trim();
        let schema = Schema::compile(if text.is_empty() { "{\"type\":\"object\"}" } else { text })?;
        let name_words = words(&definition.name);
        let destructive = definition.annotations.destructive || is_destructive_tool(&definition.name);
        let (parameters, names, is_open) = described_names(&schema);
        Ok(Tool {
            name: definition.name.clone(),
            server: definition.server.clone(),
            origin: definition.origin,
            schema,
            destructive,
            running: is_running_tool(&definition.name),
            writing: is_writing_tool(&definition.name),
            words: name_words.iter().map(|word| canonical(word).to_owned()).collect(),
            parameters,
            builtin_rules: definition.builtin_rules,
            names,
            is_open,
        })
    }

    /// A tool of which only the name is known, as in the history of a conversation.
    pub fn unlisted(name: &str) -> Result<Tool, SchemaError> {
        Tool::compile(&ToolDefinition { name: name.to_owned(), ..ToolDefinition::default() })
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The server that provides it, if known.
    pub fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// Its origin.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The compiled schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Whether the tool is destructive, by its server's hint or by its name.
    pub fn is_destructive(&self) -> bool {
        self.destructive
    }

    /// Its effect.
    pub(crate) fn effect(&self) -> ToolEffect {
        match self.destructive {
            true => ToolEffect::Destroys,
            false if self.writing || self.running => ToolEffect::Writes,
            false => ToolEffect::Reads,
        }
    }

    /// Whether a call without any arguments may affect more than one with them.
    pub(crate) fn is_broader_without_arguments(&self) -> bool {
        match self.effect() {
            ToolEffect::Destroys => !self.parameters.is_empty(),
            ToolEffect::Writes => self.parameters.iter().any(|name| narrows(name)),
            ToolEffect::Reads => false,
        }
    }

    /// Its risk budget.
    pub(crate) fn budget(&self) -> u32 {
        match (self.destructive, self.running) {
            (true, _) => costs::DESTRUCTIVE_BUDGET,
            (false, true) => costs::RUNNING_BUDGET,
            (false, false) => costs::BUDGET,
        }
    }

    /// Whether its flags accept `true` and `false` only: it is destructive, or runs its input.
    pub fn has_strict_flags(&self) -> bool {
        self.destructive || self.running
    }

    /// The names of its parameters, in every alternative of the schema.
    pub fn parameters(&self) -> &[String] {
        &self.parameters
    }

    /// Whether it has a parameter of exactly that name.
    pub(crate) fn declares(&self, name: &str) -> bool {
        let root = self.schema.node(self.schema.root());
        root.object.properties.get(name).is_some() || self.parameters.iter().any(|known| known == name)
    }

    /// Scope of the built-in rules for it.
    pub fn builtin_rules(&self) -> BuiltinRules {
        self.builtin_rules
    }

    /// Whether the schema accepts names that it does not declare.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether a name that it does not declare may be converted to camelCase. Not for a destructive tool, which might
    /// miss a filter under its new name.
    pub(crate) fn may_take_camel_case(&self) -> bool {
        match self.builtin_rules {
            BuiltinRules::Schema => self.names == NameStyle::Unsaid && !self.destructive,
            BuiltinRules::Always => true,
            BuiltinRules::Off => false,
        }
    }

    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether the schema accepts this JSON text as arguments.
    pub fn accepts(&self, arguments: &str) -> bool {
        let arena = bumpalo::Bump::new();
        toolwright_jsonrpc::raw::parse(arguments, &arena).is_ok_and(|parsed| {
            parsed.root.as_object().is_some()
                && Validator::new(&self.schema, arguments.len()).accepts(self.schema.root(), &parsed.root)
        })
    }
}

/// The declared names, their style, and whether others are accepted.
fn described_names(schema: &Schema) -> (Vec<String>, NameStyle, bool) {
    let validator = Validator::new(schema, 0);
    let goals = Goal::alternatives(&validator, &[schema.root()], &Node::built(Kind::Object(&[])));
    let names = distinct(goals.iter().flat_map(|goal| goal.property_names(schema)));
    let style = if names.iter().any(|name| is_snake_case(name)) {
        NameStyle::Snake
    } else if goals.iter().any(|goal| goal.describes_further_members(schema)) {
        NameStyle::Free
    } else {
        NameStyle::Unsaid
    };
    let is_open = goals.is_empty() || goals.iter().any(|goal| goal.is_open(schema));
    (names.into_iter().map(str::to_owned).collect(), style, is_open)
}

/// Whether a name has an underscore between its words.
pub(crate) fn is_snake_case(name: &str) -> bool {
    name.trim_matches('_').contains('_')
}
