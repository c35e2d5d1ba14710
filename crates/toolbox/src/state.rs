//! What can be seen of a server at any moment.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolwright_jsonrpc::Json;
use toolwright_mcp::{Connection, Era, Peer};

use crate::connector::TransportKind;
use crate::failure::ServerFailure;
use crate::owner::Orders;

/// Where a server is in its life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is being reached.
    Starting {
        /// Which attempt this is.
        attempt: u32,
    },
    /// It answers.
    Ready,
    /// No client uses it, so it was stopped or not started yet; the next use starts it. The word for it is
    /// `not started`: whether it can be started is not known.
    Resting,
    /// It is connected and can be used, but its tools could not be listed, or several requests in a row
    /// had no answer in time. A list that arrives, or any answer, mends it.
    Degraded {
        /// What is wrong.
        reason: String,
    },
    /// It could not be reached, and is tried again.
    Backoff {
        /// Attempts that have failed since it was last ready.
        failures: u32,
        /// How long the wait is; the next use ends it.
        wait: Duration,
    },
    /// It keeps ending, and is put aside.
    Quarantined,
    /// Somebody switched it off.
    Disabled,
}

impl State {
    /// Its name, without data.
    pub fn name(&self) -> StateName {
        match self {
            State::Starting { .. } => StateName::Starting,
            State::Ready => StateName::Ready,
            State::Resting => StateName::NotStarted,
            State::Degraded { .. } => StateName::Degraded,
            State::Backoff { .. } => StateName::Backoff,
            State::Quarantined => StateName::Quarantined,
            State::Disabled => StateName::Disabled,
        }
    }
}

/// The name of a state, as status, API, dashboard and metrics show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StateName {
    /// Toolwright is connecting to the server.
    Starting,
    /// The server responds.
    Ready,
    /// No client uses the server; the next call starts it.
    #[default]
    #[serde(rename = "not started")]
    NotStarted,
    /// The server is connected, but leaves requests unanswered or cannot list its tools.
    Degraded,
    /// The last attempt failed; another one follows.
    Backoff,
    /// The server exits again and again, and is left alone for a while.
    Quarantined,
    /// The configuration switches the server off.
    Disabled,
}

impl StateName {
    /// The name as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            StateName::Starting => "starting",
            StateName::Ready => "ready",
            StateName::NotStarted => "not started",
            StateName::Degraded => "degraded",
            StateName::Backoff => "backoff",
            StateName::Quarantined => "quarantined",
            StateName::Disabled => "disabled",
        }
    }
}

impl fmt::Display for StateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A server, seen from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Where it is.
    pub state: State,
    /// How it is reached.
    pub transport: TransportKind,
    /// The era it spoke when it was last ready.
    pub era: Option<Era>,
    /// The revision that was agreed on then.
    pub revision: Option<String>,
    /// Who it said it is.
    pub server: Option<Json>,
    /// How often it was reached again after it was ready.
    pub restarts: u32,
    /// Its process id, when it is a child that runs.
    pub pid: Option<u32>,
    /// How many tools it has, or had when they were last listed.
    pub tools: usize,
    /// What it printed that was no message, in pieces, since the supervisor began.
    pub noise: u64,
    /// How many requests wait for their answers.
    pub in_flight: usize,
    /// What went wrong last.
    pub last_failure: Option<ServerFailure>,
    /// Whether it could not be reached for a reason that lasts until somebody changes something.
    pub is_lasting: bool,
}

/// The tools of a server, each as it was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// All of them, in the server's order. A list that says the same as the one before is the same one.
    pub items: Arc<[Json]>,
    /// Whether the server that runs now sent them; `false` while it is away or has not been asked yet.
    pub is_current: bool,
}

impl Listed {
    /// How many bytes all of them have: what work on the whole list takes grows with it.
    pub fn bytes(&self) -> usize {
        self.items.iter().map(|item| item.as_str().len()).sum()
    }
}

/// What those see who wait for changes.
#[derive(Clone)]
pub struct Seen {
    /// The server; its `noise` and `in_flight` are those of the last change.
    pub snapshot: Snapshot,
    /// Its tools.
    pub tools: Arc<Listed>,
    pub(crate) peer: Option<Peer>,
    /// What is wrong with a server that is connected.
    pub(crate) trouble: Trouble,
    /// The noise of connections that are gone.
    pub(crate) past_noise: u64,
    /// Attempts that failed, since the supervisor began.
    pub(crate) failed: u64,
    /// The orders that the state comes of.
    pub(crate) obeyed: Orders,
}

