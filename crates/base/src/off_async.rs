//! Long blocking work on a tokio runtime without stalling the other tasks of the worker thread.

use std::sync::{Mutex, MutexGuard, TryLockError};

use tokio::runtime::{Handle, RuntimeFlavor};

use crate::IgnorePoison;

/// Up to this many bytes, work runs in place: it takes a few milliseconds at most, and for usual sizes less than
/// moving the other tasks of the thread would cost.
const IN_PLACE_BYTES: usize = 64 << 10;

/// Runs work on `bytes` bytes. Above 64 KiB, the other tasks of this thread move to another thread first.
pub fn off_async<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    off_async_above(IN_PLACE_BYTES, bytes, work)
}

/// Like [`off_async`], for work that is slower per byte: up to `in_place` bytes it runs in place.
pub fn off_async_above<T>(in_place: usize, bytes: usize, work: impl FnOnce() -> T) -> T {
    // `block_in_place` panics on a current-thread runtime.
    let is_threaded =
        || Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    if bytes > in_place && is_threaded() { tokio::task::block_in_place(work) } else { work() }
}

/// Takes a lock that may be held for long. The other tasks of this thread move only if the lock is held: moving them
/// costs more than taking a free lock.
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

    /// With one worker thread, the awaited task runs only if the work has left that thread.
    #[test]
    fn other_tasks_run_during_long_work() {
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

    /// With one worker thread, the lock is released only if its waiter has left that thread.
    #[test]
    fn other_tasks_run_while_waiting_for_a_lock() {
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
    async fn current_thread_runtime_works_in_place() {
        assert_eq!(off_async(IN_PLACE_BYTES + 1, || 7), 7);
    }
}
