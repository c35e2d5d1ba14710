//! Arguments made up from a schema.

use toolwright_jsonrpc::{Json, raw};

/// A value for every parameter that is required.
pub fn made_up(schema: &Json) -> Json {
    let properties = schema.get("properties").unwrap_or_else(Json::empty_object);
    let required = schema.get("required").and_then(|required| required.items()).unwrap_or_default();
    let mut arguments = Json::empty_object();
    for name in required.iter().filter_map(Json::to_text) {
        let kind = properties.get(&name).and_then(|property| property.get_text("type"));
        arguments = arguments.with(&name, &plain(kind.as_deref()));
    }
    arguments
}

/// What the defaults of a schema fill in by themselves.
pub fn defaults(schema: &Json) -> Json {
    let properties = schema.get("properties").unwrap_or_else(Json::empty_object);
    let mut content = Json::empty_object();
    for property in properties.members().unwrap_or_default() {
        let default = Json::parse(property.value).ok().and_then(|schema| schema.get("default"));
        if let Some(default) = default {
            content = content.with(&property.key, &default);
        }
    }
    content
}

fn plain(kind: Option<&str>) -> Json {
    let text = match kind {
        Some("integer" | "number") => "1",
        Some("boolean") => "true",
        Some("array") => "[]",
        Some("object") => "{}",
        _ => &raw::quote("text"),
    };
    Json::parse(text).unwrap_or_else(|_| Json::empty_object())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_is_made_up_and_what_has_a_default_is_filled_in() {
        let schema = Json::parse(
            r#"{"properties":{"a":{"type":"integer"},"b":{"type":"string","default":"x"},"c":{"default":1.50}},
                "required":["a","b"]}"#,
        )
        .unwrap();
        assert_eq!(made_up(&schema).as_str(), r#"{"a":1,"b":"text"}"#);
        assert_eq!(defaults(&schema).as_str(), r#"{"b":"x","c":1.50}"#);
    }
}
