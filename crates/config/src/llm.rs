//! The section `llm`: upstreams, model routes and their options.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use toolwright_model::Dialect;

use crate::SecretText;

/// The default timeout until the first byte of a response, and between two parts of a stream.
pub const USUAL_UPSTREAM_TIME: Duration = Duration::from_secs(120);

/// The section `llm`. A reload that gives an equal value changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LlmSettings {
    /// The valid upstreams, in the order of the file.
    pub upstreams: Vec<UpstreamSettings>,
    /// The routes of models: the first match is used.
    pub models: Vec<ModelRoute>,
    /// How often an upstream is asked again about a call that cannot be repaired, 0 to 3. The request contains the
    /// errors of the call.
    pub reask: u32,
    /// Whether the bodies of requests and responses are journaled too.
    pub keeps_bodies: bool,
}

/// A provider of models.
#[derive(Clone, PartialEq, Eq)]
pub struct UpstreamSettings {
    /// Its name, unique: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// Its API dialect: from `kind`, and from `api` if that kind has several.
    pub dialect: Dialect,
    /// Its address, http or https, without a trailing slash. It may contain a password and a query.
    pub url: String,
    /// Its API key.
    pub key: UpstreamKey,
    /// Headers of every request.
    pub headers: Vec<(String, SecretText)>,
    /// The timeout until the first byte of a response.
    pub first_byte: Duration,
    /// The idle timeout of a stream.
    pub idle: Duration,
    /// Whether tool calls that are written as text are recognised; depends on its kind if absent.
    pub reads_text_calls: Option<bool>,
    /// Deviations from other upstreams of its kind.
    pub quirks: UpstreamQuirks,
}

/// The API key of an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpstreamKey {
    /// The key that the client sent.
    Client,
    /// This key.
    Text(SecretText),
    /// The key in this file, an absolute path. It is read when it is needed.
    File(PathBuf),
}

/// Deviations of an upstream from others of its kind. An absent value has the default of the kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpstreamQuirks {
    /// Whether the token limit is named `max_completion_tokens`.
    pub max_completion_tokens: Option<bool>,
    /// Whether `temperature` and `top_p` are supported.
    pub temperature: Option<bool>,
    /// Whether `top_k` is supported.
    pub top_k: Option<bool>,
    /// The longest tool name, in characters.
    pub name_chars: Option<usize>,
    /// The supported tool schemas.
    pub schemas: Option<SchemaQuirk>,
    /// The location of reasoning in a message.
    pub reasoning: Option<ReasoningQuirk>,
    /// Whether the model is asked to think; detected if absent.
    pub think: Option<bool>,
    /// Whether system messages may occur between others.
    pub inline_system: Option<bool>,
    /// The default token limit of a response.
    pub max_tokens: Option<u64>,
}

/// The tool schemas that an upstream supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaQuirk {
    /// Any schema.
    Any,
    /// An object with properties, as OpenAI demands.
    Object,
    /// A subset of the keywords, as Gemini demands.
    Gemini,
    /// A subset of the keywords without references, as Ollama demands.
    Ollama,
}

/// The location of reasoning in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningQuirk {
    /// Reasoning is not sent back.
    None,
    /// In `reasoning_content`.
    ReasoningContent,
    /// In `reasoning`.
    Reasoning,
}

/// The route of a pattern of models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRoute {
    /// The pattern of model names: `*` matches any text, `?` one character.
    pub pattern: String,
    /// The first destination is used; each further one is a fallback. The list is empty if all destinations were
    /// invalid: then these models are not served, not even by a later pattern.
    pub destinations: Vec<Destination>,
}

/// A model of an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The name of the upstream. An upstream that was left out because of an error is not among the upstreams.
    pub upstream: String,
    /// The model name at the upstream; the requested one if absent.
    pub model: Option<String>,
}

// === impl LlmSettings ===

impl LlmSettings {
    /// Finds an upstream by name.
    pub fn upstream(&self, name: &str) -> Option<&UpstreamSettings> {
        self.upstreams.iter().find(|upstream| upstream.name == name)
    }
}

// === words ===

impl SchemaQuirk {
    /// All variants.
    pub(crate) const ALL: [SchemaQuirk; 4] =
        [SchemaQuirk::Any, SchemaQuirk::Object, SchemaQuirk::Gemini, SchemaQuirk::Ollama];

    /// Its name in files.
    pub fn word(self) -> &'static str {
        match self {
            SchemaQuirk::Any => "any",
            SchemaQuirk::Object => "object",
            SchemaQuirk::Gemini => "gemini",
            SchemaQuirk::Ollama => "ollama",
        }
    }
}

impl ReasoningQuirk {
    /// All variants.
    pub(crate) const ALL: [ReasoningQuirk; 3] =
        [ReasoningQuirk::None, ReasoningQuirk::ReasoningContent, ReasoningQuirk::Reasoning];

    /// Its name in files.
    pub fn word(self) -> &'static str {
        match self {
            ReasoningQuirk::None => "none",
            ReasoningQuirk::ReasoningContent => "reasoning_content",
            ReasoningQuirk::Reasoning => "reasoning",
        }
    }
}

// === impl UpstreamSettings ===

impl UpstreamSettings {
    /// The address without user, password and query, for display.
    pub fn shown_url(&self) -> String {
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("", &self.url));
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = authority.rsplit('@').next().unwrap_or_default();
        format!("{scheme}://{host}{path}")
    }
}

/// The address may contain a password: the debug output omits it.
impl fmt::Debug for UpstreamSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpstreamSettings")
            .field("name", &self.name)
            .field("dialect", &self.dialect)
            .field("url", &self.shown_url())
            .field("key", &self.key)
            .field("headers", &self.headers)
            .field("first_byte", &self.first_byte)
            .field("idle", &self.idle)
            .field("reads_text_calls", &self.reads_text_calls)
            .field("quirks", &self.quirks)
            .finish()
    }
}
