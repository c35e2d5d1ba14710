//! One server, kept alive: what others see of it, and what they may want of it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use toolwright_mcp::Peer;

use crate::catalog::PrepareList;
use crate::connector::{Connector, TransportKind};
use crate::failure::ServerFailure;
use crate::owner::{Orders, Owner};
use crate::policy::Policy;
use crate::report::StillWorks;
use crate::state::{Listed, Seen, Snapshot, State, StateName};
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
    quarantine: Duration,
    _alive: Arc<DropGuard>,
}

/// When a server is first reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beginning {
    /// At once.
    #[default]
    AtOnce,
    /// When somebody asks for it; it rests until then.
    WhenAsked,
}

/// A server that ends when it has finished. Does not keep it alive.
#[derive(Clone)]
pub struct Retiring {
    seen: watch::Receiver<Seen>,
    orders: watch::Sender<Orders>,
}

/// How long a server that others have taken the place of has to be unused before it ends.
const RETIRES_UNUSED: Duration = Duration::from_secs(5);

/// Why a server cannot be used now.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the server is not ready ({state}{}){}", aside(server, *.put_aside), .last_failure.as_ref().map(|failure| format!(": {failure}")).unwrap_or_default())]
pub struct NotReady {
    /// Its name.
    pub server: String,
    /// The word for its state.
    pub state: StateName,
    /// How long it rests because it ended too often.
    pub put_aside: Option<Duration>,
    /// What went wrong last.
    pub last_failure: Option<ServerFailure>,
}

fn aside(server: &str, put_aside: Option<Duration>) -> String {
    let Some(rest) = put_aside else { return String::new() };
    let command = format!("`toolwright servers restart {server}`");
    format!(": it ended too often and rests for up to {} s; {command} starts it at once", rest.as_secs())
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
        Supervisor::begin(connector, policy, others, Beginning::AtOnce, Arc::default(), None)
    }

    /// The same, beginning as it is told. `known` are tools that count as the server's until it is asked; every list
    /// that it sends is seen once `prepare` has returned.
    pub fn begin(
        connector: Arc<dyn Connector>,
        policy: Policy,
        others: Arc<dyn Fn() -> StillWorks + Send + Sync>,
        beginning: Beginning,
        known: Arc<Listed>,
        prepare: Option<PrepareList>,
    ) -> Supervisor {
        let mut first = Seen::new(connector.transport()).knowing(known);
        if beginning == Beginning::WhenAsked {
            first.away(State::Resting);
        }
        let (told, seen) = watch::channel(first);
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
            prepare,
            crashes: Default::default(),
            rests_first: beginning == Beginning::WhenAsked,
            rested: 0,
        };
        let stopped = stop.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = owner.live() => {}
                () = stopped.cancelled() => {}
            }
        });
        let Policy { attempts, quarantine, .. } = policy;
        Supervisor {
            connector,
            seen,
            wake,
            usage,
            orders,
            attempts,
            quarantine,
            _alive: Arc::new(stop.drop_guard()),
        }
    }

    /// Whether another is a clone of this one.
    pub fn is_same(&self, other: &Supervisor) -> bool {
        Arc::ptr_eq(&self._alive, &other._alive)
    }

    /// The server's name.
    pub fn name(&self) -> &str {
        self.connector.name()
    }

    /// What can be seen of the server now.
    pub fn snapshot(&self) -> Snapshot {
        self.seen.borrow().snapshot()
    }

    /// How the server is reached.
    pub fn transport(&self) -> TransportKind {
        self.seen.borrow().snapshot.transport
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
        let _waiting = self.usage.wait();
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
            let Snapshot { state, last_failure, .. } = self.snapshot();
            let put_aside = (state == State::Quarantined).then_some(self.quarantine);
            let server = self.connector.name().to_owned();
            NotReady { server, state: state.name(), put_aside, last_failure }
        })
    }

    /// Ends the server and starts it anew, whatever state it is in.
    pub fn restart(&self) {
        self.orders.send_modify(|orders| {
            orders.is_enabled = true;
            orders.restarts += 1;
        });
    }

    /// Ends the server as soon as it has nothing to do, until somebody asks for it again.
    pub fn rest(&self) {
        self.orders.send_modify(|orders| orders.rests += 1);
    }

    /// Ends the server for good once nobody has used it for a moment, whoever still holds on to it. Calls
    /// that run come to their end. It ends at once with the last clone.
    pub fn retire(self) -> Retiring {
        let Supervisor { seen, usage, orders, .. } = self;
        let retiring = Retiring { seen, orders };
        let (seen, end) = (retiring.seen.clone(), retiring.clone());
        tokio::spawn(async move {
            loop {
                sleep(RETIRES_UNUSED / 5).await;
                let peer = seen.borrow().peer.clone();
                let is_used = |peer: &Peer| usage.unused_for(peer.connection()) < RETIRES_UNUSED;
                if end.has_ended() {
                    return;
                }
                if !usage.is_awaited() && !peer.as_ref().is_some_and(is_used) {
                    return end.end();
                }
            }
        });
        retiring
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

impl Retiring {
    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        self.seen.borrow().snapshot.state == State::Disabled
    }

    /// Ends it now, whatever it does.
    pub fn end(&self) {
        self.orders.send_modify(|orders| orders.is_enabled = false);
    }

    /// Waits until it has ended.
    pub async fn ended(&self) {
        let mut seen = self.seen.clone();
        let _ = seen.wait_for(|seen| seen.snapshot.state == State::Disabled).await;
    }
}
