//! The front of the gateway: everything that is kept for clients, and the doors to it.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use toolwright_jsonrpc::Json;

use super::body::FrontBody;
use super::client::{Client, Visitor};
use super::limits::FrontLimits;
use super::parked::Parking;
use super::seal::{SealKey, Sealer, random_number};
use super::service::Service;
use super::sessions::Sessions;
use super::task::lock;
use super::{http as over_http, stdio};

/// How long the name of a service is believed before it is asked again.
const NAME_KEPT: Duration = Duration::from_secs(30);

/// How long an answer waits for the name of its service.
const NAME_PATIENCE: Duration = Duration::from_secs(1);

/// What a front is made of.
#[derive(Clone, Debug)]
pub struct FrontOptions {
    /// Seals sessions and parked calls.
    pub key: SealKey,
    /// What is kept at most.
    pub limits: FrontLimits,
}

/// What there is at the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrontCounts {
    /// Legacy sessions that are remembered, stdio clients among them.
    pub sessions: usize,
    /// Requests that are worked on while their client waits.
    pub requests_in_flight: usize,
    /// Calls that wait for an answer of their client.
    pub parked_calls: usize,
    /// Notifications that a slow client did not take, so far.
    pub dropped_notifications: u64,
}

/// The protocol towards clients, for every endpoint.
pub struct Fronts {
    shared: Arc<Shared>,
}

/// What every request needs.
pub(super) struct Shared {
    pub limits: FrontLimits,
    pub sealer: Sealer,
    pub counters: Arc<Counters>,
    pub sessions: Sessions,
    pub parking: Parking,
    /// Cancelled when the front closes.
    pub closing: CancellationToken,
    streams: AtomicU64,
    is_closed: AtomicBool,
    names: Mutex<HashMap<String, Name>>,
    listeners: Mutex<HashMap<Arc<str>, usize>>,
}

/// What a service is called, and when it said so.
struct Name {
    service: usize,
    said: Instant,
    server: Json,
}

/// What is counted.
#[derive(Default)]
pub(super) struct Counters {
    in_flight: AtomicUsize,
    stdio_clients: AtomicUsize,
    dropped: AtomicU64,
    /// Bytes of events that are kept to be sent again.
    pub kept: AtomicUsize,
}

/// A request that is worked on, until this is dropped.
pub(super) struct InFlight(Arc<Counters>);

/// A stdio client, until this is dropped.
pub(super) struct StdioClient(Arc<Counters>);

/// A stream of a visitor that tells what changes, until this is dropped.
pub(super) struct Listener {
    shared: Arc<Shared>,
    visitor: Arc<str>,
}

/// Where a request came in.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub shared: &'p Arc<Shared>,
    pub endpoint: &'p str,
    pub service: &'p Arc<dyn Service>,
    pub visitor: &'p Visitor,
}

// === impl Fronts ===

impl Fronts {
    /// A front without clients.
    pub fn new(options: FrontOptions) -> Arc<Fronts> {
        let FrontOptions { key, limits } = options;
        let shared = Shared {
            sealer: Sealer::new(&key),
            counters: Arc::default(),
            sessions: Sessions::new(&limits),
            parking: Parking::default(),
            closing: CancellationToken::new(),
            // Another process, or this one before a restart, gave other names.
            streams: AtomicU64::new(random_number() as u64),
            is_closed: AtomicBool::new(false),
            names: Mutex::default(),
            listeners: Mutex::default(),
            limits,
        };
        Arc::new(Fronts { shared: Arc::new(shared) })
    }

    /// Answers one HTTP request to an endpoint; its body is whole and bounded already. Dropping the future
    /// means that the client is gone.
    pub async fn answer_http(
        &self,
        endpoint: &str,
        service: Arc<dyn Service>,
        request: ::http::Request<Bytes>,
        visitor: Visitor,
    ) -> ::http::Response<FrontBody> {
        let place = Place { shared: &self.shared, endpoint, service: &service, visitor: &visitor };
        over_http::answer(place, request).await
    }

