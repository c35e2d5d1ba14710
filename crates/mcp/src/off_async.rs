//! Work whose time grows with what servers send, away from the threads that answer every client.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Up to this many bytes are worked on at once: it takes a few milliseconds at the very most, and less than handing
/// the work over would cost for what is usual.
const AT_ONCE: usize = 64 << 10;

/// Does work on so many bytes. When there are many, other tasks of this thread go on elsewhere meanwhile.
pub fn off_async<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let is_threaded =
        || Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    if bytes > AT_ONCE && is_threaded() { tokio::task::block_in_place(work) } else { work() }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    /// With one thread, the task that the work waits for runs only if the work has left it.
    #[test]
    fn other_tasks_of_the_thread_run_during_long_work() {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
        let done = runtime.block_on(async {
            tokio::spawn(async {
                let (send, received) = channel();
                tokio::spawn(async move { send.send(7).expect("it is waited for") });
                off_async(AT_ONCE + 1, || received.recv())
            })
            .await
        });
        assert_eq!(done.expect("no panic"), Ok(7));
    }

    #[tokio::test]
    async fn work_is_done_in_place_on_a_runtime_with_one_thread() {
        assert_eq!(off_async(AT_ONCE + 1, || 7), 7);
    }
}
