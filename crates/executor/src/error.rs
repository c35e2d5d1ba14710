//! Why a call gave no result: a stable code, a sentence that can be spoken, and the original.

mod own_words;
mod sentence;
mod spoken;

use std::fmt;
use std::time::Duration;

use toolwright_model::{Code, Problem};

use crate::executor::Denied;
use crate::redact;
use crate::registry::{Parameter, RegisteredTool};
use crate::{OnDrop, RawResponse};
use sentence::Names;

/// The longest sentence, in characters.
pub const MAX_SENTENCE_CHARS: usize = 299;

/// How much of an unknown name is shown, in characters, and how many names of tools beside it.
const MAX_SHOWN_NAME_CHARS: usize = 100;
const MAX_SHOWN_TOOLS: usize = 100;

/// What went wrong, as programs read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// No tool has the name.
    UnknownTool,
    /// Several tools have the name.
    AmbiguousTool,
    /// The arguments do not fit what the tool takes.
    InvalidArguments,
    /// What the arguments mean is not certain enough to act on.
    Refused,
    /// Whoever speaks for the person does not let it be run.
    Denied,
    /// The tool took too long and was stopped, or asked to stop.
    Timeout,
    /// The caller gave the call up.
    Cancelled,
    /// Too many calls are running.
    Busy,
    /// What the tool needs cannot be reached.
    Unavailable,
    /// The tool ran and says that it failed.
    ToolError,
    /// The result is too large to pass on.
    TooLarge,
    /// The tool's code broke.
    Panicked,
    /// The tool has run, and it is not certain that this stays written down.
    Unrecorded,
}

/// Why a call gave no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{written}")]
pub struct CallError {
    /// For programs.
    pub code: ErrorCode,
    /// For people: less than 300 characters that can be spoken, without codes.
    pub sentence: String,
    /// The same to be read: with the names as they are typed.
    pub written: Box<str>,
    /// The original: what the tool or the check said, whole.
    pub details: String,
    /// What the normalizer found, when it refused the arguments.
    pub problems: Vec<Problem>,
    /// How a call that fits would look, when the normalizer refused the arguments and knows.
    pub hint: Box<str>,
    /// The response of the server, where one came, also when it was a result and the call failed afterwards.
    pub response: Option<Box<RawResponse>>,
    words_of: WordsOf,
}

/// Whose words the details are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordsOf {
    Us,
    Tool,
}

impl ErrorCode {
    /// The code as written in results and records. It never changes its meaning.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorCode::UnknownTool => "unknown_tool",
            ErrorCode::AmbiguousTool => "ambiguous_tool",
            ErrorCode::InvalidArguments => "invalid_arguments",
            ErrorCode::Refused => "refused",
            ErrorCode::Denied => "denied",
            ErrorCode::Timeout => "timeout",
            ErrorCode::Cancelled => "cancelled",
            ErrorCode::Busy => "busy",
            ErrorCode::Unavailable => "unavailable",
            ErrorCode::ToolError => "tool_error",
            ErrorCode::TooLarge => "too_large",
            ErrorCode::Panicked => "panicked",
            ErrorCode::Unrecorded => "unrecorded",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl CallError {
    /// The text for the model: a tool's own message as it is, else the sentence and the details.
    pub fn message(&self) -> String {
        match self.words_of {
            WordsOf::Tool => self.details.clone(),
            WordsOf::Us if self.details.is_empty() => self.written.to_string(),
            WordsOf::Us => format!("{}\n{}", self.written, self.details),
        }
    }

    /// Whether the details are the tool's own words.
    pub fn is_from_tool(&self) -> bool {
        self.words_of == WordsOf::Tool
    }

    /// What a log may tell of the reason: codes and places, never the values that were sent.
    pub fn reason_for_log(&self) -> String {
        if self.problems.is_empty() {
            return redact::reason(&self.details).into_owned();
        }
        let places = self.problems.iter().map(|problem| format!("{} {}", problem.code, problem.path));
        places.map(|place| place.trim_end().to_owned()).collect::<Vec<_>>().join(", ")
    }

    /// The same, made of what a server responded.
    pub(crate) fn with_response(self, response: Option<Box<RawResponse>>) -> Self {
        CallError { response, ..self }
    }

    pub(crate) fn unknown_tool<'n>(
        sent: &str,
        nearest: &[String],
        available: impl Iterator<Item = &'n str>,
    ) -> Self {
        let sent: String = sent.chars().take(MAX_SHOWN_NAME_CHARS).collect();
        let mut available: Vec<String> = available.map(str::to_owned).collect();
        if available.len() > MAX_SHOWN_TOOLS {
            let left_out = available.len() - MAX_SHOWN_TOOLS;
            available.truncate(MAX_SHOWN_TOOLS);
            available.push(format!("and {left_out} more"));
        }
        let details = match available[..] {
            [] => format!("Unknown tool {sent:?}. No tools are available."),
            _ => format!("Unknown tool {sent:?}. Available tools: {}", available.join(", ")),
        };
        ours(ErrorCode::UnknownTool, |names| sentence::unknown_tool(names, &sent, nearest), details)
    }

