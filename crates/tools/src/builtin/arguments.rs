//! From the text of a call's arguments to a tool's own struct.

use serde::de::DeserializeOwned;

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
