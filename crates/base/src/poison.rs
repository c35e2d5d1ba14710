//! Locks that stay usable after a panic.

use std::sync::PoisonError;

/// Takes the guard of a lock, even if a thread panicked while it held the lock.
///
/// A panic fails the one call in which it happens. The standard library then marks every held lock as poisoned, and an
/// `unwrap` of each later `lock()` would spread that one failure to all calls. Toolwright changes the values behind
/// its locks in single steps that leave them valid, so the mark tells a caller nothing useful.
pub trait IgnorePoison {
    /// The type of the guard.
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
    fn lock_stays_usable_after_a_panic() {
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
