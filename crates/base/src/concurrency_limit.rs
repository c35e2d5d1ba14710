//! Concurrency limit: counts work in flight and refuses work above the limit. Nothing waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of units in flight. Each attempt passes the limit, so that a reload can change it.
#[derive(Debug, Default)]
pub struct ConcurrencyLimit {
    in_flight: AtomicUsize,
}

/// A share of the units in flight, held until it is dropped.
#[derive(Debug)]
pub struct ConcurrencyPermit {
    limit: Arc<ConcurrencyLimit>,
    count: usize,
}

impl ConcurrencyLimit {
    /// Acquires `count` units, unless more than `limit` would then be in flight.
    pub fn try_acquire(self: &Arc<Self>, count: usize, limit: usize) -> Option<ConcurrencyPermit> {
        // Relaxed: no other memory access depends on this count.
        let acquired = self.in_flight.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |in_flight| {
            in_flight.checked_add(count).filter(|in_flight| *in_flight <= limit)
        });
        acquired.is_ok().then(|| ConcurrencyPermit { limit: Arc::clone(self), count })
    }

    /// The number of units in flight.
    pub fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }
}

impl Drop for ConcurrencyPermit {
    fn drop(&mut self) {
        self.limit.in_flight.fetch_sub(self.count, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acquires_up_to_the_limit() {
        let limit = Arc::new(ConcurrencyLimit::default());
        let permits: Vec<ConcurrencyPermit> = (0..3).filter_map(|_| limit.try_acquire(1, 2)).collect();
        assert_eq!((permits.len(), limit.in_flight()), (2, 2));
        drop(permits);
        assert_eq!(limit.in_flight(), 0);
        assert!(limit.try_acquire(1, 1).is_some());
        assert!(limit.try_acquire(1, 0).is_none());
    }

    #[test]
    fn several_units_are_acquired_and_released_together() {
        let limit: Arc<ConcurrencyLimit> = Arc::default();
        let first = limit.try_acquire(2, 3).expect("there is room");
        assert!(limit.try_acquire(2, 3).is_none());
        let second = limit.try_acquire(1, 3).expect("there is room");
        assert_eq!(limit.in_flight(), 3);
        drop((first, second));
        assert_eq!(limit.in_flight(), 0);
    }
}
