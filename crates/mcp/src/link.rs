//! What every way to a server looks like from above: lines go out, events come in.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolwright_jsonrpc::lines::{Found, Noise};

use crate::Closed;

/// How many lines wait for a server that reads slowly.
pub(crate) const OUTGOING: usize = 64;
/// How many events wait for their reader.
pub(crate) const EVENTS: usize = 256;

/// A way to a server. Dropping it ends the server.
#[derive(Debug)]
pub struct Link {
    /// Lines for the server, without their ends.
    pub outgoing: mpsc::Sender<String>,
    /// What comes from it; [`Event::Closed`] is the last.
    pub events: mpsc::Receiver<Event>,
    /// Ends the server when it is cancelled.
    pub stop: CancellationToken,
}

/// Something that comes from a server.
#[derive(Clone, Debug)]
pub enum Event {
    /// A message.
    Message(Found),
    /// Something it printed that is no message.
    Noise(Noise),
    /// It is gone, and nothing more comes.
    Closed(Arc<Closed>),
}
