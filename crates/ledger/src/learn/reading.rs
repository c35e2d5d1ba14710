//! Reads the calls of all gateways out of the index, each once.

use std::collections::{BTreeMap, VecDeque};

use crate::Record;
use crate::index::{Store, StoreError};

/// How many records of each gateway are learned from again at a start.
const LEARNED_AGAIN: u64 = 20_000;
/// How many records are read at once.
const AT_ONCE: usize = 500;
/// How many records wait for tools that are not known yet. The oldest go first.
const MAX_WAITING: usize = 5_000;

/// How far the index has been read.
#[derive(Default)]
pub(super) struct Reading {
    read: BTreeMap<String, u64>,
    /// What could not be learned from yet.
    pub waiting: Waiting,
}

/// Records of tools that are not known yet.
#[derive(Default)]
pub(super) struct Waiting {
    generation: u64,
    records: VecDeque<Record>,
}

impl Waiting {
    /// All of them, when there are other tools than the last time.
    pub fn since(&mut self, generation: u64) -> VecDeque<Record> {
        match std::mem::replace(&mut self.generation, generation) == generation {
            true => VecDeque::new(),
            false => std::mem::take(&mut self.records),
        }
    }

    pub fn push(&mut self, record: Record) {
        if self.records.len() == MAX_WAITING {
            self.records.pop_front();
        }
        self.records.push_back(record);
    }
}

impl Reading {
    /// The next calls, of each gateway in the order in which it wrote them.
    pub async fn read(&mut self, store: &Store) -> Result<Vec<Record>, StoreError> {
        for node in store.nodes().await? {
            let first = || node.indexed.saturating_sub(LEARNED_AGAIN);
            let read = self.read.entry(node.node.clone()).or_insert_with(first);
            if *read >= node.indexed {
                continue;
            }
            let records = store.records_after(&node.node, *read, AT_ONCE).await?;
            *read = match records.last() {
                Some(last) if records.len() == AT_ONCE => last.seq,
                // What is between may be begins, whose ends come later.
                _ => node.indexed,
            };
            if !records.is_empty() {
                return Ok(records);
            }
        }
        Ok(Vec::new())
    }
}
