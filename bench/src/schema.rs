//! A JSON Schema checker for the keywords the corpus uses.
//!
//! Independent of the normalizer's validator on purpose: the examiner must not share the pupil's mistakes.

use serde_json::{Map, Number, Value};

use crate::compare::{same_number, same_value};
use crate::pattern;

/// Keywords that say something about a value.
#[cfg(test)]
const CHECKED: [&str; 24] = [
    "$ref",
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "anyOf",
    "oneOf",
    "allOf",
    "$defs",
];
/// Keywords that only inform.
#[cfg(test)]
const SILENT: [&str; 4] = ["description", "title", "default", "format"];

/// Whether `value` is valid under `schema`; `root` is where `$ref` points into.
pub fn accepts(root: &Value, schema: &Value, value: &Value) -> bool {
    let Value::Object(schema) = schema else { return schema.as_bool().unwrap_or(false) };
    schema.iter().all(|(keyword, rule)| keyword_accepts(root, schema, keyword, rule, value))
}

/// Follows `$ref` until there is a schema that says something itself.
pub fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut current = schema;
    while let Some(pointer) = current.get("$ref").and_then(Value::as_str) {
        match root.pointer(pointer.trim_start_matches('#')) {
            Some(target) => current = target,
            None => return current,
        }
    }
    current
}

/// The first keyword this checker does not know, anywhere in a schema.
#[cfg(test)]
pub fn unknown_keyword(schema: &Value) -> Option<String> {
    let Value::Object(members) = schema else { return None };
    for (keyword, rule) in members {
        if !CHECKED.contains(&keyword.as_str()) && !SILENT.contains(&keyword.as_str()) {
            return Some(keyword.clone());
        }
        let inner: Vec<&Value> = match (keyword.as_str(), rule) {
            ("properties" | "patternProperties" | "$defs", Value::Object(map)) => map.values().collect(),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => list.iter().collect(),
            ("items" | "additionalProperties", _) => vec![rule],
            _ => Vec::new(),
        };
        if let Some(keyword) = inner.into_iter().find_map(unknown_keyword) {
            return Some(keyword);
        }
    }
    None
}

fn keyword_accepts(
    root: &Value,
    schema: &Map<String, Value>,
    keyword: &str,
    rule: &Value,
    value: &Value,
) -> bool {
    match keyword {
        "$ref" => {
            let target = rule.as_str().and_then(|pointer| root.pointer(pointer.trim_start_matches('#')));
            target.is_some_and(|target| accepts(root, target, value))
        }
        "type" => match rule {
            Value::Array(types) => types.iter().filter_map(Value::as_str).any(|kind| is_type(kind, value)),
            _ => rule.as_str().is_some_and(|kind| is_type(kind, value)),
        },
        "enum" => rule.as_array().is_some_and(|list| list.iter().any(|item| same_json(item, value))),
        "const" => same_json(rule, value),
        "anyOf" => branches(rule).any(|branch| accepts(root, branch, value)),
        "oneOf" => branches(rule).filter(|branch| accepts(root, branch, value)).count() == 1,
        "allOf" => branches(rule).all(|branch| accepts(root, branch, value)),
        _ => match value {
            Value::Object(members) => object_accepts(root, schema, keyword, rule, members),
            Value::Array(items) => array_accepts(root, schema, keyword, rule, items),
            Value::Number(number) => number_accepts(keyword, rule, number),
            Value::String(text) => text_accepts(keyword, rule, text),
            _ => true,
        },
    }
}

fn branches(rule: &Value) -> impl Iterator<Item = &Value> {
    rule.as_array().into_iter().flatten()
}

