//! How one server is reached.

use std::future::Future;
use std::pin::Pin;

use toolwright_mcp::{Era, Peer};

/// An attempt to reach a server.
pub type Connecting<'c> = Pin<Box<dyn Future<Output = Result<Connected, ConnectFailure>> + Send + 'c>>;

/// Reaches one server, as often as it is asked to.
pub trait Connector: Send + Sync + 'static {
    /// Tries once. `known` is the era that the server had before.
    fn connect(&self, known: Option<Era>) -> Connecting<'_>;

    /// How it is reached, for messages: `stdio server 'zwave'`.
    fn describe(&self) -> String;
}

/// A server that was reached.
#[derive(Debug)]
pub struct Connected {
    /// The server.
    pub peer: Peer,
    /// Its process id, when it is a child.
    pub pid: Option<u32>,
}

/// Why a server was not reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectFailure {
    /// In a sentence.
    pub reason: String,
    /// The last lines of its stderr.
    pub stderr: String,
    /// Whether it will fail again until somebody changes something: a missing program, a refused login.
    pub is_lasting: bool,
}
