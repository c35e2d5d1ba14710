//! Errors of schemas that cannot be used, with a fix.

use toolwright_jsonrpc::raw;

use super::compile::{MAX_SCHEMA_BYTES, MAX_SUBSCHEMAS};

/// Why a schema cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the input schema {}", self.reason())]
pub enum SchemaError {
    /// The text is not JSON.
    NotJson(raw::ParseError),
    /// The schema is neither an object nor a boolean.
    NotASchema {
        /// The JSON type found.
        found: &'static str,
    },
    /// The text is too long.
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// There are too many schemas in it.
    TooMany,
}

impl SchemaError {
    /// The message without its subject, for callers that name the schema themselves.
    pub fn reason(&self) -> String {
        match self {
            SchemaError::NotJson(error) => format!("is not JSON: {error}"),
            SchemaError::NotASchema { found } => {
                format!("must be an object, but it is {}; {NO_SCHEMA}", with_article(found))
            }
            SchemaError::TooLong { bytes } => {
                format!("has {bytes} bytes; at most {MAX_SCHEMA_BYTES} are compiled")
            }
            SchemaError::TooMany => format!("contains more than {MAX_SUBSCHEMAS} schemas"),
        }
    }
}

/// The fix for a tool without a schema.
const NO_SCHEMA: &str = "write {} where anything is allowed";

fn with_article(word: &str) -> String {
    match word {
        "null" => word.to_owned(),
        _ if word.starts_with(['a', 'o']) => format!("an {word}"),
        _ => format!("a {word}"),
    }
}
