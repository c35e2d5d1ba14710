//! One server, kept alive: attempts, waits, crashes and use.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use toolwright_mcp::{Era, Peer};

use crate::connector::{ConnectFailure, Connected, Connector};
use crate::policy::Policy;
use crate::report;
use crate::state::{Snapshot, State};

/// A server under supervision. Cheap to clone; the server ends with the last clone.
#[derive(Clone)]
pub struct Supervisor {
    seen: watch::Receiver<Seen>,
    wake: Arc<Notify>,
    orders: watch::Sender<Orders>,
    _alive: Arc<DropGuard>,
}

/// Why a server cannot be used now.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the server is not ready ({state}){}", .last_error.as_ref().map(|error| format!(": {error}")).unwrap_or_default())]
pub struct NotReady {
    /// The word for its state.
    pub state: &'static str,
    /// What went wrong last.
    pub last_error: Option<String>,
}

#[derive(Clone)]
struct Seen {
    snapshot: Snapshot,
    peer: Option<Peer>,
}

/// What somebody wants of the server.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Orders {
    is_enabled: bool,
    /// Counts the times that it should be ended and started anew.
    restarts: u64,
}

impl Supervisor {
    /// Begins to reach a server. Returns at once; must be called on a tokio runtime.
    pub fn start(connector: Arc<dyn Connector>, policy: Policy) -> Supervisor {
        let snapshot =
            Snapshot { state: State::Starting { attempt: 1 }, restarts: 0, pid: None, last_error: None };
        let (told, seen) = watch::channel(Seen { snapshot, peer: None });
        let (orders, ordered) = watch::channel(Orders { is_enabled: true, restarts: 0 });
        let wake = Arc::new(Notify::new());
        let stop = CancellationToken::new();
        let owner = Owner {
            connector,
            policy,
            told,
            ordered,
            wake: Arc::clone(&wake),
            known: None,
            crashes: VecDeque::new(),
        };
        let stopped = stop.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = owner.live() => {}
                () = stopped.cancelled() => {}
            }
        });
        Supervisor { seen, wake, orders, _alive: Arc::new(stop.drop_guard()) }
    }

    /// What can be seen of the server now.
    pub fn snapshot(&self) -> Snapshot {
        self.seen.borrow().snapshot.clone()
    }

    /// The server, when it is ready within this time. Asking ends a wait for the next attempt.
    pub async fn peer(&self, patience: Duration) -> Result<Peer, NotReady> {
        let mut seen = self.seen.clone();
        if let Some(peer) = usable(&seen.borrow()) {
            return Ok(peer);
        }
        self.wake.notify_waiters();
        let ready = seen.wait_for(|seen| usable(seen).is_some());
        let found = timeout(patience, ready).await.ok().and_then(Result::ok).and_then(|seen| usable(&seen));
        found.ok_or_else(|| {
            let Snapshot { state, last_error, .. } = self.snapshot();
            NotReady { state: state.name(), last_error }
        })
    }

    /// Ends the server and starts it anew, whatever state it is in.
    pub fn restart(&self) {
        self.orders.send_modify(|orders| {
            orders.is_enabled = true;
            orders.restarts += 1;
        });
    }

    /// Ends the server until it is enabled again.
    pub fn disable(&self) {
        self.orders.send_modify(|orders| orders.is_enabled = false);
    }

    /// Starts a server that was disabled.
    pub fn enable(&self) {
        self.orders.send_modify(|orders| orders.is_enabled = true);
    }
}

fn usable(seen: &Seen) -> Option<Peer> {
    seen.peer.clone().filter(|peer| peer.connection().closed().is_none())
}

/// The one task that starts and ends a server.
struct Owner {
    connector: Arc<dyn Connector>,
    policy: Policy,
    told: watch::Sender<Seen>,
    ordered: watch::Receiver<Orders>,
    wake: Arc<Notify>,
    known: Option<Era>,
    /// When it ended by itself, the last times.
    crashes: VecDeque<Instant>,
}

impl Owner {
    async fn live(mut self) {
        let mut was_ready = false;
        loop {
            if !self.ordered.borrow_and_update().is_enabled {
                self.tell(State::Disabled, None);
                if self.ordered.changed().await.is_err() {
                    return;
                }
                continue;
            }
            let Some(connected) = self.reach().await else { continue };
            if was_ready {
                self.told.send_modify(|seen| seen.snapshot.restarts += 1);
            }
            was_ready = true;
            self.watch(connected).await;
        }
    }