    /// A front knows of no tool of this name for its caller.
    pub(crate) fn no_such_tool(sent: &str, nearest: &[String]) -> Self {
        let sent: String = sent.chars().take(MAX_SHOWN_NAME_CHARS).collect();
        let details = match nearest {
            [] => format!("Unknown tool {sent:?}."),
            _ => format!("Unknown tool {sent:?}. The nearest are {}", nearest.join(", ")),
        };
        ours(ErrorCode::UnknownTool, |names| sentence::unknown_tool(names, &sent, nearest), details)
    }

    pub(crate) fn ambiguous_tool(sent: &str, candidates: &[String]) -> Self {
        let details = format!("{sent:?} could be {}; send the one you mean", candidates.join(" or "));
        ours(ErrorCode::AmbiguousTool, |names| sentence::ambiguous_tool(names, sent, candidates), details)
    }

    /// The normalizer refused the arguments.
    pub(crate) fn refused(tool: &RegisteredTool, sent: &str, problems: Vec<Problem>) -> Self {
        // These say that the call is understood in more than one way, the others that it does not fit.
        let is_doubt = |problem: &Problem| {
            matches!(
                problem.code,
                Code::AmbiguousReading
                    | Code::MeaningfulUnknown
                    | Code::ConflictingValues
                    | Code::OverRiskBudget
            )
        };
        let code = match problems.iter().all(is_doubt) {
            true => ErrorCode::Refused,
            false => ErrorCode::InvalidArguments,
        };
        let say = |names| match code {
            ErrorCode::Refused => sentence::refused(names, tool.name()),
            _ => sentence::invalid_arguments(names, tool.name(), tool.parameters(), &problems, sent),
        };
        let mut lines: Vec<String> = problems.iter().map(described).collect();
        lines.push(format!("The parameters of {}: {}", tool.name(), all_described(tool.parameters())));
        // Of two values under one key a parsed form would show one only.
        if !sent.trim().is_empty() && !problems.iter().any(|problem| problem.code == Code::ConflictingValues)
        {
            lines.push(format!("Sent: {}", redact::arguments_of(tool, sent)));
        }
        let error = ours(code, say, lines.join("\n"));
        CallError { problems, ..error }
    }

    pub(crate) fn timeout(tool: &str, limit: Duration, ending: OnDrop) -> Self {
        let after = format!("after {} ms without an answer", limit.as_millis());
        let details = match ending {
            OnDrop::Stops => format!("{tool} was stopped {after}"),
            OnDrop::IsAskedToStop => {
                format!("the server of {tool} was asked to stop {after}; whether it did is not known")
            }
        };
        ours(ErrorCode::Timeout, |names| sentence::timeout(names, tool, limit, ending), details)
    }

    pub(crate) fn cancelled(tool: &str) -> Self {
        ours(ErrorCode::Cancelled, |names| sentence::cancelled(names, tool), String::new())
    }

