//! The section `agent`: the model, limits and memory of questions to models.

use std::time::Duration;

/// The section `agent`. An absent setting has its default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentConfig {
    /// The default model.
    pub model: Option<String>,
    /// The most rounds of tool calls per question.
    pub rounds: Option<u32>,
    /// The timeout of a question.
    pub timeout: Option<Duration>,
    /// The token limit of a question, over all rounds.
    pub tokens: Option<u64>,
    /// The token limit of one response of the model.
    pub answer_tokens: Option<u64>,
    /// The most bytes of a tool result that are sent to the model.
    pub result_bytes: Option<usize>,
    /// The number of identical calls with identical errors after which a question is stopped.
    pub repeats: Option<u32>,
    /// The sampling temperature.
    pub temperature: Option<f64>,
    /// The tools that the model may call: names, patterns and `!` exclusions. `None` if the setting is invalid.
    pub tools: Option<Vec<String>>,
    /// The idle time after which a conversation is forgotten.
    pub memory_idle: Option<Duration>,
    /// The most turns of a conversation that are stored.
    pub memory_turns: Option<usize>,
    /// The most bytes of a conversation that are stored.
    pub memory_bytes: Option<usize>,
    /// The instructions for questions from the command line.
    pub ask_prompt: Option<String>,
    /// The instructions for spoken questions.
    pub voice_prompt: Option<String>,
}