/// What is wrong with a server that is connected.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trouble {
    /// Why its tools could not be listed.
    pub listing: Option<ServerFailure>,
    /// How long it has been silent.
    pub silence: Option<ServerFailure>,
}

impl Trouble {
    /// The graver of the two.
    fn failure(&self) -> Option<&ServerFailure> {
        self.listing.as_ref().or(self.silence.as_ref())
    }

    /// The state of a connected server.
    fn state(&self) -> State {
        match self.failure() {
            Some(failure) => State::Degraded { reason: failure.message.clone() },
            None => State::Ready,
        }
    }
}

impl Seen {
    pub(crate) fn new(transport: TransportKind) -> Seen {
        let snapshot = Snapshot {
            state: State::Starting { attempt: 1 },
            transport,
            era: None,
            revision: None,
            server: None,
            restarts: 0,
            pid: None,
            tools: 0,
            noise: 0,
            in_flight: 0,
            last_failure: None,
            is_lasting: false,
        };
        let trouble = Trouble::default();
        let obeyed = Orders::default();
        Seen { snapshot, tools: Arc::default(), peer: None, trouble, past_noise: 0, failed: 0, obeyed }
    }

    /// The same with tools that it had.
    pub(crate) fn knowing(self, known: Arc<Listed>) -> Seen {
        let tools = match known.is_current {
            true => Arc::new(Listed { is_current: false, ..Listed::clone(&known) }),
            false => known,
        };
        let snapshot = Snapshot { tools: tools.items.len(), ..self.snapshot };
        Seen { snapshot, tools, ..self }
    }

    /// The server as it is this moment.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let connection = self.peer.as_ref().map(Peer::connection);
        Snapshot {
            noise: self.past_noise + connection.map_or(0, Connection::noise),
            in_flight: connection.map_or(0, Connection::in_flight),
            ..self.snapshot.clone()
        }
    }

    /// The server, if it is there.
    pub(crate) fn usable(&self) -> Option<Peer> {
        self.peer.clone().filter(|peer| peer.connection().closed().is_none())
    }

    /// Whether there is nothing to wait for: it is off, put aside, or has failed again since somebody asked for
    /// it, when `failed` attempts had failed, and is past its first attempts or will not mend itself.
    pub(crate) fn is_hopeless(&self, failed: u64, attempts: u32) -> bool {
        match &self.snapshot.state {
            State::Disabled | State::Quarantined => true,
            State::Backoff { failures, .. } => {
                self.failed > failed && (*failures >= attempts || self.snapshot.is_lasting)
            }
            _ => false,
        }
    }

    /// Notes a server that was reached.
    pub(crate) fn reached(&mut self, peer: Peer, pid: Option<u32>) {
        self.snapshot.is_lasting = false;
        self.trouble = Trouble::default();
        self.snapshot.state = State::Ready;
        self.snapshot.era = Some(peer.era());
        self.snapshot.revision = Some(peer.revision().to_owned());
        self.snapshot.server = peer.server().cloned();
        self.snapshot.pid = pid;
        self.peer = Some(peer);
    }

    /// Notes that there is no server now; its tools stay known.
    pub(crate) fn away(&mut self, state: State) {
        if let Some(peer) = self.peer.take() {
            self.past_noise += peer.connection().noise();
        }
        if self.tools.is_current {
            self.tools = Arc::new(Listed { is_current: false, ..Listed::clone(&self.tools) });
        }
        self.snapshot = Snapshot { state, pid: None, ..self.snapshot() };
    }

    /// Notes its tools.
    pub(crate) fn listed(&mut self, items: Arc<[Json]>) {
        self.snapshot.tools = items.len();
        self.tools = Arc::new(Listed { items, is_current: true });
        self.troubled(|trouble| trouble.listing = None);
    }

    /// Notes what is wrong with a connected server, or no longer.
    pub(crate) fn troubled(&mut self, change: impl FnOnce(&mut Trouble)) {
        change(&mut self.trouble);
        if self.peer.is_some() {
            self.snapshot.state = self.trouble.state();
        }
        if let State::Degraded { .. } = &self.snapshot.state {
            self.snapshot.last_failure = self.trouble.failure().cloned();
        }
    }
}
