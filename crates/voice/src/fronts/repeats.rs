//! Detection of repeated messages.

use std::collections::{HashSet, VecDeque};
use std::sync::Mutex;

use tokio::time::Instant;
use toolwright_base::IgnorePoison;

use crate::limits::{DEDUP_IDS, DEDUP_TTL};

/// The ids of the last messages.
#[derive(Default)]
pub(super) struct RecentMessages(Mutex<RecentIds>);

#[derive(Default)]
struct RecentIds {
    known: HashSet<String>,
    order: VecDeque<(String, Instant)>,
}

impl RecentMessages {
    /// Whether a message with this id was received before. Stores the id.
    pub fn is_repeated(&self, id: &str) -> bool {
        let mut recent = self.0.lock().ignore_poison();
        let RecentIds { known, order } = &mut *recent;
        let is_old = |(_, since): &(String, Instant)| since.elapsed() > DEDUP_TTL;
        while order.len() > DEDUP_IDS || order.front().is_some_and(is_old) {
            if let Some((old, _)) = order.pop_front() {
                known.remove(&old);
            }
        }
        if !known.insert(id.to_owned()) {
            return true;
        }
        order.push_back((id.to_owned(), Instant::now()));
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_id_is_known_for_a_while_and_not_for_ever() {
        let repeats = RecentMessages::default();
        assert!(!repeats.is_repeated("a"));
        assert!(repeats.is_repeated("a"));
        tokio::time::advance(DEDUP_TTL * 2).await;
        assert!(!repeats.is_repeated("a"));
        for number in 0..DEDUP_IDS * 2 {
            assert!(!repeats.is_repeated(&number.to_string()));
        }
        assert!(!repeats.is_repeated("a"), "only so many are kept");
    }
}
