//! Decisions about suggestions: events, and what follows from them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::suggestion::{Status, Suggestion};

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// The rule is in force from now on.
    Accepted,
    /// Nobody wants to see it until the evidence has doubled.
    Dismissed,
    /// The decision before this one is taken back.
    Undone,
    /// The tool's schema has changed.
    Lapsed,
}

/// One line of the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When, in microseconds since 1970.
    pub ts: i64,
    /// Which suggestion.
    pub id: String,
    /// What was decided.
    pub event: What,
    /// Who decided: a person's name, or `policy:apply-safe`, or `schema`.
    pub by: String,
    /// The suggestion as it was then.
    pub suggestion: Suggestion,
}

impl What {
    /// The word for it in files and pages.
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
    /// Tells decisions apart, and puts them into the same order everywhere: gateways that know the same decisions
    /// have the same rules in force, in whatever order they heard of them.
    pub fn key(&self) -> String {
        format!("{:020}-{}-{}-{}", self.ts.max(0), self.id, self.event.word(), self.by)
    }
}

/// What holds for one suggestion.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// What became of it.
    pub status: Status,
    /// The last event.
    pub last: Event,
    /// The event that brought its rule into force, while it is.
    pub accepted: Option<Event>,
}

/// All decisions, made from the events in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Decisions {
    by_id: BTreeMap<String, Decision>,
    /// The ids of rules in force, in the order in which they came.
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

    /// The events that brought the rules in force, oldest first.
    pub fn active(&self) -> impl Iterator<Item = &Event> {
        self.active.iter().filter_map(|id| self.by_id.get(id)?.accepted.as_ref())
    }

    /// Whether a suggestion is to be shown as new, given what speaks for it now.
    pub fn status_of(&self, suggestion: &Suggestion) -> Status {
        match self.by_id.get(&suggestion.id) {
            None => Status::Suggested,
            Some(decision) if decision.status == Status::Dismissed => {
                let then = decision.last.suggestion.evidence.observations;
                let is_back = suggestion.evidence.observations >= then.saturating_mul(2).max(1);
                if is_back { Status::Suggested } else { Status::Dismissed }
            }
            // A schema that was there before and is there again: the evidence is new.
            Some(decision) if decision.status == Status::Lapsed => Status::Suggested,
            Some(decision) => decision.status,
        }
    }
}
