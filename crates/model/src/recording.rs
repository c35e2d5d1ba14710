//! Settings of recording and learning, which the configuration sets and the ledger uses.

use serde::{Deserialize, Serialize};

/// When a record is durable, before the response of its call is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// It survives the end of the process, for whatever reason.
    #[default]
    Process,
    /// It survives a power failure.
    Power,
}

/// Policy for a call that cannot be journaled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// It runs, is counted as lost, and a warning is logged.
    #[default]
    Allow,
    /// It does not run.
    Block,
}

/// Policy for the rules that are learned from calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LearnPolicy {
    /// Nothing is learned.
    Off,
    /// Suggestions wait for the user's approval.
    #[default]
    Suggest,
    /// Suggestions that pass every safety check are applied; others wait.
    ApplySafe,
}

impl Durability {
    /// Its name in files and on the dashboard.
    pub fn word(self) -> &'static str {
        match self {
            Durability::Process => "process",
            Durability::Power => "power",
        }
    }
}

impl OnFailure {
    /// Its name in files.
    pub fn word(self) -> &'static str {
        match self {
            OnFailure::Allow => "allow",
            OnFailure::Block => "block",
        }
    }
}

impl LearnPolicy {
    /// Its name in files.
    pub fn word(self) -> &'static str {
        match self {
            LearnPolicy::Off => "off",
            LearnPolicy::Suggest => "suggest",
            LearnPolicy::ApplySafe => "apply-safe",
        }
    }
}
