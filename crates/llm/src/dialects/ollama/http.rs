//! Paths, headers and lists of Ollama.

use super::{Module, models};
use crate::dialects::{Endpoint, HttpApi, LocalServer, ModelPage};
use crate::models::ModelEntry;

const CHAT: &str = "/api/chat";
const TAGS: &str = "/api/tags";
const SHOW: &str = "/api/show";
const VERSION: &str = "/api/version";

/// What Ollama has besides: paths that are no part of the gateway's own `/api`.
const MISSING: [&str; 9] = [
    "/api/copy",
    "/api/create",
    "/api/delete",
    "/api/embed",
    "/api/embeddings",
    "/api/generate",
    "/api/ps",
    "/api/pull",
    "/api/push",
];

const PAGE: ModelPage = ModelPage {
    path: SHOW,
    write_request: models::write_page_request,
    read_request: models::read_page_request,
    write: models::write_page,
    read_thinks: models::read_thinks,
};

impl HttpApi for Module {
    fn path(&self) -> &'static str {
        CHAT
    }

    fn routes(&self) -> &'static [&'static str] {
        &[CHAT, TAGS, SHOW, VERSION]
    }

    fn endpoint<'p>(&self, path: &'p str) -> Option<Endpoint<'p>> {
        match path {
            CHAT => Some(Endpoint::Ask),
            TAGS => Some(Endpoint::Models),
            SHOW => Some(Endpoint::ModelPage),
            VERSION => Some(Endpoint::About(models::write_version())),
            _ => MISSING.contains(&path).then_some(Endpoint::Missing),
        }
    }

    fn upstream_path(&self, base: &str, path: &str) -> String {
        format!("{}{path}", base.trim_end_matches("/api"))
    }

    fn stream_type(&self) -> &'static str {
        "application/x-ndjson"
    }

    /// It says what it likes, and a whole response is a stream of one line.
    fn always_streams(&self) -> bool {
        true
    }

    fn key_variable(&self) -> Option<&'static str> {
        None
    }

    fn models_path(&self) -> &'static str {
        TAGS
    }

    fn write_models(&self, models: &[ModelEntry]) -> String {
        models::write_models(models)
    }

    fn write_model(&self, model: &ModelEntry) -> String {
        models::write_page(model)
    }

    fn model_page(&self) -> Option<&'static ModelPage> {
        Some(&PAGE)
    }

    fn local_server(&self) -> Option<&'static LocalServer> {
        Some(&LocalServer { name: "Ollama", command: "ollama serve" })
    }
}
