//! What every way to a server looks like from above: messages go out, events come in.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolwright_jsonrpc::Message;
use toolwright_jsonrpc::lines::{Found, Noise};

use crate::{Closed, RequestError};

/// How many messages wait for a server that reads slowly.
pub(crate) const OUTGOING: usize = 64;
/// How many events wait for their reader.
pub(crate) const EVENTS: usize = 256;

/// A way to a server. Dropping it ends the server.
#[derive(Debug)]
pub struct Link {
    /// What goes to the server.
    pub outgoing: mpsc::Sender<Outgoing>,
    /// What comes from it; [`Event::Closed`] is the last.
    pub events: mpsc::Receiver<Event>,
    /// Ends the server when it is cancelled.
    pub stop: CancellationToken,
}

/// A message for a server, and what its way needs to know besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The message.
    pub message: Message,
    /// Headers for a way that has them; others do not look.
    pub headers: Vec<(String, String)>,
}

impl From<Message> for Outgoing {
    fn from(message: Message) -> Outgoing {
        Outgoing { message, headers: Vec::new() }
    }
}

/// Something that comes from a server.
#[derive(Clone, Debug)]
pub enum Event {
    /// A message.
    Message {
        /// It, and how it was found.
        found: Found,
        /// The request of ours on whose way it came, where the way tells.
        of: Option<u64>,
    },
    /// Something it printed that is no message.
    Noise(Noise),
    /// One request will have no answer; the others go on.
    Failed {
        /// The request, by the id it was sent with.
        id: u64,
        /// Why.
        error: RequestError,
    },
    /// It is gone, and nothing more comes.
    Closed(Arc<Closed>),
}
