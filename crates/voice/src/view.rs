//! What can be seen of the voice, for people and programs.

use serde::Serialize;

/// The voice as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VoiceView {
    /// `ok` when every front is ready, else `degraded`.
    pub status: &'static str,
    /// The fronts.
    pub fronts: Vec<FrontView>,
    /// What was heard, answered and dropped, by name.
    pub counts: Vec<(&'static str, u64)>,
    /// How many transcripts wait, of how many that may.
    pub waiting: (usize, usize),
    /// How many are being answered, of how many that may.
    pub running: (usize, usize),
    /// How many spoken questions wait for a yes or a no.
    pub questions: usize,
    /// How many devices are known by name.
    pub devices: usize,
    /// Whether something answers what is no direct command.
    pub has_mind: bool,
    /// How long the last answer took, in milliseconds.
    pub last_ms: Option<u64>,
}

/// One front.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FrontView {
    /// `mqtt`, `hermes`, `wyoming`, or `broker` for the one inside.
    pub name: &'static str,
    /// How it is doing.
    pub state: FrontState,
    /// Where it is, or what is wrong with it.
    pub detail: String,
}

/// How a front is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FrontState {
    /// It is being reached.
    Starting,
    /// It can be spoken to.
    Ready,
    /// It is not there, and is tried again and again.
    Waiting,
    /// It cannot be used until the configuration changes.
    Failed,
}

impl FrontState {
    /// The word for it.
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
    /// The same as JSON, as `/api/health` has it.
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
