//! What a legacy server and we have agreed on, and how it is agreed on anew.

use std::sync::{Mutex, MutexGuard};

use tokio::sync::watch;
use toolwright_base::IgnorePoison;
use toolwright_jsonrpc::{Json, Message};

use super::headers::{PROTOCOL_VERSION, SESSION_ID};
use crate::link::Outgoing;

/// The agreement with one server.
#[derive(Debug)]
pub(super) struct Session {
    known: Mutex<Known>,
    /// Held by the one request that begins the session anew.
    pub renewing: tokio::sync::Mutex<()>,
    /// The agreement that has been confirmed last.
    confirmed: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Known {
    /// Counts the agreements.
    number: u64,
    id: Option<String>,
    revision: Option<String>,
    capabilities: Option<Json>,
    initialize: Option<Outgoing>,
    initialized: Option<Outgoing>,
}

impl Session {
    /// Nothing agreed on.
    pub fn new() -> Session {
        let (confirmed, _) = watch::channel(0);
        Session { known: Mutex::default(), renewing: tokio::sync::Mutex::default(), confirmed }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().ignore_poison()
    }

    /// Which agreement this is; 0 is none.
    pub fn number(&self) -> u64 {
        self.known().number
    }

    /// Remembers an agreement: the question, the session of its answer, and the answer.
    pub fn begin(&self, initialize: &Outgoing, id: Option<String>, result: &Json) {
        let mut known = self.known();
        known.number += 1;
        known.id = id;
        known.revision = result.get_text("protocolVersion");
        known.capabilities = result.get("capabilities");
        known.initialize = Some(initialize.clone());
    }

    /// Remembers how the agreement is confirmed.
    pub fn remember_confirmation(&self, initialized: &Outgoing) {
        self.known().initialized = Some(initialized.clone());
    }

    /// The agreement has been confirmed: the server may speak by itself from now on.
    pub fn confirm(&self) {
        let number = self.number();
        self.confirmed.send_replace(number);
    }

    /// Tells of every confirmation.
    pub fn confirmations(&self) -> watch::Receiver<u64> {
        self.confirmed.subscribe()
    }

    /// What begins and confirms an agreement, when there was one.
    pub fn beginning(&self) -> Option<(Outgoing, Option<Outgoing>)> {
        let known = self.known();
        Some((known.initialize.clone()?, known.initialized.clone()))
    }

    /// Whether the server gave the session a name.
    pub fn has_id(&self) -> bool {
        self.known().id.is_some()
    }

    /// The headers of everything that builds on the agreement.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        let known = self.known();
        let id = known.id.clone().map(|id| (SESSION_ID, id));
        let revision = known.revision.clone().map(|revision| (PROTOCOL_VERSION, revision));
        id.into_iter().chain(revision).collect()
    }

    /// The lists that the server has: they may be others after it was begun anew.
    pub fn lists(&self) -> Vec<&'static str> {
        let capabilities = self.known().capabilities.clone();
        let has = |key: &str| capabilities.as_ref().is_some_and(|all| all.get(key).is_some());
        let lists = [
            ("tools", "notifications/tools/list_changed"),
            ("prompts", "notifications/prompts/list_changed"),
            ("resources", "notifications/resources/list_changed"),
        ];
        lists.into_iter().filter(|(key, _)| has(key)).map(|(_, method)| method).collect()
    }
}

/// Whether a message begins an agreement.
pub(super) fn is_initialize(message: &Message) -> bool {
    matches!(message, Message::Request(request) if request.method == "initialize")
}

/// Whether a message confirms one.
pub(super) fn is_initialized(message: &Message) -> bool {
    matches!(message, Message::Notification(told) if told.method == "notifications/initialized")
}
