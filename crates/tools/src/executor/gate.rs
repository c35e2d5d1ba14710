//! Counts what runs, and turns away what would be too much. Nobody waits at a gate.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the calls inside. The limit is given at each entry, so that it can change while calls run.
#[derive(Debug, Default)]
pub(crate) struct Gate(AtomicUsize);

/// The right to be inside, until it is dropped.
#[derive(Debug)]
pub(crate) struct Pass(Arc<Gate>);

impl Gate {
    /// Lets one more in, unless `limit` are inside.
    pub fn enter(self: &Arc<Self>, limit: usize) -> Option<Pass> {
        // Relaxed: the count guards nothing but itself.
        let entered = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |inside| {
            (inside < limit).then_some(inside + 1)
        });
        entered.is_ok().then(|| Pass(Arc::clone(self)))
    }

    /// How many are inside.
    pub fn inside(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_the_limit_are_let_in() {
        let gate = Arc::new(Gate::default());
        let passes: Vec<Pass> = (0..3).filter_map(|_| gate.enter(2)).collect();
        assert_eq!((passes.len(), gate.inside()), (2, 2));
        drop(passes);
        assert_eq!(gate.inside(), 0);
        assert!(gate.enter(1).is_some());
        assert!(gate.enter(0).is_none());
    }
}
