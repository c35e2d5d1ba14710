//! A tool ready for use: its schema compiled, its risk known.

use toolwright_jsonrpc::raw::{Kind, Node};
use toolwright_model::{Origin, ToolDefinition};

use crate::costs;
use crate::names::{canonical, is_destructive_tool, is_running_tool, words};
use crate::schema::{Goal, Judge, Schema, SchemaError, distinct};

/// A compiled tool. Compile once, share, and use from every thread.
#[derive(Debug)]
pub struct Tool {
    name: String,
    server: Option<String>,
    origin: Origin,
    schema: Schema,
    destructive: bool,
    running: bool,
    words: Vec<String>,
    parameters: Vec<String>,
}

impl Tool {
    /// Compiles a definition. A missing schema is read as "any object".
    pub fn compile(definition: &ToolDefinition) -> Result<Tool, SchemaError> {
        let text = definition.input_schema.trim();
        let schema = Schema::compile(if text.is_empty() { "{\"type\":\"object\"}" } else { text })?;
        let name_words = words(&definition.name);
        let destructive = definition.annotations.destructive || is_destructive_tool(&definition.name);
        let parameters = parameters(&schema);
        Ok(Tool {
            name: definition.name.clone(),
            server: definition.server.clone(),
            origin: definition.origin,
            schema,
            destructive,
            running: is_running_tool(&definition.name),
            words: name_words.iter().map(|word| canonical(word).to_owned()).collect(),
            parameters,
        })
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The server that offers it, when known.
    pub fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// Where it comes from.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The compiled schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Whether the tool can destroy something, by its server's hint or by its name.
    pub fn is_destructive(&self) -> bool {
        self.destructive
    }

    /// How much may be guessed for it.
    pub(crate) fn budget(&self) -> u32 {
        match (self.destructive, self.running) {
            (true, _) => costs::DESTRUCTIVE_BUDGET,
            (false, true) => costs::RUNNING_BUDGET,
            (false, false) => costs::BUDGET,
        }
    }

    /// Whether its flags take `true` and `false` only: it can destroy something, or run what does.
    pub fn has_strict_flags(&self) -> bool {
        self.destructive || self.running
    }

    /// The names of its parameters, of every form the schema allows.
    pub fn parameters(&self) -> &[String] {
        &self.parameters
    }

    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether the schema accepts this JSON text as arguments.
    pub fn accepts(&self, arguments: &str) -> bool {
        let arena = bumpalo::Bump::new();
        toolwright_jsonrpc::raw::parse(arguments, &arena).is_ok_and(|parsed| {
            parsed.root.as_object().is_some()
                && Judge::new(&self.schema, arguments.len()).accepts(self.schema.root(), &parsed.root)
        })
    }
}

fn parameters(schema: &Schema) -> Vec<String> {
    let judge = Judge::new(schema, 0);
    let goals = Goal::alternatives(&judge, &[schema.root()], &Node::built(Kind::Object(&[])));
    distinct(goals.iter().flat_map(|goal| goal.property_names(schema)))
        .into_iter()
        .map(str::to_owned)
        .collect()
}
