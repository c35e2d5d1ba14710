//! How one server is reached.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use toolwright_mcp::{Era, Peer};

use crate::failure::ServerFailure;

/// An attempt to reach a server.
pub type Connecting<'c> = Pin<Box<dyn Future<Output = Result<Connected, ConnectFailure>> + Send + 'c>>;

/// Waits until nothing is left of what a connector started.
pub type Ended<'c> = Pin<Box<dyn Future<Output = ()> + Send + 'c>>;

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportKind {
    /// A child process, by its standard input and output.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// HTTP with server-sent events, of the revision 2024-11-05.
    Sse,
}

impl fmt::Display for TransportKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TransportKind::Stdio => "stdio",
            TransportKind::Http => "http",
            TransportKind::Sse => "sse",
        })
    }
}

/// Reaches one server, as often as it is asked to.
pub trait Connector: Send + Sync + 'static {
    /// Tries once. `known` is the era that the server had before.
    fn connect(&self, known: Option<Era>) -> Connecting<'_>;

    /// Waits until everything has ended that attempts started and that is not used any more, also by an attempt
    /// that was dropped before its end.
    fn ended(&self) -> Ended<'_> {
        Box::pin(std::future::ready(()))
    }

    /// The server's name: `zwave`.
    fn name(&self) -> &str;

    /// How it is reached.
    fn transport(&self) -> TransportKind;

    /// How it is reached, for messages: `stdio server 'zwave'`.
    fn describe(&self) -> String {
        format!("{} server '{}'", self.transport(), self.name())
    }

    /// What somebody should look at when it cannot be reached.
    fn check(&self) -> String {
        "server running, its address right".to_owned()
    }

    /// What it wrote to stderr last, without secrets; it may still be starting.
    fn stderr(&self) -> String {
        String::new()
    }
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
    /// What went wrong.
    pub failure: ServerFailure,
    /// Whether it will fail again until somebody changes something: a missing program, a refused login.
    pub is_lasting: bool,
}
