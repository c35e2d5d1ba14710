//! When somebody last asked for a server, and who waits for it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use toolwright_base::IgnorePoison;
use toolwright_mcp::Connection;

/// When a server was last asked for.
#[derive(Debug)]
pub(crate) struct Usage {
    last: Mutex<Instant>,
    waiting: AtomicUsize,
}

/// Somebody who waits for a server, while this lives.
pub(crate) struct Waiting<'u>(&'u Usage);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Default for Usage {
    fn default() -> Self {
        Usage { last: Mutex::new(Instant::now()), waiting: AtomicUsize::new(0) }
    }
}

impl Usage {
    fn last(&self) -> MutexGuard<'_, Instant> {
        self.last.lock().ignore_poison()
    }

    /// Somebody asks for the server now.
    pub fn note(&self) {
        *self.last() = Instant::now();
    }

    /// Somebody asks for the server and waits for it.
    pub fn wait(&self) -> Waiting<'_> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        self.note();
        Waiting(self)
    }

    /// Whether somebody waits for the server.
    pub fn is_awaited(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    /// How long nobody asked for the server or sent it anything.
    pub fn unused_for(&self, connection: &Connection) -> Duration {
        connection.unused_for().min(self.last().elapsed())
    }

    /// Waits until the server was not used for so long.
    pub async fn wait_unused(&self, connection: &Connection, idle: Option<Duration>) {
        let Some(idle) = idle.filter(|idle| !idle.is_zero()) else { return std::future::pending().await };
        loop {
            let unused = self.unused_for(connection);
            match idle.checked_sub(unused).filter(|left| !left.is_zero()) {
                Some(left) => sleep(left).await,
                None => return,
            }
        }
    }
}
