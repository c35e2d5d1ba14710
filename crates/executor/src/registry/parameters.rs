//! A tool's parameters in words, for messages that say what it needs.

use serde_json::{Map, Value};

/// How many allowed values are named.
const MAX_OPTIONS: usize = 12;

/// One parameter of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its JSON types; none when the schema does not say.
    pub types: Vec<String>,
    /// The values that it takes, as JSON, when they are few.
    pub options: Vec<String>,
    /// Whether the tool needs it.
    pub need: Need,
}

/// Whether a parameter must be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// It must be sent.
    Required,
    /// It may be left out.
    Optional,
}

impl Parameter {
    /// For models: `level: integer, required`.
    pub fn describe(&self) -> String {
        let mut text = format!("{}: {}", self.name, self.kind());
        if self.need == Need::Required {
            text.push_str(", required");
        }
        if !self.options.is_empty() {
            text.push_str(&format!(", one of {}", self.options.join(", ")));
        }
        text
    }

    /// For people: `a whole number`.
    pub fn spoken_kind(&self) -> &'static str {
        match self.types.iter().map(String::as_str).find(|kind| *kind != "null") {
            Some("string") => "text",
            Some("integer") => "a whole number",
            Some("number") => "a number",
            Some("boolean") => "yes or no",
            Some("array") => "a list",
            Some("object") => "a group of values",
            _ => "any value",
        }
    }

    fn kind(&self) -> String {
        if self.types.is_empty() { "any".to_owned() } else { self.types.join(" or ") }
    }
}

/// The parameters that a schema declares at its root, required ones first.
pub(super) fn of(schema: &str) -> Vec<Parameter> {
    let Ok(root) = serde_json::from_str::<Value>(schema) else { return Vec::new() };
    let none = Map::new();
    let properties = root.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let names = |value: Option<&Value>| -> Vec<String> {
        let items = value.and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let required = names(root.get("required"));
    let parameter = |name: &str, need| {
        let schema = properties.get(name).map(|schema| resolved(schema, &root));
        Parameter {
            name: name.to_owned(),
            types: schema.map(types).unwrap_or_default(),
            options: schema.map(options).unwrap_or_default(),
            need,
        }
    };
    let optional = properties.keys().filter(|name| !required.contains(name));
    let needed = required.iter().map(|name| parameter(name, Need::Required));
    needed.chain(optional.map(|name| parameter(name, Need::Optional))).collect()
}

/// The schema that a reference into the same document points to; one step is enough for a message.
fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let pointer = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
    pointer.and_then(|pointer| root.pointer(pointer)).unwrap_or(schema)
}

fn types(schema: &Value) -> Vec<String> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind.clone()],
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(|kind| kind.as_str().map(str::to_owned)).collect()
        }
        _ if schema.get("enum").is_some() => {
            let mut found: Vec<String> = Vec::new();
            for value in schema.get("enum").and_then(Value::as_array).into_iter().flatten() {
                let kind = kind_of(value).to_owned();
                if !found.contains(&kind) {
                    found.push(kind);
                }
            }
            found
        }
        _ => {
            let branches = ["anyOf", "oneOf"].iter().find_map(|keyword| schema.get(keyword)?.as_array());
            let mut found: Vec<String> = Vec::new();
            for kind in branches.into_iter().flatten().filter_map(|branch| branch.get("type")?.as_str()) {
                if !found.iter().any(|known| known == kind) {
                    found.push(kind.to_owned());
                }
            }
            found
        }
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn options(schema: &Value) -> Vec<String> {
    let options = schema.get("enum").and_then(Value::as_array).filter(|all| all.len() <= MAX_OPTIONS);
    options.into_iter().flatten().map(Value::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_described_with_types_and_needs() {
        let schema = r##"{"type":"object","properties":{
            "level":{"type":["integer","null"]},"mode":{"enum":["on","off"],"type":"string"},
            "place":{"$ref":"#/$defs/place"},"pick":{"enum":["a","b",null]},"either":{"anyOf":[{"type":"string"},{"type":"array"}]},"x":true},
            "required":["mode","ghost"],"$defs":{"place":{"type":"object"}}}"##;
        let described: Vec<String> = of(schema).iter().map(Parameter::describe).collect();
        assert_eq!(
            described,
            [
                "mode: string, required, one of \"on\", \"off\"",
                "ghost: any, required",
                "level: integer or null",
                "place: object",
                "pick: string or null, one of \"a\", \"b\", null",
                "either: string or array",
                "x: any",
            ]
        );
        assert_eq!(of(schema)[2].spoken_kind(), "a whole number");
        assert!(of("[").is_empty());
    }
}
