//! What an agent is set to, and every number of it.

use std::time::Duration;

use toolwright_config::AgentConfig;

use crate::Offer;

/// The most calls of one answer that are run; the others are told that they were too many.
pub(crate) const MOST_CALLS_OF_A_ROUND: usize = 32;
/// The most calls that run at the same time.
pub(crate) const CALLS_AT_ONCE: usize = 16;
/// The most bytes that the results of one round have together.
pub(crate) const ROUND_BYTES: usize = 128 << 10;
/// The fewest bytes that a result is cut to, however many there are.
pub(crate) const LEAST_RESULT_BYTES: usize = 1 << 10;
/// The most conversations that are remembered at once; the one that was idle longest is forgotten.
pub(crate) const MOST_CONVERSATIONS: usize = 1_024;

/// What an agent is set to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentSettings {
    /// The model that is asked when the question names none.
    pub model: Option<String>,
    /// The instructions for questions of the command line; ours when absent.
    pub ask_prompt: Option<String>,
    /// The instructions for spoken questions; ours when absent.
    pub voice_prompt: Option<String>,
    /// How freely the model answers, 0 to 2; the upstream decides when absent.
    pub temperature: Option<f64>,
    /// The tools that the configuration lets a model call: what a front offers it offers of these.
    pub offer: Offer,
    /// What a question may cost.
    pub limits: Limits,
    /// What is remembered of conversations.
    pub memory: MemorySettings,
}

/// What one question may cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How often the model may call tools; then it is asked for an answer without them. Default: 8.
    pub rounds: u32,
    /// How long it may take in all. Default: 120 s.
    pub time: Duration,
    /// The most tokens, of questions and answers together. Default: 200,000.
    pub tokens: u64,
    /// The most tokens of one answer of the model. Default: 2,048.
    pub answer_tokens: u64,
    /// The most bytes of one result that the model is shown. Default: 16 KiB.
    pub result_bytes: usize,
    /// After how many times the same call with the same error the question is ended. One time before that the model is
    /// told. Default: 3.
    pub repeats: u32,
}

/// What is remembered of conversations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemorySettings {
    /// After how much silence a conversation is forgotten. Default: 2 min.
    pub idle: Duration,
    /// The most turns of a conversation. Default: 20.
    pub turns: usize,
    /// The most bytes of a conversation. Default: 64 KiB.
    pub bytes: usize,
}

impl AgentSettings {
    /// What the configuration says, and the usual where it says nothing.
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
