//! The signals that ask the program to end.

use crate::report::EXIT_INTERRUPTED;
#[cfg(unix)]
use crate::report::EXIT_TERMINATED;

/// Waits until the user or the system wants the program to end: the exit code that says so. It listens from
/// the moment it is called.
#[cfg(unix)]
pub fn asked_to_end() -> impl Future<Output = Option<u8>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (interrupt, terminate) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    async {
        let (mut interrupt, mut terminate) = (interrupt.ok()?, terminate.ok()?);
        tokio::select! {
            came = interrupt.recv() => came.map(|()| EXIT_INTERRUPTED),
            came = terminate.recv() => came.map(|()| EXIT_TERMINATED),
        }
    }
}

#[cfg(not(unix))]
pub async fn asked_to_end() -> Option<u8> {
    tokio::signal::ctrl_c().await.ok().map(|()| EXIT_INTERRUPTED)
}
