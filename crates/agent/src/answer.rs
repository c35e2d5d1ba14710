//! Answers.

use std::time::Duration;

use toolwright_executor::{CallError, ToolOutput};
use toolwright_llm::form::Message;
use toolwright_model::Change;

use crate::Question;

/// The answer to a question.
#[derive(Debug)]
pub struct Answer {
    /// The text to show or speak.
    pub text: String,
    /// The reason why it ended.
    pub stop: Stop,
    /// The model, by its name at the upstream.
    pub model: String,
    /// The provider of the model: `anthropic`, `openai` or `ollama`.
    pub provider: &'static str,
    /// The upstream of the last response.
    pub upstream: String,
    /// The number of requests to the model.
    pub rounds: u32,
    /// The number of turns in the conversation, including this one; 1 without a conversation.
    pub turns: usize,
    /// The token usage.
    pub tokens: Tokens,
    /// The calls, in order, each with its result.
    pub calls: Vec<Called>,
    /// Calls that wait for a confirmation, see [`Agent::go_on`](crate::Agent::go_on).
    pub held: Option<Held>,
    /// The total duration.
    pub duration: Duration,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The model answered.
    Answered,
    /// The model returned no text.
    Empty,
    /// The answer reached its length limit.
    Length,
    /// The model or the filter of its provider refused.
    Refused,
    /// The round limit was reached: the answer was made without tools.
    Rounds,
    /// The same call failed with the same error repeatedly.
    Repeats,
    /// The token limit was reached.
    Tokens,
    /// The time limit was reached.
    Time,
    /// The question was cancelled.
    Cancelled,
    /// A call needs a confirmation.
    Confirm,
}

/// Tokens of all rounds. They are estimates if an upstream reports no usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Input tokens, cached or not.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
}

/// A call of an answer, with its result.
#[derive(Clone, Debug)]
pub struct Called {
    /// The round in which it was sent, from 1.
    pub round: u32,
    /// The id that links the call and its result.
    pub id: String,
    /// The name of the tool if it was found, otherwise the name as sent.
    pub name: String,
    /// `server/name`, if the tool was found.
    pub qualified_name: Option<String>,
    /// The name that the model sent.
    pub sent_name: String,
    /// The arguments that the model sent.
    pub sent: String,
    /// The repaired arguments, which the tool received or would have received.
    pub arguments: Option<String>,
    /// The repairs.
    pub changes: Vec<Change>,
    /// The result of the tool, or the error.
    pub result: Result<ToolOutput, CallError>,
    /// The duration of the call.
    pub duration: Duration,
}

/// Calls that wait for a confirmation. If it is dropped, they never run.
pub struct Held {
    pub(crate) question: Question,
    pub(crate) model: String,
    pub(crate) turn: u64,
    /// The turn so far, with placeholders for the results of the held calls.
    pub(crate) messages: Vec<Message>,
    pub(crate) calls: Vec<HeldCall>,
    pub(crate) rounds: u32,
}

/// One held call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldCall {
    /// The id that links the call and its result.
    pub id: String,
    /// `server/name` of the tool.
    pub tool: String,
    /// The approved arguments, with which the call will run.
    pub arguments: String,
    /// The question to the user.
    pub question: String,
    pub(crate) schema_print: u64,
}

/// The decision of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The calls run.
    Yes,
    /// The calls do not run.
    No,
}

impl Stop {
    /// The name in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            Stop::Answered => "answered",
            Stop::Empty => "empty",
            Stop::Length => "length",
            Stop::Refused => "refused",
            Stop::Rounds => "rounds",
            Stop::Repeats => "repeats",
            Stop::Tokens => "tokens",
            Stop::Time => "time",
            Stop::Cancelled => "cancelled",
            Stop::Confirm => "confirm",
        }
    }
}

impl Tokens {
    /// Input and output tokens.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl Called {
    /// Whether the call was repaired.
    pub fn is_mended(&self) -> bool {
        !self.changes.is_empty()
    }
}

impl Held {
    /// The calls.
    pub fn calls(&self) -> &[HeldCall] {
        &self.calls
    }

    /// The conversation they belong to.
    pub fn conversation(&self) -> Option<&str> {
        self.question.conversation.as_deref()
    }
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Held").field("calls", &self.calls).finish_non_exhaustive()
    }
}