    /// The tool was to stop while it changed something, and it is not known how far it came.
    pub(crate) fn unfinished(tool: &str) -> Self {
        let details = format!(
            "{tool} had begun to change something when it was to stop, and did not come to its end in time. Look \
             at what it has changed before you call it again"
        );
        ours(ErrorCode::Timeout, |names| sentence::unfinished(names, tool), details)
    }

    pub(crate) fn busy(tool: &str, running: usize) -> Self {
        let details = format!("{running} calls of {tool} are running already, which is the limit");
        ours(ErrorCode::Busy, |names| sentence::busy(names, tool), details)
    }

    pub(crate) fn busy_in_all(running: usize) -> Self {
        let details = format!("{running} tool calls are running already, which is the limit");
        ours(ErrorCode::Busy, |_| sentence::busy_in_all(), details)
    }

    pub(crate) fn unavailable(tool: &str, message: String) -> Self {
        ours(ErrorCode::Unavailable, |names| sentence::unavailable(names, tool), message)
    }

    /// It names no tool, or not in a way that can be read.
    pub(crate) fn not_understood(name: &str, message: String) -> Self {
        ours(ErrorCode::Refused, |names| sentence::refused(names, name), message)
    }

    /// A judge does not let the call be run.
    pub(crate) fn denied(denied: Denied) -> Self {
        ours(ErrorCode::Denied, |_| sentence::denied(&denied.sentence), denied.details)
    }

    /// Somebody who has to write every call down cannot.
    pub(crate) fn not_admitted(tool: &str, reason: String) -> Self {
        ours(ErrorCode::Unavailable, |names| sentence::not_admitted(names, tool), reason)
    }

    /// The tool has run, and who has to have that written down safely cannot.
    pub(crate) fn unrecorded(tool: &str, reason: String) -> Self {
        ours(ErrorCode::Unrecorded, |names| sentence::unrecorded(names, tool), reason)
    }

    /// Something on this machine or at a service keeps the tool from working; the network is not to blame.
    pub fn not_ready(tool: &str, message: String) -> Self {
        theirs(ErrorCode::Unavailable, |names, said| sentence::not_ready(names, tool, said), message)
    }

    pub(crate) fn tool_error(tool: &str, message: String) -> Self {
        theirs(ErrorCode::ToolError, |names, said| sentence::tool_error(names, tool, said), message)
    }

    /// The tool itself does not take the arguments.
    pub(crate) fn rejected_by_tool(tool: &RegisteredTool, message: String) -> Self {
        let say = |names, said: &str| sentence::rejected_by_tool(names, tool.name(), said);
        theirs(ErrorCode::InvalidArguments, say, message)
    }

    pub(crate) fn too_large(tool: &str, bytes: usize, limit: usize) -> Self {
        let details = format!("the structured result has {bytes} bytes; at most {limit} are passed on");
        ours(ErrorCode::TooLarge, |names| sentence::too_large(names, tool), details)
    }

    pub(crate) fn panicked(tool: &str, message: String) -> Self {
        ours(ErrorCode::Panicked, |names| sentence::panicked(names, tool), message)
    }
}

fn ours(code: ErrorCode, say: impl Fn(Names) -> String, details: String) -> CallError {
    let (sentence, written) = (say(Names::Spoken), say(Names::Typed).into_boxed_str());
    CallError {
        code,
        sentence,
        written,
        details,
        problems: Vec::new(),
        hint: Box::default(),
        response: None,
        words_of: WordsOf::Us,
    }
}

fn theirs(code: ErrorCode, say: impl Fn(Names, &str) -> String, details: String) -> CallError {
    let ours = ours(code, |names| say(names, &details), String::new());
    CallError { words_of: WordsOf::Tool, details, ..ours }
}

fn described(problem: &Problem) -> String {
    match problem.path.as_str() {
        "" => format!("- {} ({})", problem.message, problem.code),
        path => format!("- {path}: {} ({})", problem.message, problem.code),
    }
}

fn all_described(parameters: &[Parameter]) -> String {
    match parameters {
        [] => "none".to_owned(),
        _ => parameters.iter().map(Parameter::describe).collect::<Vec<_>>().join("; "),
    }
}
