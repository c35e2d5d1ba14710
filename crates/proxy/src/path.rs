//! The paths that clients of language models know.

use percent_encoding::percent_decode_str;
use toolwright_llm::Dialect;
use toolwright_llm::dialects::{self, Endpoint};

/// What a path leads to, and the dialect of the clients that ask there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LlmPath {
    /// A model is asked.
    Ask(Dialect),
    /// The tokens of a request are counted.
    CountTokens(Dialect),
    /// The list of models.
    Models(Dialect),
    /// One model of the list, by its name.
    Model(Dialect, String),
    /// The page of a model that the body names.
    ModelPage(Dialect),
    /// What the API says of itself, as JSON.
    About(Dialect, String),
    /// What clients report of themselves. Nothing is stored.
    ClientReport(Dialect),
    /// Something that the provider has and that is not here.
    Elsewhere(Dialect),
}

impl LlmPath {
    /// Every path that clients are told of.
    pub fn routes() -> Vec<&'static str> {
        dialects::all().flat_map(|(_, module)| module.routes()).copied().collect()
    }

    /// Reads a path, as it is.
    pub fn of(path: &str) -> Option<LlmPath> {
        let mut known: Vec<(Dialect, Endpoint<'_>)> =
            dialects::all().filter_map(|(dialect, module)| Some((dialect, module.endpoint(path)?))).collect();
        // What one dialect has goes before what another only knows by name.
        known.sort_by_key(|(_, endpoint)| *endpoint == Endpoint::Missing);
        let (dialect, endpoint) = known.into_iter().next()?;
        Some(match endpoint {
            Endpoint::Ask => LlmPath::Ask(dialect),
            Endpoint::CountTokens => LlmPath::CountTokens(dialect),
            Endpoint::Models => LlmPath::Models(dialect),
            Endpoint::Model(id) => match percent_decode_str(id).decode_utf8() {
                Ok(id) => LlmPath::Model(dialect, id.into_owned()),
                Err(_) => LlmPath::Elsewhere(dialect),
            },
            Endpoint::ModelPage => LlmPath::ModelPage(dialect),
            Endpoint::About(text) => LlmPath::About(dialect, text),
            Endpoint::ClientReport => LlmPath::ClientReport(dialect),
            Endpoint::Missing => LlmPath::Elsewhere(dialect),
        })
    }

    /// The dialect of the clients that ask there.
    pub fn dialect(&self) -> Dialect {
        match self {
            LlmPath::Ask(dialect)
            | LlmPath::CountTokens(dialect)
            | LlmPath::Models(dialect)
            | LlmPath::Model(dialect, _)
            | LlmPath::ModelPage(dialect)
            | LlmPath::About(dialect, _)
            | LlmPath::ClientReport(dialect)
            | LlmPath::Elsewhere(dialect) => *dialect,
        }
    }

    /// The methods that are possible there.
    pub fn methods(&self) -> &'static str {
        match self {
            LlmPath::Models(_) | LlmPath::Model(..) | LlmPath::About(..) => "GET, HEAD, OPTIONS",
            _ => "POST, OPTIONS",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_where_clients_expect_them() {
        for route in LlmPath::routes() {
            let path = LlmPath::of(route);
            assert!(path.is_some_and(|path| !matches!(path, LlmPath::Elsewhere(_))), "{route}");
        }
        assert_eq!(LlmPath::of("/v1/messages"), Some(LlmPath::Ask(Dialect::AnthropicMessages)));
        assert_eq!(LlmPath::of("/v1/responses"), Some(LlmPath::Ask(Dialect::OpenAiResponses)));
        assert_eq!(LlmPath::of("/v1/models"), Some(LlmPath::Models(Dialect::OpenAiChat)));
        assert_eq!(
            LlmPath::of("/v1/models/a%2Fb"),
            Some(LlmPath::Model(Dialect::OpenAiChat, "a/b".to_owned()))
        );
        for (elsewhere, dialect) in [
            ("/v1/", Dialect::OpenAiChat),
            ("/v1/embeddings", Dialect::OpenAiChat),
            ("/v1/models/", Dialect::OpenAiChat),
            ("/v1/models/%ff", Dialect::OpenAiChat),
            ("/v1/messages/", Dialect::AnthropicMessages),
            ("/v1/messages/batches", Dialect::AnthropicMessages),
            ("/api/generate", Dialect::OllamaChat),
        ] {
            assert_eq!(LlmPath::of(elsewhere), Some(LlmPath::Elsewhere(dialect)), "{elsewhere}");
        }
        for nowhere in ["/v1", "/api/chats", "/api/calls", "/V1/messages"] {
            assert_eq!(LlmPath::of(nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn clients_are_told_of_every_path_in_its_place() {
        assert_eq!(
            LlmPath::routes(),
            [
                "/v1/messages",
                "/v1/messages/count_tokens",
                "/v1/chat/completions",
                "/v1/responses",
                "/v1/responses/input_tokens",
                "/v1/models",
                "/api/chat",
                "/api/tags",
                "/api/show",
                "/api/version",
            ]
        );
    }
}