fn object_accepts(
    root: &Value,
    schema: &Map<String, Value>,
    keyword: &str,
    rule: &Value,
    members: &Map<String, Value>,
) -> bool {
    let map = |name: &str| schema.get(name).and_then(Value::as_object);
    match keyword {
        "properties" => map("properties")
            .into_iter()
            .flatten()
            .all(|(key, inner)| members.get(key).is_none_or(|value| accepts(root, inner, value))),
        "patternProperties" => map("patternProperties").into_iter().flatten().all(|(pattern, inner)| {
            let mut found = members.iter().filter(|(key, _)| pattern::matches(pattern, key));
            found.all(|(_, value)| accepts(root, inner, value))
        }),
        "required" => branches(rule).filter_map(Value::as_str).all(|key| members.contains_key(key)),
        "additionalProperties" => members.iter().all(|(key, value)| {
            let declared = map("properties").is_some_and(|declared| declared.contains_key(key));
            let by_pattern =
                map("patternProperties").into_iter().flatten().any(|(name, _)| pattern::matches(name, key));
            declared || by_pattern || accepts(root, rule, value)
        }),
        _ => true,
    }
}

fn array_accepts(
    root: &Value,
    schema: &Map<String, Value>,
    keyword: &str,
    rule: &Value,
    items: &[Value],
) -> bool {
    let prefix = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
    match keyword {
        "items" => items.iter().skip(prefix).all(|item| accepts(root, rule, item)),
        "prefixItems" => branches(rule).zip(items).all(|(inner, item)| accepts(root, inner, item)),
        "minItems" => rule.as_u64().is_none_or(|least| items.len() as u64 >= least),
        "maxItems" => rule.as_u64().is_none_or(|most| items.len() as u64 <= most),
        _ => true,
    }
}

fn number_accepts(keyword: &str, rule: &Value, number: &Number) -> bool {
    let (Some(value), Some(bound)) = (number.as_f64(), rule.as_f64()) else { return true };
    match keyword {
        "minimum" => value >= bound,
        "maximum" => value <= bound,
        "exclusiveMinimum" => value > bound,
        "exclusiveMaximum" => value < bound,
        "multipleOf" => value % bound == 0.0,
        _ => true,
    }
}

fn text_accepts(keyword: &str, rule: &Value, text: &str) -> bool {
    let length = || text.chars().count() as u64;
    match keyword {
        "minLength" => rule.as_u64().is_none_or(|least| length() >= least),
        "maxLength" => rule.as_u64().is_none_or(|most| length() <= most),
        "pattern" => rule.as_str().is_none_or(|pattern| pattern::matches(pattern, text)),
        _ => true,
    }
}

fn is_type(kind: &str, value: &Value) -> bool {
    match (kind, value) {
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_))
        | ("number", Value::Number(_)) => true,
        ("integer", Value::Number(number)) => {
            number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|value| value.fract() == 0.0)
        }
        _ => false,
    }
}

/// Equality as JSON Schema means it: strings are only equal when they are the same.
fn same_json(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::String(left), Value::String(right)) => left == right,
        (Value::Number(left), Value::Number(right)) => same_number(left, right),
        _ => same_value(left, right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ok(schema: &Value, value: Value) -> bool {
        accepts(schema, schema, &value)
    }

    #[test]
    fn objects_are_checked() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}},
            "required": ["a"], "additionalProperties": false});
        assert!(ok(&schema, json!({"a": 1})));
        assert!(ok(&schema, json!({"a": 2.0})));
        assert!(!ok(&schema, json!({"a": 0})));
        assert!(!ok(&schema, json!({"a": 1.5})));
        assert!(!ok(&schema, json!({})));
        assert!(!ok(&schema, json!({"a": 1, "b": 1})));
    }

    #[test]
    fn unions_and_references_are_checked() {
        let schema = json!({"$defs": {"N": {"type": "integer"}},
            "anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]});
        assert!(ok(&schema, json!(3)));
        assert!(ok(&schema, json!(null)));
        assert!(!ok(&schema, json!("3")));
    }

    #[test]
    fn tuples_and_maps_are_checked() {
        let tuple = json!({"prefixItems": [{"type": "integer"}], "items": false, "minItems": 1});
        assert!(ok(&tuple, json!([1])));
        assert!(!ok(&tuple, json!([1, 2])));
        let map =
            json!({"patternProperties": {"^[0-9]+$": {"type": "integer"}}, "additionalProperties": false});
        assert!(ok(&map, json!({"80": 1})));
        assert!(!ok(&map, json!({"x": 1})));
    }
}
