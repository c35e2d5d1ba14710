//! The dialects there are.

/// How somebody speaks with a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Anthropic Messages, `/v1/messages`.
    AnthropicMessages,
    /// OpenAI Chat Completions, `/v1/chat/completions`, and those who do as it does.
    OpenAiChat,
    /// OpenAI Responses, `/v1/responses`.
    OpenAiResponses,
    /// Ollama, `/api/chat`.
    OllamaChat,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Dialect; 4] =
        [Dialect::AnthropicMessages, Dialect::OpenAiChat, Dialect::OpenAiResponses, Dialect::OllamaChat];

    /// Its name in configuration, records and messages.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::AnthropicMessages => "anthropic",
            Dialect::OpenAiChat => "openai-chat",
            Dialect::OpenAiResponses => "openai-responses",
            Dialect::OllamaChat => "ollama",
        }
    }

    /// The path that requests go to.
    pub fn path(self) -> &'static str {
        match self {
            Dialect::AnthropicMessages => "/v1/messages",
            Dialect::OpenAiChat => "/v1/chat/completions",
            Dialect::OpenAiResponses => "/v1/responses",
            Dialect::OllamaChat => "/api/chat",
        }
    }

    /// The content type of its streams.
    pub fn stream_type(self) -> &'static str {
        match self {
            Dialect::OllamaChat => "application/x-ndjson",
            _ => "text/event-stream; charset=utf-8",
        }
    }
}
