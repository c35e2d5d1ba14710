//! What a running call and its tool tell each other: whether it may still be stopped, and that it is still working.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use tokio::sync::Notify;

/// The control of one running call, shared by the executor and the tool's function:
///
/// - a commit barrier: the call is stopped or the tool commits, whichever comes first, never both. A stopped call has
///   changed nothing; the executor waits for the result of a tool that has committed.
/// - a heartbeat: the tool shows that it is still working, which restarts its timeout.
/// - a timeout flag: a function that is dropped can see that its time was over.
#[derive(Clone, Debug, Default)]
pub struct CallControl(Arc<State>);

#[derive(Debug, Default)]
struct State {
    barrier: AtomicU8,
    has_timed_out: AtomicBool,
    heartbeat: Notify,
}

const OPEN: u8 = 0;
const STOPPED: u8 = 1;
const COMMITTED: u8 = 2;

impl CallControl {
    /// The tool starts what it will not interrupt; `false` when the call was stopped before.
    pub fn commit(&self) -> bool {
        self.close(COMMITTED)
    }

    /// Stops the call; `false` when the tool has committed and will finish.
    pub fn stop(&self) -> bool {
        self.close(STOPPED)
    }

    /// Whether the call was stopped before the tool committed.
    pub fn is_stopped(&self) -> bool {
        self.0.barrier.load(Ordering::Acquire) == STOPPED
    }

    /// Marks the call as timed out.
    pub(crate) fn time_out(&self) {
        self.0.has_timed_out.store(true, Ordering::Release);
    }

    /// Whether the function is dropped because the call has timed out, and not because its caller cancelled it.
    pub fn has_timed_out(&self) -> bool {
        self.0.has_timed_out.load(Ordering::Acquire)
    }

    /// The tool shows that it is still working: its timeout restarts, within
    /// [`Limits::longest`](crate::Limits::longest).
    pub fn beat(&self) {
        self.0.heartbeat.notify_one();
    }

    /// Waits for the next beat.
    pub(crate) async fn beaten(&self) {
        self.0.heartbeat.notified().await;
    }

    /// Closes the barrier, once: a second call gets `true` only for the same end.
    fn close(&self, end: u8) -> bool {
        match self.0.barrier.compare_exchange(OPEN, end, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => true,
            Err(now) => now == end,
        }
    }
}
