//! What is written down of one call, or of one exchange with a model.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::Exchange;

/// The front of calls that a model behind the proxy made: their tools are the client's, and not ours.
pub const LLM_FRONT: &str = "llm";

/// How many bytes of arguments are written down: a line of the journal has an end.
const MAX_ARGUMENTS: usize = 1 << 20;

/// As much of the text of arguments as is written down.
pub fn recorded_part(arguments: &str) -> &str {
    &arguments[..arguments.floor_char_boundary(MAX_ARGUMENTS)]
}

/// One line of the journal, without what chains it to the others. Everything in it has been redacted.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// Its number in the journal of its node, from 1 on, without gaps. Given by the journal.
    pub seq: u64,
    /// When the call came in, in microseconds since 1970. Clocks jump: the order is that of `seq`.
    pub ts: i64,
    /// The gateway that wrote it.
    pub node: String,
    /// Whether it tells of a call's begin, of its end, or of an exchange with a model.
    pub kind: Kind,
    /// Which call: the same in both records of one.
    pub call: String,
    /// Who called, by the name of its token or of its program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The name of the token that the call came with: what a client cannot choose. Nothing in records of before, and where
    /// Toolwright itself calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The conversation that the call belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// How it came: `mcp`, `stdio`, `llm`, `ask`, `voice` or `cli`.
    #[serde(default)]
    pub front: String,
    /// The toolbox of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolbox: Option<String>,
    /// The server of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The tool's own name; what was sent when there is no such tool.
    pub tool: String,
    /// Tells schemas of one tool apart: what was learned of one does not hold for another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The arguments as they were sent: JSON, or a string when they were no JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Box<RawValue>>,
    /// The arguments that the tool got, when they were changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalized: Option<Box<RawValue>>,
    /// What was changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// How far the call came.
    #[serde(default)]
    pub stages: Stages,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// From the call to its end, in microseconds, by a clock that does not jump.
    #[serde(default)]
    pub duration_us: u64,
    /// The size of the arguments as they were sent.
    #[serde(default)]
    pub bytes_in: u64,
    /// The size of the result.
    #[serde(default)]
    pub bytes_out: u64,
    /// What is particular to an exchange with a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Box<Exchange>>,
}

/// What a record tells of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A call that is over.
    #[default]
    Call,
    /// A call that was begun and may be cut. Without a record of its end it was.
    InProgress,
    /// An exchange with a model that is over. `tool` is empty, and `server` is the upstream.
    Exchange,
}

/// One change of the arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The code of the step that made it.
    pub code: String,
    /// Where, as a JSON Pointer.
    pub path: String,
    /// What was there, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What is there now, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The rule that asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The type of that rule, as rules files have it.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "type")]
    pub rule_type: Option<String>,
}

impl From<&toolwright_model::Change> for Change {
    /// Without the evidence: that is for the caller. A record has the code as text, so that journals of every release
    /// can be read.
    fn from(change: &toolwright_model::Change) -> Change {
        Change {
            code: change.code.as_str().to_owned(),
            path: change.path.clone(),
            from: change.from.clone(),
            to: change.to.clone(),
            rule: change.rule.clone(),
            rule_type: change.rule_type.map(str::to_owned),
        }
    }
}

/// How far a call came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stages {
    /// Whether the tool could be reached and answered.
    pub transport: Reached,
    /// Whether the call was one that the tool takes, and the answer one that can be passed on.
    pub protocol: Reached,
    /// Whether the tool did what it was asked.
    pub tool: Reached,
}

/// What became of one stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reached {
    /// It went well.
    Passed,
    /// Here the call failed.
    Failed,
    /// The call did not come this far, or nobody knows whether it did.
    #[default]
    NotReached,
}

/// Why a call failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The stable code, such as `invalid_arguments`.
    pub code: String,
    /// The words, without secrets.
    pub message: String,
    /// The parameters that it is about, as JSON Pointers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<String>,
    /// Whether the tool itself said so, and not we.
    #[serde(default)]
    pub is_from_tool: bool,
}

/// The codes of calls that Toolwright refused: nothing was sent to a tool.
const REFUSALS: [&str; 5] = ["invalid_arguments", "unknown_tool", "ambiguous_tool", "refused", "denied"];

impl Failure {
    /// Whether Toolwright refused the call. A tool that says the same with its own words has run.
    pub fn is_refusal(&self) -> bool {
        !self.is_from_tool && REFUSALS.contains(&self.code.as_str())
    }
}

impl Record {
    /// Whether Toolwright refused the call, so that its arguments went to no tool.
    pub fn is_refused(&self) -> bool {
        self.error.as_ref().is_some_and(Failure::is_refusal)
    }

    /// Whether the call, or the exchange, did what it was asked.
    pub fn is_ok(&self) -> bool {
        self.error.is_none() && self.kind != Kind::InProgress
    }
}
