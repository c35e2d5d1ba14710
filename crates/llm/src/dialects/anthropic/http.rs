//! Paths, headers and lists of Anthropic Messages.

use super::{Module, models};
use crate::dialects::{Endpoint, HttpApi, TokenCount};
use crate::models::ModelEntry;

const MESSAGES: &str = "/v1/messages";
const COUNT_TOKENS: &str = "/v1/messages/count_tokens";
/// Where Claude Code reports of itself.
const EVENT_LOGGING: &str = "/api/event_logging/batch";
/// The version that Anthropic requires.
const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

impl HttpApi for Module {
    fn path(&self) -> &'static str {
        MESSAGES
    }

    fn routes(&self) -> &'static [&'static str] {
        &[MESSAGES, COUNT_TOKENS]
    }

    fn endpoint<'p>(&self, path: &'p str) -> Option<Endpoint<'p>> {
        match path {
            MESSAGES => Some(Endpoint::Ask),
            COUNT_TOKENS => Some(Endpoint::CountTokens),
            EVENT_LOGGING => Some(Endpoint::ClientReport),
            _ => path.starts_with(MESSAGES).then_some(Endpoint::Missing),
        }
    }

    fn upstream_path(&self, base: &str, path: &str) -> String {
        format!("{}{path}", base.trim_end_matches("/v1"))
    }

    fn authentication(&self) -> (&'static str, &'static str) {
        ("x-api-key", "")
    }

    fn key_variable(&self) -> Option<&'static str> {
        Some("ANTHROPIC_API_KEY")
    }

    fn version_headers(&self) -> &'static [(&'static str, &'static str)] {
        &[VERSION]
    }

    fn client_headers(&self) -> &'static [&'static str] {
        &["anthropic-beta", "anthropic-dangerous-direct-browser-access", VERSION.0, "x-app"]
    }

    fn distinguishing_header(&self) -> Option<&'static str> {
        Some(VERSION.0)
    }

    fn request_id_header(&self) -> &'static str {
        "request-id"
    }

    fn write_models(&self, models: &[ModelEntry]) -> String {
        models::write_models(models)
    }

    fn write_model(&self, model: &ModelEntry) -> String {
        models::write_model(model)
    }

    fn token_count(&self) -> Option<&'static TokenCount> {
        Some(&TokenCount { path: COUNT_TOKENS, write: models::write_token_count })
    }
}
