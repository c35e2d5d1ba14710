//! Servers that are reached over HTTP: Streamable HTTP of both eras, and HTTP with SSE before it.
//!
//! Every message is a POST of its own, and its answer comes as JSON or as a stream of events. What goes
//! wrong with one request is told for it alone; a server that nobody can connect to is gone.
//!
//! # Files
//!
//! | where | what |
//! |---|---|
//! | `owner.rs` | the one task of a way: sends, finds out the kind, cancels, ends the session |
//! | `streamable.rs`, `exchange.rs` | messages posted to one address; one request and its answer, taken up again, asked once more |
//! | `session.rs`, `listen.rs` | what was agreed on with a legacy server; the stream on which it speaks by itself |
//! | `sse.rs` | HTTP with SSE, of 2024-11-05 |
//! | `web.rs`, `refusal.rs`, `authorize.rs` | one HTTP request: token, redirects, why it failed; what an error status means; who knows the login |
//! | `headers.rs`, `params.rs` | the headers a message has next to its body |

mod authorize;
mod exchange;
pub(crate) mod headers;
mod listen;
mod owner;
pub(crate) mod params;
mod refusal;
mod session;
mod sse;
mod streamable;
mod web;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
#[cfg(doc)]
use toolwright_jsonrpc::lines::MAX_LINE_BYTES;

use crate::error::{Closed, Ending, Unreachable};
use crate::link::{EVENTS, Event, Link, OUTGOING};

pub use authorize::{Authorizer, BoxFuture};
pub use params::{HeaderError, check_headers, params_headers};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);
/// How long the message that a session has begun may hold the others back.
const CONFIRM: Duration = Duration::from_secs(10);
/// How long the end of a session or of a request may take, when nobody waits for it any more.
const GRACE: Duration = Duration::from_secs(2);

/// Where a server is, and with what it is spoken to.
#[derive(Clone)]
pub struct HttpTarget {
    /// Its address.
    pub url: String,
    /// Headers of every request.
    pub headers: Vec<(String, String)>,
    /// Which of the ways.
    pub kind: HttpKind,
    /// Who knows its login.
    pub authorizer: Option<Arc<dyn Authorizer>>,
    /// The largest response that is taken, in bytes; [`MAX_LINE_BYTES`] when absent.
    pub max_response_bytes: Option<usize>,
}

impl fmt::Debug for HttpTarget {
    /// Without the values of the headers: they are secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("HttpTarget")
            .field("url", &self.url)
            .field("headers", &names)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// The ways to speak over HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HttpKind {
    /// Found out with the first message.
    #[default]
    Auto,
    /// Streamable HTTP, since 2025-03-26.
    Streamable,
    /// HTTP with SSE, of 2024-11-05.
    Sse,
}

/// Opens the way to a server. Nothing is sent before the first message, except to a server with SSE,
/// whose stream comes first. Must be called on a tokio runtime.
pub fn open(target: HttpTarget) -> Link {
    let (outgoing, to_send) = mpsc::channel(OUTGOING);
    let (events, incoming) = mpsc::channel(EVENTS);
    let stop = CancellationToken::new();
    let link = Link { outgoing, events: incoming, stop: stop.clone() };
    let kind = target.kind;
    match web::Web::new(target) {
        Ok(web) => {
            tokio::spawn(owner::Owner::new(web, to_send, events, stop).live(kind));
        }
        Err(reason) => {
            tokio::spawn(async move { events.send(closed(Ending::Lost(Unreachable::other(reason)))).await });
        }
    }
    link
}

fn closed(ending: Ending) -> Event {
    Event::Closed(Arc::new(Closed { ending, stderr: String::new(), is_unread: false }))
}
