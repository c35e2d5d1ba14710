//! Self-wake suppression: a connection and its readers, driven by one task, wake that task from within its own poll.
//!
//! The halves of a connection signal every step by waking the task that drives both of them, so the runtime would
//! schedule and poll it once more for nothing. The filter detects such wakes and polls again at once, until there is
//! nothing new. Wakes from elsewhere reach the task as usual.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::task::AtomicWaker;

/// A poll is running.
const POLLED: u8 = 1;
/// A wake has arrived since the last poll.
const WOKEN: u8 = 2;

/// Polls in a row before the task yields to other tasks.
const MAX_POLLS: usize = 4;

/// Polls a future and absorbs the wakes that it causes itself.
pub struct SelfWakeFilter {
    wake_state: Arc<WakeState>,
    /// The waker that is passed to the polled future.
    waker: Waker,
}

/// State that is shared with the wakers.
#[derive(Default)]
struct WakeState {
    state: AtomicU8,
    task: AtomicWaker,
}

impl Default for SelfWakeFilter {
    fn default() -> SelfWakeFilter {
        let wake_state = Arc::<WakeState>::default();
        SelfWakeFilter { waker: Waker::from(Arc::clone(&wake_state)), wake_state }
    }
}

impl SelfWakeFilter {
    /// Polls until the future is ready, or until only a wake from elsewhere can make progress.
    pub fn poll<T>(
        &self,
        context: &Context<'_>,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        let state = &self.wake_state.state;
        self.wake_state.task.register(context.waker());
        let mut inside = Context::from_waker(&self.waker);
        for _ in 0..MAX_POLLS {
            // This poll sees everything that was signalled before this point, so earlier wakes are cleared.
            state.swap(POLLED, Ordering::AcqRel);
            if let Poll::Ready(ready) = poll(&mut inside) {
                state.fetch_and(!POLLED, Ordering::AcqRel);
                return Poll::Ready(ready);
            }
            // No wake arrived during the poll: from here on, a wake goes to the task.
            if state.compare_exchange(POLLED, 0, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                return Poll::Pending;
            }
        }
        state.fetch_and(!POLLED, Ordering::AcqRel);
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Wake for WakeState {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.state.fetch_or(WOKEN, Ordering::AcqRel) & POLLED == 0 {
            self.task.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    use super::*;

    /// Counts wakes.
    #[derive(Default)]
    struct WakeCounter(AtomicUsize);

    impl Wake for WakeCounter {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn self_wakes_poll_again_without_waking_the_task() {
        let (filter, count) = (SelfWakeFilter::default(), Arc::<WakeCounter>::default());
        let waker = Waker::from(Arc::clone(&count));
        let context = Context::from_waker(&waker);
        let mut polls = 0;
        let mut stored = None;
        let polled = filter.poll(&context, |inside| {
            polls += 1;
            stored = Some(inside.waker().clone());
            if polls < 3 {
                inside.waker().wake_by_ref();
            }
            Poll::<()>::Pending
        });
        assert_eq!((polled, polls, count.0.load(Ordering::SeqCst)), (Poll::Pending, 3, 0));
        // A wake from elsewhere, outside a poll.
        stored.expect("a waker").wake();
        assert_eq!(count.0.load(Ordering::SeqCst), 1);
        assert_eq!(filter.poll(&context, |_| Poll::Ready(7)), Poll::Ready(7));
    }

    #[test]
    fn endless_self_wakes_yield_to_other_tasks() {
        let (filter, count) = (SelfWakeFilter::default(), Arc::<WakeCounter>::default());
        let waker = Waker::from(Arc::clone(&count));
        let mut polls = 0;
        let polled = filter.poll(&Context::from_waker(&waker), |inside| {
            polls += 1;
            inside.waker().wake_by_ref();
            Poll::<()>::Pending
        });
        assert_eq!((polled, polls, count.0.load(Ordering::SeqCst)), (Poll::Pending, MAX_POLLS, 1));
    }

    #[test]
    fn wake_during_poll_is_not_lost() {
        let (filter, count) = (SelfWakeFilter::default(), Arc::<WakeCounter>::default());
        let waker = Waker::from(Arc::clone(&count));
        let is_signalled = Arc::<AtomicUsize>::default();
        let polled = filter.poll(&Context::from_waker(&waker), |inside| {
            if is_signalled.load(Ordering::SeqCst) == 1 {
                return Poll::Ready(());
            }
            let (waker, is_signalled) = (inside.waker().clone(), Arc::clone(&is_signalled));
            let other = std::thread::spawn(move || {
                is_signalled.store(1, Ordering::SeqCst);
                waker.wake();
            });
            assert!(other.join().is_ok());
            Poll::Pending
        });
        assert_eq!((polled, count.0.load(Ordering::SeqCst)), (Poll::Ready(()), 0));
    }

    /// Wakes from another thread at every moment: if one were lost, the loop would not finish.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_wake_from_another_thread_is_lost() {
        const ROUNDS: usize = 5_000;
        let (there, here) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let (task, filter) = (Arc::<AtomicWaker>::default(), SelfWakeFilter::default());
        let thread = std::thread::spawn({
            let (there, here, task) = (Arc::clone(&there), Arc::clone(&here), Arc::clone(&task));
            move || {
                for round in 1..=ROUNDS {
                    there.store(round, Ordering::SeqCst);
                    task.wake();
                    while here.load(Ordering::SeqCst) < round {
                        // The task may need this CPU core.
                        std::thread::yield_now();
                    }
                }
            }
        });
        let all = async {
            for round in 1..=ROUNDS {
                poll_fn(|context| {
                    filter.poll(context, |inside| {
                        task.register(inside.waker());
                        // The future also wakes itself now and then.
                        if round % 3 == 0 && there.load(Ordering::SeqCst) < round {
                            inside.waker().wake_by_ref();
                        }
                        match there.load(Ordering::SeqCst) >= round {
                            true => Poll::Ready(()),
                            false => {
                                // Leaves time for a wake between the check and the return.
                                std::thread::yield_now();
                                Poll::Pending
                            }
                        }
                    })
                })
                .await;
                here.store(round, Ordering::SeqCst);
            }
        };
        tokio::time::timeout(Duration::from_secs(60), all).await.expect("no wake was lost");
        assert!(thread.join().is_ok());
    }
}
