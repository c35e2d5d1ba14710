//! What stands behind the wire: one trait, whatever era its clients are of.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::mpsc;
use toolwright_jsonrpc::{ErrorObject, Json, METHOD_NOT_FOUND, Notification};

use super::client::Client;
use crate::Filter;
use crate::host::Answer;

/// Something of a service, in time.
pub type Serving<'s, T> = Pin<Box<dyn Future<Output = T> + Send + 's>>;

/// What a client is connected to. The wire deals with `initialize`, `server/discover`, `ping`, sessions,
/// cancellation (the future of a request is dropped), `logging/setLevel`, `resources/subscribe`,
/// `resources/unsubscribe`, `subscriptions/listen` and the fields that only one era has.
pub trait Service: Send + Sync + 'static {
    /// What it says of itself to this client.
    fn about<'s>(&'s self, client: &'s Arc<Client>) -> Serving<'s, Result<About, ErrorObject>>;

    /// Answers a request. A result with `"resultType": "input_required"` is given to modern clients only.
    fn request(&self, asked: Asked) -> Serving<'static, Result<Json, ErrorObject>>;

    /// Hears a notification that the wire has no use for, such as `notifications/roots/list_changed`.
    fn notified(&self, client: &Arc<Client>, notification: Notification);

    /// Begins to tell what changes. `logs` asks for log messages that belong to no request as well.
    fn listen(
        &self,
        client: Arc<Client>,
        filter: Filter,
        logs: bool,
    ) -> Serving<'_, Result<Listening, ErrorObject>>;

    /// The input schema of a tool by the name that this client knows, when it speaks of headers
    /// ([`HEADER_ANNOTATION`](crate::HEADER_ANNOTATION)): arguments are compared with those that carry them.
    fn schema_with_headers(&self, client: &Client, tool: &str) -> Option<Json>;

    /// A session has ended, and what was kept for it can go.
    fn ended(&self, client: &Client);
}

/// What a service is.
#[derive(Clone, Debug)]
pub struct About {
    /// `{"name", "version", …}`
    pub server: Json,
    /// What it can do.
    pub capabilities: Json,
    /// What models are told about its use.
    pub instructions: Option<String>,
    /// What else a server said of itself, such as its own `_meta`: members of the result, as they were.
    pub extra: Vec<(String, Json)>,
}

/// One request of a client.
pub struct Asked {
    /// Who asks.
    pub client: Arc<Client>,
    /// What.
    pub method: String,
    /// With what: as it was sent, with `_meta`, `inputResponses` and `requestState` where they are there and
    /// belong to the server. What the era puts around a request (revision, capabilities, client info) is
    /// taken out of `_meta`; the client's own `progressToken` stays.
    pub params: Option<Json>,
    /// The lowest level of log messages that the client wants, when it wants any.
    pub log_level: Option<String>,
    /// Where the HTTP request that brought it stands in a trace. What `_meta` says counts more.
    pub trace: Option<HttpTrace>,
    /// The way back while it is worked on.
    pub back: Back,
}

/// What the headers of an HTTP request say of a trace, as they say it (W3C Trace Context).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpTrace {
    /// The header `traceparent`.
    pub traceparent: String,
    /// The header `tracestate`.
    pub tracestate: Option<String>,
}

/// The way back to a client while its request is worked on. Cheap to clone.
#[derive(Clone)]
pub struct Back {
    way: Arc<dyn WayBack>,
    client: Arc<Client>,
}

/// How a [`Back`] travels.
pub trait WayBack: Send + Sync {
    /// Tells something that belongs to the request: progress, a log message. It never waits; what a slow
    /// client does not take is dropped and counted.
    fn notify(&self, notification: Notification);

    /// Asks the client and waits for its answer.
    fn ask<'w>(&'w self, method: &'w str, params: Option<Json>) -> Answer<'w>;
}

impl Back {
    /// A way back to this client.
    pub fn new(client: Arc<Client>, way: Arc<dyn WayBack>) -> Back {
        Back { way, client }
    }

    /// Tells something that belongs to the request.
    pub fn notify(&self, notification: Notification) {
        self.way.notify(notification);
    }

    /// Asks the client (`sampling/createMessage`, `elicitation/create`, `roots/list`) and waits. A client that
    /// did not declare that it answers is not asked.
    pub async fn ask(&self, method: &str, params: Option<Json>) -> Result<Json, ErrorObject> {
        if !self.client.answers(method) {
            let message = format!("the client does not answer \"{method}\": it did not declare it");
            return Err(ErrorObject::new(METHOD_NOT_FOUND, message));
        }
        self.way.ask(method, params).await
    }

    /// Who is asked.
    pub fn client(&self) -> &Arc<Client> {
        &self.client
    }
}

impl fmt::Debug for Back {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Back").field("client", &self.client).finish_non_exhaustive()
    }
}

/// What is told to a client that listens, until this is dropped.
pub struct Listening {
    /// What will be told.
    pub granted: Filter,
    /// The notifications as they come: `notifications/tools/list_changed`, `notifications/resources/updated`…
    pub notifications: mpsc::Receiver<Notification>,
    /// Whatever has to live as long.
    pub hold: Box<dyn Any + Send + Sync>,
}

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listening").field("granted", &self.granted).finish_non_exhaustive()
    }
}
