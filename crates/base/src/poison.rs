//! Locks that survive a panic.

use std::sync::PoisonError;

/// Takes what a lock guards, also when a thread panicked while it held the lock.
///
/// A panic fails the one call in which it happens. The standard library then marks every lock that was held as poisoned,
/// and an `unwrap` of each later `lock()` would spread that one failure to all calls. The values behind Toolwright's
/// locks are changed in single steps that leave them valid, so the mark says nothing that a caller could act on.
pub trait IgnorePoison {
    /// What the lock guards.
    type Guarded;

    /// The guard, whether or not the lock is poisoned.
    fn ignore_poison(self) -> Self::Guarded;
}

impl<T> IgnorePoison for Result<T, PoisonError<T>> {
    type Guarded = T;

    fn ignore_poison(self) -> T {
        self.unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::IgnorePoison;

    #[test]
    fn a_panic_under_a_lock_does_not_close_it_for_others() {
        let lock = Arc::new(Mutex::new(7));
        let held = Arc::clone(&lock);
        let panicked = std::thread::spawn(move || {
            let _guard = held.lock().ignore_poison();
            panic!("while the lock is held");
        });
        assert!(panicked.join().is_err() && lock.is_poisoned());
        assert_eq!(*lock.lock().ignore_poison(), 7);
    }
}
