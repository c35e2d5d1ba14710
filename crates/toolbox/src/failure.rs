//! Why a server cannot be used: one typed failure, from the transport up to what users read.
//!
//! Whatever reacts to a failure (the doctor, the command line, the API, the pages) matches on [`FailureCause`]; the
//! message is for people only and may be reworded at any time.

use std::fmt;

use serde::{Deserialize, Serialize};
use toolwright_mcp::{Closed, ConnectError, Ending, Obstacle, RequestError, StartError, Unreachable};

/// What went wrong with a server last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerFailure {
    /// The kind, for programs.
    pub cause: FailureCause,
    /// The same in a sentence, without secrets.
    pub message: String,
    /// The last lines of the server's stderr; empty when there are none.
    pub stderr: String,
}

/// The kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FailureCause {
    /// The program, or the folder to run it in, was not found, or may not be run.
    NotStarted,
    /// The program ended with this code.
    Exited {
        /// The exit code.
        code: i32,
    },
    /// A signal ended the program.
    Killed {
        /// The number of the signal.
        signal: i32,
    },
    /// The program runs, but closed its standard output.
    ClosedOutput,
    /// Toolwright stopped it.
    Stopped,
    /// No process listens at its address.
    ConnectionRefused,
    /// Its address cannot be reached, or the connection was lost.
    Unreachable,
    /// It demands a login, or does not accept the one that was sent.
    LoginRequired,
    /// It answered with this HTTP status and no message.
    HttpStatus {
        /// The status.
        status: u16,
    },
    /// It answered the handshake, but not with a protocol version and capabilities that can be used.
    Handshake,
    /// No response came in time.
    TimedOut,
    /// A response came that cannot be read.
    Unreadable,
    /// It answered with an error.
    ErrorResponse,
    /// It left requests and pings unanswered.
    Unresponsive,
    /// It is connected, but its tools cannot be listed.
    NoToolList,
}

impl FailureCause {
    /// Whether the program of the server ended, or never ran.
    pub fn is_of_process(self) -> bool {
        matches!(
            self,
            FailureCause::NotStarted
                | FailureCause::Exited { .. }
                | FailureCause::Killed { .. }
                | FailureCause::ClosedOutput
                | FailureCause::Stopped
        )
    }
}

impl ServerFailure {
    /// A failure without output of a program.
    pub fn new(cause: FailureCause, message: impl Into<String>) -> ServerFailure {
        ServerFailure { cause, message: message.into(), stderr: String::new() }
    }
}

impl fmt::Display for ServerFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stderr.as_str() {
            "" => f.write_str(&self.message),
            stderr => write!(f, "{}; its stderr ends with: {stderr}", self.message),
        }
    }
}

impl From<&Closed> for ServerFailure {
    fn from(closed: &Closed) -> ServerFailure {
        let message = format!("the server {}", closed.ending);
        ServerFailure { cause: (&closed.ending).into(), message, stderr: closed.stderr.clone() }
    }
}

impl From<&Ending> for FailureCause {
    fn from(ending: &Ending) -> FailureCause {
        match ending {
            Ending::Exited(code) => FailureCause::Exited { code: *code },
            Ending::Killed(signal) => FailureCause::Killed { signal: *signal },
            Ending::Stopped => FailureCause::Stopped,
            Ending::Mute => FailureCause::ClosedOutput,
            Ending::Lost(Unreachable { obstacle: Obstacle::ConnectionRefused, .. }) => {
                FailureCause::ConnectionRefused
            }
            Ending::Lost(_) => FailureCause::Unreachable,
        }
    }
}

impl From<&StartError> for FailureCause {
    fn from(_: &StartError) -> FailureCause {
        FailureCause::NotStarted
    }
}

impl From<&ConnectError> for FailureCause {
    fn from(error: &ConnectError) -> FailureCause {
        match error {
            ConnectError::Failed(error) => error.into(),
            ConnectError::NoCommonRevision { .. }
            | ConnectError::NotModern
            | ConnectError::NotUnderstood { .. } => FailureCause::Handshake,
        }
    }
}

impl From<&RequestError> for FailureCause {
    fn from(error: &RequestError) -> FailureCause {
        match error {
            RequestError::Server(_) | RequestError::NotProvided { .. } | RequestError::AsksWithoutEnd(_) => {
                FailureCause::ErrorResponse
            }
            RequestError::Closed(closed) => (&closed.ending).into(),
            RequestError::Unreadable(_) => FailureCause::Unreadable,
            RequestError::Http { status, .. } => FailureCause::HttpStatus { status: *status },
            RequestError::Unauthorized(_) => FailureCause::LoginRequired,
            RequestError::NoAnswer(_) => FailureCause::Unreachable,
            RequestError::TimedOut(_) => FailureCause::TimedOut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cause_survives_its_json_form() {
        for (cause, json) in [
            (FailureCause::Exited { code: 7 }, r#"{"kind":"exited","code":7}"#),
            (FailureCause::HttpStatus { status: 502 }, r#"{"kind":"http_status","status":502}"#),
            (FailureCause::LoginRequired, r#"{"kind":"login_required"}"#),
        ] {
            assert_eq!(serde_json::to_string(&cause).expect("serializes"), json);
            assert_eq!(serde_json::from_str::<FailureCause>(json).expect("reads"), cause);
        }
    }

    #[test]
    fn failure_shows_the_end_of_stderr_after_its_message() {
        let closed = Closed { ending: Ending::Exited(1), stderr: "no luck".into(), is_unread: false };
        let failure = ServerFailure::from(&closed);
        assert_eq!(failure.cause, FailureCause::Exited { code: 1 });
        assert_eq!(failure.to_string(), closed.to_string());
    }
}
