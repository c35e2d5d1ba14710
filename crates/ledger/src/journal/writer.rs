//! Appends lines: the state under the lock, and the handling of I/O errors.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::{oneshot, watch};
use toolwright_model::Durability;

use super::error::AppendError;
use super::files::{self, JournalSegment};
use super::health::HealthCell;
use super::line_format::{self, Continuation, LineHash};
use super::options::{JournalOptions, SteadyClock};
use super::recover::ResumePoint;
use crate::Record;

/// Larger buffers are freed after a large record, in bytes.
const MAX_IDLE_BUFFER_BYTES: usize = 1 << 20;
/// Upper bound of the chain fields of a line, in bytes.
const CHAIN_BYTES: u64 = 512;
/// Interval of the check that the file still exists at its path.
const FILE_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of finished segments that wait for a sync.
const MAX_ROTATED: usize = 64;

/// Reports the result of a sync to a waiting caller.
pub(super) type SyncNotifier = oneshot::Sender<Result<(), String>>;

/// State that the journal shares with its maintenance thread.
#[derive(Debug)]
pub(super) struct JournalShared {
    pub folder: PathBuf,
    pub node: String,
    pub options: JournalOptions,
    pub clock: SteadyClock,
    pub writer: Mutex<JournalWriter>,
    /// Serializes retention runs.
    pub retention_lock: Mutex<()>,
    /// Wakes the maintenance thread.
    pub wake: Condvar,
    pub health: HealthCell,
    /// Sequence number of the last record, for followers.
    pub last: watch::Sender<u64>,
}

/// The end of the journal, where records are appended.
#[derive(Debug)]
pub(super) struct JournalWriter {
    folder: PathBuf,
    segment_bytes: u64,
    max_waiting: usize,
    syncs_records: bool,
    open: Option<OpenSegment>,
    last_seq: u64,
    last_hash: LineHash,
    /// Records that could not be written since the last written one.
    lost: u64,
    /// Why the next segment is started, after a segment was abandoned.
    continues: Option<Continuation>,
    line: Vec<u8>,
    /// Time of the last check that the file exists at its path.
    last_checked: Instant,
    /// Work for the maintenance thread.
    pub todo: PendingWork,
    /// Whether the last record could not be written or synced.
    is_degraded: bool,
    pub is_closing: bool,
}

/// The segment that is being written.
#[derive(Debug)]
struct OpenSegment {
    file: Arc<File>,
    path: PathBuf,
    /// Sequence number of its first record.
    first: u64,
    /// Length of all complete lines.
    len: u64,
    /// Whether part of a line may follow them.
    has_partial_line: bool,
}

/// Work for the maintenance thread.
#[derive(Debug, Default)]
pub(super) struct PendingWork {
    pub needs_sync: bool,
    pub needs_folder_sync: bool,
    pub needs_retention: bool,
    /// Finished segments that were not synced.
    pub rotated: Vec<Arc<File>>,
    pub waiting: Vec<SyncNotifier>,
    /// Records that were written since the last sync.
    pub unsynced: u64,
}

impl JournalShared {
    pub fn append(&self, record: &mut Record, done: Option<SyncNotifier>) -> Result<u64, AppendError> {
        thread_local!(static BODY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
        record.node.clone_from(&self.node);
        BODY.with_borrow_mut(|body| {
            // Serialization, the larger part of the work, runs before the lock is taken.
            let made = line_format::serialize_body(record, body);
            let mut writer = self.lock();
            let appended = made.and_then(|()| writer.append(body, done, &self.health));
            let is_work = match &appended {
                Ok(_) => writer.record_written(&self.health),
                Err(why) => {
                    writer.lost = writer.lost.saturating_add(1);
                    writer.is_degraded = true;
                    self.health.fail(1, 0, why.to_string());
                    false
                }
            };
            drop(writer);
            if is_work {
                self.wake.notify_one();
            }
            if let Ok(seq) = appended
                && self.last.receiver_count() > 0
            {
                self.last.send_if_modified(|last| {
                    let is_later = seq > *last;
                    *last = seq.max(*last);
                    is_later
                });
            }
            shrink(body);
            appended
        })
    }
}

impl JournalWriter {
    pub fn new(folder: &Path, options: &JournalOptions, resume: ResumePoint) -> JournalWriter {
        let mut writer = JournalWriter {
            folder: folder.to_path_buf(),
            segment_bytes: options.segment_bytes,
            max_waiting: options.max_waiting,
            syncs_records: options.durability == Durability::Power,
            open: None,
            last_seq: resume.last_seq,
            last_hash: resume.last_hash,
            lost: 0,
            continues: resume.continues,
            line: Vec::new(),
            last_checked: Instant::now(),
            todo: PendingWork { needs_retention: true, ..PendingWork::default() },
            is_degraded: false,
            is_closing: false,
        };
        if let Some((segment, len)) = resume.segment {
            // When it cannot be opened, the first append reports the error or starts the next segment.
            writer.open = files::open_for_append(&segment.path).ok().map(|file| OpenSegment {
                file: Arc::new(file),
                first: segment.first,
                path: segment.path,
                len,
                has_partial_line: false,
            });
        }
        writer
    }

