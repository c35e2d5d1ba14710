//! The journal: one line per call, written before its response, chained by hashes.
//!
//! A journal is a folder with segments of JSON lines, each named after the sequence number of its first record. Every
//! line ends with a SHA-256 over itself and contains the hash of the previous line, so that each proves its content and
//! its position. One process writes ([`Journal`], protected by a lock file); any number may read at the same time
//! ([`Journal::read`], [`Journal::follow`], [`verify`]). Old segments are removed as a whole; `journal.head` then
//! states where the chain starts.
//!
//! Start with [`Journal`]; the format of a line is in `line_format.rs`, recovery after a crash in `recover.rs`.

mod chain;
mod damage;
mod error;
mod files;
mod follow;
mod health;
mod interrupted;
mod line_format;
mod line_reader;
mod maintenance;
mod options;
mod reader;
mod recover;
mod retention;
mod segment_age;
mod verify;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

pub use damage::{Damage, Why};
pub use error::{AppendError, JournalError};
pub use files::{begins, folders, node_folder};
pub use follow::Follow;
pub use health::{Health, State};
pub use interrupted::interrupted;
pub use line_format::MAX_LINE;
pub use options::JournalOptions;
pub use reader::Reader;
pub use recover::{Recovered, Torn};
pub use toolwright_model::Durability;
pub use verify::{Begin, Position, Verified, verify};

use toolwright_base::IgnorePoison;

use crate::Record;
use health::HealthCell;
use writer::{JournalShared, JournalWriter};

/// A journal that this process writes. Dropping it waits for pending syncs.
#[derive(Debug)]
pub struct Journal {
    shared: Arc<JournalShared>,
    maintenance: Option<JoinHandle<()>>,
    // The file lock is released when the file is closed.
    _lock: std::fs::File,
}

/// A written record whose sync is pending. Dropping this does not remove the record.
#[derive(Debug)]
pub struct Syncing {
    seq: u64,
    outcome: tokio::sync::oneshot::Receiver<Result<(), String>>,
}

impl Syncing {
    /// Waits for the sync of its group.
    ///
    /// # Errors
    /// When the sync failed: the record may be on the disk, or may not.
    pub async fn done(self) -> Result<(), AppendError> {
        let seq = self.seq;
        match self.outcome.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(why)) => Err(AppendError::NotSynced { seq, why }),
            Err(_) => Err(AppendError::NotSynced { seq, why: "the journal was closed".into() }),
        }
    }
}

impl Journal {
    /// Opens or creates the journal of one node. A torn end is set aside; other damage is reported and kept.
    ///
    /// # Errors
    /// When another process writes it, when the folder belongs to another node, and on I/O errors.
    pub fn open(folder: &Path, options: JournalOptions) -> Result<(Journal, Recovered), JournalError> {
        options.check()?;
        files::make_folder(folder)?;
        let lock = files::lock(folder)?;
        let node = files::node(folder, options.node.as_deref())?;
        let (state, recovered) = recover::recover(folder)?;
        let shared = Arc::new(JournalShared {
            folder: folder.to_path_buf(),
            node,
            writer: std::sync::Mutex::new(JournalWriter::new(folder, &options, state)),
            retention_lock: std::sync::Mutex::new(()),
            wake: std::sync::Condvar::new(),
            health: HealthCell::default(),
            last: tokio::sync::watch::channel(recovered.last_seq).0,
            clock: options::SteadyClock::default(),
            options,
        });
        let maintenance = maintenance::start(&shared).map_err(|why| JournalError::Io {
            what: "start the thread of",
            path: folder.to_path_buf(),
            why,
        })?;
        Ok((Journal { shared, maintenance: Some(maintenance), _lock: lock }, recovered))
    }

