//! The one task that starts and ends a server: attempts, waits, crashes and rest.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};
use toolwright_mcp::{Connection, Era};

use crate::catalog::PrepareList;
use crate::connector::{ConnectFailure, Connected, Connector};
use crate::failure::ServerFailure;
use crate::policy::Policy;
use crate::report::{self, StillWorks};
use crate::state::{Seen, State};
use crate::usage::Usage;
use crate::{catalog, health};

/// How long a server that was stopped is waited for; its way kills it before.
const END: Duration = Duration::from_secs(10);

/// How long a server that is to rest has to be unused before it does.
const RESTS_UNUSED: Duration = Duration::from_millis(250);

/// What somebody wants of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Orders {
    pub is_enabled: bool,
    /// Counts the times that it should be ended and started anew.
    pub restarts: u64,
    /// Counts the times that it should rest.
    pub rests: u64,
}

impl Orders {
    /// Whether these want no more of it than the others, except perhaps a rest.
    fn differ_by_rest_only(self, others: Orders) -> bool {
        Orders { rests: others.rests, ..self } == others
    }
}

impl Default for Orders {
    fn default() -> Self {
        Orders { is_enabled: true, restarts: 0, rests: 0 }
    }
}

/// What those need who keep watch over a connected server.
pub(crate) struct Keeping<'o> {
    /// Its name.
    pub server: &'o str,
    pub policy: Policy,
    pub told: &'o watch::Sender<Seen>,
    pub prepare: Option<PrepareList>,
}

/// Owns one server.
pub(crate) struct Owner {
    pub connector: Arc<dyn Connector>,
    pub policy: Policy,
    pub others: Arc<dyn Fn() -> StillWorks + Send + Sync>,
    pub told: watch::Sender<Seen>,
    pub ordered: watch::Receiver<Orders>,
    pub wake: Arc<Notify>,
    pub usage: Arc<Usage>,
    pub known: Option<Era>,
    pub prepare: Option<PrepareList>,
    /// When it ended by itself, the last times.
    pub crashes: VecDeque<Instant>,
    /// Whether it waits for the first who asks.
    pub rests_first: bool,
    /// How many of the rests that were ordered it had.
    pub rested: u64,
}

impl Owner {
    pub async fn live(mut self) {
        let mut was_ready = false;
        loop {
            let orders = *self.ordered.borrow_and_update();
            let is_anew = orders.restarts != self.told.borrow().obeyed.restarts;
            let rests = !is_anew && (self.rests_first || self.rested != orders.rests);
            self.rests_first = false;
            self.rested = orders.rests;
            let state = match (orders.is_enabled, rests) {
                (false, _) => State::Disabled,
                (true, true) => State::Resting,
                (true, false) => State::Starting { attempt: 1 },
            };
            if !orders.is_enabled {
                self.ended().await;
            }
            let wake = Arc::clone(&self.wake);
            let mut woken = std::pin::pin!(wake.notified());
            woken.as_mut().enable();
            self.told.send_modify(|seen| {
                seen.obeyed = orders;
                seen.away(state);
            });
            if !orders.is_enabled {
                if self.ordered.changed().await.is_err() {
                    return;
                }
                continue;
            }
            // Who waits already has called before anybody listened.
            if rests && !self.usage.is_awaited() {
                tokio::select! {
                    () = woken => {}
                    _ = self.ordered.changed() => {
                        // It rests; one more is nothing new.
                        let new = *self.ordered.borrow();
                        self.rests_first = new.differ_by_rest_only(orders);
                        continue;
                    }
                }
            }
            let Some(connected) = self.reach().await else {
                // The attempt that was dropped may have started a program.
                self.ended().await;
                continue;
            };
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
            self.tell(State::Starting { attempt });
            let connector = Arc::clone(&self.connector);
            let server = connector.name();
            let failure = tokio::select! {
                reached = connector.connect(self.known) => match reached {
                    Ok(connected) => {
                        if attempt > 1 {
                            tracing::info!(server, "MCP connection succeeded on attempt {attempt}");
                        }
                        return Some(connected);
                    }
                    Err(failure) => failure,
                },
                () = other_orders(&mut self.ordered, &self.told, &self.usage) => return None,
            };
            failures = attempt;
            self.note(failure.clone());
            // What will not mend itself is not tried like a blip.
            let is_given_up = failure.is_lasting && failures >= self.policy.attempts;
            let wait =
                if is_given_up { self.policy.max_delay } else { self.policy.delay_before(attempt + 1) };
            // The first attempts keep their pace.
            let is_hurried = failures >= self.policy.attempts;
            let sooner = if is_hurried { ", or at the next call" } else { "" };
            tracing::warn!(
                server,
                attempt,
                reason = %failure.failure.message,
                "MCP connection attempt {attempt} failed; the next one is in {} s{sooner}",
                wait.as_secs_f64()
            );
            if failures == self.policy.attempts {
                tracing::error!(server, "MCP connection failed after {failures} attempts");
                let still = (self.others)();
                tracing::error!(
                    server,
                    "{}",
                    report::failed_start(&*self.connector, failures, &failure.failure, &still)
                );
            }
            let wake = Arc::clone(&self.wake);
            let mut woken = std::pin::pin!(wake.notified());
            // Somebody who sees the wait and asks for the server must be heard.
            woken.as_mut().enable();
            self.tell(State::Backoff { failures, wait });
            tokio::select! {
                () = sleep(wait) => {}
                () = woken, if is_hurried => {}
                () = other_orders(&mut self.ordered, &self.told, &self.usage) => return None,
            }
            self.ended().await;
        }
    }

