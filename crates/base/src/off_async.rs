//! Work whose time grows with what others send, away from the threads that serve every client.

use std::sync::{Mutex, MutexGuard, TryLockError};

use tokio::runtime::{Handle, RuntimeFlavor};

use crate::IgnorePoison;

/// Up to this many bytes are worked on in place: that takes a few milliseconds at most, and less than handing the work
/// over would cost for what is usual.
const IN_PLACE_BYTES: usize = 64 << 10;

/// Does work on so many bytes. When there are many, other tasks of this thread continue elsewhere meanwhile.
pub fn off_async<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    off_async_above(IN_PLACE_BYTES, bytes, work)
}

/// The same for work that takes longer for a byte than reading it: up to `in_place` bytes it is done in place.
pub fn off_async_above<T>(in_place: usize, bytes: usize, work: impl FnOnce() -> T) -> T {
    let is_threaded =
        || Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    if bytes > in_place && is_threaded() { tokio::task::block_in_place(work) } else { work() }
}

/// Takes a lock that may be held for long. Only when it is held do other tasks of this thread continue elsewhere: handing
/// them over costs more than taking a free lock.
pub fn lock_off_async<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.try_lock() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => off_async(usize::MAX, || mutex.lock().ignore_poison()),
    }
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
                off_async(IN_PLACE_BYTES + 1, || received.recv())
            })
            .await
        });
        assert_eq!(done.expect("no panic"), Ok(7));
    }

    /// With one thread, the lock is released only if its waiter has left the thread.
    #[test]
    fn other_tasks_of_the_thread_run_while_a_lock_is_waited_for() {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
        let lock = std::sync::Arc::new(Mutex::new(7));
        let value = runtime.block_on(async {
            tokio::spawn(async move {
                let (taken, is_taken) = channel();
                let (send, received) = channel();
                let held = std::sync::Arc::clone(&lock);
                let holder = std::thread::spawn(move || {
                    let guard = held.lock().expect("no panic before");
                    taken.send(()).expect("it is waited for");
                    received.recv().expect("the task runs");
                    drop(guard);
                });
                is_taken.recv().expect("it is taken");
                tokio::spawn(async move { send.send(()).expect("the holder waits") });
                let value = *lock_off_async(&lock);
                holder.join().expect("no panic");
                value
            })
            .await
        });
        assert_eq!(value.expect("no panic"), 7);
    }

    #[tokio::test]
    async fn work_is_done_in_place_on_a_runtime_with_one_thread() {
        assert_eq!(off_async(IN_PLACE_BYTES + 1, || 7), 7);
    }
}