    /// Appends a record and assigns its sequence number. The record is in the kernel when this returns: it survives the
    /// exit of this process. With [`Durability::Power`] the next group sync includes it, without waiting.
    ///
    /// # Errors
    /// When it could not be written. It is counted then, and the next written record contains the count.
    pub fn append(&self, mut record: Record) -> Result<u64, AppendError> {
        self.shared.append(&mut record, None)
    }

    /// Like [`Journal::append`], and sets the sequence number and the node in the record.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn write(&self, record: &mut Record) -> Result<(), AppendError> {
        record.seq = self.shared.append(record, None)?;
        Ok(())
    }

    /// Like [`Journal::write`], and returns the pending sync when the options require one: `None` with
    /// [`Durability::Process`].
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn write_durable(&self, record: &mut Record) -> Result<Option<Syncing>, AppendError> {
        if self.durability() == Durability::Process {
            self.write(record)?;
            return Ok(None);
        }
        let (done, outcome) = tokio::sync::oneshot::channel();
        record.seq = self.shared.append(record, Some(done))?;
        Ok(Some(Syncing { seq: record.seq, outcome }))
    }

    /// Appends a record immediately; the future resolves when it is as durable as the options require: with
    /// [`Durability::Power`] after its group sync, otherwise at once. Dropping the future does not remove the record.
    ///
    /// # Errors
    /// As [`Journal::append`], and when the sync failed: the record may be on the disk, or may not.
    pub fn append_durable(
        &self,
        mut record: Record,
    ) -> impl Future<Output = Result<u64, AppendError>> + Send + 'static + use<> {
        let written = self.write_durable(&mut record);
        async move {
            if let Some(syncing) = written? {
                syncing.done().await?;
            }
            Ok(record.seq)
        }
    }

    /// All records on the disk from a sequence number on. The iterator ends at the last complete line; a later call of
    /// `next` continues with newer records.
    pub fn read(folder: &Path, from_seq: u64) -> Reader {
        Reader::new(folder, from_seq)
    }

    /// The records from a sequence number on, and then each new one.
    pub fn follow(&self, from_seq: u64) -> Follow {
        Follow::live(&self.shared.folder, from_seq, self.shared.last.subscribe())
    }

    /// Like [`Journal::follow`], for a journal that another process writes: polls several times a second.
    pub fn follow_folder(folder: &Path, from_seq: u64) -> Follow {
        Follow::polling(folder, from_seq)
    }

    /// Health of the journal.
    pub fn health(&self) -> Health {
        self.shared.health.get()
    }

    /// Sequence number of the last written record; 0 when there is none.
    pub fn last_seq(&self) -> u64 {
        self.shared.lock().last_seq()
    }

    /// Node name of the gateway that writes it.
    pub fn node(&self) -> &str {
        &self.shared.node
    }

    /// The folder of the journal.
    pub fn folder(&self) -> &Path {
        &self.shared.folder
    }

    /// Durability of a written record.
    pub fn durability(&self) -> Durability {
        self.shared.options.durability
    }

    /// Removes segments beyond the limits of age and size. This also runs at startup, after each segment, and every
    /// hour.
    ///
    /// # Errors
    /// When `journal.head` cannot be written; nothing is removed then.
    pub fn tidy(&self) -> Result<Vec<PathBuf>, JournalError> {
        self.shared.tidy()
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.shared.lock().is_closing = true;
        self.shared.wake.notify_all();
        if let Some(maintenance) = self.maintenance.take() {
            // The panic hook has already reported a panic of the thread.
            let _ = maintenance.join();
        }
    }
}

impl JournalShared {
    fn tidy(&self) -> Result<Vec<PathBuf>, JournalError> {
        let _one_at_a_time = self.retention_lock.lock().ignore_poison();
        retention::remove_old_segments(&self.folder, &self.options, self.clock.now())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, JournalWriter> {
        // A panic while the lock was held leaves a writer that knows the length of its file: `JournalWriter::append`
        // truncates it.
        self.writer.lock().ignore_poison()
    }
}
