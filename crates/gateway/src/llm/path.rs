//! The paths that clients of language models know.

use percent_encoding::percent_decode_str;
use toolwright_llm::Dialect;

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LlmPath {
    /// A model is asked in this dialect.
    Ask(Dialect),
    /// `/v1/messages/count_tokens`
    CountTokens,
    /// `/v1/responses/input_tokens`
    InputTokens,
    /// `/v1/models`
    Models,
    /// `/v1/models/{id}`
    Model(String),
    /// `/api/tags`
    Tags,
    /// `/api/version`
    Version,
    /// `/api/show`
    Show,
    /// `/api/event_logging/batch`, where Claude Code tells of itself. Nothing is kept.
    EventLogging,
    /// Something that clients of this dialect ask for elsewhere, and that is not here.
    Elsewhere(Dialect),
}

/// What Ollama has besides: paths that are no part of the gateway's own `/api`.
const OF_OLLAMA: [&str; 9] = [
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

impl LlmPath {
    /// Every one, as it is told.
    pub const ROUTES: [&'static str; 10] = [
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
    ];

    /// Reads a path, as it is.
    pub fn of(path: &str) -> Option<LlmPath> {
        Some(match path {
            "/v1/messages" => LlmPath::Ask(Dialect::AnthropicMessages),
            "/v1/chat/completions" => LlmPath::Ask(Dialect::OpenAiChat),
            "/v1/responses" => LlmPath::Ask(Dialect::OpenAiResponses),
            "/api/chat" => LlmPath::Ask(Dialect::OllamaChat),
            "/v1/messages/count_tokens" => LlmPath::CountTokens,
            "/v1/responses/input_tokens" => LlmPath::InputTokens,
            "/v1/models" => LlmPath::Models,
            "/api/tags" => LlmPath::Tags,
            "/api/version" => LlmPath::Version,
            "/api/show" => LlmPath::Show,
            "/api/event_logging/batch" => LlmPath::EventLogging,
            path if OF_OLLAMA.contains(&path) => LlmPath::Elsewhere(Dialect::OllamaChat),
            path => {
                let rest = path.strip_prefix("/v1/")?;
                let id = rest.strip_prefix("models/").filter(|id| !id.is_empty());
                match id.and_then(|id| percent_decode_str(id).decode_utf8().ok()) {
                    Some(id) => LlmPath::Model(id.into_owned()),
                    None if rest.starts_with("messages") => LlmPath::Elsewhere(Dialect::AnthropicMessages),
                    None => LlmPath::Elsewhere(Dialect::OpenAiChat),
                }
            }
        })
    }

    /// The dialect of who asks there.
    pub fn dialect(&self) -> Dialect {
        match self {
            LlmPath::Ask(dialect) | LlmPath::Elsewhere(dialect) => *dialect,
            LlmPath::CountTokens | LlmPath::EventLogging => Dialect::AnthropicMessages,
            LlmPath::InputTokens => Dialect::OpenAiResponses,
            LlmPath::Models | LlmPath::Model(_) => Dialect::OpenAiChat,
            LlmPath::Tags | LlmPath::Version | LlmPath::Show => Dialect::OllamaChat,
        }
    }

    /// The methods that are possible there.
    pub fn methods(&self) -> &'static str {
        match self {
            LlmPath::Models | LlmPath::Model(_) | LlmPath::Tags | LlmPath::Version => "GET, HEAD, OPTIONS",
            _ => "POST, OPTIONS",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_where_clients_expect_them() {
        for route in LlmPath::ROUTES {
            assert!(LlmPath::of(route).is_some(), "{route}");
        }
        assert_eq!(LlmPath::of("/v1/messages"), Some(LlmPath::Ask(Dialect::AnthropicMessages)));
        assert_eq!(LlmPath::of("/v1/models/a%2Fb"), Some(LlmPath::Model("a/b".to_owned())));
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
}
