//! Who asks.

use std::sync::Arc;

use toolwright_jsonrpc::Json;

use crate::Era;

/// Who was let in, by the token that came along, or as the process that started us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visitor {
    /// The name of the token, for limits and records.
    pub name: Arc<str>,
    /// The toolboxes that may be used; all of them when absent.
    pub toolboxes: Option<Arc<[String]>>,
}

impl Visitor {
    /// Somebody who may use everything.
    pub fn everywhere(name: &str) -> Visitor {
        Visitor { name: name.into(), toolboxes: None }
    }

    /// Whether this toolbox may be used.
    pub fn may_use(&self, toolbox: &str) -> bool {
        self.toolboxes.as_ref().is_none_or(|allowed| allowed.iter().any(|name| name == toolbox))
    }
}

/// A session of a legacy client, or its connection over stdio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(pub u128);

/// A client: what it said of itself at the start of its session, or with one modern request.
#[derive(Clone, Debug)]
pub struct Client {
    /// Who it is to us.
    pub visitor: Visitor,
    /// How it is spoken to.
    pub era: Era,
    /// The revision it speaks.
    pub revision: String,
    /// `{"name", "version", …}`, when it said so.
    pub info: Option<Json>,
    /// What it can do for a server.
    pub capabilities: Json,
    /// Its session; a modern client over HTTP has none.
    pub session: Option<SessionId>,
    /// Whether the session began in another process: before a restart, or at another replica. What such a
    /// process knew of it besides is not known here.
    pub is_resumed: bool,
}

impl Client {
    /// Whether it declared that it answers this request of a server.
    pub fn answers(&self, method: &str) -> bool {
        let kind = match method {
            "sampling/createMessage" => "sampling",
            "elicitation/create" => "elicitation",
            "roots/list" => "roots",
            _ => return false,
        };
        self.capabilities.get(kind).is_some_and(|value| value.as_str() != "null")
    }
}
