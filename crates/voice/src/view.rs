//! Status of the voice, for the dashboard and the API.

use serde::Serialize;

/// The current status of the voice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VoiceView {
    /// `ok` when every front is ready, else `degraded`.
    pub status: &'static str,
    /// The fronts.
    pub fronts: Vec<FrontView>,
    /// The counters by name.
    pub counts: Vec<(&'static str, u64)>,
    /// The number of waiting transcripts, and its limit.
    pub waiting: (usize, usize),
    /// The number of transcripts in flight, and its limit.
    pub running: (usize, usize),
    /// The number of spoken questions that wait for a yes or a no.
    pub questions: usize,
    /// The number of known devices.
    pub devices: usize,
    /// Whether a model answers sentences that are no direct command.
    pub has_mind: bool,
    /// The duration of the last answer, in milliseconds.
    pub last_ms: Option<u64>,
}

/// One front.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FrontView {
    /// `mqtt`, `hermes`, `wyoming`, or `broker` for the built-in one.
    pub name: &'static str,
    /// Its state.
    pub state: FrontState,
    /// Its address, or its error.
    pub detail: String,
}

/// The state of a front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FrontState {
    /// The front is connecting.
    Starting,
    /// The front accepts sentences.
    Ready,
    /// The connection failed and is retried.
    Waiting,
    /// The front cannot work with this configuration.
    Failed,
}

impl FrontState {
    /// The name in messages.
    pub fn word(self) -> &'static str {
        match self {
            FrontState::Starting => "starting",
            FrontState::Ready => "ready",
            FrontState::Waiting => "waiting",
            FrontState::Failed => "failed",
        }
    }
}

impl VoiceView {
    /// The status as JSON, as in `/api/health`.
    pub fn to_json(&self) -> serde_json::Value {
        let counts: serde_json::Map<String, serde_json::Value> =
            self.counts.iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect();
        let of = |(current, limit): (usize, usize)| serde_json::json!({ "current": current, "limit": limit });
        serde_json::json!({
            "status": self.status,
            "fronts": self.fronts,
            "counts": counts,
            "waiting": of(self.waiting),
            "running": of(self.running),
            "questions": self.questions,
            "devices": self.devices,
            "mind": self.has_mind,
            "last_ms": self.last_ms,
        })
    }
}
