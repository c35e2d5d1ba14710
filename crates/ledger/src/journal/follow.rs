//! Reads a journal and then each record that is written, across files.

use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::damage::Damage;
use super::read::Reader;
use crate::Record;

/// How many records are read ahead, and about how many bytes of arguments.
const BATCH: usize = 256;
const BATCH_BYTES: usize = 1 << 20;
/// How often a journal of another process is looked at.
const LOOK: Duration = Duration::from_millis(100);
/// How often one of our own is looked at, though it tells when there is something.
const LOOK_ANYWAY: Duration = Duration::from_secs(1);

type Batch = VecDeque<Result<Record, Damage>>;

/// The records of a journal as they come, from [`super::Journal::follow`].
#[derive(Debug)]
pub struct Follow {
    // Files are read on threads for that; the reader goes there and comes back.
    reader: Option<Reader>,
    reading: Option<JoinHandle<(Reader, Batch)>>,
    batch: Batch,
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
            batch: Batch::new(),
            written: None,
            is_closed: false,
        }
    }

    /// The next record, when there is one. `None` when the journal was closed and all is read; a journal of another
    /// process never ends. Nothing is lost when this is dropped while it waits.
    pub async fn next(&mut self) -> Option<Result<Record, Damage>> {
        loop {
            if let Some(record) = self.batch.pop_front() {
                return Some(record);
            }
            // Before reading: what is written from here on is told of.
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
        // The handle stays here while it is waited for, so that dropping this future loses nothing.
        let (reader, batch) = self.reading.as_mut()?.await.ok()?;
        (self.reading, self.reader, self.batch) = (None, Some(reader), batch);
        Some(())
    }

    async fn wait(&mut self) {
        match &mut self.written {
            None => tokio::time::sleep(LOOK).await,
            Some(written) => {
                if let Ok(Err(_)) = tokio::time::timeout(LOOK_ANYWAY, written.changed()).await {
                    self.is_closed = true;
                }
            }
        }
    }
}

fn batch(reader: &mut Reader) -> Batch {
    let (mut batch, mut bytes) = (Batch::new(), 0);
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
