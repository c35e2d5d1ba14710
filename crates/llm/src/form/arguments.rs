//! Arguments of calls as one dialect writes them and another wants them.

use toolwright_jsonrpc::{Json, ObjectWriter};

use super::Arguments;

/// The member that holds what a model wrote instead of an object. It is no parameter of any tool, so that whoever
/// checks the call refuses it and the model learns of it.
pub const UNREADABLE: &str = "unreadable_arguments";

impl Arguments {
    /// Reads what stands in a string of arguments. Nothing at all means no arguments.
    pub fn read(text: &str) -> Arguments {
        match Json::parse(text) {
            Ok(json) if json.as_str().starts_with('{') => Arguments::Object(json),
            Err(_) if text.trim().is_empty() => Arguments::Object(Json::empty_object()),
            _ => Arguments::Text(text.to_owned()),
        }
    }

    /// An object in any case: what is none stands in a member of its own.
    pub fn to_object(&self) -> Json {
        match self {
            Arguments::Object(json) => json.clone(),
            Arguments::Text(text) => {
                let mut object = ObjectWriter::default();
                object.text(UNREADABLE, text);
                object.finish()
            }
        }
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        match self {
            Arguments::Object(json) => json.as_str(),
            Arguments::Text(text) => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_object_is_an_object() {
        assert_eq!(Arguments::read(" {\"a\": 1.0} ").as_str(), "{\"a\": 1.0}");
        assert_eq!(Arguments::read("\n"), Arguments::Object(Json::empty_object()));
        for text in ["{'a': 1,}", "[1]", "null", "\"{}\"", "{\"a\":"] {
            assert_eq!(Arguments::read(text), Arguments::Text(text.to_owned()));
        }
    }

    #[test]
    fn what_is_no_object_is_wrapped_whole() {
        assert_eq!(Arguments::read("{\"a").to_object().as_str(), r#"{"unreadable_arguments":"{\"a"}"#);
    }
}
