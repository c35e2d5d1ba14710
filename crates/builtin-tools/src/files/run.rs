//! Running work that blocks on the disk, and stopping it when the call is cancelled.

use toolwright_executor::{CallControl, ToolFailure};

/// Tells blocking work that nobody waits for it any more.
#[derive(Clone, Debug, Default)]
pub(super) struct Stop(CallControl);

/// Says stop when the future that waits is dropped.
struct StopOnDrop(Stop);

impl Stop {
    /// Fails when the call was cancelled. Asked between files and before anything is changed.
    pub(super) fn check(&self) -> Result<(), ToolFailure> {
        if self.0.is_stopped() { Err(cancelled()) } else { Ok(()) }
    }

    /// Begins what is not stopped any more; fails when the call was cancelled before.
    pub(super) fn finish(&self) -> Result<(), ToolFailure> {
        if self.0.commit() { Ok(()) } else { Err(cancelled()) }
    }

    #[cfg(test)]
    pub(super) fn now() -> Stop {
        let control = CallControl::default();
        control.stop();
        Stop(control)
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.0.stop();
    }
}

fn cancelled() -> ToolFailure {
    ToolFailure::tool("the call was cancelled; nothing was changed")
}

/// Runs `work` on a thread for blocking work, so that timeouts and other calls go on meanwhile.
pub(super) async fn blocking<T, F>(control: CallControl, work: F) -> Result<T, ToolFailure>
where
    T: Send + 'static,
    F: FnOnce(&Stop) -> Result<T, ToolFailure> + Send + 'static,
{
    let stop = Stop(control);
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