    /// Serves one client over a pair of streams until the first one ends.
    pub async fn serve_stdio(
        &self,
        service: Arc<dyn Service>,
        input: impl AsyncRead + Send,
        output: impl AsyncWrite + Send + 'static,
        visitor: Visitor,
    ) {
        stdio::serve(Arc::clone(&self.shared), service, input, output, visitor).await;
    }

    /// Ends the streams that only wait for news; requests that come later are refused, and calls
    /// that wait for an answer of their client end. Calls in flight go on, and what belongs to them is taken.
    pub fn close(&self) {
        self.shared.is_closed.store(true, Ordering::Release);
        self.shared.closing.cancel();
        self.shared.sessions.finish_streams();
        self.shared.parking.clear();
    }

    /// What there is at the moment.
    pub fn counts(&self) -> FrontCounts {
        let counters = &self.shared.counters;
        FrontCounts {
            sessions: self.shared.sessions.len() + counters.stdio_clients.load(Ordering::Relaxed),
            requests_in_flight: counters.in_flight.load(Ordering::Relaxed),
            parked_calls: self.shared.parking.len(),
            dropped_notifications: counters.dropped.load(Ordering::Relaxed),
        }
    }
}

impl fmt::Debug for Fronts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fronts").field("counts", &self.counts()).finish_non_exhaustive()
    }
}

// === impl Shared ===

impl Shared {
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// A name that no other stream has.
    pub fn stream_name(&self, kind: char) -> String {
        format!("{kind}{:x}", self.streams.fetch_add(1, Ordering::Relaxed))
    }

    pub fn in_flight(&self) -> InFlight {
        self.counters.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(Arc::clone(&self.counters))
    }

    pub fn stdio_client(&self) -> StdioClient {
        self.counters.stdio_clients.fetch_add(1, Ordering::Relaxed);
        StdioClient(Arc::clone(&self.counters))
    }

    /// A place among the streams of a visitor; `None` when it has too many.
    pub fn listener(self: &Arc<Self>, visitor: &Visitor) -> Option<Listener> {
        let mut listeners = lock(&self.listeners);
        let count = listeners.entry(Arc::clone(&visitor.name)).or_default();
        if *count >= self.limits.listeners_per_visitor {
            return None;
        }
        *count += 1;
        drop(listeners);
        Some(Listener { shared: Arc::clone(self), visitor: Arc::clone(&visitor.name) })
    }

    /// What a service is called: results of a legacy server do not say it.
    pub async fn server_name(
        &self,
        endpoint: &str,
        service: &Arc<dyn Service>,
        client: &Arc<Client>,
    ) -> Option<Json> {
        let address = Arc::as_ptr(service).cast::<()>() as usize;
        {
            let names = lock(&self.names);
            let known = names.get(endpoint).filter(|name| name.service == address);
            if let Some(name) = known.filter(|name| name.said.elapsed() < NAME_KEPT) {
                return Some(name.server.clone());
            }
        }
        // The name is no reason to hold an answer back.
        let server = timeout(NAME_PATIENCE, service.about(client)).await.ok()?.ok()?.server;
        let name = Name { service: address, said: Instant::now(), server: server.clone() };
        let mut names = lock(&self.names);
        // Endpoints come and go with the configuration.
        names.retain(|_, name| name.said.elapsed() < NAME_KEPT * 10);
        names.insert(endpoint.to_owned(), name);
        Some(server)
    }
}

impl Counters {
    pub fn drop_notification(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for StdioClient {
    fn drop(&mut self) {
        self.0.stdio_clients.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut listeners = lock(&self.shared.listeners);
        if let Some(count) = listeners.get_mut(&self.visitor) {
            *count -= 1;
            if *count == 0 {
                listeners.remove(&self.visitor);
            }
        }
    }
}
