//! Why there is no login.

use std::io;
use std::time::Duration;

use rmcp::transport::auth::AuthError;

use super::StoreError;

/// How much of what an authorization server says stands in a message.
const SAID: usize = 300;

/// Why a login did not come about.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// An address is neither https nor on this machine.
    #[error("{what} is \"{address}\"; only https, or http on this machine, is used for logins")]
    UnsafeAddress {
        /// What it is for.
        what: &'static str,
        /// The beginning of it.
        address: String,
    },
    /// The browser could not be waited for.
    #[error("no port of this machine can be opened for the browser to come back to: {0}")]
    NoPort(io::Error),
    /// The person, or the authorization server, said no.
    #[error("the login was refused: {0}")]
    Denied(String),
    /// Nobody logged in.
    #[error("nobody logged in within {} s", .0.as_secs())]
    TimedOut(Duration),
    /// Something between us and the authorization server.
    #[error("{0}")]
    Failed(String),
    /// What came of it cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl LoginError {
    pub(super) fn unsafe_address(what: &'static str, address: &str) -> LoginError {
        LoginError::UnsafeAddress { what, address: shown(address) }
    }

    pub(super) fn failed(error: &AuthError) -> LoginError {
        LoginError::Failed(shown(&error.to_string()))
    }
}

/// The beginning of a text from outside, on one line and without what a terminal would obey.
pub(super) fn shown(text: &str) -> String {
    let clean = |letter: char| if letter.is_control() { ' ' } else { letter };
    let mut out: String = text.chars().take(SAID).map(clean).collect();
    if text.chars().nth(SAID).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_outside_is_short_and_harmless() {
        assert_eq!(shown("a\u{1b}[2J\nb"), "a [2J b");
        assert_eq!(shown(&"x".repeat(SAID + 1)).chars().count(), SAID + 1);
    }
}
