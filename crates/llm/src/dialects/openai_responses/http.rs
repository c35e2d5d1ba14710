//! Paths and headers of OpenAI Responses. Its list of models is that of Chat Completions.

use super::Module;
use crate::dialects::openai_chat::models;
use crate::dialects::{Endpoint, HttpApi, TokenCount};
use crate::models::ModelEntry;

const RESPONSES: &str = "/v1/responses";
const INPUT_TOKENS: &str = "/v1/responses/input_tokens";

impl HttpApi for Module {
    fn path(&self) -> &'static str {
        RESPONSES
    }

    /// The list of models is of both of OpenAI's APIs, and told once, after them.
    fn routes(&self) -> &'static [&'static str] {
        &[RESPONSES, INPUT_TOKENS, "/v1/models"]
    }

    fn endpoint<'p>(&self, path: &'p str) -> Option<Endpoint<'p>> {
        match path {
            RESPONSES => Some(Endpoint::Ask),
            INPUT_TOKENS => Some(Endpoint::CountTokens),
            _ => None,
        }
    }

    fn key_variable(&self) -> Option<&'static str> {
        Some("OPENAI_API_KEY")
    }

    fn write_models(&self, models: &[ModelEntry]) -> String {
        models::write_models(models)
    }

    fn write_model(&self, model: &ModelEntry) -> String {
        models::write_model(model)
    }

    fn token_count(&self) -> Option<&'static TokenCount> {
        Some(&TokenCount { path: INPUT_TOKENS, write: write_token_count })
    }
}

fn write_token_count(tokens: u64) -> String {
    format!(r#"{{"object":"response.input_tokens","input_tokens":{tokens}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_tokens_names_its_object() {
        assert_eq!(write_token_count(0), r#"{"object":"response.input_tokens","input_tokens":0}"#);
    }
}
