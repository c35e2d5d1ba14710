//! How calls are recorded and learned from: what the configuration chooses and the ledger does.

use serde::{Deserialize, Serialize};

/// How safe a record is before its call is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// It survives the end of the process, by whatever means.
    #[default]
    Process,
    /// It survives the loss of power.
    Power,
}

/// What becomes of a call that cannot be written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// It is run and counted as lost, and that is logged.
    #[default]
    Allow,
    /// It is not run.
    Block,
}

/// What becomes of the rules that calls suggest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LearnPolicy {
    /// Nothing is learned.
    Off,
    /// Suggestions wait for a person.
    #[default]
    Suggest,
    /// Suggestions that are safe by every measure are applied; others wait.
    ApplySafe,
}

impl Durability {
    /// The word for it in files and pages.
    pub fn word(self) -> &'static str {
        match self {
            Durability::Process => "process",
            Durability::Power => "power",
        }
    }
}

impl OnFailure {
    /// The word for it in files.
    pub fn word(self) -> &'static str {
        match self {
            OnFailure::Allow => "allow",
            OnFailure::Block => "block",
        }
    }
}

impl LearnPolicy {
    /// The word for it in files.
    pub fn word(self) -> &'static str {
        match self {
            LearnPolicy::Off => "off",
            LearnPolicy::Suggest => "suggest",
            LearnPolicy::ApplySafe => "apply-safe",
        }
    }
}
