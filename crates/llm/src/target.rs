//! What a request is written for: the upstream's dialect, its model, and what that takes.

use crate::{Dialect, dialects};

/// Where a request goes. Made from the table of quirks and the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// What the upstream speaks.
    pub dialect: Dialect,
    /// The model as the upstream calls it.
    pub model: String,
    /// The longest name of a tool.
    pub name_chars: usize,
    /// The most tools; more are an error before anything is sent.
    pub most_tools: Option<usize>,
    /// Which ids of calls are taken.
    pub ids: IdRule,
    /// Which schemas of tools are taken.
    pub schemas: SchemaRule,
    /// Chat: the length limit is `max_completion_tokens`.
    pub max_completion_tokens: bool,
    /// Whether `temperature` and `top_p` are taken.
    pub takes_temperature: bool,
    /// Whether `temperature` and `top_p` are taken together; else `temperature` alone is sent.
    pub takes_temperature_with_top_p: bool,
    /// Chat: whether tools are taken while the model thinks; else thinking is switched off for them.
    pub takes_effort_with_tools: bool,
    /// Whether the model takes the parameter that asks it to think.
    pub thinks: Thinks,
    /// Whether `top_k` is taken.
    pub takes_top_k: bool,
    /// The most stop sequences.
    pub most_stop_sequences: Option<usize>,
    /// Whether system messages may stand between others.
    pub takes_inline_system: bool,
    /// Whether messages of one side may follow each other; else they become one.
    pub takes_neighbours: bool,
    /// Whether the user may say something directly after the results of tools; else it becomes a part of the last one.
    pub takes_user_after_results: bool,
    /// Chat: the field that thoughts have in messages.
    pub reasoning: ReasoningField,
    /// Whether calls that are written as text are looked for.
    pub reads_text_calls: bool,
    /// The length limit where the client gave none and the upstream wants one.
    pub default_max_tokens: u64,
}

/// Which ids of calls an upstream takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdRule {
    /// Any text.
    Any,
    /// Letters, digits, `_` and `-`: Anthropic.
    Word,
    /// Nine letters and digits: Mistral.
    NineAlphanumerics,
    /// Any text of at most so many characters: OpenAI.
    UpTo(usize),
}

/// Which schemas of tools an upstream takes. What is left out is judged when the call comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaRule {
    /// Any.
    Any,
    /// An object with properties: OpenAI.
    ObjectWithProperties,
    /// Few keywords, no lists of types: Gemini, also behind others.
    Gemini,
    /// No references, few keywords: Ollama.
    Ollama,
}

/// Whether a model takes the parameter that asks it to think: `think`, `reasoning_effort`, `reasoning`, `thinking`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinks {
    /// Not known: the parameter is sent, and the request is sent once more without it when the upstream refuses it.
    Untried,
    /// It takes the parameter.
    Yes,
    /// It refuses the parameter, which is therefore not sent.
    No,
}

/// The field of a Chat message that holds thoughts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningField {
    /// Thoughts are not sent back.
    None,
    /// `reasoning_content`
    ReasoningContent,
    /// `reasoning`
    Reasoning,
}

impl Target {
    /// An upstream of this dialect that is known by nothing but its documentation.
    pub fn new(dialect: Dialect, model: impl Into<String>) -> Target {
        let mut target = Target {
            dialect,
            model: model.into(),
            name_chars: 64,
            most_tools: None,
            ids: IdRule::Any,
            schemas: SchemaRule::ObjectWithProperties,
            max_completion_tokens: false,
            takes_temperature: true,
            takes_temperature_with_top_p: true,
            takes_effort_with_tools: true,
            thinks: Thinks::Untried,
            takes_top_k: false,
            most_stop_sequences: None,
            takes_inline_system: true,
            takes_neighbours: true,
            takes_user_after_results: true,
            reasoning: ReasoningField::ReasoningContent,
            reads_text_calls: true,
            default_max_tokens: 4096,
        };
        dialects::of(dialect).describe(&mut target);
        target
    }
}
