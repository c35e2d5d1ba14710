//! From the text of a call's arguments to a tool's own struct.

use std::collections::BTreeMap;

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use serde_path_to_error::Segment;

use toolwright_executor::ToolFailure;

/// Reads the arguments of `tool`. The executor has checked them against the schema; this catches
/// callers that did not.
pub(crate) fn parse<T: DeserializeOwned>(tool: &str, arguments: &str) -> Result<T, ToolFailure> {
    let text = if arguments.trim().is_empty() { "{}" } else { arguments };
    serde_json::from_str(text).map_err(|error| match half_character(text) {
        Some(half) => {
            let place = parameter_with_half(text).map_or("a name".to_owned(), |name| format!("{name:?}"));
            invalid(format!("{tool} does not take these arguments: {place} holds {}", half_is_none(half)))
        }
        None => invalid(format!("{tool} does not take these arguments: {}", in_words(&error))),
    })
}

/// What is wrong with half a character, and what to do about it.
pub(crate) fn half_is_none(half: &str) -> String {
    format!(
        "{half}, one half of a surrogate pair, which is no character. Send both halves or the character itself, \
         or leave it out"
    )
}

/// The first escape in a JSON text that is only one half of a surrogate pair, such as `\ud83d` alone.
pub(crate) fn half_character(text: &str) -> Option<&str> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut at = 0;
    while let Some(next) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at += next;
        at += match unit(at) {
            Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => 12,
            Some(0xd800..=0xdfff) => return text.get(at..at + 6),
            Some(_) => 6,
            None => 2,
        };
    }
    None
}

fn parameter_with_half(text: &str) -> Option<String> {
    let parameters: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text).ok()?;
    parameters.into_iter().find(|(_, value)| half_character(value.get()).is_some()).map(|(name, _)| name)
}

/// What is wrong with a JSON object, without the words of a programming language.
pub(crate) fn in_words(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let said = said.strip_suffix(&place).filter(|_| error.is_data()).unwrap_or(&said);
    if let Some(name) = said.strip_prefix("missing field `") {
        return format!("\"{}\" is missing", name.trim_end_matches('`'));
    }
    match said.strip_prefix("unknown field `").and_then(|rest| rest.split_once("`, expected ")) {
        Some((name, known)) => {
            let known = known.trim_start_matches("one of ").replace(" or ", ", ").replace('`', "");
            format!("{name:?} is not known here; known are {known}")
        }
        None => said.replace('`', "\""),
    }
}

/// Arguments that cannot be served, with what is wrong and what to send instead.
pub(crate) fn invalid(message: impl Into<String>) -> ToolFailure {
    ToolFailure::InvalidArguments { message: message.into() }
}

/// Reads an object inside of the arguments; the words name the field that is at fault.
pub(crate) fn read_object<T: DeserializeOwned>(object: Map<String, Value>) -> Result<T, String> {
    serde_path_to_error::deserialize(Value::Object(object)).map_err(|error| {
        let message = in_words(error.inner());
        match error.path().iter().next() {
            // A field that is missing or unknown is named by the message itself.
            Some(Segment::Map { key }) => format!("{key:?} does not fit: {message}"),
            _ => message,
        }
    })
}

/// A boolean, or a text that spells one out: inside of JSON text no schema and no rule reads it.
pub(crate) fn spelt_out(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// A flag inside of JSON text.
pub(crate) fn flag<'de, D: Deserializer<'de>>(source: D) -> Result<bool, D::Error> {
    let value = Value::deserialize(source)?;
    spelt_out(&value).ok_or_else(|| Error::custom(format!("{value} is neither true nor false")))
}

/// Above 2^53 nothing has so many lines: this count stands for all of them.
pub(crate) const LARGEST_COUNT: usize = 9_000_000_000_000_000;

/// A count as JSON Schema takes it: `12`, `12.0` and `1.2e1` are one number.
pub(crate) fn whole_number<'de, D: Deserializer<'de>>(source: D) -> Result<Option<usize>, D::Error> {
    let Some(number) = Option::<serde_json::Number>::deserialize(source)? else { return Ok(None) };
    if let Some(count) = number.as_u64() {
        return Ok(Some(usize::try_from(count).map_or(LARGEST_COUNT, |count| count.min(LARGEST_COUNT))));
    }
    match number.as_f64() {
        Some(count) if count >= 0.0 && count.fract() == 0.0 => {
            Ok(Some(count.min(LARGEST_COUNT as f64) as usize))
        }
        _ => Err(Error::custom(format!("{number} is no count; send a whole number from 0 on"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only read")]
    struct Two {
        path: String,
        count: Option<u8>,
    }

    #[test]
    fn the_field_that_does_not_fit_is_named() {
        for (sent, said) in [
            (json!({"path": 1}), "\"path\" does not fit: invalid type: integer \"1\", expected a string"),
            (
                json!({"path": "a", "count": "x"}),
                "\"count\" does not fit: invalid type: string \"x\", expected u8",
            ),
            (json!({"count": 1}), "\"path\" is missing"),
        ] {
            let Value::Object(object) = sent else { panic!("an object") };
            assert_eq!(read_object::<Two>(object).err().as_deref(), Some(said));
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_words() {
        for (sent, said) in [
            (r#"{}"#, "\"path\" is missing"),
            (r#"{"path":"a","file":1}"#, "\"file\" is not known here; known are path, count"),
            (r#"{"path":1}"#, "invalid type: integer \"1\", expected a string"),
            (r#"{"path":"#, "EOF while parsing a value at line 1 column 8"),
        ] {
            let error = serde_json::from_str::<Two>(sent).err().map(|error| in_words(&error));
            assert_eq!(error.as_deref(), Some(said));
        }
    }
}
