//! Which toolboxes a client has opened. Only sessions of legacy clients can tell: everybody else has all open.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard};

use toolwright_base::IgnorePoison;
use toolwright_mcp::Era;
use toolwright_mcp::front::{Client, SessionId};

/// The open toolboxes of all sessions.
#[derive(Default)]
pub(crate) struct OpenSets {
    sessions: Mutex<HashMap<SessionId, Open>>,
}

#[derive(Default)]
struct Open {
    opened: BTreeSet<String>,
    /// Those that a session has closed of which it is not known what it had opened before.
    closed: BTreeSet<String>,
}

impl OpenSets {
    fn sessions(&self) -> MutexGuard<'_, HashMap<SessionId, Open>> {
        self.sessions.lock().ignore_poison()
    }

    /// Whether nothing that a client did before counts.
    pub fn is_stateless(client: &Client) -> bool {
        session(client).is_none()
    }

    /// Whether a client has opened a toolbox.
    pub fn has(&self, client: &Client, toolbox: &str) -> bool {
        let Some(session) = session(client) else { return true };
        let sessions = self.sessions();
        let open = sessions.get(&session);
        if open.is_some_and(|open| open.opened.contains(toolbox)) {
            return true;
        }
        // What it opened elsewhere is not known here.
        client.is_resumed && !open.is_some_and(|open| open.closed.contains(toolbox))
    }

    /// A client has opened a toolbox.
    pub fn add(&self, client: &Client, toolbox: &str) {
        let Some(session) = session(client) else { return };
        let mut sessions = self.sessions();
        let open = sessions.entry(session).or_default();
        open.closed.remove(toolbox);
        open.opened.insert(toolbox.to_owned());
    }

    /// A client closes a toolbox; false when it was not open.
    pub fn remove(&self, client: &Client, toolbox: &str) -> bool {
        if !self.has(client, toolbox) {
            return false;
        }
        if let Some(session) = session(client) {
            let mut sessions = self.sessions();
            let open = sessions.entry(session).or_default();
            open.opened.remove(toolbox);
            open.closed.insert(toolbox.to_owned());
        }
        true
    }

    /// Whether any session has it open.
    pub fn is_open_anywhere(&self, toolbox: &str) -> bool {
        self.sessions().values().any(|open| open.opened.contains(toolbox))
    }

    /// A session ends; these were open in it.
    pub fn end(&self, client: &Client) -> BTreeSet<String> {
        let ended = session(client).and_then(|session| self.sessions().remove(&session));
        ended.map(|open| open.opened).unwrap_or_default()
    }
}

fn session(client: &Client) -> Option<SessionId> {
    client.session.filter(|_| client.era == Era::Legacy)
}
