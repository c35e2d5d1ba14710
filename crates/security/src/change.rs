//! Comparison of two definitions: the differing fields and how much they matter.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use crate::definition::Definition;

/// The most fields that a change lists.
pub const MAX_FIELDS: usize = 50;

/// The longest path of a field, in characters.
const MAX_PATH_CHARS: usize = 200;

/// How much a change matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The same content in another notation: the order of a set, an empty title that is missing, trailing whitespace.
    Notation,
    /// Only titles, descriptions, examples and comments differ. The model reads them, so they matter.
    Words,
    /// Schemas, annotations, the name or anything else differs.
    Meaning,
}

/// The differences between two definitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The most severe class of all differences.
    pub class: Class,
    /// The paths of the differing fields, such as `inputSchema.properties.path.type`. At most [`MAX_FIELDS`].
    pub fields: Vec<String>,
    /// The number of further fields.
    pub more: usize,
}

impl Change {
    /// Whether the definitions are equal.
    pub fn is_nothing(&self) -> bool {
        self.fields.is_empty()
    }

    pub(crate) fn of(class: Class, fields: &[&str]) -> Self {
        Self { class, fields: fields.iter().map(|&field| field.to_owned()).collect(), more: 0 }
    }

    fn note(&mut self, class: Class, path: &str) {
        self.class = self.class.max(class);
        if self.fields.len() == MAX_FIELDS {
            self.more += 1;
            return;
        }
        let shown = if path.is_empty() { "(all)" } else { path };
        self.fields.push(shown.chars().take(MAX_PATH_CHARS).collect());
    }
}

/// Compares two definitions. Equal definitions give a change of class [`Class::Notation`] without fields.
pub fn compare(old: &Definition, new: &Definition) -> Change {
    let mut change = Change::of(Class::Notation, &[]);
    walk(Some(old.value()), Some(new.value()), SchemaRole::Tool, &mut String::new(), &mut change);
    change
}

/// The role of a value in a definition: a property named `description` is not a description.
#[derive(Clone, Copy, PartialEq)]
enum SchemaRole {
    Tool,
    Annotations,
    Schema,
    /// An object that maps names to schemas.
    Schemas,
    /// A list whose order does not matter.
    Set,
    /// A list whose order does not matter, and which equals a missing one if it is empty.
    Required,
    /// A text for users and models.
    Text,
    Examples,
    Other,
}

impl SchemaRole {
    fn of_key(self, key: &str) -> Self {
        match (self, key) {
            (Self::Tool | Self::Schema, "title" | "description") | (Self::Annotations, "title") => Self::Text,
            (Self::Tool, "inputSchema" | "outputSchema") => Self::Schema,
            (Self::Tool, "annotations") => Self::Annotations,
            (Self::Schemas, _) => Self::Schema,
            (Self::Schema, "$comment") => Self::Text,
            (Self::Schema, "examples" | "example") => Self::Examples,
            (Self::Schema, "enum" | "type") => Self::Set,
            (Self::Schema, "required") => Self::Required,
            (Self::Schema, "properties" | "patternProperties" | "$defs" | "definitions") => Self::Schemas,
            (Self::Schema, "dependentSchemas") => Self::Schemas,
            (
                Self::Schema,
                "items"
                | "prefixItems"
                | "anyOf"
                | "allOf"
                | "oneOf"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "unevaluatedItems"
                | "propertyNames",
            ) => Self::Schema,
            _ => Self::Other,
        }
    }
}

fn walk(old: Option<&Value>, new: Option<&Value>, role: SchemaRole, path: &mut String, change: &mut Change) {
    if old == new {
        return;
    }
    match (role, old, new) {
        (SchemaRole::Text, old, new) => change.note(compare_texts(old, new), path),
        (SchemaRole::Examples, ..) => change.note(Class::Words, path),
        (SchemaRole::Set, Some(old), Some(new)) => change.note(compare_sets(old, new), path),
        (SchemaRole::Required, old, new) => {
            let nothing = Value::Array(Vec::new());
            change.note(compare_sets(old.unwrap_or(&nothing), new.unwrap_or(&nothing)), path);
        }
        (SchemaRole::Annotations, None, Some(Value::Object(fields)))
        | (SchemaRole::Annotations, Some(Value::Object(fields)), None)
            if fields.is_empty() =>
        {
            change.note(Class::Notation, path);
        }
        (_, Some(Value::Object(old)), Some(Value::Object(new))) => {
            let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for key in keys {
                let end = path.len();
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(key);
                walk(old.get(key), new.get(key), role.of_key(key), path, change);
                path.truncate(end);
            }
        }
        (_, Some(Value::Array(old)), Some(Value::Array(new))) => {
            for place in 0..old.len().max(new.len()) {
                let end = path.len();
                path.push_str(&format!("[{place}]"));
                walk(old.get(place), new.get(place), role, path, change);
                path.truncate(end);
            }
        }
        (_, Some(Value::Number(old)), Some(Value::Number(new))) if same_number(old, new) => {
            change.note(Class::Notation, path);
        }
        _ => change.note(Class::Meaning, path),
    }
}

fn compare_texts(old: Option<&Value>, new: Option<&Value>) -> Class {
    fn text(value: Option<&Value>) -> Option<&str> {
        match value {
            None | Some(Value::Null) => Some(""),
            // Only JSON whitespace: a no-break space is a deliberate character.
            Some(value) => value.as_str().map(|text| text.trim_end_matches([' ', '\t', '\n', '\r'])),
        }
    }
    match (text(old), text(new)) {
        (Some(old), Some(new)) if old == new => Class::Notation,
        (Some(_), Some(_)) => Class::Words,
        _ => Class::Meaning,
    }
}

fn compare_sets(old: &Value, new: &Value) -> Class {
    fn members(list: &Value) -> Option<BTreeSet<String>> {
        list.as_array().map(|items| items.iter().map(Value::to_string).collect())
    }
    match (members(old), members(new)) {
        (Some(old), Some(new)) if old == new => Class::Notation,
        _ => Class::Meaning,
    }
}

/// Whether `1` and `1.0` are the same number. From 2^53 on, floating-point numbers cannot represent all integers.
fn same_number(old: &serde_json::Number, new: &serde_json::Number) -> bool {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match (old.as_f64(), new.as_f64()) {
        (Some(old), Some(new)) => old == new && old.abs() < EXACT,
        _ => false,
    }
}
