//! From the text of a call's arguments to a tool's own struct.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};

use crate::ToolFailure;

/// Reads the arguments of `tool`. The executor has checked them against the schema; this catches
/// callers that did not.
pub(crate) fn parse<T: DeserializeOwned>(tool: &str, arguments: &str) -> Result<T, ToolFailure> {
    let text = if arguments.trim().is_empty() { "{}" } else { arguments };
    serde_json::from_str(text)
        .map_err(|error| invalid(format!("{tool} does not take these arguments: {error}")))
}

/// Arguments that cannot be served, with what is wrong and what to send instead.
pub(crate) fn invalid(message: impl Into<String>) -> ToolFailure {
    ToolFailure::InvalidArguments { message: message.into() }
}

/// A count as JSON Schema takes it: `12`, `12.0` and `1.2e1` are one number.
pub(crate) fn whole_number<'de, D: Deserializer<'de>>(source: D) -> Result<Option<usize>, D::Error> {
    let Some(number) = Option::<serde_json::Number>::deserialize(source)? else { return Ok(None) };
    if let Some(count) = number.as_u64() {
        return Ok(Some(usize::try_from(count).unwrap_or(usize::MAX)));
    }
    match number.as_f64() {
        // Above 2^53 nothing has so many lines: the largest count stands for all of them.
        Some(count) if count >= 0.0 && count.fract() == 0.0 => Ok(Some(count.min(9e15) as usize)),
        _ => Err(Error::custom(format!("{number} is no count; send a whole number from 0 on"))),
    }
}
