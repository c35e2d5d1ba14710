//! Streams a journal: existing records, and then each new one, across segments.

use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::damage::Damage;
use super::reader::Reader;
use crate::Record;

/// Records that are read ahead, and about how many bytes of arguments.
const BATCH: usize = 256;
const BATCH_BYTES: usize = 1 << 20;
/// Polling interval for a journal of another process.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Polling interval for a journal of this process, as a fallback to its notifications.
const FALLBACK_POLL: Duration = Duration::from_secs(1);

type RecordBatch = VecDeque<Result<Record, Damage>>;

/// Stream of the records of a journal, from [`super::Journal::follow`].
#[derive(Debug)]
pub struct Follow {
    // Files are read on blocking threads; the reader moves there and back.
    reader: Option<Reader>,
    reading: Option<JoinHandle<(Reader, RecordBatch)>>,
    batch: RecordBatch,
    written: Option<watch::Receiver<u64>>,
    is_closed: bool,
}

impl Follow {
    pub(super) fn live(folder: &Path, from_seq: u64, written: watch::Receiver<u64>) -> Follow {
        Follow { written: Some(written), ..Follow::polling(folder, from_seq) }
    }

    pub(super) fn polling(folder: &Path, from_seq: u64) -> Follow {
        Follow {
            reader: Some(Reader::new(folder, from_seq)),
            reading: None,
            batch: RecordBatch::new(),
            written: None,
            is_closed: false,
        }
    }

    /// Waits for the next record. `None` when the journal was closed and all records are read; the journal of another
    /// process never ends. Cancel-safe: dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Result<Record, Damage>> {
        loop {
            if let Some(record) = self.batch.pop_front() {
                return Some(record);
            }
            // Marked before reading, so that later writes are notified.
            let is_last = self.is_closed;
            if let Some(written) = &mut self.written {
                written.mark_unchanged();
            }
            self.read().await?;
            if self.batch.is_empty() {
                if is_last {
                    return None;
                }
                self.wait().await;
            }
        }
    }

    async fn read(&mut self) -> Option<()> {
        if self.reading.is_none() {
            let mut reader = self.reader.take()?;
            self.reading = Some(tokio::task::spawn_blocking(move || {
                let batch = batch(&mut reader);
                (reader, batch)
            }));
        }
        // The handle stays here while it is awaited, so that dropping this future loses nothing.
        let (reader, batch) = self.reading.as_mut()?.await.ok()?;
        (self.reading, self.reader, self.batch) = (None, Some(reader), batch);
        Some(())
    }

    async fn wait(&mut self) {
        match &mut self.written {
            None => tokio::time::sleep(POLL_INTERVAL).await,
            Some(written) => {
                if let Ok(Err(_)) = tokio::time::timeout(FALLBACK_POLL, written.changed()).await {
                    self.is_closed = true;
                }
            }
        }
    }
}

fn batch(reader: &mut Reader) -> RecordBatch {
    let (mut batch, mut bytes) = (RecordBatch::new(), 0);
    while batch.len() < BATCH && bytes < BATCH_BYTES {
        let Some(read) = reader.next() else { break };
        if let Ok(record) = &read {
            let parts = [&record.arguments, &record.normalized].into_iter().flatten();
            bytes += parts.map(|json| json.get().len()).sum::<usize>();
        }
        batch.push_back(read);
    }
    batch
}
