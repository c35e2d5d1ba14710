//! Names and choices in a tool's schema, read as plain JSON.

use serde_json::{Map, Value};
use toolwright_model::ToolDefinition;
use toolwright_normalizer::{SchemaError, Tool};

/// Maximum length of a chain of references.
const MAX_REFERENCES: usize = 8;

/// A compiled tool with the parts of its schema that candidates need.
#[derive(Debug)]
pub(super) struct ToolSchema {
    pub tool: Tool,
    schema: Value,
}

impl ToolSchema {
    pub fn of(definition: &ToolDefinition) -> Result<ToolSchema, SchemaError> {
        let tool = Tool::compile(definition)?;
        let schema = serde_json::from_str(&definition.input_schema).unwrap_or(Value::Null);
        Ok(ToolSchema { tool, schema })
    }

    pub fn declares(&self, name: &str) -> bool {
        self.tool.parameters().iter().any(|known| known == name)
    }

    /// The required parameters.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        let root = self.resolved(&self.schema);
        root.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }

    /// The strings that a parameter may be, when the schema lists them.
    pub fn choices(&self, name: &str) -> Option<Vec<String>> {
        let property = self.resolved(self.properties(&self.schema)?.get(name)?);
        let mut choices = Vec::new();
        self.collect_choices(property, &mut choices, MAX_REFERENCES);
        (!choices.is_empty()).then_some(choices)
    }

    fn collect_choices(&self, schema: &Value, into: &mut Vec<String>, depth: usize) {
        if depth == 0 {
            return;
        }
        let schema = self.resolved(schema);
        let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        into.extend(listed.chain(schema.get("const")).filter_map(Value::as_str).map(str::to_owned));
        for key in ["anyOf", "oneOf"] {
            for branch in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
                self.collect_choices(branch, into, depth - 1);
            }
        }
    }

    /// Whether a parameter is a boolean.
    pub fn is_flag(&self, name: &str) -> bool {
        let property = self.properties(&self.schema).and_then(|all| all.get(name));
        property.is_some_and(|schema| self.resolved(schema).get("type").is_some_and(|kind| kind == "boolean"))
    }

    /// The schema of a parameter.
    pub fn property(&self, name: &str) -> Option<&Value> {
        self.properties(&self.schema)?.get(name)
    }

    /// The declared fields of an object.
    pub fn properties<'s>(&'s self, schema: &'s Value) -> Option<&'s Map<String, Value>> {
        self.resolved(schema).get("properties")?.as_object()
    }

    /// The schema of a list's items.
    pub fn items<'s>(&'s self, schema: &'s Value) -> Option<&'s Value> {
        self.resolved(schema).get("items")
    }

    fn resolved<'s>(&'s self, mut schema: &'s Value) -> &'s Value {
        for _ in 0..MAX_REFERENCES {
            let target = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
            match target.and_then(|path| self.schema.pointer(path)) {
                Some(next) => schema = next,
                None => break,
            }
        }
        schema
    }
}
