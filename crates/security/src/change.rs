//! What differs between two definitions, and how much that matters.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use crate::definition::Definition;

/// How many fields of a change are named.
pub const MAX_FIELDS: usize = 50;

/// How long the path of a field may be, in characters.
const MAX_PATH_CHARS: usize = 200;

/// How much a change matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The same said in another way: the order of a set, a missing title that was empty, a space at the end.
    Notation,
    /// Only titles, descriptions, examples and comments. The model reads them, so they matter.
    Words,
    /// Schemas, annotations, the name, or anything else.
    Meaning,
}

/// What differs between two definitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The gravest of the differences.
    pub class: Class,
    /// Where they are, such as `inputSchema.properties.path.type`. At most [`MAX_FIELDS`].
    pub fields: Vec<String>,
    /// How many more there are.
    pub more: usize,
}

impl Change {
    /// Whether nothing differs.
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

/// Says what differs. Nothing is a change of class [`Class::Notation`] without fields.
pub fn compare(old: &Definition, new: &Definition) -> Change {
    let mut change = Change::of(Class::Notation, &[]);
    walk(Some(old.value()), Some(new.value()), Role::Tool, &mut String::new(), &mut change);
    change
}

/// What a value is in a definition: a property that is called `description` is no description.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Tool,
    Annotations,
    Schema,
    /// An object whose keys are names and whose values are schemas.
    Schemas,
    /// A list of values whose order does not matter.
    Set,
    /// Such a list that may as well be missing when it is empty.
    Required,
    /// A text for people and models.
    Text,
    Examples,
    Other,
}

impl Role {
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

fn walk(old: Option<&Value>, new: Option<&Value>, role: Role, path: &mut String, change: &mut Change) {
    if old == new {
        return;
    }
    match (role, old, new) {
        (Role::Text, old, new) => change.note(texts(old, new), path),
        (Role::Examples, ..) => change.note(Class::Words, path),
        (Role::Set, Some(old), Some(new)) => change.note(sets(old, new), path),
        (Role::Required, old, new) => {
            let nothing = Value::Array(Vec::new());
            change.note(sets(old.unwrap_or(&nothing), new.unwrap_or(&nothing)), path);
        }
        (Role::Annotations, None, Some(Value::Object(fields)))
        | (Role::Annotations, Some(Value::Object(fields)), None)
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

fn texts(old: Option<&Value>, new: Option<&Value>) -> Class {
    fn text(value: Option<&Value>) -> Option<&str> {
        match value {
            None | Some(Value::Null) => Some(""),
            // Only what JSON takes for space: a no-break space is a character that somebody put there.
            Some(value) => value.as_str().map(|text| text.trim_end_matches([' ', '\t', '\n', '\r'])),
        }
    }
    match (text(old), text(new)) {
        (Some(old), Some(new)) if old == new => Class::Notation,
        (Some(_), Some(_)) => Class::Words,
        _ => Class::Meaning,
    }
}

fn sets(old: &Value, new: &Value) -> Class {
    fn members(list: &Value) -> Option<BTreeSet<String>> {
        list.as_array().map(|items| items.iter().map(Value::to_string).collect())
    }
    match (members(old), members(new)) {
        (Some(old), Some(new)) if old == new => Class::Notation,
        _ => Class::Meaning,
    }
}

/// `1` and `1.0`. Beyond 53 bits, floating-point numbers no longer tell integers apart.
fn same_number(old: &serde_json::Number, new: &serde_json::Number) -> bool {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match (old.as_f64(), new.as_f64()) {
        (Some(old), Some(new)) => old == new && old.abs() < EXACT,
        _ => false,
    }
}
