//! Why a question has no answer: a kind for programs, a sentence that can be spoken, and the details.

use toolwright_llm::{Failure, FailureKind};

use crate::Called;

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
#[error("{sentence}")]
pub struct AskError {
    /// For programs.
    pub kind: AskErrorKind,
    /// For people: less than 300 characters that can be spoken, with a full stop and without codes.
    pub sentence: String,
    /// What is known besides: the upstream's own words, and what to do.
    pub details: String,
    /// The calls that came before, each with its result: what they did is done.
    pub calls: Vec<Called>,
}

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AskErrorKind {
    /// No model is named, or none of this name is known.
    NoModel,
    /// The tool that must be called is none of those that may be.
    NoTool,
    /// The provider does not take the key, or there is none.
    Key,
    /// The provider has too much to do, or we have asked too often.
    Busy,
    /// The model did not answer in time.
    Slow,
    /// The conversation is too large for the model.
    TooLarge,
    /// The model cannot be reached, or broke off.
    Broken,
    /// The provider does not take what was asked.
    Invalid,
}

impl AskErrorKind {
    /// Its name in documents for programs.
    pub fn word(self) -> &'static str {
        match self {
            AskErrorKind::NoModel => "no_model",
            AskErrorKind::NoTool => "no_tool",
            AskErrorKind::Key => "key",
            AskErrorKind::Busy => "busy",
            AskErrorKind::Slow => "slow",
            AskErrorKind::TooLarge => "too_large",
            AskErrorKind::Broken => "broken",
            AskErrorKind::Invalid => "invalid",
        }
    }

    /// What people hear of it.
    pub fn sentence(self) -> &'static str {
        match self {
            AskErrorKind::NoModel => "There is no language model that I can ask. Please set one up first.",
            AskErrorKind::NoTool => "The tool that has to be used is not available.",
            AskErrorKind::Key => {
                "The language model does not let me in. Please check the key in the configuration."
            }
            AskErrorKind::Busy => {
                "The language model has too much to do right now. Please try again in a moment."
            }
            AskErrorKind::Slow => "The language model did not answer in time. Please try again later.",
            AskErrorKind::TooLarge => {
                "This conversation has become too long for the language model. Please start a new one."
            }
            AskErrorKind::Broken => {
                "The language model cannot be reached right now. Please check that it is running."
            }
            AskErrorKind::Invalid => "The language model does not understand what I asked of it.",
        }
    }
}

impl AskError {
    pub(crate) fn new(kind: AskErrorKind, details: impl Into<String>) -> AskError {
        AskError { kind, sentence: kind.sentence().to_owned(), details: details.into(), calls: Vec::new() }
    }

    pub(crate) fn no_model() -> AskError {
        AskError::new(
            AskErrorKind::NoModel,
            "no model is named; name one with the question, or as agent.model",
        )
    }

    /// What an upstream's failure means for who asked.
    pub(crate) fn of(failure: &Failure, calls: Vec<Called>) -> AskError {
        let kind = match failure.kind {
            FailureKind::NotFound => AskErrorKind::NoModel,
            FailureKind::Authentication | FailureKind::Permission | FailureKind::Billing => AskErrorKind::Key,
            FailureKind::RateLimit | FailureKind::Overloaded => AskErrorKind::Busy,
            FailureKind::Timeout => AskErrorKind::Slow,
            FailureKind::TooLarge => AskErrorKind::TooLarge,
            FailureKind::Api => AskErrorKind::Broken,
            FailureKind::InvalidRequest => AskErrorKind::Invalid,
        };
        AskError { calls, ..AskError::new(kind, &failure.message) }
    }
}
