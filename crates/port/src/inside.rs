//! What is behind the port.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use toolwright_ledger::journal::Health;
use toolwright_mcp::front::Visitor;

use toolwright_endpoints::Endpoint;

/// The body of an answer.
pub type InsideBody = UnsyncBoxBody<Bytes, Infallible>;

/// An answer in time; nothing when there is no such endpoint.
pub type Reply<'i> = Pin<Box<dyn Future<Output = Option<Response<InsideBody>>> + Send + 'i>>;

/// What is behind the port: the protocol, and the toolboxes that are served by it.
pub trait Inside: Send + Sync + 'static {
    /// Answers a request whose sender was let in. Dropping the answer gives the request up.
    fn answer(&self, endpoint: Endpoint, request: Request<Bytes>, visitor: Visitor) -> Reply<'_>;

    /// The toolboxes there are now.
    fn toolboxes(&self) -> Vec<String>;

    /// What can be counted now.
    fn counts(&self) -> Counts;

    /// The gateway ends: streams that only listen end, and later requests are refused.
    fn close(&self);

    /// The grace is over: what still runs is ended, so that its callers hear of it.
    fn give_up(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// What can be counted of what is behind the port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sessions of legacy clients.
    pub sessions: usize,
    /// Calls that wait for the second half of a modern client's request.
    pub parked_calls: usize,
    /// Notifications that a slow client did not take.
    pub dropped_notifications: u64,
    /// Tool calls that run.
    pub calls_in_flight: usize,
    /// How many servers are in which state.
    pub servers: BTreeMap<String, usize>,
    /// Tools that are known now.
    pub tools: usize,
    /// How the journal is doing; nothing when there is none.
    pub journal: Option<Health>,
    /// Calls are refused now because they cannot be written down.
    pub refuses_calls: bool,
}
