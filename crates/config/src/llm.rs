//! What a configuration says of language models: whom they are asked of, which is asked for what, and how.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use toolwright_model::Dialect;

use crate::SecretText;

/// How long an upstream may take to its first byte, and be silent inside a stream.
pub const USUAL_UPSTREAM_TIME: Duration = Duration::from_secs(120);

/// The section `llm`. Two that are equal do the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LlmSettings {
    /// The upstreams that can be used, in the order of the file.
    pub upstreams: Vec<UpstreamSettings>,
    /// Which model goes where: the first that matches counts.
    pub models: Vec<ModelRoute>,
    /// How often an upstream is asked again with what is wrong with a call that cannot be mended, 0 to 3.
    pub reask: u32,
    /// Whether requests and answers are written down as well.
    pub keeps_bodies: bool,
}

/// One that answers for models.
#[derive(Clone, PartialEq, Eq)]
pub struct UpstreamSettings {
    /// Its name, unique: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// What it speaks: its `kind`, and its `api` where that kind has several.
    pub dialect: Dialect,
    /// Its address, http or https, without a slash at its end. It may hold a password and a query.
    pub url: String,
    /// Whose key it gets.
    pub key: UpstreamKey,
    /// Headers of every request to it.
    pub headers: Vec<(String, SecretText)>,
    /// How long it may take to the first byte of an answer.
    pub first_byte: Duration,
    /// How long it may be silent inside a stream.
    pub idle: Duration,
    /// Whether calls that are written as text are read; by its kind when absent.
    pub reads_text_calls: Option<bool>,
    /// What it takes otherwise than others of its kind.
    pub quirks: UpstreamQuirks,
}

/// Whose key an upstream gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpstreamKey {
    /// The client's own.
    Client,
    /// This one.
    Text(SecretText),
    /// The one that stands in this file, absolute. It is read when it is needed.
    File(PathBuf),
}

/// What an upstream takes otherwise than others of its kind. What is absent is as usual there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpstreamQuirks {
    /// Whether the length limit is `max_completion_tokens`.
    pub max_completion_tokens: Option<bool>,
    /// Whether `temperature` and `top_p` are taken.
    pub temperature: Option<bool>,
    /// Whether `top_k` is taken.
    pub top_k: Option<bool>,
    /// The longest name of a tool, in characters.
    pub name_chars: Option<usize>,
    /// Which schemas of tools are taken.
    pub schemas: Option<SchemaQuirk>,
    /// Where thoughts stand in a message.
    pub reasoning: Option<ReasoningQuirk>,
    /// Whether a model is asked to think; found out when absent.
    pub think: Option<bool>,
    /// Whether system messages may stand between others.
    pub inline_system: Option<bool>,
    /// The length limit where the client gave none, in tokens.
    pub max_tokens: Option<u64>,
}

/// Which schemas of tools an upstream takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaQuirk {
    /// Any.
    Any,
    /// An object with properties, as OpenAI.
    Object,
    /// Few keywords, as Gemini.
    Gemini,
    /// Few keywords and no references, as Ollama.
    Ollama,
}

/// Where thoughts stand in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningQuirk {
    /// Nowhere: they are not sent back.
    None,
    /// In `reasoning_content`.
    ReasoningContent,
    /// In `reasoning`.
    Reasoning,
}

/// Where the models of a pattern go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRoute {
    /// The models: `*` is any text, `?` one character.
    pub pattern: String,
    /// The first is asked; each further one when those before it fail. None at all when all were wrong: then these
    /// models are served by nobody, and not by whom a later pattern names.
    pub destinations: Vec<Destination>,
}

/// A model of an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The upstream's name. One that was left out of the file for a mistake is not among the upstreams.
    pub upstream: String,
    /// The model as the upstream calls it; as it was asked for when absent.
    pub model: Option<String>,
}

// === impl LlmSettings ===

impl LlmSettings {
    /// An upstream by its name.
    pub fn upstream(&self, name: &str) -> Option<&UpstreamSettings> {
        self.upstreams.iter().find(|upstream| upstream.name == name)
    }
}

// === words ===

impl SchemaQuirk {
    /// All of them.
    pub(crate) const ALL: [SchemaQuirk; 4] =
        [SchemaQuirk::Any, SchemaQuirk::Object, SchemaQuirk::Gemini, SchemaQuirk::Ollama];

    /// The word for it in files.
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
    /// All of them.
    pub(crate) const ALL: [ReasoningQuirk; 3] =
        [ReasoningQuirk::None, ReasoningQuirk::ReasoningContent, ReasoningQuirk::Reasoning];

    /// The word for it in files.
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
    /// Its address as it may be shown: without user, password and query.
    pub fn shown_url(&self) -> String {
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("", &self.url));
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = authority.rsplit('@').next().unwrap_or_default();
        format!("{scheme}://{host}{path}")
    }
}

/// The address may hold a password: it is shown without.
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
