//! The port at work: connections in, and an orderly end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use toolwright_base::ConcurrencyLimit;
use toolwright_proxy::LlmFront;

use crate::admission::Admission;
use crate::api::{Api, LimitNow};
use crate::connection::{self, Arrival};
use crate::dropped::Dropped;
use crate::guard::{Allowed, Guard, GuardError};
use crate::inside::Inside;
use crate::keys::Keys;
use crate::limits::WebLimits;
use crate::listener::Bound;
use crate::metrics::Metrics;
use crate::pages::Pages;
use crate::sessions::Sessions;

/// How often the tokens are looked at.
const TOKENS: Duration = Duration::from_millis(400);
/// How long accepting rests when the system has no more connections to give.
const NO_MORE_FILES: Duration = Duration::from_millis(50);
/// How many connections for which there is no room, or no time, are told so at once; others are closed without a
/// word.
const REFUSED_AT_ONCE: usize = 256;
/// How long connections that rest stay open when the gateway ends: who uses one hears of it first.
const LAST_REQUESTS: Duration = Duration::from_millis(250);
/// How long the last answers may take to be written.
const LAST_ANSWERS: Duration = Duration::from_millis(500);
/// How often the number of connections is looked at while they end.
const COUNTED: Duration = Duration::from_millis(5);

/// What the port is made of.
pub struct WebOptions {
    /// What is behind it.
    pub inside: Arc<dyn Inside>,
    /// Who may come in.
    pub keys: Keys,
    /// Who may speak to it besides this machine.
    pub allowed: Allowed,
    /// How much.
    pub limits: WebLimits,
    /// What is counted.
    pub metrics: Metrics,
    /// What can be asked about calls; nothing for a port that tells nothing of them.
    pub api: Option<Api>,
    /// What models are asked through; nothing for a port that asks none.
    pub llm: Option<Arc<LlmFront>>,
    /// Pages for people, and who may look at them; nothing for a port without.
    pub pages: Option<(Arc<dyn Pages>, Sessions)>,
}

/// The port.
pub struct Web {
    pub(super) inside: Arc<dyn Inside>,
    pub(super) keys: Keys,
    pub(super) guard: Guard,
    pub(super) limits: WebLimits,
    pub(super) metrics: Metrics,
    pub(super) api: Option<Api>,
    pub(super) llm: Option<Arc<LlmFront>>,
    pub(super) pages: Option<(Arc<dyn Pages>, Sessions)>,
    pub(super) dropped: Dropped,
    pub(super) admission: Admission,
    pub(super) connections: Arc<ConcurrencyLimit>,
    refused: Arc<ConcurrencyLimit>,
    pub(super) stop: Stop,
}

/// How the port is asked to end. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    asked: CancellationToken,
    resting: CancellationToken,
    now: CancellationToken,
    all: CancellationToken,
}

impl Stop {
    /// Asks the port to end: requests are finished, nothing new is begun.
    pub fn ask(&self) {
        self.asked.cancel();
    }

    /// Whether it was asked to.
    pub fn is_asked(&self) -> bool {
        self.asked.is_cancelled()
    }

    /// Waits until the requests that are left are given up.
    pub(super) async fn now(&self) {
        self.now.cancelled().await;
    }

    /// Waits until connections without a request end.
    pub(super) async fn resting_connections_end(&self) {
        self.resting.cancelled().await;
    }

    /// Waits until connections end whatever they do.
    pub(super) async fn all_connections_end(&self) {
        self.all.cancelled().await;
    }
}

impl Web {
    /// A port at this address.
    pub fn new(address: SocketAddr, options: WebOptions) -> Result<Arc<Web>, GuardError> {
        let WebOptions { inside, keys, allowed, limits, metrics, api, llm, pages } = options;
        let guard = Guard::new(address, &allowed, keys.are_needed())?;
        Ok(Arc::new(Web {
            inside,
            keys,
            guard,
            limits,
            metrics,
            api,
            llm,
            pages,
            dropped: Dropped::default(),
            admission: Admission::default(),
            connections: Arc::default(),
            refused: Arc::default(),
            stop: Stop::default(),
        }))
    }

    /// How near each limit is.
    pub fn limits_now(&self) -> Vec<LimitNow> {
        super::api::limits_now(self)
    }

    /// How it is asked to end.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Serves until it is asked to end, and then until all requests are answered or the grace is over. Must
    /// be called on a tokio runtime.
    pub async fn serve(self: &Arc<Web>, bound: Bound) {
        let Bound { listener, .. } = bound;
        tokio::select! {
            () = self.accept_all(&listener) => {}
            () = self.look_at_tokens() => {}
            () = self.stop.asked.cancelled() => {}
        }
        self.accept_those_who_wait(&listener).await;
        self.inside.close();
        tokio::select! {
            () = self.end() => {}
            () = self.tell_the_late(&listener) => {}
        }
        self.stop.all.cancel();
    }

    async fn accept_all(self: &Arc<Web>, listener: &TcpListener) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => self.begin(stream),
                Err(error) => {
                    tracing::warn!("no connection can be accepted: {error}");
                    sleep(NO_MORE_FILES).await;
                }
            }
        }
    }

    /// Those who connected before the end get an answer too.
    async fn accept_those_who_wait(self: &Arc<Web>, listener: &TcpListener) {
        while let Ok(Ok((stream, _))) = timeout(Duration::ZERO, listener.accept()).await {
            self.begin(stream);
        }
    }

    fn begin(self: &Arc<Web>, stream: TcpStream) {
        match self.connections.try_acquire(1, self.limits.connections) {
            // Its end is waited for below: the gate counts it.
            Some(entered) => {
                let served = connection::serve(Arc::clone(self), stream, entered, Arrival::InTime);
                drop(tokio::spawn(served));
            }
            None => {
                self.metrics.refused("limit");
                self.dropped.add("connections");
                let Some(told) = self.refused.try_acquire(1, REFUSED_AT_ONCE) else { return };
                let limit = self.limits.connections;
                drop(tokio::spawn(async move {
                    connection::refuse(stream, limit).await;
                    drop(told);
                }));
            }
        }
    }

    /// Those who come while it ends hear that it does. Their connections are not waited for.
    async fn tell_the_late(self: &Arc<Web>, listener: &TcpListener) {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                sleep(NO_MORE_FILES).await;
                continue;
            };
            let Some(entered) = self.refused.try_acquire(1, REFUSED_AT_ONCE) else { continue };
            drop(tokio::spawn(connection::serve(Arc::clone(self), stream, entered, Arrival::Late)));
        }
    }

    async fn look_at_tokens(&self) {
        loop {
            sleep(TOKENS).await;
            self.keys.refresh();
        }
    }

    async fn end(&self) {
        let grace = self.limits.grace;
        let ended = async {
            sleep(LAST_REQUESTS.min(grace)).await;
            self.stop.resting.cancel();
            self.connections_are_gone().await;
        };
        if timeout(grace, ended).await.is_err() {
            tracing::warn!("{} connections are given up", self.connections.in_flight());
            self.stop.resting.cancel();
            // What a stream has begun to answer only the inside can end with words.
            let _ = timeout(LAST_ANSWERS, self.inside.give_up()).await;
            self.stop.now.cancel();
            let _ = timeout(LAST_ANSWERS, self.connections_are_gone()).await;
        }
    }

    async fn connections_are_gone(&self) {
        while self.connections.in_flight() > 0 {
            sleep(COUNTED).await;
        }
    }
}
