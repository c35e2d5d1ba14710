//! What goes wrong with a server, and what is known about it then.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use toolwright_jsonrpc::ErrorObject;
use toolwright_jsonrpc::lines::{self, Noise, NoiseKind};
use toolwright_redact::harmless;

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no such program.
    #[error("the program \"{program}\" was not found; check its name and the PATH of this process")]
    NotFound {
        /// As it was asked for.
        program: String,
    },
    /// It is there but may not be run.
    #[error("the program \"{program}\" may not be run; check its permissions")]
    NotAllowed {
        /// As it was asked for.
        program: String,
    },
    /// The folder it should run in is not there.
    #[error("the folder \"{folder}\" to run it in was not found")]
    NoFolder {
        /// As it was asked for.
        folder: String,
    },
    /// Something else.
    #[error("the program \"{program}\" could not be started: {source}")]
    Other {
        /// As it was asked for.
        program: String,
        /// What the system says.
        source: io::Error,
    },
}

impl StartError {
    /// Whether trying again without a change could help.
    pub fn is_lasting(&self) -> bool {
        !matches!(self, StartError::Other { .. })
    }
}

/// How a server ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Its program ended with this code.
    Exited(i32),
    /// This signal ended it.
    Killed(i32),
    /// It was ended on purpose.
    Stopped,
    /// It runs, but has closed its standard output, so that no answer can come.
    Mute,
    /// It cannot be reached, or not any more.
    Lost(Unreachable),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Exited(code) => write!(f, "ended with exit code {code}"),
            Ending::Killed(signal) => write!(f, "was ended by signal {signal}{}", signal_name(*signal)),
            Ending::Stopped => f.write_str("was stopped"),
            Ending::Mute => f.write_str("closed its standard output and was stopped"),
            Ending::Lost(reason) => write!(f, "is out of reach: {reason}"),
        }
    }
}

/// Why a server cannot be reached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unreachable {
    /// What kind of obstacle there is.
    pub obstacle: Obstacle,
    /// The same in a sentence, with host and port.
    pub message: String,
}

/// What keeps a connection from being made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// No process listens at the port.
    ConnectionRefused,
    /// No connection was accepted in time.
    ConnectTimeout,
    /// The name of the host cannot be resolved.
    UnknownHost,
    /// The TLS handshake failed.
    Tls,
    /// Something else, such as a stream that ended.
    Other,
}

impl Unreachable {
    /// A server that cannot be reached for a reason of no particular kind.
    pub(crate) fn other(message: impl Into<String>) -> Unreachable {
        Unreachable { obstacle: Obstacle::Other, message: message.into() }
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        2 => " (SIGINT)",
        6 => " (SIGABRT)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

/// A server that is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    /// How it ended.
    pub ending: Ending,
    /// The last lines of its stderr.
    pub stderr: String,
    /// Whether it ended without having read anything that was sent to it: no message can be why it ended.
    pub is_unread: bool,
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server {}", self.ending)?;
        if !self.stderr.is_empty() {
            write!(f, "; its stderr ends with: {}", self.stderr)?;
        }
        Ok(())
    }
}

/// Why a request has no result.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RequestError {
    /// The server says so.
    #[error("{}", .0.message)]
    Server(ErrorObject),
    /// The server is gone.
    #[error("{0}")]
    Closed(Arc<Closed>),
    /// The answer cannot be taken.
    #[error("{0}")]
    Unreadable(Unreadable),
    /// The server, or something before it, answers with this HTTP status instead of a message.
    #[error("the server answered with HTTP {status}{}", .said.as_deref().map(|said| format!(": {said}")).unwrap_or_default())]
    Http {
        /// The status.
        status: u16,
        /// The beginning of what came with it.
        said: Option<String>,
    },
    /// The server wants a login that there is none of, or that it does not accept.
    #[error("the server wants a login: {0}")]
    Unauthorized(String),
    /// The way broke before the answer, or what came is no answer to this request.
    #[error("no answer came: {0}")]
    NoAnswer(String),
    /// The server wants to know something before it answers, and nobody here tells.
    #[error("the server asks for \"{method}\" before it answers: {reason}")]
    NotProvided {
        /// What it asks for.
        method: String,
        /// Why it does not get it.
        reason: String,
    },
    /// The server asks back again and again.
    #[error("the server asked back {0} times and did not answer")]
    AsksWithoutEnd(u32),
    /// It took too long.
    #[error("no answer within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
}

impl RequestError {
    /// An answer that is no message of the protocol, or has not the form that it should have.
    pub(crate) fn misshapen() -> RequestError {
        RequestError::Unreadable(Unreadable {
            kind: NoiseKind::NotAMessage,
            fault: None,
            shown: String::new(),
        })
    }

    /// An answer that is larger than so many bytes.
    pub(crate) fn too_long(limit: usize) -> RequestError {
        let fault = Some(lines::too_long(limit));
        RequestError::Unreadable(Unreadable { kind: NoiseKind::TooLong, fault, shown: String::new() })
    }
}

/// An answer that came and cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// What kind of text it is.
    pub kind: NoiseKind,
    /// What is wrong with it.
    pub fault: Option<String>,
    /// Its start, without codes for a terminal and without what looks like a secret.
    pub shown: String,
}

impl From<Noise> for Unreadable {
    fn from(noise: Noise) -> Unreadable {
        Unreadable {
            kind: noise.kind,
            fault: noise.fault,
            shown: toolwright_redact::lines(&harmless(&noise.shown), &[]),
        }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fault = self.fault.as_deref();
        match self.kind {
            // What it says is of no use: it was understood, and there is too much of it.
            NoiseKind::TooLong | NoiseKind::TooDeep if fault.is_some() => {
                return f.write_str(fault.unwrap_or_default());
            }
            _ => write!(f, "the answer is no message of the protocol")?,
        }
        if let Some(fault) = fault {
            write!(f, ": {fault}")?;
        }
        match self.shown.as_str() {
            "" => Ok(()),
            shown => write!(f, "; the server sent: {shown}"),
        }
    }
}
