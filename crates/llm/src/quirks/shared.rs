//! Rows that are facts of several dialects.

use super::Quirk;
use super::Takes::*;
use crate::SchemaRule;

/// The hosts of OpenAI itself.
pub(crate) const OPENAI: &[&str] = &["api.openai.com", "*.openai.azure.com", "*.api.openai.com"];

const GEMINI: &[&str] = &["*gemini*"];

/// Claude models since Opus 4.1, in the spellings of Anthropic and of routers.
const CLAUDE_WITH_ONE_SAMPLER: &[&str] = &[
    "*claude-opus-4-1*",
    "*claude-opus-4.1*",
    "*claude-opus-4-5*",
    "*claude-opus-4.5*",
    "*claude-opus-4-6*",
    "*claude-opus-4.6*",
    "*claude-sonnet-4-5*",
    "*claude-sonnet-4.5*",
    "*claude-sonnet-4-6*",
    "*claude-sonnet-4.6*",
    "*claude-haiku-4-5*",
    "*claude-haiku-4.5*",
];

const CLAUDE_WITHOUT_SAMPLERS: &[&str] =
    &["*claude-opus-4-7*", "*claude-opus-4.7*", "*claude-opus-4-8*", "*claude-opus-4.8*"];

/// OpenAI's thinking models, wherever they are served under their own names.
pub(crate) const OPENAI_THINKERS: &[&str] = &["o1*", "o3*", "o4-*", "gpt-5*"];

pub(crate) const NO_INLINE_SYSTEM: Quirk = Quirk {
    hosts: &[],
    models: &[],
    takes: &[InlineSystem(false)],
    why: "Claude models before Opus 4.8, and templates of open models (Qwen 3.5, Ministral 3, Apertus), refuse system messages between others",
};

pub(crate) const NO_NEIGHBOURS: Quirk = Quirk {
    hosts: &[],
    models: &[],
    takes: &[Neighbours(false)],
    why: "templates of open models (Mistral, Gemma) want the sides to take turns",
};

pub(crate) const OPENAI_CONVERSATIONS: Quirk = Quirk {
    hosts: OPENAI,
    models: &[],
    takes: &[InlineSystem(true), Neighbours(true)],
    why: "OpenAI takes system messages between others, and messages of one side after each other",
};

pub(crate) const CLAUDE_ONE_SAMPLER: Quirk = Quirk {
    hosts: &[],
    models: CLAUDE_WITH_ONE_SAMPLER,
    takes: &[TemperatureWithTopP(false)],
    why: "Claude models since Opus 4.1 refuse temperature and top_p together",
};

pub(crate) const CLAUDE_NO_SAMPLERS: Quirk = Quirk {
    hosts: &[],
    models: CLAUDE_WITHOUT_SAMPLERS,
    takes: &[Temperature(false), TopK(false)],
    why: "Claude models since Opus 4.7 refuse temperature, top_p and top_k",
};

pub(crate) const GEMINI_MODELS: Quirk = Quirk {
    hosts: &[],
    models: GEMINI,
    takes: &[Schemas(SchemaRule::Gemini), NameChars(64)],
    why: "Gemini refuses many keywords of schemas, whoever passes them on",
};

pub(crate) const OPENAI_THINKING: Quirk = Quirk {
    hosts: &[],
    models: OPENAI_THINKERS,
    takes: &[Thinking(true)],
    why: "OpenAI's thinking models take an effort",
};

pub(crate) const OPENAI_NOT_THINKING: Quirk = Quirk {
    hosts: &[],
    models: &[
        "gpt-4*",
        "*/gpt-4*",
        "chatgpt-4*",
        "*/chatgpt-4*",
        "gpt-3.5*",
        "*/gpt-3.5*",
        "o1-mini*",
        "o1-preview*",
    ],
    takes: &[Thinking(false)],
    why: "these models refuse reasoning_effort and reasoning: they do not think, or not by order",
};

pub(crate) const OPENAI_CHAT_MODELS: Quirk = Quirk {
    hosts: &[],
    models: &["gpt-5*-chat*"],
    takes: &[Temperature(true), Thinking(false)],
    why: "the chat models of the GPT-5 family do not think, and take temperature",
};
