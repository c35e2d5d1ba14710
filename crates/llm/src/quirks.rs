//! What upstreams and models take that their dialect does not say: one table, and the configuration's word over it.

mod table;

use crate::models::glob;
use crate::{Dialect, IdRule, ReasoningField, SchemaRule, Target, Thinks};

/// Kinds of upstreams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UpstreamKind {
    /// Anthropic Messages, and those who do as it does.
    Anthropic,
    /// OpenAI Chat Completions, and those who do as it does.
    OpenAiChat,
    /// OpenAI Responses.
    OpenAiResponses,
    /// Ollama's own API.
    Ollama,
}

impl UpstreamKind {
    /// All of them.
    pub const ALL: [UpstreamKind; 4] = [
        UpstreamKind::Anthropic,
        UpstreamKind::OpenAiChat,
        UpstreamKind::OpenAiResponses,
        UpstreamKind::Ollama,
    ];

    /// What such an upstream speaks.
    pub fn dialect(self) -> Dialect {
        match self {
            UpstreamKind::Anthropic => Dialect::AnthropicMessages,
            UpstreamKind::OpenAiChat => Dialect::OpenAiChat,
            UpstreamKind::OpenAiResponses => Dialect::OpenAiResponses,
            UpstreamKind::Ollama => Dialect::OllamaChat,
        }
    }

    /// Its name in configuration and messages: that of its dialect.
    pub fn name(self) -> &'static str {
        self.dialect().name()
    }

    /// The kind of a name; `openai` is Chat Completions.
    pub fn of_name(name: &str) -> Option<UpstreamKind> {
        match name {
            "openai" => Some(UpstreamKind::OpenAiChat),
            _ => UpstreamKind::ALL.into_iter().find(|kind| kind.name() == name),
        }
    }
}

/// One row of the table: who it is about, what is different, and why.
#[derive(Debug)]
struct Quirk {
    kinds: &'static [UpstreamKind],
    /// Patterns of hosts; none are all.
    hosts: &'static [&'static str],
    /// Patterns of models; none are all.
    models: &'static [&'static str],
    takes: &'static [Takes],
    why: &'static str,
}

/// A difference.
#[derive(Clone, Copy, Debug)]
enum Takes {
    NameChars(usize),
    MostTools(usize),
    Ids(IdRule),
    Schemas(SchemaRule),
    MaxCompletionTokens(bool),
    Temperature(bool),
    TemperatureWithTopP(bool),
    EffortWithTools(bool),
    Thinking(bool),
    TopK(bool),
    MostStops(usize),
    Reasoning(ReasoningField),
    InlineSystem(bool),
    Neighbours(bool),
    UserAfterResults(bool),
}

impl Takes {
    fn apply(self, target: &mut Target) {
        match self {
            Takes::NameChars(most) => target.name_chars = most,
            Takes::MostTools(most) => target.most_tools = Some(most),
            Takes::Ids(rule) => target.ids = rule,
            Takes::Schemas(rule) => target.schemas = rule,
            Takes::MaxCompletionTokens(is_so) => target.max_completion_tokens = is_so,
            Takes::Temperature(is_so) => target.takes_temperature = is_so,
            Takes::TemperatureWithTopP(is_so) => target.takes_temperature_with_top_p = is_so,
            Takes::EffortWithTools(is_so) => target.takes_effort_with_tools = is_so,
            Takes::Thinking(is_so) => target.thinks = thinks(is_so),
            Takes::TopK(is_so) => target.takes_top_k = is_so,
            Takes::MostStops(most) => target.most_stop_sequences = Some(most),
            Takes::Reasoning(field) => target.reasoning = field,
            Takes::InlineSystem(is_so) => target.takes_inline_system = is_so,
            Takes::Neighbours(is_so) => target.takes_neighbours = is_so,
            Takes::UserAfterResults(is_so) => target.takes_user_after_results = is_so,
        }
    }
}

fn thinks(is_so: bool) -> Thinks {
    if is_so { Thinks::Yes } else { Thinks::No }
}

impl Quirk {
    fn is_about(&self, kind: UpstreamKind, host: &str, model: &str) -> bool {
        let takes =
            |patterns: &[&str], text| patterns.is_empty() || patterns.iter().any(|one| glob(one, text));
        self.kinds.contains(&kind) && takes(self.hosts, host) && takes(self.models, model)
    }
}

