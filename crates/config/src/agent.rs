//! What a configuration says of questions to models: which one is asked, within which limits, with what memory.

use std::time::Duration;

/// The section `agent`. What is absent is as usual.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentConfig {
    /// The model that is asked when the question names none.
    pub model: Option<String>,
    /// How often it may call tools.
    pub rounds: Option<u32>,
    /// How long a question may take.
    pub timeout: Option<Duration>,
    /// The most tokens of a question, of all rounds together.
    pub tokens: Option<u64>,
    /// The most tokens of one answer of the model.
    pub answer_tokens: Option<u64>,
    /// The most bytes of one result that the model is shown.
    pub result_bytes: Option<usize>,
    /// After how many times the same call with the same error a question is ended.
    pub repeats: Option<u32>,
    /// How freely the model answers.
    pub temperature: Option<f64>,
    /// The tools that it may call: names, patterns and `!` refusals. None when what stands there cannot be read.
    pub tools: Option<Vec<String>>,
    /// After how much silence a conversation is forgotten.
    pub memory_idle: Option<Duration>,
    /// The most turns of a conversation that are remembered.
    pub memory_turns: Option<usize>,
    /// The most bytes of one.
    pub memory_bytes: Option<usize>,
    /// The instructions for questions of the command line.
    pub ask_prompt: Option<String>,
    /// The instructions for spoken questions.
    pub voice_prompt: Option<String>,
}
