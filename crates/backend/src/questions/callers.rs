//! The clients that a server works for, and which of them its own requests and notifications belong to.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use toolwright_mcp::front::Client;

use super::CallHost;
use crate::owner::Owner;

/// How long a server may still ask about a call of another token that was cancelled: not every server stops then.
pub(super) const AFTER_THE_END: Duration = Duration::from_secs(60);
/// How long a client counts as one that a message outside of a call may belong to.
pub(super) const RECENT: Duration = Duration::from_secs(300);
/// The number of cancelled calls of one token that are stored.
const MAX_GIVEN_UP: usize = 64;

/// A client, as a server's own request is routed: its session, or its token and program. Parallel calls of one
/// client are its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Caller {
    pub owner: Owner,
    /// Two programs may share a token, and a modern client over HTTP has no session.
    program: Option<String>,
}

impl Caller {
    pub fn of(client: &Client) -> Caller {
        let info = client.info.as_ref().filter(|_| client.session.is_none());
        Caller { owner: Owner::of(client), program: info.and_then(|info| info.get_text("name")) }
    }
}

/// Those who hear something that belongs to no call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Every client that listens.
    All,
    /// Every client of one token.
    Token(Arc<str>),
    /// One client.
    Client(Owner),
}

impl Audience {
    /// Whether a client is among them.
    pub fn includes(&self, owner: &Owner) -> bool {
        match self {
            Audience::All => true,
            Audience::Token(token) => *token == owner.token,
            Audience::Client(client) => client == owner,
        }
    }
}

/// The calls that a server works on, and those that it may still work on.
#[derive(Default)]
pub(super) struct Callers {
    last: u64,
    /// The connection that all of this is about.
    connection: u64,
    calls: HashMap<u64, Entry>,
    /// By token: calls that ended before the server answered, and until when it may still ask about them.
    given_up: HashMap<Arc<str>, Vec<(u64, Instant)>>,
    /// When each token last had a call.
    tokens: HashMap<Arc<str>, Instant>,
    /// Whether the server has sent a request that does not say which call it belongs to.
    pub asks: bool,
}

struct Entry {
    caller: Caller,
    takes_turns: bool,
    host: Arc<CallHost>,
}

/// Whose calls a server is working on.
pub(super) enum InFlight {
    /// No client's.
    NoClient,
    /// One client's; this is its newest call.
    One(Arc<CallHost>),
    /// Those of several clients.
    Several,
    /// No client's, but a call was cancelled a moment ago.
    Cancelled,
}

impl Callers {
    /// The number of a new call.
    pub fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// What is known of a server that has been restarted is over.
    pub fn connected(&mut self, connection: u64) {
        if self.connection != connection {
            self.connection = connection;
            self.given_up.clear();
            self.tokens.clear();
            self.asks = false;
        }
    }

    /// Whether a call of another client is in the way of this one. Without a session the same token and program may
    /// be two clients: where the server leaves time for it, each is asked about its own call.
    pub fn is_in_the_way(&self, caller: &Caller) -> bool {
        let may_be_another = |other: &Caller| other != caller || other.owner.session.is_none();
        self.calls.values().any(|other| other.takes_turns && may_be_another(&other.caller))
    }

    pub fn enter(&mut self, number: u64, caller: Caller, takes_turns: bool, host: Arc<CallHost>) {
        self.tokens.insert(Arc::clone(&caller.owner.token), Instant::now());
        self.calls.insert(number, Entry { caller, takes_turns, host });
    }

    /// A call ends. `is_over` when the server has answered it or is gone.
    pub fn leave(&mut self, number: u64, is_over: bool) {
        let Some(entry) = self.calls.remove(&number) else { return };
        let (token, now) = (entry.caller.owner.token, Instant::now());
        self.tokens.insert(Arc::clone(&token), now);
        if is_over || !entry.takes_turns {
            return;
        }
        let marks = self.given_up.entry(token).or_default();
        marks.retain(|(_, until)| now < *until);
        if marks.len() >= MAX_GIVEN_UP {
            marks.remove(0);
        }
        marks.push((number, now + AFTER_THE_END));
    }

    /// The server has answered a call that ended before.
    pub fn answered_late(&mut self, number: u64) {
        self.given_up.retain(|_, marks| {
            marks.retain(|(given_up, _)| *given_up != number);
            !marks.is_empty()
        });
    }

    /// Whose calls the server is working on.
    pub fn in_flight(&self) -> InFlight {
        let now = Instant::now();
        let is_open = |marks: &Vec<(u64, Instant)>| marks.iter().any(|(_, until)| now < *until);
        let mut given_up = self.given_up.iter().filter(|(_, marks)| is_open(marks)).map(|(token, _)| token);
        // While a server works on something that it can ask about, it asks about nothing else.
        let can_ask = self.calls.values().any(|entry| entry.takes_turns);
        let mut calls = self.calls.iter().filter(|(_, entry)| entry.takes_turns || !can_ask);
        let Some((first, entry)) = calls.next() else {
            return if given_up.next().is_some() { InFlight::Cancelled } else { InFlight::NoClient };
        };
        if given_up.any(|token| *token != entry.caller.owner.token) {
            return InFlight::Several;
        }
        let mut newest = (first, entry);
        for (number, other) in calls {
            if other.caller != entry.caller {
                return InFlight::Several;
            }
            if number > newest.0 {
                newest = (number, other);
            }
        }
        InFlight::One(Arc::clone(&newest.1.host))
    }

    /// The newest call of one client.
    pub fn call_of(&self, owner: &Owner) -> Option<Arc<CallHost>> {
        let own = self.calls.iter().filter(|(_, entry)| entry.caller.owner == *owner);
        own.max_by_key(|(number, _)| **number).map(|(_, entry)| Arc::clone(&entry.host))
    }

    /// Those that a message outside of a call belongs to: the clients of the one token that has called, or that is
    /// the only one to have called lately. `None` when that cannot be known: it may be about a call of either.
    pub fn audience(&self) -> Option<Audience> {
        if self.tokens.is_empty() {
            return Some(Audience::All);
        }
        if let [token] = self.tokens.keys().collect::<Vec<_>>()[..] {
            return Some(Audience::Token(Arc::clone(token)));
        }
        let is_recent = |token: &Arc<str>, at: &Instant| {
            at.elapsed() < RECENT || self.calls.values().any(|entry| entry.caller.owner.token == *token)
        };
        let recent: Vec<_> = self.tokens.iter().filter(|(token, at)| is_recent(token, at)).collect();
        match recent[..] {
            [(token, _)] => Some(Audience::Token(Arc::clone(token))),
            _ => None,
        }
    }

    /// Whether no client of another token has had a call.
    pub fn is_alone(&self, token: &str) -> bool {
        self.tokens.keys().all(|known| **known == *token)
    }

    /// Whether there is no call.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }
}
