//! Reads the calls of all gateways from the index, each once.

use std::collections::{BTreeMap, VecDeque};

use crate::Record;
use crate::index::{Store, StoreError};

/// Records of each gateway that are learned from again at startup.
const MAX_RELEARNED_RECORDS: u64 = 20_000;
/// Records that are read at once.
const BATCH_RECORDS: usize = 500;
/// Maximum number of records that wait for unknown tools. The oldest are dropped first.
const MAX_DEFERRED: usize = 5_000;

/// Position in the index.
#[derive(Default)]
pub(super) struct IndexCursor {
    read: BTreeMap<String, u64>,
    /// Records that could not be used yet.
    pub deferred: DeferredRecords,
}

/// Records of tools that are not registered yet.
#[derive(Default)]
pub(super) struct DeferredRecords {
    generation: u64,
    records: VecDeque<Record>,
}

impl DeferredRecords {
    /// Takes all records, when the tools have changed since the last time.
    pub fn take_if_changed(&mut self, generation: u64) -> VecDeque<Record> {
        match std::mem::replace(&mut self.generation, generation) == generation {
            true => VecDeque::new(),
            false => std::mem::take(&mut self.records),
        }
    }

    pub fn push(&mut self, record: Record) {
        if self.records.len() == MAX_DEFERRED {
            self.records.pop_front();
        }
        self.records.push_back(record);
    }
}

impl IndexCursor {
    /// The next calls, of each gateway in the order of writing.
    pub async fn read(&mut self, store: &Store) -> Result<Vec<Record>, StoreError> {
        for node in store.nodes().await? {
            let first = || node.indexed.saturating_sub(MAX_RELEARNED_RECORDS);
            let read = self.read.entry(node.node.clone()).or_insert_with(first);
            if *read >= node.indexed {
                continue;
            }
            let records = store.records_after(&node.node, *read, BATCH_RECORDS).await?;
            *read = match records.last() {
                Some(last) if records.len() == BATCH_RECORDS => last.seq,
                // The records between may be start records, whose ends come later.
                _ => node.indexed,
            };
            if !records.is_empty() {
                return Ok(records);
            }
        }
        Ok(Vec::new())
    }
}
