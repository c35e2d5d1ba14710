//! Paths, headers and lists of OpenAI Chat Completions, and what servers that follow it have.

use super::{Module, models};
use crate::dialects::{Endpoint, HttpApi};
use crate::models::ModelEntry;

const CHAT_COMPLETIONS: &str = "/v1/chat/completions";
const MODELS: &str = "/v1/models";
/// What is in every path of OpenAI's APIs.
const VERSION: &str = "/v1/";

impl HttpApi for Module {
    fn path(&self) -> &'static str {
        CHAT_COMPLETIONS
    }

    fn routes(&self) -> &'static [&'static str] {
        &[CHAT_COMPLETIONS]
    }

    /// Clients without a dialect of their own expect OpenAI's errors at any path with a version.
    fn endpoint<'p>(&self, path: &'p str) -> Option<Endpoint<'p>> {
        match path {
            CHAT_COMPLETIONS => return Some(Endpoint::Ask),
            MODELS => return Some(Endpoint::Models),
            _ => {}
        }
        let rest = path.strip_prefix(VERSION)?;
        let model = rest.strip_prefix("models/").filter(|id| !id.is_empty());
        Some(model.map_or(Endpoint::Missing, Endpoint::Model))
    }

    fn key_variable(&self) -> Option<&'static str> {
        Some("OPENAI_API_KEY")
    }

    /// OpenAI's own, and those by which clients introduce themselves to OpenRouter.
    fn client_headers(&self) -> &'static [&'static str] {
        &["http-referer", "openai-beta", "openai-organization", "openai-project", "x-title"]
    }

    fn write_models(&self, models: &[ModelEntry]) -> String {
        models::write_models(models)
    }

    fn write_model(&self, model: &ModelEntry) -> String {
        models::write_model(model)
    }
}
