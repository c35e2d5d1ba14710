//! Decisions about suggestions: events, and the resulting state.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::suggestion::{Status, Suggestion};

/// Kind of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// The rule becomes active.
    Accepted,
    /// The suggestion is hidden until its evidence has doubled.
    Dismissed,
    /// The previous decision is undone.
    Undone,
    /// The tool's schema has changed.
    Lapsed,
}

/// One line of the decision history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Time in microseconds since 1970.
    pub ts: i64,
    /// Id of the suggestion.
    pub id: String,
    /// Kind of the decision.
    pub event: What,
    /// Origin of the decision: a person's name, `policy:apply-safe`, or `schema`.
    pub by: String,
    /// The suggestion at that time.
    pub suggestion: Suggestion,
}

impl What {
    /// The word for files and pages.
    pub fn word(self) -> &'static str {
        match self {
            What::Accepted => "accepted",
            What::Dismissed => "dismissed",
            What::Undone => "undone",
            What::Lapsed => "lapsed",
        }
    }
}

impl Event {
    /// Unique sort key of a decision, the same on every gateway: gateways with the same decisions have the same active
    /// rules, in whatever order they received them.
    pub fn key(&self) -> String {
        format!("{:020}-{}-{}-{}", self.ts.max(0), self.id, self.event.word(), self.by)
    }
}

/// Current state of one suggestion.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Current status.
    pub status: Status,
    /// The last event.
    pub last: Event,
    /// The event that activated its rule, while it is active.
    pub accepted: Option<Event>,
}

/// All decisions, built from the events in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Decisions {
    by_id: BTreeMap<String, Decision>,
    /// Ids of the active rules, in the order of activation.
    active: Vec<String>,
}

impl Decisions {
    pub fn apply(&mut self, event: &Event) {
        let before = self.by_id.get(&event.id).map(|decision| decision.status);
        let status = match (event.event, before) {
            (What::Accepted, _) => Status::Active,
            (What::Dismissed, _) => Status::Dismissed,
            (What::Undone, Some(Status::Dismissed)) => Status::Suggested,
            (What::Undone, _) => Status::Undone,
            (What::Lapsed, _) => Status::Lapsed,
        };
        self.active.retain(|id| *id != event.id);
        let is_active = status == Status::Active;
        if is_active {
            self.active.push(event.id.clone());
        }
        let accepted = is_active.then(|| event.clone());
        let decision = Decision { status, last: event.clone(), accepted };
        self.by_id.insert(event.id.clone(), decision);
    }

    pub fn get(&self, id: &str) -> Option<&Decision> {
        self.by_id.get(id)
    }

    pub fn all(&self) -> impl Iterator<Item = &Decision> {
        self.by_id.values()
    }

    /// The events that activated the active rules, oldest first.
    pub fn active(&self) -> impl Iterator<Item = &Event> {
        self.active.iter().filter_map(|id| self.by_id.get(id)?.accepted.as_ref())
    }

    /// Current status of a suggestion, given its current evidence.
    pub fn status_of(&self, suggestion: &Suggestion) -> Status {
        match self.by_id.get(&suggestion.id) {
            None => Status::Suggested,
            Some(decision) if decision.status == Status::Dismissed => {
                let then = decision.last.suggestion.evidence.observations;
                let is_back = suggestion.evidence.observations >= then.saturating_mul(2).max(1);
                if is_back { Status::Suggested } else { Status::Dismissed }
            }
            // An earlier schema is in use again: the evidence is new.
            Some(decision) if decision.status == Status::Lapsed => Status::Suggested,
            Some(decision) => decision.status,
        }
    }
}
