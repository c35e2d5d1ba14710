//! What providers and models of Anthropic take otherwise. A row is a fact with its reason; a row that is not sure is not here.

use crate::SchemaRule;
use crate::quirks::Quirk;
use crate::quirks::Takes::*;
use crate::quirks::shared::{CLAUDE_NO_SAMPLERS, CLAUDE_ONE_SAMPLER, GEMINI_MODELS, NO_INLINE_SYSTEM};

const CLAUDE_WITHOUT_THINKING: &[&str] = &[
    "*claude-2*",
    "*claude-instant*",
    "*claude-3-opus*",
    "*claude-3-sonnet*",
    "*claude-3-haiku*",
    "*claude-3-5*",
    "*claude-3.5*",
];

/// Later rows win.
pub(super) const QUIRKS: &[Quirk] = &[
    NO_INLINE_SYSTEM,
    Quirk {
        hosts: &[],
        models: &["*claude-opus-4-8*", "*claude-opus-4.8*"],
        takes: &[InlineSystem(true)],
        why: "Claude Opus 4.8 takes system messages between others",
    },
    Quirk {
        hosts: &[],
        models: &[],
        takes: &[NameChars(64), Schemas(SchemaRule::ObjectWithProperties)],
        why: "Bedrock and those who imitate Anthropic take names of 64 characters; a schema needs a type, and no choice at its root",
    },
    Quirk {
        hosts: &["api.anthropic.com"],
        models: &[],
        takes: &[NameChars(128)],
        why: "Anthropic takes names of 128 characters",
    },
    CLAUDE_ONE_SAMPLER,
    CLAUDE_NO_SAMPLERS,
    Quirk {
        hosts: &[],
        models: CLAUDE_WITHOUT_THINKING,
        takes: &[Thinking(false)],
        why: "Claude models before 3.7 refuse thinking",
    },
    GEMINI_MODELS,
];
