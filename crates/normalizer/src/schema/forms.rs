//! Forms of keyword values: a value that is invalid is reported instead of ignored.

use toolwright_jsonrpc::raw::{Kind, Node, Number};

/// Longer values are reported by their type.
const SHOWN_BYTES: usize = 40;

/// The expected form, if the value of a keyword is invalid.
pub(super) fn misfit(keyword: &str, value: &Node<'_>) -> Option<&'static str> {
    let is_members = |fits: fn(&Node<'_>) -> bool| {
        value.as_object().is_some_and(|members| members.iter().all(|member| fits(&member.value)))
    };
    let (expected, fits) = match keyword {
        "enum" => ("a list of values", value.as_array().is_some()),
        "allOf" | "anyOf" | "oneOf" => {
            ("a list of schemas", value.as_array().is_some_and(|items| !items.is_empty()))
        }
        "prefixItems" => ("a list of schemas", value.as_array().is_some()),
        "properties" | "patternProperties" | "dependentSchemas" => {
            ("an object of schemas", value.as_object().is_some())
        }
        "required" => ("a list of names", is_list_of_names(value)),
        "dependentRequired" => ("an object with lists of names", is_members(is_list_of_names)),
        "dependencies" => (
            "an object with schemas or lists of names",
            is_members(|entry| entry.as_array().is_none() || is_list_of_names(entry)),
        ),
        "minProperties" | "maxProperties" | "minItems" | "maxItems" | "minLength" | "maxLength"
        | "minContains" | "maxContains" => ("a whole number of at least 0", count(value).is_some()),
        "minimum" | "maximum" => ("a number", number(value).is_some()),
        // Draft 4 has booleans next to the plain bounds.
        "exclusiveMinimum" | "exclusiveMaximum" => {
            ("a number", matches!(value.kind, Kind::Bool(_)) || number(value).is_some())
        }
        "multipleOf" => (
            "a number above 0",
            number(value).zip(Number::parse("0")).is_some_and(|(step, zero)| step > zero),
        ),
        "uniqueItems" | "nullable" => ("true or false", matches!(value.kind, Kind::Bool(_))),
        "pattern" | "$ref" | "$dynamicRef" | "$recursiveRef" => ("a text", value.as_text().is_some()),
        _ => return None,
    };
    (!fits).then_some(expected)
}

/// Whether a keyword restricts values.
pub(super) fn is_assertion(keyword: &str) -> bool {
    const WITHOUT_A_FORM: &[&str] = &[
        "type",
        "const",
        "not",
        "if",
        "items",
        "contains",
        "propertyNames",
        "additionalItems",
        "additionalProperties",
    ];
    let is_reference = matches!(keyword, "$ref" | "$dynamicRef" | "$recursiveRef");
    !is_reference
        && (WITHOUT_A_FORM.contains(&keyword) || misfit(keyword, &Node::built(Kind::Null)).is_some())
}

/// A value for a note: itself if it is short, its type otherwise.
pub(super) fn shown(value: &Node<'_>) -> String {
    let json = value.to_json();
    if json.len() <= SHOWN_BYTES { json } else { value.a_type_name().to_owned() }
}

fn is_list_of_names(value: &Node<'_>) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(|item| item.as_text().is_some()))
}

/// The texts of a list.
pub(super) fn strings(value: &Node<'_>) -> Vec<Box<str>> {
    let items = value.as_array().unwrap_or_default();
    items.iter().filter_map(|item| item.as_text()).map(|text| text.into()).collect()
}

/// A non-negative integer, in any notation.
pub(super) fn count(value: &Node<'_>) -> Option<u64> {
    let Kind::Number(text) = value.kind else { return None };
    let whole = |float: &f64| *float >= 0.0 && float.fract() == 0.0;
    text.parse().ok().or_else(|| text.parse::<f64>().ok().filter(whole).map(|float| float as u64))
}

/// A number, unless its exponent does not fit.
pub(super) fn number(value: &Node<'_>) -> Option<Number> {
    match value.kind {
        Kind::Number(text) => Number::parse(text),
        _ => None,
    }
}
