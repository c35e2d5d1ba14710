//! Running work that blocks on the disk, and stopping it when the call is cancelled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::ToolFailure;

/// Tells blocking work that nobody waits for it any more.
#[derive(Clone, Debug, Default)]
pub(super) struct Stop(Arc<AtomicBool>);

/// Says stop when the future that waits is dropped.
struct StopOnDrop(Stop);

impl Stop {
    /// Fails when the call was cancelled. Asked between files and before anything is changed.
    pub(super) fn check(&self) -> Result<(), ToolFailure> {
        if self.0.load(Ordering::Relaxed) {
            return Err(ToolFailure::tool("the call was cancelled; nothing was changed"));
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn now() -> Stop {
        Stop(Arc::new(AtomicBool::new(true)))
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `work` on a thread for blocking work, so that timeouts and other calls go on meanwhile.
pub(super) async fn blocking<T, F>(work: F) -> Result<T, ToolFailure>
where
    T: Send + 'static,
    F: FnOnce(&Stop) -> Result<T, ToolFailure> + Send + 'static,
{
    let stop = Stop::default();
    let guard = StopOnDrop(stop.clone());
    let done = match tokio::runtime::Handle::try_current() {
        Ok(runtime) => runtime.spawn_blocking(move || work(&stop)).await,
        Err(_) => Ok(work(&stop)),
    };
    drop(guard);
    done.unwrap_or_else(|_| {
        Err(ToolFailure::tool("the files tool broke off by a fault of its own; please report it"))
    })
}
