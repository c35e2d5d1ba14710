//! The table of quirks. A row is a fact with its reason; a row that is not sure is not here.

use super::Quirk;
use super::Takes::*;
use super::UpstreamKind::{Anthropic, Ollama, OpenAiChat, OpenAiResponses};
use crate::{IdRule, ReasoningField, SchemaRule};

const OPENAI: &[&str] = &["api.openai.com", "*.openai.azure.com", "*.api.openai.com"];

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

const GEMINI: &[&str] = &["*gemini*"];

const MISTRAL: &[&str] =
    &["*mistral*", "*mixtral*", "*codestral*", "*devstral*", "*ministral*", "*magistral*", "*pixtral*"];

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
    // Conversations
    Quirk {
        kinds: &[Anthropic, OpenAiChat, OpenAiResponses, Ollama],
        hosts: &[],
        models: &[],
        takes: &[InlineSystem(false)],
        why: "Claude models before Opus 4.8, and templates of open models (Qwen 3.5, Ministral 3, Apertus), refuse system messages between others",
    },
    Quirk {
        kinds: &[OpenAiChat, Ollama],
        hosts: &[],
        models: &[],
        takes: &[Neighbours(false)],
        why: "templates of open models (Mistral, Gemma) want the sides to take turns",
    },
    Quirk {
        kinds: &[OpenAiChat, OpenAiResponses],
        hosts: OPENAI,
        models: &[],
        takes: &[InlineSystem(true), Neighbours(true)],
        why: "OpenAI takes system messages between others, and messages of one side after each other",
    },
    Quirk {
        kinds: &[Anthropic],
        hosts: &[],
        models: &["*claude-opus-4-8*", "*claude-opus-4.8*"],
        takes: &[InlineSystem(true)],
        why: "Claude Opus 4.8 takes system messages between others",
    },
    Quirk {
        kinds: &[OpenAiChat],
        hosts: &[],
        models: MISTRAL,
        takes: &[UserAfterResults(false)],
        why: "Mistral's models refuse a message of the user directly after the result of a tool",
    },
    Quirk {
        kinds: &[OpenAiChat],
        hosts: &["api.mistral.ai"],
        models: &[],
        takes: &[UserAfterResults(false)],
        why: "Mistral refuses a message of the user directly after the result of a tool",
    },
    // Anthropic
    Quirk {
        kinds: &[Anthropic],
        hosts: &[],
        models: &[],
        takes: &[NameChars(64), Schemas(SchemaRule::ObjectWithProperties)],
        why: "Bedrock and those who imitate Anthropic take names of 64 characters; a schema needs a type, and no choice at its root",
    },
    Quirk {
        kinds: &[Anthropic],
        hosts: &["api.anthropic.com"],
        models: &[],
        takes: &[NameChars(128)],
        why: "Anthropic takes names of 128 characters",
    },
    Quirk {
        kinds: &[Anthropic, OpenAiChat],
        hosts: &[],
        models: CLAUDE_WITH_ONE_SAMPLER,
        takes: &[TemperatureWithTopP(false)],
        why: "Claude models since Opus 4.1 refuse temperature and top_p together",
    },
    Quirk {
        kinds: &[Anthropic, OpenAiChat],
        hosts: &[],
        models: CLAUDE_WITHOUT_SAMPLERS,
        takes: &[Temperature(false), TopK(false)],
        why: "Claude models since Opus 4.7 refuse temperature, top_p and top_k",
    },
    Quirk {
        kinds: &[Anthropic],
        hosts: &[],
        models: CLAUDE_WITHOUT_THINKING,
        takes: &[Thinking(false)],
        why: "Claude models before 3.7 refuse thinking",
    },
    // Servers that take more than Chat Completions says
    Quirk {
        kinds: &[OpenAiChat],
        hosts: LOCAL,
        models: &[],
        takes: &[TopK(true)],
        why: "vLLM, llama.cpp, SGLang and LM Studio take top_k",
    },
    Quirk {
        kinds: &[OpenAiChat],
        hosts: &["openrouter.ai", "*.openrouter.ai"],
        models: &[],
        takes: &[TopK(true), Reasoning(ReasoningField::Reasoning)],
        why: "OpenRouter takes top_k, and thoughts as reasoning",
    },
    Quirk {
        kinds: &[OpenAiChat],
        hosts: &["*.together.xyz", "*.together.ai", "*.fireworks.ai", "dashscope*.aliyuncs.com"],
        models: &[],
        takes: &[TopK(true)],
        why: "Together, Fireworks and DashScope take top_k",
    },
    // Servers that refuse what they do not know
    Quirk {
        kinds: &[OpenAiChat],
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
        kinds: &[OpenAiResponses],
        hosts: OPENAI,
        models: &[],
        takes: &[MostTools(128), Ids(IdRule::UpTo(64))],
        why: "OpenAI takes 128 tools and ids of 64 characters",
    },
    Quirk {
        kinds: &[OpenAiChat],
        hosts: &["api.groq.com", "api.cerebras.ai"],
        models: &[],
        takes: &[Reasoning(ReasoningField::None)],
        why: "Groq and Cerebras refuse reasoning_content, and reasoning from models that do not think",
    },
    Quirk {
        kinds: &[OpenAiChat],
        hosts: &["api.groq.com"],
        models: &[],
        takes: &[MostTools(128)],
        why: "Groq takes 128 tools",
    },
    Quirk {
        kinds: &[OpenAiChat],
        hosts: &["api.mistral.ai"],
        models: &[],
        takes: &[Ids(IdRule::NineAlphanumerics), Reasoning(ReasoningField::None)],
        why: "Mistral takes ids of nine letters and digits, and refuses unknown members of messages",
    },
    Quirk {
        kinds: &[OpenAiChat],
        hosts: &[],
        models: MISTRAL,
        takes: &[Ids(IdRule::NineAlphanumerics)],
        why: "templates of Mistral's models take ids of nine letters and digits, wherever they run",
    },
    // Thoughts of earlier turns
    Quirk {
        kinds: &[OpenAiChat],
        hosts: &[],
        models: &["*deepseek-r1*"],
        takes: &[Reasoning(ReasoningField::None)],
        why: "DeepSeek R1 must not be shown its earlier thoughts",
    },
    Quirk {
        kinds: &[OpenAiChat],
        hosts: &["api.deepseek.com"],
        models: &[],
        takes: &[Reasoning(ReasoningField::ReasoningContent)],
        why: "DeepSeek refuses a thinking turn with calls that comes back without its reasoning_content",
    },
    Quirk {
        kinds: &[OpenAiChat],
        hosts: &["api.moonshot.ai", "api.moonshot.cn"],
        models: &[],
        takes: &[Reasoning(ReasoningField::ReasoningContent)],
        why: "Kimi's thinking models want the reasoning_content of earlier turns with calls",
    },
    Quirk {
        kinds: &[OpenAiChat],
        hosts: &["api.x.ai"],
        models: &["grok-4*", "grok-code*", "grok-3-mini*"],
        takes: &[MostStops(0)],
        why: "xAI's thinking models refuse stop",
    },
    // Gemini
    Quirk {
        kinds: &[OpenAiChat],
        hosts: &["generativelanguage.googleapis.com", "*aiplatform.googleapis.com"],
        models: &[],
        takes: &[Schemas(SchemaRule::Gemini), Reasoning(ReasoningField::None)],
        why: "Google's OpenAI surface refuses unknown members, and keywords of schemas that Gemini lacks",
    },
    Quirk {
        kinds: &[Anthropic, OpenAiChat, OpenAiResponses],
        hosts: &[],
        models: GEMINI,
        takes: &[Schemas(SchemaRule::Gemini), NameChars(64)],
        why: "Gemini refuses many keywords of schemas, whoever passes them on",
    },
    // OpenAI's models, wherever they are served under their own names
    Quirk {
        kinds: &[OpenAiChat],
        hosts: &[],
        models: &["o1*", "o3*", "o4-*", "gpt-5*"],
        takes: &[
            MaxCompletionTokens(true),
            Temperature(false),
            TopK(false),
            MostStops(0),
            Reasoning(ReasoningField::None),
        ],
        why: "OpenAI's thinking models take max_completion_tokens, and refuse max_tokens, temperature, top_p and stop",
    },
    Quirk {
        kinds: &[OpenAiResponses],
        hosts: &[],
        models: &["o1*", "o3*", "o4-*", "gpt-5*"],
        takes: &[Temperature(false)],
        why: "OpenAI's thinking models refuse temperature and top_p",
    },
    Quirk {
        kinds: &[OpenAiChat, OpenAiResponses],
        hosts: &[],
        models: &["o1*", "o3*", "o4-*", "gpt-5*"],
        takes: &[Thinking(true)],
        why: "OpenAI's thinking models take an effort",
    },
    Quirk {
        kinds: &[OpenAiChat, OpenAiResponses],
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
    },
    Quirk {
        kinds: &[OpenAiChat, OpenAiResponses],
        hosts: &[],
        models: &["gpt-5*-chat*"],
        takes: &[Temperature(true), Thinking(false)],
        why: "the chat models of the GPT-5 family do not think, and take temperature",
    },
    Quirk {
        kinds: &[OpenAiChat],
        hosts: &[],
        models: &["gpt-5.2*", "gpt-5.4*", "gpt-5.5*", "gpt-5.6*"],
        takes: &[EffortWithTools(false)],
        why: "these models refuse tools on Chat Completions unless reasoning_effort is none: Responses has both",
    },
];
