//! Arguments of a tool that travel as headers too: `x-mcp-header` in its schema.

use std::collections::HashSet;

use toolwright_jsonrpc::Json;

use super::headers::encoded;

/// The annotation of a property.
pub const HEADER_ANNOTATION: &str = "x-mcp-header";
/// What the header of an annotated argument begins with.
pub(crate) const PREFIX: &str = "Mcp-Param-";
/// The largest whole number that every peer reads exactly.
const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

/// Why a tool cannot be called over HTTP.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The name is no name of a header.
    #[error("\"x-mcp-header\" of {place} is {name}, which is no name of a header")]
    NotAName {
        /// The property.
        place: String,
        /// What stands there.
        name: String,
    },
    /// Two properties have the same name.
    #[error("\"x-mcp-header\" of {place} is \"{name}\", which another property has already")]
    Repeated {
        /// The second property.
        place: String,
        /// The name.
        name: String,
    },
    /// The property has a type that no header carries.
    #[error("{place} has \"x-mcp-header\" but is no string, integer or boolean")]
    WrongType {
        /// The property.
        place: String,
    },
    /// The annotation stands where no argument is found by its path alone.
    #[error("\"x-mcp-header\" stands in {place}, which is not reached through \"properties\" alone")]
    OutOfReach {
        /// Where it stands.
        place: String,
    },
}

/// Whether the annotations of a tool's input schema can be followed. A tool where they cannot must not
/// be offered.
pub fn check_headers(schema: &Json) -> Result<(), HeaderError> {
    // Almost no schema has one.
    if !schema.as_str().contains(HEADER_ANNOTATION) {
        return Ok(());
    }
    check(schema, "the schema", Reach::Root, &mut HashSet::new())
}

/// How a part of a schema is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Root,
    Property,
    Elsewhere,
}

fn check(schema: &Json, place: &str, reach: Reach, names: &mut HashSet<String>) -> Result<(), HeaderError> {
    if let Some(items) = schema.items() {
        return items.iter().try_for_each(|item| check(item, place, Reach::Elsewhere, names));
    }
    for member in schema.members().unwrap_or_default() {
        let Ok(value) = Json::parse(member.value) else { continue };
        match &*member.key {
            HEADER_ANNOTATION => check_annotation(schema, &value, place, reach, names)?,
            "properties" => {
                let inner = if reach == Reach::Elsewhere { Reach::Elsewhere } else { Reach::Property };
                for property in value.members().unwrap_or_default() {
                    let Ok(schema) = Json::parse(property.value) else { continue };
                    check(&schema, &format!("\"{}\"", property.key), inner, names)?;
                }
            }
            // Plain values, in which nothing is a schema.
            "const" | "enum" | "default" | "example" | "examples" => {}
            _ => check(&value, place, Reach::Elsewhere, names)?,
        }
    }
    Ok(())
}

fn check_annotation(
    schema: &Json,
    value: &Json,
    place: &str,
    reach: Reach,
    names: &mut HashSet<String>,
) -> Result<(), HeaderError> {
    let place = place.to_owned();
    if reach != Reach::Property {
        return Err(HeaderError::OutOfReach { place });
    }
    let Some(name) = value.to_text().filter(|name| is_token(name)) else {
        return Err(HeaderError::NotAName { place, name: value.to_string() });
    };
    if !matches!(schema.get_text("type").as_deref(), Some("string" | "integer" | "boolean")) {
        return Err(HeaderError::WrongType { place });
    }
    match names.insert(name.to_ascii_lowercase()) {
        true => Ok(()),
        false => Err(HeaderError::Repeated { place, name }),
    }
}

pub(crate) fn is_token(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_part)
}

/// The headers of a call: every annotated argument that is there and not null.
pub fn params_headers(schema: &Json, arguments: &Json) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    if schema.as_str().contains(HEADER_ANNOTATION) {
        collect(schema, arguments, &mut headers);
    }
    headers
}

fn collect(schema: &Json, arguments: &Json, headers: &mut Vec<(String, String)>) {
    let properties = schema.get("properties");
    for property in properties.as_ref().and_then(Json::members).unwrap_or_default() {
        let Some(value) = arguments.get(&property.key) else { continue };
        let Ok(schema) = Json::parse(property.value) else { continue };
        let name = schema.get_text(HEADER_ANNOTATION).filter(|name| is_token(name));
        match (name, written(&value)) {
            (Some(name), Some(text)) => headers.push((format!("{PREFIX}{name}"), encoded(&text))),
            _ => collect(&schema, &value, headers),
        }
    }
}