    /// Tries until the server is reached. `None` when somebody wants something else of it.
    async fn reach(&mut self) -> Option<Connected> {
        let mut failures = 0u32;
        loop {
            let attempt = failures + 1;
            self.tell(State::Starting { attempt }, None);
            let connector = Arc::clone(&self.connector);
            let failure = tokio::select! {
                reached = connector.connect(self.known) => match reached {
                    Ok(connected) => {
                        if attempt > 1 {
                            tracing::info!("MCP connection succeeded on attempt {attempt}");
                        }
                        return Some(connected);
                    }
                    Err(failure) => failure,
                },
                _ = self.ordered.changed() => return None,
            };
            failures = attempt;
            self.note(&failure);
            if failures == self.policy.attempts {
                tracing::error!("MCP connection failed after {failures} attempts");
                let described = self.connector.describe();
                tracing::error!("{}", report::failed_start(&described, failures, &failure));
            }
            // What will not mend itself is not tried like a blip.
            let is_given_up = failure.is_lasting && failures >= self.policy.attempts;
            let wait =
                if is_given_up { self.policy.max_delay } else { self.policy.delay_before(attempt + 1) };
            tracing::warn!(
                attempt,
                reason = %failure.reason,
                "MCP connection attempt {attempt} failed; the next one is in {} s",
                wait.as_secs_f64()
            );
            // Somebody who sees the wait and asks for the server must be heard. The first attempts keep
            // their pace.
            let wake = Arc::clone(&self.wake);
            let mut woken = std::pin::pin!(wake.notified());
            woken.as_mut().enable();
            let is_hurried = failures >= self.policy.attempts;
            self.tell(State::Backoff { failures, wait }, None);
            tokio::select! {
                () = sleep(wait) => {}
                () = woken, if is_hurried => {}
                _ = self.ordered.changed() => return None,
            }
        }
    }

    /// Stays with a server until it is gone or somebody wants something else of it.
    async fn watch(&mut self, connected: Connected) {
        let Connected { peer, pid } = connected;
        self.known = Some(peer.era());
        let connection = peer.connection().clone();
        self.told.send_modify(|seen| {
            seen.snapshot = Snapshot { state: State::Ready, pid, ..seen.snapshot.clone() };
            seen.peer = Some(peer);
        });
        let closed = tokio::select! {
            closed = connection.wait_closed() => closed,
            _ = self.ordered.changed() => {
                self.told.send_modify(|seen| seen.peer = None);
                connection.stop();
                return;
            }
        };
        self.told.send_modify(|seen| {
            seen.peer = None;
            seen.snapshot.pid = None;
            seen.snapshot.last_error = Some(closed.to_string());
        });
        tracing::warn!("{} is gone: {closed}", self.connector.describe());
        self.rest_after_crash().await;
    }

    /// A server that keeps ending is put aside for a while.
    async fn rest_after_crash(&mut self) {
        let now = Instant::now();
        self.crashes.push_back(now);
        while self.crashes.front().is_some_and(|first| now.duration_since(*first) > self.policy.crash_window)
        {
            self.crashes.pop_front();
        }
        if self.crashes.len() < self.policy.crashes {
            return;
        }
        self.crashes.clear();
        let described = self.connector.describe();
        tracing::error!(
            "{described} ended {} times within {} s and is put aside",
            self.policy.crashes,
            self.policy.crash_window.as_secs()
        );
        self.tell(State::Quarantined, None);
        tokio::select! {
            () = sleep(self.policy.quarantine) => {}
            _ = self.ordered.changed() => {}
        }
    }

    fn note(&self, failure: &ConnectFailure) {
        let said = match failure.stderr.as_str() {
            "" => failure.reason.clone(),
            stderr => format!("{}; its stderr ends with: {stderr}", failure.reason),
        };
        self.told.send_modify(|seen| seen.snapshot.last_error = Some(said));
    }

    fn tell(&self, state: State, pid: Option<u32>) {
        self.told.send_modify(|seen| {
            seen.snapshot.state = state;
            seen.snapshot.pid = pid;
            seen.peer = None;
        });
    }
}
