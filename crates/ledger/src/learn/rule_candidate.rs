//! Rule candidate: a rule before it is suggested or accepted.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The rule that a mistake and its correction imply, in the terms of a rules file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Lesson {
    /// A parameter has another name.
    ParamAlias {
        /// The name that is sent.
        from: String,
        /// The name in the schema.
        to: String,
    },
    /// A parameter has another type.
    TypeCoerce {
        /// The parameter.
        from: String,
        /// `bool`, `int`, `float` or `string`.
        coerce_to: String,
    },
    /// A value is sent as another word.
    ValueMap {
        /// The parameter.
        from: String,
        /// The word that is sent.
        sent: String,
        /// The value of the schema, as JSON.
        meant: String,
    },
    /// A field inside a parameter has another name.
    NestedAlias {
        /// The parameter.
        in_payload: String,
        /// Path inside the parameter; empty for the parameter itself.
        array_path: String,
        /// The field that is sent.
        from: String,
        /// The field in the schema.
        to: String,
    },
    /// A parameter is omitted and always set to the same value afterwards.
    ParamDefault {
        /// The parameter.
        from: String,
        /// The value, as JSON.
        value: String,
    },
}

impl Lesson {
    /// The type in a rules file.
    pub fn type_name(&self) -> &'static str {
        match self {
            Lesson::ParamAlias { .. } => "param_alias",
            Lesson::TypeCoerce { .. } => "type_coerce",
            Lesson::ValueMap { .. } => "value_map",
            Lesson::NestedAlias { .. } => "nested_alias",
            Lesson::ParamDefault { .. } => "param_default",
        }
    }

    /// The parameter or field that the rule matches.
    pub fn from(&self) -> &str {
        match self {
            Lesson::ParamAlias { from, .. }
            | Lesson::TypeCoerce { from, .. }
            | Lesson::ValueMap { from, .. }
            | Lesson::NestedAlias { from, .. }
            | Lesson::ParamDefault { from, .. } => from,
        }
    }

    /// The target of the rule: a name, a type, or a value.
    pub fn to(&self) -> Value {
        match self {
            Lesson::ParamAlias { to, .. } | Lesson::NestedAlias { to, .. } => json!(to),
            Lesson::TypeCoerce { coerce_to, .. } => json!(coerce_to),
            Lesson::ValueMap { meant, .. } => parsed(meant),
            Lesson::ParamDefault { value, .. } => parsed(value),
        }
    }

    /// The names that the rule affects.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Lesson::ParamAlias { from, to } => vec![from, to],
            Lesson::NestedAlias { in_payload, array_path, from, to } => {
                let steps = array_path.split(['.', '[', ']']).filter(|step| !step.is_empty());
                [in_payload.as_str(), from, to].into_iter().chain(steps).collect()
            }
            _ => vec![self.from()],
        }
    }

    /// Whether both repair the same mistake differently.
    pub fn disagrees_with(&self, other: &Lesson) -> bool {
        if self == other {
            return false;
        }
        match (self, other) {
            (Lesson::ParamAlias { from: one, .. }, Lesson::ParamAlias { from: two, .. })
            | (Lesson::TypeCoerce { from: one, .. }, Lesson::TypeCoerce { from: two, .. })
            | (Lesson::ParamDefault { from: one, .. }, Lesson::ParamDefault { from: two, .. }) => one == two,
            (Lesson::ValueMap { from, sent, .. }, Lesson::ValueMap { from: other, sent: word, .. }) => {
                from == other && sent == word
            }
            (
                Lesson::NestedAlias { in_payload, array_path, from, .. },
                Lesson::NestedAlias { in_payload: payload, array_path: path, from: other, .. },
            ) => in_payload == payload && array_path == path && from == other,
            _ => false,
        }
    }

    /// Whether a call with these arguments contains the mistake, judging by keys and words.
    pub fn concerns(&self, arguments: &Map<String, Value>) -> bool {
        match self {
            Lesson::ParamAlias { from, to } => arguments.contains_key(from) && !arguments.contains_key(to),
            Lesson::TypeCoerce { from, .. } => arguments.contains_key(from),
            Lesson::ValueMap { from, sent, .. } => {
                arguments.get(from).and_then(word).is_some_and(|word| word == *sent)
            }
            Lesson::NestedAlias { in_payload, from, .. } => {
                arguments.get(in_payload).is_some_and(|payload| holds_key(payload, from))
            }
            Lesson::ParamDefault { from, .. } => !arguments.contains_key(from),
        }
    }

    /// The rule in the format of a rules file.
    pub fn rule(&self, id: &str, tool: &str, note: &str) -> Value {
        let mut rule = Map::new();
        rule.insert("id".to_owned(), json!(id));
        rule.insert("tools".to_owned(), json!([tool]));
        rule.insert("type".to_owned(), json!(self.type_name()));
        if let Lesson::NestedAlias { in_payload, array_path, .. } = self {
            rule.insert("in_payload".to_owned(), json!(in_payload));
            if !array_path.is_empty() {
                rule.insert("array_path".to_owned(), json!(array_path));
            }
        }
        rule.insert("from".to_owned(), json!(self.from()));
        match self {
            Lesson::ParamAlias { .. } | Lesson::NestedAlias { .. } => rule.insert("to".to_owned(), self.to()),
            Lesson::TypeCoerce { .. } => rule.insert("coerce_to".to_owned(), self.to()),
            Lesson::ValueMap { sent, .. } => rule.insert("value".to_owned(), json!({ sent: self.to() })),
            Lesson::ParamDefault { .. } => rule.insert("value".to_owned(), self.to()),
        };
        rule.insert("note".to_owned(), json!(note));
        Value::Object(rule)
    }
}

/// A scalar as the text that a `value_map` matches.
pub(super) fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or(Value::Null)
}

fn holds_key(value: &Value, key: &str) -> bool {
    match value {
        Value::Object(members) => {
            members.contains_key(key) || members.values().any(|value| holds_key(value, key))
        }
        Value::Array(items) => items.iter().any(|item| holds_key(item, key)),
        _ => false,
    }
}