    pub fn last_seq(&self) -> u64 {
        self.last_seq
    }

    /// The file that is being written.
    pub fn file(&self) -> Option<Arc<File>> {
        self.open.as_ref().map(|open| Arc::clone(&open.file))
    }

    pub fn is_degraded(&self) -> bool {
        self.is_degraded
    }

    fn append(
        &mut self,
        body: &[u8],
        done: Option<SyncNotifier>,
        health: &HealthCell,
    ) -> Result<u64, AppendError> {
        if done.is_some() && self.todo.waiting.len() >= self.max_waiting {
            return Err(AppendError::TooManyWaiting { waiting: self.todo.waiting.len() });
        }
        self.truncate_partial_line();
        self.check_file_exists(health);
        let size = body.len() as u64 + CHAIN_BYTES;
        if self.open.as_ref().is_none_or(|open| open.len > 0 && open.len + size > self.segment_bytes) {
            self.open_next()?;
        }
        let seq = self.last_seq + 1;
        let mut line = std::mem::take(&mut self.line);
        let hash =
            line_format::write_line(body, seq, self.last_hash, self.lost, self.continues.as_ref(), &mut line);
        let written = self.write(&line);
        shrink(&mut line);
        self.line = line;
        written?;
        (self.last_seq, self.last_hash, self.lost, self.continues) = (seq, hash, 0, None);
        self.todo.waiting.extend(done);
        Ok(seq)
    }

    /// Updates the state after a record was written. Returns whether the maintenance thread has work.
    fn record_written(&mut self, health: &HealthCell) -> bool {
        if !self.syncs_records {
            if self.is_degraded {
                self.is_degraded = false;
                health.resume();
            }
            return self.todo.needs_retention;
        }
        // In this mode the journal is healthy again after a sync: the maintenance thread reports it.
        self.todo.unsynced += 1;
        !std::mem::replace(&mut self.todo.needs_sync, true) || self.todo.needs_retention
    }

