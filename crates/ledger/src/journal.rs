//! The journal: one line per call, written before its reply, chained by hashes.
//!
//! A journal is a folder with segments of JSON lines, each named after the number of its first record. Every line
//! ends with a SHA-256 over itself and holds the one of the line before, so that each proves itself and its place.
//! One process writes ([`Journal`], kept alone by a lock); anyone may read at the same time ([`Journal::read`],
//! [`Journal::follow`], [`verify`]). Old segments are removed as a whole; a note then says where the chain begins.
//!
//! Start with [`Journal`]; what a line looks like is in `line.rs`, what happens after a crash in `recover.rs`.

mod age;
mod chain;
mod damage;
mod error;
mod files;
mod follow;
mod health;
mod interrupted;
mod keeper;
mod line;
mod lines;
mod options;
mod read;
mod recover;
mod retention;
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
pub use line::MAX_LINE;
pub use options::JournalOptions;
pub use read::Reader;
pub use recover::{Recovered, Torn};
pub use toolwright_model::Durability;
pub use verify::{Begin, Position, Verified, verify};

use toolwright_base::IgnorePoison;

use crate::Record;
use health::HealthCell;
use writer::{Shared, Writer};

/// A journal that this process writes. Ends what it has begun when it is dropped.
#[derive(Debug)]
pub struct Journal {
    shared: Arc<Shared>,
    keeper: Option<JoinHandle<()>>,
    // The lock ends with the file.
    _lock: std::fs::File,
}

/// A record that was written and is not synced yet. Dropping this does not take the record back.
#[derive(Debug)]
pub struct Syncing {
    seq: u64,
    told: tokio::sync::oneshot::Receiver<Result<(), String>>,
}

impl Syncing {
    /// Waits for the sync of its group.
    ///
    /// # Errors
    /// When the sync failed: then it may be on the disk, or may not.
    pub async fn done(self) -> Result<(), AppendError> {
        let seq = self.seq;
        match self.told.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(why)) => Err(AppendError::NotSynced { seq, why }),
            Err(_) => Err(AppendError::NotSynced { seq, why: "the journal was closed".into() }),
        }
    }
}

impl Journal {
    /// Opens the journal of one node, or begins it. A torn end is put aside; what else is wrong is told and kept.
    ///
    /// # Errors
    /// When another process writes it, when the folder belongs to another node, and when the disk says no.
    pub fn open(folder: &Path, options: JournalOptions) -> Result<(Journal, Recovered), JournalError> {
        options.check()?;
        files::make_folder(folder)?;
        let lock = files::lock(folder)?;
        let node = files::node(folder, options.node.as_deref())?;
        let (state, recovered) = recover::recover(folder)?;
        let shared = Arc::new(Shared {
            folder: folder.to_path_buf(),
            node,
            writer: std::sync::Mutex::new(Writer::new(folder, &options, state)),
            tidying: std::sync::Mutex::new(()),
            wake: std::sync::Condvar::new(),
            health: HealthCell::default(),
            last: tokio::sync::watch::channel(recovered.last_seq).0,
            opened: options::Opened::default(),
            options,
        });
        let keeper = keeper::start(&shared).map_err(|why| JournalError::Io {
            what: "start the thread of",
            path: folder.to_path_buf(),
            why,
        })?;
        Ok((Journal { shared, keeper: Some(keeper), _lock: lock }, recovered))
    }

    /// Writes a record at the end and gives it its number. It is in the hands of the system when this returns: it
    /// survives the end of this process. In [`Durability::Power`] the next group is synced with it, without waiting.
    ///
    /// # Errors
    /// When it could not be written. It is counted then, and the next record that is written tells of it.
    pub fn append(&self, mut record: Record) -> Result<u64, AppendError> {
        self.shared.append(&mut record, None)
    }

    /// The same for who goes on with the record: it has its number and its node then.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn write(&self, record: &mut Record) -> Result<(), AppendError> {
        record.seq = self.shared.append(record, None)?;
        Ok(())
    }

    /// As [`Journal::write`], with what is to be waited for until the record is as safe as the options ask: nothing in
    /// [`Durability::Process`].
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn write_durable(&self, record: &mut Record) -> Result<Option<Syncing>, AppendError> {
        if self.durability() == Durability::Process {
            self.write(record)?;
            return Ok(None);
        }
        let (done, told) = tokio::sync::oneshot::channel();
        record.seq = self.shared.append(record, Some(done))?;
        Ok(Some(Syncing { seq: record.seq, told }))
    }

    /// Writes a record at once, and is done when it is as safe as the options ask: in [`Durability::Power`] after the
    /// sync of its group, otherwise at once. Dropping what is given back does not take the record back.
    ///
    /// # Errors
    /// As [`Journal::append`], and when the sync failed: then it may be on the disk, or may not.
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

    /// All records from a number on, as they are on the disk. It ends at the last whole line; asked again later it
    /// goes on with what came since.
    pub fn read(folder: &Path, from_seq: u64) -> Reader {
        Reader::new(folder, from_seq)
    }

    /// The records from a number on, and then each that is written.
    pub fn follow(&self, from_seq: u64) -> Follow {
        Follow::live(&self.shared.folder, from_seq, self.shared.last.subscribe())
    }

    /// As [`Journal::follow`], for a journal that another process writes: it looks several times a second.
    pub fn follow_folder(folder: &Path, from_seq: u64) -> Follow {
        Follow::polling(folder, from_seq)
    }

    /// How the journal is doing.
    pub fn health(&self) -> Health {
        self.shared.health.get()
    }

    /// The number of the last record that was written; 0 when there is none.
    pub fn last_seq(&self) -> u64 {
        self.shared.lock().last_seq()
    }

    /// The name of the gateway that writes it.
    pub fn node(&self) -> &str {
        &self.shared.node
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.shared.folder
    }

    /// How safe a record is when it has been written.
    pub fn durability(&self) -> Durability {
        self.shared.options.durability
    }

    /// Removes what is too old or too much, now. It also happens by itself: at the start, after each segment, and
    /// every hour.
    ///
    /// # Errors
    /// When the note of where the chain begins cannot be written; nothing is removed then.
    pub fn tidy(&self) -> Result<Vec<PathBuf>, JournalError> {
        self.shared.tidy()
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.shared.lock().is_closing = true;
        self.shared.wake.notify_all();
        if let Some(keeper) = self.keeper.take() {
            // It has no panic of its own to tell of that its hook has not told.
            let _ = keeper.join();
        }
    }
}

impl Shared {
    fn tidy(&self) -> Result<Vec<PathBuf>, JournalError> {
        let _one_at_a_time = self.tidying.lock().ignore_poison();
        retention::tidy(&self.folder, &self.options, self.opened.now())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Writer> {
        // A panic while it was held leaves a writer that knows how long its file should be: `Writer::append` cuts it.
        self.writer.lock().ignore_poison()
    }
}