/// What a model at an upstream takes: the dialect's documentation, then every row of the table that is about it. Later
/// rows win.
pub fn target(kind: UpstreamKind, url_host: &str, model: &str) -> Target {
    let mut target = Target::new(kind.dialect(), model);
    for quirk in rows(kind, url_host, model) {
        quirk.takes.iter().for_each(|takes| takes.apply(&mut target));
    }
    target
}

/// Why a model at an upstream is spoken to as it is, in the words of the table.
pub fn reasons(kind: UpstreamKind, url_host: &str, model: &str) -> Vec<&'static str> {
    rows(kind, url_host, model).map(|quirk| quirk.why).collect()
}

/// A kind that serves a model better than the one that is configured, and why.
pub fn better_kind(kind: UpstreamKind, url_host: &str, model: &str) -> Option<(UpstreamKind, &'static str)> {
    let is_refused = |quirk: &&Quirk| matches!(quirk.takes, [.., Takes::EffortWithTools(false)]);
    let quirk = rows(kind, url_host, model).find(is_refused)?;
    Some((UpstreamKind::OpenAiResponses, quirk.why))
}

fn rows(kind: UpstreamKind, host: &str, model: &str) -> impl Iterator<Item = &'static Quirk> {
    let (host, model) = (host.to_ascii_lowercase(), model.to_ascii_lowercase());
    table::QUIRKS.iter().filter(move |quirk| quirk.is_about(kind, &host, &model))
}

/// What the configuration says of an upstream or a model. It wins over the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The longest name of a tool.
    pub name_chars: Option<usize>,
    /// The most tools.
    pub most_tools: Option<usize>,
    /// Which ids of calls are taken.
    pub ids: Option<IdRule>,
    /// Which schemas of tools are taken.
    pub schemas: Option<SchemaRule>,
    /// Chat: the length limit is `max_completion_tokens`.
    pub max_completion_tokens: Option<bool>,
    /// Whether `temperature` and `top_p` are taken.
    pub takes_temperature: Option<bool>,
    /// Whether both are taken together.
    pub takes_temperature_with_top_p: Option<bool>,
    /// Chat: whether tools are taken while the model thinks.
    pub takes_effort_with_tools: Option<bool>,
    /// Whether the parameter that asks a model to think is taken.
    pub takes_thinking: Option<bool>,
    /// Whether `top_k` is taken.
    pub takes_top_k: Option<bool>,
    /// The most stop sequences.
    pub most_stop_sequences: Option<usize>,
    /// Whether system messages may stand between others.
    pub takes_inline_system: Option<bool>,
    /// Chat: the field that thoughts have in messages.
    pub reasoning: Option<ReasoningField>,
    /// Whether calls that are written as text are looked for.
    pub reads_text_calls: Option<bool>,
    /// The length limit where the client gave none and the upstream wants one.
    pub default_max_tokens: Option<u64>,
}

impl Overrides {
    /// Changes a target as the configuration says.
    pub fn apply(&self, target: &mut Target) {
        fn set<T: Clone>(field: &mut T, value: &Option<T>) {
            if let Some(value) = value {
                field.clone_from(value);
            }
        }
        set(&mut target.name_chars, &self.name_chars);
        set(&mut target.ids, &self.ids);
        set(&mut target.schemas, &self.schemas);
        set(&mut target.max_completion_tokens, &self.max_completion_tokens);
        set(&mut target.takes_temperature, &self.takes_temperature);
        set(&mut target.takes_temperature_with_top_p, &self.takes_temperature_with_top_p);
        set(&mut target.takes_effort_with_tools, &self.takes_effort_with_tools);
        set(&mut target.thinks, &self.takes_thinking.map(thinks));
        set(&mut target.takes_top_k, &self.takes_top_k);
        set(&mut target.takes_inline_system, &self.takes_inline_system);
        set(&mut target.reasoning, &self.reasoning);
        set(&mut target.reads_text_calls, &self.reads_text_calls);
        set(&mut target.default_max_tokens, &self.default_max_tokens);
        target.most_tools = self.most_tools.or(target.most_tools);
        target.most_stop_sequences = self.most_stop_sequences.or(target.most_stop_sequences);
    }
}

#[cfg(test)]
mod tests;
