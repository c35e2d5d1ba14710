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

/// Waits until the terminal that the program was started from is gone. It listens from the moment it is called.
#[cfg(unix)]
pub fn hung_up() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let hangup = signal(SignalKind::hangup());
    async {
        if let Ok(mut hangup) = hangup
            && hangup.recv().await.is_some()
        {
            return;
        }
        std::future::pending().await
    }
}

#[cfg(not(unix))]
pub async fn hung_up() {
    std::future::pending().await
}

/// Signals that come again and again while the program runs. It listens from the moment it is made.
#[cfg(unix)]
pub struct Signals {
    interrupt: Option<tokio::signal::unix::Signal>,
    terminate: Option<tokio::signal::unix::Signal>,
    hangup: Option<tokio::signal::unix::Signal>,
}

/// What a signal asks for.
pub enum Wanted {
    /// To end, with this exit code if it has to be now.
    End(u8),
    /// To read the files again.
    Reload,
}

#[cfg(unix)]
impl Signals {
    pub fn new() -> Signals {
        use tokio::signal::unix::{SignalKind, signal};
        Signals {
            interrupt: signal(SignalKind::interrupt()).ok(),
            terminate: signal(SignalKind::terminate()).ok(),
            hangup: signal(SignalKind::hangup()).ok(),
        }
    }

    /// Waits for the next one.
    pub async fn next(&mut self) -> Wanted {
        async fn came(signal: &mut Option<tokio::signal::unix::Signal>) {
            if let Some(signal) = signal
                && signal.recv().await.is_some()
            {
                return;
            }
            std::future::pending().await
        }
        tokio::select! {
            () = came(&mut self.interrupt) => Wanted::End(EXIT_INTERRUPTED),
            () = came(&mut self.terminate) => Wanted::End(EXIT_TERMINATED),
            () = came(&mut self.hangup) => Wanted::Reload,
        }
    }

    /// Waits for the next one that asks to end.
    pub async fn end(&mut self) -> u8 {
        loop {
            if let Wanted::End(code) = self.next().await {
                return code;
            }
        }
    }
}

#[cfg(not(unix))]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub fn new() -> Signals {
        Signals
    }

    pub async fn next(&mut self) -> Wanted {
        Wanted::End(self.end().await)
    }

    pub async fn end(&mut self) -> u8 {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        EXIT_INTERRUPTED
    }
}