/// A plain value as text; `None` for null, objects and lists.
pub(crate) fn written(value: &Json) -> Option<String> {
    match value.as_str() {
        "null" => None,
        "true" | "false" => Some(value.to_string()),
        text if text.starts_with(['{', '[']) => None,
        text if text.starts_with('"') => value.to_text(),
        number => Some(whole(number).map_or_else(|| number.to_owned(), |whole| whole.to_string())),
    }
}

/// The whole number that is meant by `42`, `42.0` or `4.2e1`.
fn whole(number: &str) -> Option<i64> {
    if let Ok(whole) = number.parse() {
        return Some(whole);
    }
    let value: f64 = number.parse().ok()?;
    let is_safe = value.fract() == 0.0 && value.abs() <= MAX_SAFE_INTEGER as f64;
    is_safe.then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    fn property(annotated: &str) -> String {
        format!(r#"{{"type":"object","properties":{{"a":{annotated}}}}}"#)
    }

    #[test]
    fn annotated_arguments_travel_as_headers() {
        let schema = json(
            r#"{"type":"object","properties":{
                "region":{"type":"string","x-mcp-header":"Region"},
                "priority":{"type":"integer","x-mcp-header":"Priority"},
                "verbose":{"type":"boolean","x-mcp-header":"Verbose"},
                "inner":{"type":"object","properties":{"deep":{"type":"string","x-mcp-header":"Deep"}}},
                "absent":{"type":"string","x-mcp-header":"Absent"},
                "nothing":{"type":"string","x-mcp-header":"Nothing"},
                "query":{"type":"string"}}}"#,
        );
        assert_eq!(check_headers(&schema), Ok(()));
        let arguments = json(
            r#"{"region":" käse","priority":42.0,"verbose":false,"inner":{"deep":"x"},"nothing":null,"query":"q"}"#,
        );
        let headers = params_headers(&schema, &arguments);
        let expected = [
            ("Mcp-Param-Region", "=?base64?IGvDpHNl?="),
            ("Mcp-Param-Priority", "42"),
            ("Mcp-Param-Verbose", "false"),
            ("Mcp-Param-Deep", "x"),
        ];
        assert_eq!(headers, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(params_headers(&json("{}"), &arguments), []);
    }

    #[test]
    fn annotations_that_cannot_be_followed_are_told() {
        for (schema, said) in [
            (property(r#"{"type":"string","x-mcp-header":""}"#), "no name of a header"),
            (property(r#"{"type":"string","x-mcp-header":"My Region"}"#), "no name of a header"),
            (property(r#"{"type":"string","x-mcp-header":"a:b"}"#), "no name of a header"),
            (property(r#"{"type":"string","x-mcp-header":"a\r\nb"}"#), "no name of a header"),
            (property(r#"{"type":"string","x-mcp-header":"Région"}"#), "no name of a header"),
            (property(r#"{"type":"string","x-mcp-header":7}"#), "no name of a header"),
            (property(r#"{"type":"number","x-mcp-header":"A"}"#), "no string, integer or boolean"),
            (property(r#"{"type":["string","null"],"x-mcp-header":"A"}"#), "no string, integer or boolean"),
            (property(r#"{"x-mcp-header":"A"}"#), "no string, integer or boolean"),
            (property(r#"{"type":"object","x-mcp-header":"A"}"#), "no string, integer or boolean"),
            (property(r#"{"type":"array","items":{"type":"string","x-mcp-header":"A"}}"#), "not reached"),
            (property(r#"{"anyOf":[{"type":"string","x-mcp-header":"A"}]}"#), "not reached"),
            (r#"{"$defs":{"d":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}}"#.into(), "not reached"),
            (r#"{"type":"object","x-mcp-header":"A"}"#.into(), "not reached"),
            (
                r#"{"properties":{"a":{"type":"string","x-mcp-header":"N"},"b":{"type":"string","x-mcp-header":"n"}}}"#
                    .into(),
                "another property",
            ),
        ] {
            let error = check_headers(&json(&schema)).unwrap_err().to_string();
            assert!(error.contains(said), "{schema}: {error}");
        }
    }

    #[test]
    fn what_only_looks_like_an_annotation_is_none() {
        for schema in [
            property(r#"{"type":"string","description":"x-mcp-header"}"#),
            property(r#"{"type":"object","default":{"x-mcp-header":""}}"#),
            // A property with that name.
            r#"{"type":"object","properties":{"x-mcp-header":{"type":"string"}}}"#.to_owned(),
        ] {
            assert_eq!(check_headers(&json(&schema)), Ok(()), "{schema}");
        }
    }
}
