//! Who a correction comes from, and whether that may put a rule into force.
//!
//! A client chooses its sessions and what it calls itself. It cannot choose its token. So the token is the witness: all
//! sessions of one are one. The owner's calls are trusted, and each of their conversations is a witness.

use crate::Record;

/// The tokens of the owner: the gateway's own one, none where none is asked for, and a client that started Toolwright
/// itself.
const OWNERS: [&str; 3] = ["default", "anyone", "stdio"];
/// Fronts that only the owner can use and that know no tokens.
const OWNERS_FRONTS: [&str; 4] = ["cli", "ask", "page", "stdio"];

/// Where an observation comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Witness {
    /// A conversation of the owner.
    Owner(String),
    /// A token of somebody else, whatever its sessions.
    Token(String),
    /// A front without tokens that others can use too, such as `voice`; or a record of before.
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

    /// Whether rules may be applied because of it; `deciders` are the tokens that the configuration names.
    pub fn may_decide(&self, deciders: &[String]) -> bool {
        match self {
            Witness::Owner(_) => true,
            Witness::Token(name) => deciders.contains(name),
            Witness::Other(_) => false,
        }
    }

    /// The name for it, for people.
    pub fn name(&self) -> String {
        match self {
            Witness::Owner(_) => "the owner".to_owned(),
            Witness::Token(name) => format!("token {name}"),
            Witness::Other(name) if name.is_empty() => "a client without a token".to_owned(),
            Witness::Other(name) => format!("{name}, without a token"),
        }
    }
}
