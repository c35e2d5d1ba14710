//! Settings and limits of an agent.

use std::time::Duration;

use toolwright_config::AgentConfig;

use crate::Offer;

/// Limit of calls in one response; further ones are denied.
pub(crate) const MOST_CALLS_OF_A_ROUND: usize = 32;
/// Limit of concurrent calls.
pub(crate) const CALLS_AT_ONCE: usize = 16;
/// Limit of the results of one round together, in bytes.
pub(crate) const ROUND_BYTES: usize = 128 << 10;
/// The minimum size to which a result is truncated, regardless of the number of results.
pub(crate) const LEAST_RESULT_BYTES: usize = 1 << 10;
/// Limit of stored conversations; the one that was idle longest is dropped.
pub(crate) const MOST_CONVERSATIONS: usize = 1_024;

/// The settings of an agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentSettings {
    /// The default model.
    pub model: Option<String>,
    /// The instructions for questions of the command line; built-in ones if absent.
    pub ask_prompt: Option<String>,
    /// The instructions for spoken questions; built-in ones if absent.
    pub voice_prompt: Option<String>,
    /// The sampling temperature, 0 to 2; the upstream's default if absent.
    pub temperature: Option<f64>,
    /// The tools that the configuration allows: fronts offer a subset of these.
    pub offer: Offer,
    /// The limits of a question.
    pub limits: Limits,
    /// The memory of conversations.
    pub memory: MemorySettings,
}

/// The limits of one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rounds with tool calls; then the model must answer without tools. Default: 8.
    pub rounds: u32,
    /// Total time. Default: 120 s.
    pub time: Duration,
    /// Total tokens, input and output. Default: 200,000.
    pub tokens: u64,
    /// Output tokens of one response. Default: 2,048.
    pub answer_tokens: u64,
    /// Bytes of one result that the model receives. Default: 16 KiB.
    pub result_bytes: usize,
    /// The number of identical failures after which the question ends. The model is warned one failure
    /// earlier. Default: 3.
    pub repeats: u32,
}

/// The memory of conversations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemorySettings {
    /// The idle time after which a conversation is deleted. Default: 2 min.
    pub idle: Duration,
    /// Limit of turns in a conversation. Default: 20.
    pub turns: usize,
    /// Limit of bytes in a conversation. Default: 64 KiB.
    pub bytes: usize,
}

impl AgentSettings {
    /// The settings of the configuration, with defaults.
    pub fn of(config: &AgentConfig) -> AgentSettings {
        let (limits, memory) = (Limits::default(), MemorySettings::default());
        AgentSettings {
            model: config.model.clone(),
            ask_prompt: config.ask_prompt.clone(),
            voice_prompt: config.voice_prompt.clone(),
            temperature: config.temperature,
            offer: config.tools.as_ref().map_or(Offer::All, |tools| Offer::of(tools)),
            limits: Limits {
                rounds: config.rounds.unwrap_or(limits.rounds),
                time: config.timeout.unwrap_or(limits.time),
                tokens: config.tokens.unwrap_or(limits.tokens),
                answer_tokens: config.answer_tokens.unwrap_or(limits.answer_tokens),
                result_bytes: config.result_bytes.unwrap_or(limits.result_bytes),
                repeats: config.repeats.unwrap_or(limits.repeats),
            },
            memory: MemorySettings {
                idle: config.memory_idle.unwrap_or(memory.idle),
                turns: config.memory_turns.unwrap_or(memory.turns),
                bytes: config.memory_bytes.unwrap_or(memory.bytes),
            },
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            rounds: 8,
            time: Duration::from_secs(120),
            tokens: 200_000,
            answer_tokens: 2_048,
            result_bytes: 16 << 10,
            repeats: 3,
        }
    }
}

impl Default for MemorySettings {
    fn default() -> Self {
        MemorySettings { idle: Duration::from_secs(120), turns: 20, bytes: 64 << 10 }
    }
}
