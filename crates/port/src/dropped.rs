//! How often each limit turned somebody away.

use std::collections::BTreeMap;
use std::sync::Mutex;

use toolwright_base::IgnorePoison;

/// Counts by the names of limits. There are as many as limits.
#[derive(Debug, Default)]
pub(crate) struct Dropped(Mutex<BTreeMap<String, u64>>);

impl Dropped {
    pub fn add(&self, limit: &str) {
        let mut counts = self.0.lock().ignore_poison();
        match counts.get_mut(limit) {
            Some(count) => *count += 1,
            None => drop(counts.insert(limit.to_owned(), 1)),
        }
    }

    pub fn count(&self, limit: &str) -> u64 {
        self.0.lock().ignore_poison().get(limit).copied().unwrap_or(0)
    }
}
