//! Witness of a correction, and whether it may activate a rule.
//!
//! A client chooses its sessions and its name, but not its token. So the token is the witness: all its sessions are
//! one. The owner's calls are trusted, and each of the owner's conversations is a witness.

use crate::Record;

/// The tokens of the owner: the gateway's own, the one where no token is required, and a client that started Toolwright
/// itself.
const OWNERS: [&str; 3] = ["default", "anyone", "stdio"];
/// Fronts without tokens that only the owner can use.
const OWNERS_FRONTS: [&str; 4] = ["cli", "ask", "page", "stdio"];

/// Source of an observation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Witness {
    /// A conversation of the owner.
    Owner(String),
    /// A token of another user, with all its sessions.
    Token(String),
    /// A front without tokens that others can use too, such as `voice`; or an older record.
    Other(String),
}

impl Witness {
    pub fn of(record: &Record) -> Witness {
        let session = || record.session.clone().unwrap_or_default();
        match record.principal.as_deref() {
            Some(token) if OWNERS.contains(&token) => Witness::Owner(session()),
            Some(token) => Witness::Token(token.to_owned()),
            None if OWNERS_FRONTS.contains(&record.front.as_str()) => Witness::Owner(session()),
            None => Witness::Other(record.client.clone().unwrap_or_else(|| record.front.clone())),
        }
    }

    /// Whether its corrections may activate rules; `deciders` are the tokens from the configuration.
    pub fn may_decide(&self, deciders: &[String]) -> bool {
        match self {
            Witness::Owner(_) => true,
            Witness::Token(name) => deciders.contains(name),
            Witness::Other(_) => false,
        }
    }

    /// The name for people.
    pub fn name(&self) -> String {
        match self {
            Witness::Owner(_) => "the owner".to_owned(),
            Witness::Token(name) => format!("token {name}"),
            Witness::Other(name) if name.is_empty() => "a client without a token".to_owned(),
            Witness::Other(name) => format!("{name}, without a token"),
        }
    }
}
