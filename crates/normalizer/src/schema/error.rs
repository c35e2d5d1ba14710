//! Errors of schemas that cannot be used, with a fix.

use toolwright_jsonrpc::raw;

use super::compile::{MAX_SCHEMA_BYTES, MAX_SUBSCHEMAS};

/// Why a schema cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// The text is not JSON.
    #[error("the input schema is not JSON: {0}")]
    NotJson(raw::ParseError),
    /// The schema is neither an object nor a boolean.
    #[error("the input schema must be an object, but it is {}; {NO_SCHEMA}", with_article(found))]
    NotASchema {
        /// The JSON type found.
        found: &'static str,
    },
    /// The text is too long.
    #[error("the input schema has {bytes} bytes; at most {MAX_SCHEMA_BYTES} are compiled")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// There are too many schemas in it.
    #[error("the input schema contains more than {MAX_SUBSCHEMAS} schemas")]
    TooMany,
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
