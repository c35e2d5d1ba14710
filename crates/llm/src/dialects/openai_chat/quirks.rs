//! What providers and models of OpenAI Chat Completions and the servers that follow it take otherwise. A row is a fact with its reason; a row that is not sure is not here.

use crate::quirks::Quirk;
use crate::quirks::Takes::*;
use crate::quirks::shared::{
    CLAUDE_NO_SAMPLERS, CLAUDE_ONE_SAMPLER, GEMINI_MODELS, NO_INLINE_SYSTEM, NO_NEIGHBOURS, OPENAI,
    OPENAI_CHAT_MODELS, OPENAI_CONVERSATIONS, OPENAI_NOT_THINKING, OPENAI_THINKERS, OPENAI_THINKING,
};
use crate::{Dialect, IdRule, ReasoningField, SchemaRule};

const LOCAL: &[&str] = &[
    "localhost",
    "127.*",
    "::1",
    "[::1]",
    "0.0.0.0",
    "10.*",
    "192.168.*",
    "*.local",
    "host.docker.internal",
];

const MISTRAL: &[&str] =
    &["*mistral*", "*mixtral*", "*codestral*", "*devstral*", "*ministral*", "*magistral*", "*pixtral*"];

/// Later rows win.
pub(super) const QUIRKS: &[Quirk] = &[
    NO_INLINE_SYSTEM,
    NO_NEIGHBOURS,
    OPENAI_CONVERSATIONS,
    Quirk {
        hosts: &[],
        models: MISTRAL,
        takes: &[UserAfterResults(false)],
        why: "Mistral's models refuse a message of the user directly after the result of a tool",
    },
    Quirk {
        hosts: &["api.mistral.ai"],
        models: &[],
        takes: &[UserAfterResults(false)],
        why: "Mistral refuses a message of the user directly after the result of a tool",
    },
    CLAUDE_ONE_SAMPLER,
    CLAUDE_NO_SAMPLERS,
    // Servers that take more than Chat Completions says
    Quirk {
        hosts: LOCAL,
        models: &[],
        takes: &[TopK(true)],
        why: "vLLM, llama.cpp, SGLang and LM Studio take top_k",
    },
    Quirk {
        hosts: &["openrouter.ai", "*.openrouter.ai"],
        models: &[],
        takes: &[TopK(true), Reasoning(ReasoningField::Reasoning)],
        why: "OpenRouter takes top_k, and thoughts as reasoning",
    },
    Quirk {
        hosts: &["*.together.xyz", "*.together.ai", "*.fireworks.ai", "dashscope*.aliyuncs.com"],
        models: &[],
        takes: &[TopK(true)],
        why: "Together, Fireworks and DashScope take top_k",
    },
    // Servers that refuse what they do not know
    Quirk {
        hosts: OPENAI,
        models: &[],
        takes: &[
            MostTools(128),
            MostStops(4),
            Ids(IdRule::UpTo(40)),
            Reasoning(ReasoningField::None),
            TopK(false),
        ],
        why: "OpenAI takes 128 tools, 4 stop sequences and ids of 40 characters, and refuses unknown members of messages",
    },
    Quirk {
        hosts: &["api.groq.com", "api.cerebras.ai"],
        models: &[],
        takes: &[Reasoning(ReasoningField::None)],
        why: "Groq and Cerebras refuse reasoning_content, and reasoning from models that do not think",
    },
    Quirk { hosts: &["api.groq.com"], models: &[], takes: &[MostTools(128)], why: "Groq takes 128 tools" },
    Quirk {
        hosts: &["api.mistral.ai"],
        models: &[],
        takes: &[Ids(IdRule::NineAlphanumerics), Reasoning(ReasoningField::None)],
        why: "Mistral takes ids of nine letters and digits, and refuses unknown members of messages",
    },
    Quirk {
        hosts: &[],
        models: MISTRAL,
        takes: &[Ids(IdRule::NineAlphanumerics)],
        why: "templates of Mistral's models take ids of nine letters and digits, wherever they run",
    },
    // Thoughts of earlier turns
    Quirk {
        hosts: &[],
        models: &["*deepseek-r1*"],
        takes: &[Reasoning(ReasoningField::None)],
        why: "DeepSeek R1 must not be shown its earlier thoughts",
    },
    Quirk {
        hosts: &["api.deepseek.com"],
        models: &[],
        takes: &[Reasoning(ReasoningField::ReasoningContent)],
        why: "DeepSeek refuses a thinking turn with calls that comes back without its reasoning_content",
    },
    Quirk {
        hosts: &["api.moonshot.ai", "api.moonshot.cn"],
        models: &[],
        takes: &[Reasoning(ReasoningField::ReasoningContent)],
        why: "Kimi's thinking models want the reasoning_content of earlier turns with calls",
    },
    Quirk {
        hosts: &["api.x.ai"],
        models: &["grok-4*", "grok-code*", "grok-3-mini*"],
        takes: &[MostStops(0)],
        why: "xAI's thinking models refuse stop",
    },
    // Gemini
    Quirk {
        hosts: &["generativelanguage.googleapis.com", "*aiplatform.googleapis.com"],
        models: &[],
        takes: &[Schemas(SchemaRule::Gemini), Reasoning(ReasoningField::None)],
        why: "Google's OpenAI surface refuses unknown members, and keywords of schemas that Gemini lacks",
    },
    GEMINI_MODELS,
    // OpenAI's models, wherever they are served under their own names
    Quirk {
        hosts: &[],
        models: OPENAI_THINKERS,
        takes: &[
            MaxCompletionTokens(true),
            Temperature(false),
            TopK(false),
            MostStops(0),
            Reasoning(ReasoningField::None),
        ],
        why: "OpenAI's thinking models take max_completion_tokens, and refuse max_tokens, temperature, top_p and stop",
    },
    OPENAI_THINKING,
    OPENAI_NOT_THINKING,
    OPENAI_CHAT_MODELS,
    Quirk {
        hosts: &[],
        models: &["gpt-5.2*", "gpt-5.4*", "gpt-5.5*", "gpt-5.6*"],
        takes: &[EffortWithTools(false), Better(Dialect::OpenAiResponses)],
        why: "these models refuse tools on Chat Completions unless reasoning_effort is none: Responses has both",
    },
];
