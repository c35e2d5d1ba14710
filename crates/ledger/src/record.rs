//! Record of one call, or of one exchange with a model.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::Exchange;

/// Front of calls that a model behind the proxy made: their tools belong to the client.
pub const LLM_FRONT: &str = "llm";

/// The part of the arguments that is recorded, in bytes: a journal line has a maximum length.
const MAX_ARGUMENT_BYTES: usize = 1 << 20;

/// Truncates the text of arguments to the part that is recorded.
pub fn recorded_part(arguments: &str) -> &str {
    &arguments[..arguments.floor_char_boundary(MAX_ARGUMENT_BYTES)]
}

/// One line of the journal, without the fields of the hash chain. Every text in it is redacted.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// Sequence number in the journal of its node, from 1 on, without gaps. Assigned by the journal.
    pub seq: u64,
    /// Time of the request in microseconds since 1970. Clocks jump: `seq` defines the order.
    pub ts: i64,
    /// Name of the gateway that wrote it.
    pub node: String,
    /// Start or end of a call, or an exchange with a model.
    pub kind: Kind,
    /// Id of the call: the same in its start and its end record.
    pub call: String,
    /// Name of the client, from its token or its program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// Name of the token that authenticated the call, which a client cannot choose. `None` in older records, and for
    /// calls of Toolwright itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// Conversation of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Front of the call: `mcp`, `stdio`, `llm`, `ask`, `voice` or `cli`.
    #[serde(default)]
    pub front: String,
    /// Toolbox of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolbox: Option<String>,
    /// Server of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Name of the tool without its server; the sent name when there is no such tool.
    pub tool: String,
    /// Fingerprint of the tool's schema: a rule that was learned for one schema does not apply to another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Arguments as they were sent: JSON, or a string when they were not JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Box<RawValue>>,
    /// Arguments that the tool received, when they were changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalized: Option<Box<RawValue>>,
    /// Changes of the arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// Stages that the call reached.
    #[serde(default)]
    pub stages: Stages,
    /// Error of a failed call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// Duration of the call in microseconds, by a monotonic clock.
    #[serde(default)]
    pub duration_us: u64,
    /// Size of the arguments as they were sent.
    #[serde(default)]
    pub bytes_in: u64,
    /// Size of the result.
    #[serde(default)]
    pub bytes_out: u64,
    /// Fields of an exchange with a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Box<Exchange>>,
}

/// Kind of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A finished call.
    #[default]
    Call,
    /// A started call. Without an end record it was interrupted.
    InProgress,
    /// A finished exchange with a model. `tool` is empty, and `server` is the upstream.
    Exchange,
}

/// A change of the arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Code of the repair step.
    pub code: String,
    /// Location, as a JSON Pointer.
    pub path: String,
    /// Value before the change, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Value after the change, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Id of the rule that caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Type of that rule, as in rules files.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "type")]
    pub rule_type: Option<String>,
}

impl From<&toolwright_model::Change> for Change {
    /// Drops the evidence, which is for the caller. A record contains the code as text, so that journals of every
    /// release can be read.
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

/// Stages that a call reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stages {
    /// Whether the tool could be reached and responded.
    pub transport: Reached,
    /// Whether the tool accepts the call, and its response can be forwarded.
    pub protocol: Reached,
    /// Whether the tool succeeded.
    pub tool: Reached,
}

/// Result of one stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reached {
    /// The stage succeeded.
    Passed,
    /// The call failed at this stage.
    Failed,
    /// The call did not reach this stage, or it is unknown whether it did.
    #[default]
    NotReached,
}

/// Error of a failed call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Stable code, such as `invalid_arguments`.
    pub code: String,
    /// Redacted message.
    pub message: String,
    /// Affected parameters, as JSON Pointers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<String>,
    /// Whether the tool reported the error, and not Toolwright.
    #[serde(default)]
    pub is_from_tool: bool,
}

/// Codes of calls that Toolwright refused: nothing was sent to a tool.
const REFUSALS: [&str; 5] = ["invalid_arguments", "unknown_tool", "ambiguous_tool", "refused", "denied"];

impl Failure {
    /// Whether Toolwright refused the call. A tool that reports one of these codes itself has run.
    pub fn is_refusal(&self) -> bool {
        !self.is_from_tool && REFUSALS.contains(&self.code.as_str())
    }
}

impl Record {
    /// Whether Toolwright refused the call, so that no tool received its arguments.
    pub fn is_refused(&self) -> bool {
        self.error.as_ref().is_some_and(Failure::is_refusal)
    }

    /// Whether the call, or the exchange, succeeded.
    pub fn is_ok(&self) -> bool {
        self.error.is_none() && self.kind != Kind::InProgress
    }
}