    /// Writes one line, with one system call in the normal case.
    fn write(&mut self, line: &[u8]) -> Result<(), AppendError> {
        let Some(open) = &mut self.open else {
            return Err(AppendError::Write {
                path: self.folder.clone(),
                why: io::ErrorKind::NotFound.into(),
            });
        };
        open.has_partial_line = true;
        match write_all(&open.file, line) {
            Ok(()) => {
                open.has_partial_line = false;
                open.len += line.len() as u64;
                Ok(())
            }
            Err(why) => {
                let path = open.path.clone();
                open.has_partial_line = open.file.set_len(open.len).is_err();
                let is_full = matches!(why.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
                if !is_full {
                    // This file may be bad, or too large. Another may work.
                    self.abandon_segment("write", true);
                }
                Err(AppendError::Write { path, why })
            }
        }
    }

    /// Truncates a partial line; when that fails, another file is started.
    fn truncate_partial_line(&mut self) {
        if let Some(open) = &mut self.open
            && open.has_partial_line
        {
            open.has_partial_line = open.file.set_len(open.len).is_err();
            if open.has_partial_line {
                self.abandon_segment("write", true);
            }
        }
    }

    /// A removed file accepts every write, and its records are lost. Whether it still has a name is checked for each
    /// record; whether that is the original path, only at an interval.
    fn check_file_exists(&mut self, health: &HealthCell) {
        let Some(open) = &self.open else { return };
        let is_due = self.last_checked.elapsed() >= FILE_CHECK_INTERVAL;
        if is_due {
            self.last_checked = Instant::now();
        }
        if files::is_linked(&open.file) && (!is_due || files::is_file_at(&open.file, &open.path)) {
            return;
        }
        let lost = self.last_seq.saturating_sub(open.first.saturating_sub(1));
        let why = format!(
            "the file {} of the journal was removed with {lost} records in it; another is begun",
            open.path.display()
        );
        health.fail(lost, 0, why);
        self.is_degraded = true;
        self.abandon_segment("removed", false);
    }

    /// Stops writing to this segment.
    fn abandon_segment(&mut self, why: &str, is_to_sync: bool) {
        let Some(open) = self.open.take() else { return };
        let name = open.path.file_name().map(|name| name.to_string_lossy().into_owned());
        self.continues =
            Some(Continuation { file: name.unwrap_or_default(), seq: self.last_seq, why: why.to_owned() });
        if self.syncs_records && is_to_sync {
            // Its complete lines still wait for a sync.
            self.todo.rotated.push(open.file);
        }
    }

    /// After a failed sync the kernel may report the next one as successful although pages were lost: the file is not
    /// trusted any more, and its records are not reported as durable.
    pub fn sync_failed(&mut self) -> (Vec<SyncNotifier>, u64) {
        self.abandon_segment("sync", false);
        self.is_degraded = true;
        let todo = std::mem::take(&mut self.todo);
        self.todo.needs_retention = todo.needs_retention;
        (todo.waiting, todo.unsynced)
    }

    /// Resets the state after a successful sync without failures since.
    pub fn sync_resumed(&mut self, health: &HealthCell) {
        self.is_degraded = false;
        health.resume();
    }

    /// Whether records are missing since the last written one.
    pub fn is_failing(&self) -> bool {
        self.lost > 0
    }

    fn open_next(&mut self) -> Result<(), AppendError> {
        if self.todo.rotated.len() >= MAX_ROTATED {
            return Err(AppendError::TooManyWaiting { waiting: self.todo.waiting.len() });
        }
        let segment = JournalSegment::new(&self.folder, self.last_seq + 1);
        match open_segment(&self.folder, &segment) {
            Ok(file) => {
                let open = OpenSegment {
                    file: Arc::new(file),
                    first: segment.first,
                    path: segment.path,
                    len: 0,
                    has_partial_line: false,
                };
                if let Some(old) = self.open.replace(open)
                    && self.syncs_records
                {
                    self.todo.rotated.push(old.file);
                }
                (self.todo.needs_folder_sync, self.todo.needs_retention) = (true, true);
                Ok(())
            }
            // The old segment exceeds its size, but nothing is lost.
            Err(why) if self.open.is_some() => {
                tracing::warn!(file = %segment.path.display(), error = %why, "cannot begin the next segment of the journal");
                Ok(())
            }
            Err(why) => Err(AppendError::Write { path: segment.path, why }),
        }
    }
}

/// Opens a new segment. An existing file of that name contains no good record, and is set aside.
fn open_segment(folder: &Path, segment: &JournalSegment) -> io::Result<File> {
    let file = match files::open_for_append(&segment.path) {
        // The folder was removed: create it again.
        Err(why) if why.kind() == io::ErrorKind::NotFound => {
            files::make_folder(folder).map_err(io::Error::other)?;
            files::open_for_append(&segment.path)?
        }
        opened => opened?,
    };
    if file.metadata()?.len() == 0 {
        return Ok(file);
    }
    let aside = format!("{}.torn-{}", segment.path.display(), segment.first);
    let aside = (0..1000)
        .map(|number| if number == 0 { aside.clone() } else { format!("{aside}.{number}") })
        .find(|aside| !Path::new(aside).exists())
        .ok_or_else(|| {
            io::Error::new(io::ErrorKind::AlreadyExists, "there are a thousand torn files already")
        })?;
    std::fs::rename(&segment.path, aside)?;
    files::open_for_append(&segment.path)
}

/// Appends all bytes. A partial write is continued: then the system reports the reason.
fn write_all(mut file: &File, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    Ok(())
}

fn shrink(buffer: &mut Vec<u8>) {
    if buffer.capacity() > MAX_IDLE_BUFFER_BYTES {
        *buffer = Vec::new();
    }
}
