//! What providers and models of OpenAI Responses take otherwise. A row is a fact with its reason; a row that is not sure is not here.

use crate::IdRule;
use crate::quirks::Quirk;
use crate::quirks::Takes::*;
use crate::quirks::shared::{
    GEMINI_MODELS, NO_INLINE_SYSTEM, OPENAI, OPENAI_CHAT_MODELS, OPENAI_CONVERSATIONS, OPENAI_NOT_THINKING,
    OPENAI_THINKERS, OPENAI_THINKING,
};

/// Later rows win.
pub(super) const QUIRKS: &[Quirk] = &[
    NO_INLINE_SYSTEM,
    OPENAI_CONVERSATIONS,
    Quirk {
        hosts: OPENAI,
        models: &[],
        takes: &[MostTools(128), Ids(IdRule::UpTo(64))],
        why: "OpenAI takes 128 tools and ids of 64 characters",
    },
    GEMINI_MODELS,
    Quirk {
        hosts: &[],
        models: OPENAI_THINKERS,
        takes: &[Temperature(false)],
        why: "OpenAI's thinking models refuse temperature and top_p",
    },
    OPENAI_THINKING,
    OPENAI_NOT_THINKING,
    OPENAI_CHAT_MODELS,
];
