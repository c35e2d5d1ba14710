//! Places in a call that can be damaged: every value with the schema that is meant for it.

use serde_json::{Map, Value};

use crate::{pattern, schema};

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A member of an object.
    Key(String),
    /// An item of an array.
    Index(usize),
}

/// From the arguments down to a value.
pub type Path = Vec<Step>;

/// A value of a call and what its schema says.
#[derive(Debug)]
pub struct Site<'a> {
    /// Where it is.
    pub path: Path,
    /// The schema meant for it, a union included.
    pub schema: &'a Value,
    /// The one branch of a union that accepts the value, or the schema itself.
    pub branch: &'a Value,
    /// The value as the valid call has it.
    pub value: &'a Value,
    /// Its parent must have it.
    pub required: bool,
    /// Some schema above it is a union.
    pub in_union: bool,
}

/// The members an object may have.
#[derive(Debug)]
pub struct Members<'a> {
    /// Declared by name.
    pub declared: &'a Map<String, Value>,
    /// Names that must be there.
    pub required: Vec<&'a str>,
    /// Other names are errors.
    pub closed: bool,
    /// Other names may be valid by pattern.
    pub by_pattern: bool,
}

impl Site<'_> {
    /// The name of the member, when the value is one.
    pub fn key(&self) -> Option<&str> {
        match self.path.last() {
            Some(Step::Key(key)) => Some(key),
            _ => None,
        }
    }

    /// What the object may hold, when the value is an object with declared members.
    pub fn members(&self) -> Option<Members<'_>> {
        self.value.as_object()?;
        members(self.branch)
    }
}

impl Members<'_> {
    /// Whether a missing or misnamed `key` makes the object invalid.
    pub fn needs(&self, key: &str) -> bool {
        self.required.contains(&key)
    }

    /// Whether sending `key` under an undeclared name is an error.
    pub fn rejects_other_name_for(&self, key: &str) -> bool {
        !self.by_pattern && (self.closed || self.needs(key))
    }
}

/// What a schema of an object says about its members.
pub fn members(schema: &Value) -> Option<Members<'_>> {
    Some(Members {
        declared: schema.get("properties")?.as_object()?,
        required: schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect(),
        closed: schema.get("additionalProperties") == Some(&Value::Bool(false)),
        by_pattern: schema.get("patternProperties").is_some(),
    })
}

/// Whether a schema names this type, alone or among others.
pub fn names_type(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == kind,
        Some(Value::Array(types)) => types.iter().any(|one| one == kind),
        _ => false,
    }
}

/// All sites of a call, the arguments themselves first, parents before children.
pub fn sites<'a>(root: &'a Value, arguments: &'a Value) -> Vec<Site<'a>> {
    let mut found = Vec::new();
    let start = Place { path: Vec::new(), schema: root, required: true, in_union: false };
    walk(root, start, arguments, &mut found);
    found
}

struct Place<'a> {
    path: Path,
    schema: &'a Value,
    required: bool,
    in_union: bool,
}

fn walk<'a>(root: &'a Value, place: Place<'a>, value: &'a Value, found: &mut Vec<Site<'a>>) {
    let schema = schema::resolve(root, place.schema);
    let union = ["anyOf", "oneOf"].iter().find_map(|word| schema.get(word)).and_then(Value::as_array);
    let branch = match union {
        None => schema,
        Some(branches) => {
            let mut fitting = branches.iter().filter(|branch| schema::accepts(root, branch, value));
            match (fitting.next(), fitting.next()) {
                (Some(only), None) => schema::resolve(root, only),
                _ => return,
            }
        }
    };
    let below = place.in_union || union.is_some();
    let path = place.path.clone();
    found.push(Site { path: place.path, schema, branch, value, required: place.required, in_union: below });
    let required: Vec<&str> = branch
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                if let Some(inner) = member_schema(branch, key) {
                    let mut path = path.clone();
                    path.push(Step::Key(key.clone()));
                    let required = required.contains(&key.as_str());
                    walk(root, Place { path, schema: inner, required, in_union: below }, member, found);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                if let Some(inner) = item_schema(branch, index) {
                    let mut path = path.clone();
                    path.push(Step::Index(index));
                    walk(root, Place { path, schema: inner, required: true, in_union: below }, item, found);
                }
            }
        }
        _ => {}
    }
}

fn member_schema<'a>(schema: &'a Value, key: &str) -> Option<&'a Value> {
    if let Some(inner) = schema.get("properties").and_then(|declared| declared.get(key)) {
        return Some(inner);
    }
    let patterns = schema.get("patternProperties").and_then(Value::as_object);
    let by_pattern = patterns.into_iter().flatten().find(|(name, _)| pattern::matches(name, key));
    by_pattern
        .map(|(_, inner)| inner)
        .or_else(|| schema.get("additionalProperties").filter(|inner| inner.is_object()))
}

fn item_schema(schema: &Value, index: usize) -> Option<&Value> {
    schema
        .get("prefixItems")
        .and_then(|items| items.get(index))
        .or_else(|| schema.get("items"))
        .filter(|inner| inner.is_object())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sites_reach_into_unions_maps_and_lists() {
        let schema = json!({"type": "object", "properties": {
            "a": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]},
            "m": {"type": "object", "additionalProperties": {"type": "string"}}}, "required": ["a"]});
        let call = json!({"a": [1, 2], "m": {"x": "y"}});
        let found = sites(&schema, &call);
        assert_eq!(found.len(), 6);
        assert!(found[1].required && found[1].in_union);
        assert!(names_type(found[2].branch, "integer"));
        assert_eq!(found[5].key(), Some("x"));
    }
}