    /// Waits until what was started before has ended: two of one server never run at once.
    async fn ended(&self) {
        if timeout(END, self.connector.ended()).await.is_err() {
            tracing::warn!(server = self.connector.name(), "a server that was stopped still runs");
        }
    }

    /// Stays with a server until it is gone or somebody wants something else of it.
    async fn watch(&mut self, connected: Connected) {
        let Connected { peer, pid } = connected;
        self.known = Some(peer.era());
        let connection = peer.connection().clone();
        self.usage.note();
        self.told.send_modify(|seen| seen.reached(peer.clone(), pid));
        let past_noise = self.told.borrow().past_noise;
        let server = Arc::clone(&self.connector);
        let told = self.told.clone();
        let keeping = Keeping {
            server: server.name(),
            policy: self.policy,
            told: &told,
            prepare: self.prepare.clone(),
        };
        // What was ordered while it was being reached.
        let mut rests = self.rested != self.ordered.borrow().rests;
        let closed = loop {
            let idle = if rests { Some(RESTS_UNUSED) } else { self.policy.idle };
            tokio::select! {
                closed = connection.wait_closed() => break closed,
                _ = self.ordered.changed() => {
                    let orders = *self.ordered.borrow_and_update();
                    if orders.differ_by_rest_only(self.told.borrow().obeyed) {
                        rests = true;
                        self.told.send_modify(|seen| seen.obeyed = orders);
                        continue;
                    }
                    self.tell(State::Starting { attempt: 1 });
                    // Two of one server never run at once.
                    return end(&connection).await;
                }
                () = self.usage.wait_unused(&connection, idle) => {
                    self.rested = self.told.borrow().obeyed.rests;
                    if self.rest(&connection, idle.unwrap_or_default()).await {
                        return;
                    }
                    // Somebody was quicker.
                    self.told.send_modify(|seen| {
                        seen.past_noise = past_noise;
                        seen.reached(peer.clone(), pid);
                    });
                }
                never = catalog::keep(&peer, &keeping) => match never {},
                failure = health::keep(&peer, &keeping) => {
                    let name = self.connector.name();
                    tracing::warn!(server = name, "{} is restarted: {failure}", self.connector.describe());
                    self.told.send_modify(|seen| {
                        seen.away(State::Starting { attempt: 1 });
                        seen.snapshot.last_failure = Some(failure);
                    });
                    return end(&connection).await;
                }
            }
        };
        self.told.send_modify(|seen| {
            seen.away(State::Starting { attempt: 1 });
            seen.snapshot.last_failure = Some(ServerFailure::from(&*closed));
        });
        tracing::warn!(server = self.connector.name(), "{} is gone: {closed}", self.connector.describe());
        self.rest_after_crash().await;
    }

    /// Stops a server that nobody uses until somebody does. False when somebody just did.
    async fn rest(&mut self, connection: &Connection, idle: Duration) -> bool {
        let wake = Arc::clone(&self.wake);
        let mut woken = std::pin::pin!(wake.notified());
        woken.as_mut().enable();
        // First nobody can get at it any more, then it is looked whether somebody has.
        self.tell(State::Resting);
        if self.usage.unused_for(connection) < idle {
            return false;
        }
        connection.stop();
        tracing::info!(
            server = self.connector.name(),
            "{} was not used for {} s and rests",
            self.connector.describe(),
            idle.as_secs_f64()
        );
        tokio::select! {
            () = woken => {}
            _ = self.ordered.changed() => {}
        }
        end(connection).await;
        true
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
        tracing::error!(
            server = self.connector.name(),
            "{} ended {} times within {} s and is put aside for {} s",
            self.connector.describe(),
            self.policy.crashes,
            self.policy.crash_window.as_secs(),
            self.policy.quarantine.as_secs()
        );
        self.tell(State::Quarantined);
        tokio::select! {
            () = sleep(self.policy.quarantine) => {}
            _ = self.ordered.changed() => {}
        }
    }

    fn note(&self, failure: ConnectFailure) {
        self.told.send_modify(|seen| {
            seen.snapshot.last_failure = Some(failure.failure);
            seen.snapshot.is_lasting = failure.is_lasting;
            seen.failed += 1;
        });
    }

    fn tell(&self, state: State) {
        self.told.send_modify(|seen| seen.away(state));
    }
}

impl Drop for Owner {
    /// Those who still look must not keep the server alive.
    fn drop(&mut self) {
        self.tell(State::Disabled);
    }
}

/// Waits until somebody wants something else. A rest is nothing else while somebody waits for the server.
async fn other_orders(ordered: &mut watch::Receiver<Orders>, told: &watch::Sender<Seen>, usage: &Usage) {
    loop {
        if ordered.changed().await.is_err() {
            return;
        }
        let orders = *ordered.borrow();
        if !orders.differ_by_rest_only(told.borrow().obeyed) || !usage.is_awaited() {
            return;
        }
        told.send_modify(|seen| seen.obeyed = orders);
    }
}

/// Ends a server and waits until it is gone: two of one kind could be in each other's way.
async fn end(connection: &Connection) {
    connection.stop();
    if timeout(END, connection.wait_closed()).await.is_err() {
        tracing::warn!("a server that was stopped is still there");
    }
}
