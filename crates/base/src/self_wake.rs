//! Suppresses self-wakes: a connection and its readers, driven by one task, wake that task from within its own poll.
//!
//! The halves of a connection signal every step by waking the task that drives both of them, so the runtime would
//! schedule and poll it once more for nothing. The filter notices such wakes and polls again at once, until there is
//! nothing new. Wakes from elsewhere reach the task as usual.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::task::AtomicWaker;

/// A poll is running.
const POLLED: u8 = 1;
/// A wake has arrived since the last poll.
const WOKEN: u8 = 2;

/// How many polls in a row before other tasks have their turn.
const MOST_LOOKS: usize = 4;

/// Polls without waking itself.
pub struct SelfWakeFilter {
    heard: Arc<Heard>,
    /// What is given to those who are polled.
    waker: Waker,
}

/// What wakers leave behind.
#[derive(Default)]
struct Heard {
    state: AtomicU8,
    task: AtomicWaker,
}

impl Default for SelfWakeFilter {
    fn default() -> SelfWakeFilter {
        let heard = Arc::<Heard>::default();
        SelfWakeFilter { waker: Waker::from(Arc::clone(&heard)), heard }
    }
}

impl SelfWakeFilter {
    /// Polls until it is ready, or waits for a wake from elsewhere.
    pub fn poll<T>(
        &self,
        context: &Context<'_>,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        let state = &self.heard.state;
        self.heard.task.register(context.waker());
        let mut inside = Context::from_waker(&self.waker);
        for _ in 0..MOST_LOOKS {
            // What was heard up to here is seen by this look.
            state.swap(POLLED, Ordering::AcqRel);
            if let Poll::Ready(ready) = poll(&mut inside) {
                state.fetch_and(!POLLED, Ordering::AcqRel);
                return Poll::Ready(ready);
            }
            // Nobody woke meanwhile: from here on the task is woken.
            if state.compare_exchange(POLLED, 0, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                return Poll::Pending;
            }
        }
        state.fetch_and(!POLLED, Ordering::AcqRel);
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Wake for Heard {
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

    /// Counts how often it wakes.
    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn what_wakes_itself_is_looked_at_again_and_nobody_is_woken() {
        let (quiet, count) = (SelfWakeFilter::default(), Arc::<Count>::default());
        let waker = Waker::from(Arc::clone(&count));
        let context = Context::from_waker(&waker);
        let mut looks = 0;
        let mut kept = None;
        let polled = quiet.poll(&context, |inside| {
            looks += 1;
            kept = Some(inside.waker().clone());
            if looks < 3 {
                inside.waker().wake_by_ref();
            }
            Poll::<()>::Pending
        });
        assert_eq!((polled, looks, count.0.load(Ordering::SeqCst)), (Poll::Pending, 3, 0));
        // From elsewhere, when nobody polls.
        kept.expect("a waker").wake();
        assert_eq!(count.0.load(Ordering::SeqCst), 1);
        assert_eq!(quiet.poll(&context, |_| Poll::Ready(7)), Poll::Ready(7));
    }

    #[test]
    fn what_never_rests_lets_others_have_their_turn() {
        let (quiet, count) = (SelfWakeFilter::default(), Arc::<Count>::default());
        let waker = Waker::from(Arc::clone(&count));
        let mut looks = 0;
        let polled = quiet.poll(&Context::from_waker(&waker), |inside| {
            looks += 1;
            inside.waker().wake_by_ref();
            Poll::<()>::Pending
        });
        assert_eq!((polled, looks, count.0.load(Ordering::SeqCst)), (Poll::Pending, MOST_LOOKS, 1));
    }

    #[test]
    fn a_wake_between_the_look_and_the_rest_is_heard() {
        let (quiet, count) = (SelfWakeFilter::default(), Arc::<Count>::default());
        let waker = Waker::from(Arc::clone(&count));
        let is_there = Arc::<AtomicUsize>::default();
        let polled = quiet.poll(&Context::from_waker(&waker), |inside| {
            if is_there.load(Ordering::SeqCst) == 1 {
                return Poll::Ready(());
            }
            let (waker, is_there) = (inside.waker().clone(), Arc::clone(&is_there));
            let other = std::thread::spawn(move || {
                is_there.store(1, Ordering::SeqCst);
                waker.wake();
            });
            assert!(other.join().is_ok());
            Poll::Pending
        });
        assert_eq!((polled, count.0.load(Ordering::SeqCst)), (Poll::Ready(()), 0));
    }

    /// Wakes from other threads at every moment: none is lost, or this would not come to its end.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_wake_from_elsewhere_is_lost() {
        const ROUNDS: usize = 5_000;
        let (there, here) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let (task, quiet) = (Arc::<AtomicWaker>::default(), SelfWakeFilter::default());
        let thread = std::thread::spawn({
            let (there, here, task) = (Arc::clone(&there), Arc::clone(&here), Arc::clone(&task));
            move || {
                for round in 1..=ROUNDS {
                    there.store(round, Ordering::SeqCst);
                    task.wake();
                    while here.load(Ordering::SeqCst) < round {
                        // The task may need this processor.
                        std::thread::yield_now();
                    }
                }
            }
        });
        let all = async {
            for round in 1..=ROUNDS {
                poll_fn(|context| {
                    quiet.poll(context, |inside| {
                        task.register(inside.waker());
                        // It also wakes itself now and then.
                        if round % 3 == 0 && there.load(Ordering::SeqCst) < round {
                            inside.waker().wake_by_ref();
                        }
                        match there.load(Ordering::SeqCst) >= round {
                            true => Poll::Ready(()),
                            false => {
                                // Time for a wake between the look and the rest.
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
