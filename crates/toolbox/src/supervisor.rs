//! One server, kept alive: what others see of it, and what they may want of it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use toolwright_mcp::Peer;

use crate::connector::Connector;
use crate::owner::{Orders, Owner};
use crate::policy::Policy;
use crate::report::StillWorks;
use crate::state::{Listed, Seen, Snapshot, State};
use crate::usage::Usage;

/// A server under supervision. Cheap to clone; the server ends with the last clone.
#[derive(Clone)]
pub struct Supervisor {
    connector: Arc<dyn Connector>,
    seen: watch::Receiver<Seen>,
    wake: Arc<Notify>,
    usage: Arc<Usage>,
    orders: watch::Sender<Orders>,
    attempts: u32,
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

impl Supervisor {
    /// Begins to reach a server. Returns at once; must be called on a tokio runtime.
    pub fn start(connector: Arc<dyn Connector>, policy: Policy) -> Supervisor {
        Supervisor::start_beside(connector, policy, Arc::new(StillWorks::default))
    }

    /// The same, for a server that others work beside: who they are is asked when it cannot be reached.
    pub fn start_beside(
        connector: Arc<dyn Connector>,
        policy: Policy,
        others: Arc<dyn Fn() -> StillWorks + Send + Sync>,
    ) -> Supervisor {
        let (told, seen) = watch::channel(Seen::new(connector.transport()));
        let (orders, ordered) = watch::channel(Orders::default());
        let wake = Arc::new(Notify::new());
        let usage = Arc::new(Usage::default());
        let stop = CancellationToken::new();
        let owner = Owner {
            connector: Arc::clone(&connector),
            policy,
            others,
            told,
            ordered,
            wake: Arc::clone(&wake),
            usage: Arc::clone(&usage),
            known: None,
            crashes: Default::default(),
        };
        let stopped = stop.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = owner.live() => {}
                () = stopped.cancelled() => {}
            }
        });
        let attempts = policy.attempts;
        Supervisor { connector, seen, wake, usage, orders, attempts, _alive: Arc::new(stop.drop_guard()) }
    }

    /// The server's name.
    pub fn name(&self) -> &str {
        self.connector.name()
    }

    /// What can be seen of the server now.
    pub fn snapshot(&self) -> Snapshot {
        self.seen.borrow().snapshot()
    }

    /// The tools of the server; those it had while it is away.
    pub fn tools(&self) -> Arc<Listed> {
        Arc::clone(&self.seen.borrow().tools)
    }

    /// What it wrote to stderr last, without secrets.
    pub fn stderr(&self) -> String {
        self.connector.stderr()
    }

    /// The last that the server printed on stdout and that was no message.
    pub fn noise(&self) -> Vec<String> {
        let peer = self.seen.borrow().peer.clone();
        let last = peer.map(|peer| peer.connection().counts().last_noise).unwrap_or_default();
        last.into_iter().map(|noise| noise.shown).collect()
    }

    /// Follows every change of state or tools. It changes no more when the last supervisor is gone.
    pub fn subscribe(&self) -> watch::Receiver<Seen> {
        self.seen.clone()
    }

    /// The server, when it is ready within this time. Asking ends a wait for the next attempt, and starts
    /// a server that rests. A server that cannot be reached is told of as soon as that is known.
    pub async fn peer(&self, patience: Duration) -> Result<Peer, NotReady> {
        let mut seen = self.seen.clone();
        // Before the look: who rests the server looks at the two the other way round.
        self.usage.note();
        let failed = {
            let seen = seen.borrow();
            if let Some(peer) = seen.usable() {
                return Ok(peer);
            }
            seen.failed
        };
        self.wake.notify_waiters();
        let attempts = self.attempts;
        let is_over = |seen: &Seen| {
            // What was ordered a moment ago is not seen yet.
            let is_obeyed = seen.obeyed == *self.orders.borrow();
            seen.usable().is_some() || is_obeyed && seen.is_hopeless(failed, attempts)
        };
        let ready = seen.wait_for(is_over);
        let found = timeout(patience, ready).await.ok().and_then(Result::ok).and_then(|seen| seen.usable());
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

    /// Waits until a server that was disabled has ended.
    pub async fn ended(&self) {
        let mut seen = self.seen.clone();
        let _ = seen.wait_for(|seen| seen.snapshot.state == State::Disabled).await;
    }

    /// Starts a server that was disabled.
    pub fn enable(&self) {
        self.orders.send_modify(|orders| orders.is_enabled = true);
    }
}
