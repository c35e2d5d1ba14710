//! Dialects of language-model APIs, and their names in the configuration.
//!
//! This is the only list of dialects outside of `toolwright-llm`. The behaviour of a dialect is in its module there
//! (`crates/llm/src/dialects/`); here is what the configuration needs before any request is sent to a model.

/// Configuration data of a dialect.
struct DialectRow {
    name: &'static str,
    kind: &'static str,
    api: Option<&'static str>,
    default_url: &'static str,
    endpoints: &'static [&'static str],
    hints: &'static [&'static str],
}

/// The endpoints of both of OpenAI's APIs: a url with one of them refers to the same server.
const OPENAI_ENDPOINTS: &[&str] = &["/chat/completions", "/responses"];
const OPENAI_URL: &str = "https://api.openai.com/v1";

macro_rules! dialects {
    ($($(#[$doc:meta])* $variant:ident => $row:expr,)*) => {
        /// The API of a client or an upstream.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Dialect {
            $($(#[$doc])* $variant,)*
        }

        impl Dialect {
            /// All dialects. If several share a kind, the first is the default.
            pub const ALL: [Dialect; [$(Dialect::$variant,)*].len()] = [$(Dialect::$variant,)*];

            const fn row(self) -> &'static DialectRow {
                match self {
                    $(Dialect::$variant => const { &$row },)*
                }
            }
        }
    };
}

dialects! {
    /// Anthropic Messages, `/v1/messages`.
    AnthropicMessages => DialectRow {
        name: "anthropic",
        kind: "anthropic",
        api: None,
        default_url: "https://api.anthropic.com",
        endpoints: &["/v1/messages", "/v1"],
        hints: &["anthropic", "claude"],
    },
    /// OpenAI Chat Completions, `/v1/chat/completions`, and the servers that follow it.
    OpenAiChat => DialectRow {
        name: "openai-chat",
        kind: "openai",
        api: Some("chat"),
        default_url: OPENAI_URL,
        endpoints: OPENAI_ENDPOINTS,
        hints: &[],
    },
    /// OpenAI Responses, `/v1/responses`.
    OpenAiResponses => DialectRow {
        name: "openai-responses",
        kind: "openai",
        api: Some("responses"),
        default_url: OPENAI_URL,
        endpoints: OPENAI_ENDPOINTS,
        hints: &[],
    },
    /// Ollama, `/api/chat`.
    OllamaChat => DialectRow {
        name: "ollama",
        kind: "ollama",
        api: None,
        default_url: "http://127.0.0.1:11434",
        endpoints: &["/api/chat", "/api", "/v1"],
        hints: &["ollama"],
    },
}

impl Dialect {
    /// Its name in records and messages.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The dialect with this name.
    pub fn of_name(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// The value of `kind` for an upstream of this dialect.
    pub fn kind(self) -> &'static str {
        self.row().kind
    }

    /// The default dialect of each kind, in order.
    pub fn kinds() -> impl Iterator<Item = Dialect> {
        let is_first = |dialect: &Dialect| Dialect::of_kind(dialect.kind()) == Some(*dialect);
        Dialect::ALL.into_iter().filter(is_first)
    }

    /// The default dialect of a kind.
    pub fn of_kind(kind: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.kind() == kind)
    }

    /// The value of `api` for an upstream of this dialect, if its kind has several.
    pub fn api(self) -> Option<&'static str> {
        self.row().api
    }

    /// The default address of its provider.
    pub fn default_url(self) -> &'static str {
        self.row().default_url
    }

    /// Path endings that belong to the API and must not be part of an upstream's url.
    pub fn endpoints(self) -> &'static [&'static str] {
        self.row().endpoints
    }

    /// Words in the name or the address of an upstream that suggest this dialect.
    pub fn hints(self) -> &'static [&'static str] {
        self.row().hints
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_kinds_round_trip() {
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::of_name(dialect.name()), Some(dialect));
            assert_eq!(Dialect::of_kind(dialect.kind()).map(Dialect::kind), Some(dialect.kind()));
        }
        assert_eq!(Dialect::of_kind("openai"), Some(Dialect::OpenAiChat));
        assert_eq!((Dialect::of_name("openai"), Dialect::of_kind("bedrock")), (None, None));
        assert_eq!(
            Dialect::kinds().map(Dialect::kind).collect::<Vec<_>>(),
            ["anthropic", "openai", "ollama"]
        );
    }
}
