//! Writes lines: what is known under the lock, and what happens when the disk says no.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::{oneshot, watch};
use toolwright_model::Durability;

use super::error::AppendError;
use super::files::{self, Segment};
use super::health::HealthCell;
use super::line::{self, Continues, Hash};
use super::options::{JournalOptions, Opened};
use super::recover::Resume;
use crate::Record;

/// How large a buffer may stay after a large record, in bytes.
const KEEP_BUFFER: usize = 1 << 20;
/// More than what chains a line takes, in bytes.
const CHAIN_BYTES: u64 = 512;
/// How often it is looked whether the file is still there.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How many finished segments may wait for their sync.
const MAX_ROTATED: usize = 64;

/// Tells one who waits how the sync went.
pub(super) type Done = oneshot::Sender<Result<(), String>>;

/// What the journal and the thread beside it share.
#[derive(Debug)]
pub(super) struct Shared {
    pub folder: PathBuf,
    pub node: String,
    pub options: JournalOptions,
    pub opened: Opened,
    pub writer: Mutex<Writer>,
    /// Held by who removes old segments.
    pub tidying: Mutex<()>,
    /// Wakes the keeper.
    pub wake: Condvar,
    pub health: HealthCell,
    /// The last record, for those who follow.
    pub last: watch::Sender<u64>,
}

/// The end of the journal.
#[derive(Debug)]
pub(super) struct Writer {
    folder: PathBuf,
    segment_bytes: u64,
    max_waiting: usize,
    is_power: bool,
    open: Option<Open>,
    last_seq: u64,
    last_hash: Hash,
    /// How many records could not be written since the last that was.
    lost: u64,
    /// Why the next segment is begun, when the last was given up.
    continues: Option<Continues>,
    line: Vec<u8>,
    /// When it was last looked whether the file is still there.
    looked: Instant,
    /// What waits for the keeper.
    pub todo: Todo,
    /// Whether the last record could not be written or synced.
    is_degraded: bool,
    pub is_closing: bool,
}

/// The segment that is written.
#[derive(Debug)]
struct Open {
    file: Arc<File>,
    path: PathBuf,
    /// The number of its first record.
    first: u64,
    /// How long it is with all whole lines.
    len: u64,
    /// Whether there may be part of a line behind them.
    is_ragged: bool,
}

/// What the keeper has to do.
#[derive(Debug, Default)]
pub(super) struct Todo {
    pub is_sync: bool,
    pub is_folder: bool,
    pub is_tidy: bool,
    /// Finished segments that were not synced.
    pub rotated: Vec<Arc<File>>,
    pub waiting: Vec<Done>,
    /// How many records were written since the last sync.
    pub unsynced: u64,
}

impl Shared {
    pub fn append(&self, record: &mut Record, done: Option<Done>) -> Result<u64, AppendError> {
        thread_local!(static BODY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
        record.node.clone_from(&self.node);
        BODY.with_borrow_mut(|body| {
            // The larger part of the work is done before the lock is taken.
            let made = line::body(record, body);
            let mut writer = self.lock();
            let appended = made.and_then(|()| writer.append(body, done, &self.health));
            let is_work = match &appended {
                Ok(_) => writer.written(&self.health),
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

impl Writer {
    pub fn new(folder: &Path, options: &JournalOptions, resume: Resume) -> Writer {
        let mut writer = Writer {
            folder: folder.to_path_buf(),
            segment_bytes: options.segment_bytes,
            max_waiting: options.max_waiting,
            is_power: options.durability == Durability::Power,
            open: None,
            last_seq: resume.last_seq,
            last_hash: resume.last_hash,
            lost: 0,
            continues: resume.continues,
            line: Vec::new(),
            looked: Instant::now(),
            todo: Todo { is_tidy: true, ..Todo::default() },
            is_degraded: false,
            is_closing: false,
        };
        if let Some((segment, len)) = resume.segment {
            // When it cannot be opened, the first append says so, or begins the next.
            writer.open = files::open_for_append(&segment.path).ok().map(|file| Open {
                file: Arc::new(file),
                first: segment.first,
                path: segment.path,
                len,
                is_ragged: false,
            });
        }
        writer
    }

    pub fn last_seq(&self) -> u64 {
        self.last_seq
    }

    /// The file that is written.
    pub fn file(&self) -> Option<Arc<File>> {
        self.open.as_ref().map(|open| Arc::clone(&open.file))
    }

    pub fn is_degraded(&self) -> bool {
        self.is_degraded
    }

    fn append(&mut self, body: &[u8], done: Option<Done>, health: &HealthCell) -> Result<u64, AppendError> {
        if done.is_some() && self.todo.waiting.len() >= self.max_waiting {
            return Err(AppendError::TooManyWaiting { waiting: self.todo.waiting.len() });
        }
        self.mend();
        self.look(health);
        let size = body.len() as u64 + CHAIN_BYTES;
        if self.open.as_ref().is_none_or(|open| open.len > 0 && open.len + size > self.segment_bytes) {
            self.open_next()?;
        }
        let seq = self.last_seq + 1;
        let mut line = std::mem::take(&mut self.line);
        let hash = line::finish(body, seq, self.last_hash, self.lost, self.continues.as_ref(), &mut line);
        let written = self.write(&line);
        shrink(&mut line);
        self.line = line;
        written?;
        (self.last_seq, self.last_hash, self.lost, self.continues) = (seq, hash, 0, None);
        self.todo.waiting.extend(done);
        Ok(seq)
    }

    /// What follows a record that was written. Whether there is work for the keeper.
    fn written(&mut self, health: &HealthCell) -> bool {
        if !self.is_power {
            if self.is_degraded {
                self.is_degraded = false;
                health.resume();
            }
            return self.todo.is_tidy;
        }
        // In this mode it is well again when it is synced: the keeper says so.
        self.todo.unsynced += 1;
        !std::mem::replace(&mut self.todo.is_sync, true) || self.todo.is_tidy
    }

    /// One line, with one call to the system when nothing is wrong.
    fn write(&mut self, line: &[u8]) -> Result<(), AppendError> {
        let Some(open) = &mut self.open else {
            return Err(AppendError::Write {
                path: self.folder.clone(),
                why: io::ErrorKind::NotFound.into(),
            });
        };
        open.is_ragged = true;
        match write_all(&open.file, line) {
            Ok(()) => {
                open.is_ragged = false;
                open.len += line.len() as u64;
                Ok(())
            }
            Err(why) => {
                let path = open.path.clone();
                open.is_ragged = open.file.set_len(open.len).is_err();
                let is_full = matches!(why.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
                if !is_full {
                    // It may be this file that is bad, or too large. Another may not be.
                    self.give_up("write", true);
                }
                Err(AppendError::Write { path, why })
            }
        }
    }

    /// Cuts off part of a line that was left behind; when that cannot be done, another file is begun.
    fn mend(&mut self) {
        if let Some(open) = &mut self.open
            && open.is_ragged
        {
            open.is_ragged = open.file.set_len(open.len).is_err();
            if open.is_ragged {
                self.give_up("write", true);
            }
        }
    }

    /// A file that somebody removed takes all that is written to it, and nobody can ever read that. Whether it has a name
    /// is asked for each record; whether that is the name that it was given, only now and then.
    fn look(&mut self, health: &HealthCell) {
        let Some(open) = &self.open else { return };
        let is_time = self.looked.elapsed() >= LOOK_EVERY;
        if is_time {
            self.looked = Instant::now();
        }
        if files::has_a_name(&open.file) && (!is_time || files::is_at(&open.file, &open.path)) {
            return;
        }
        let lost = self.last_seq.saturating_sub(open.first.saturating_sub(1));
        let why = format!(
            "the file {} of the journal was removed with {lost} records in it; another is begun",
            open.path.display()
        );
        health.fail(lost, 0, why);
        self.is_degraded = true;
        self.give_up("removed", false);
    }

    /// Writes no more to this segment.
    fn give_up(&mut self, why: &str, is_to_sync: bool) {
        let Some(open) = self.open.take() else { return };
        let name = open.path.file_name().map(|name| name.to_string_lossy().into_owned());
        self.continues =
            Some(Continues { file: name.unwrap_or_default(), seq: self.last_seq, why: why.to_owned() });
        if self.is_power && is_to_sync {
            // What is whole in it is still waited for.
            self.todo.rotated.push(open.file);
        }
    }

    /// After a failed sync the system may call the next one good though pages were lost: the file is not trusted any
    /// more, and nobody is told that what is in it is safe.
    pub fn sync_failed(&mut self) -> (Vec<Done>, u64) {
        self.give_up("sync", false);
        self.is_degraded = true;
        let todo = std::mem::take(&mut self.todo);
        self.todo.is_tidy = todo.is_tidy;
        (todo.waiting, todo.unsynced)
    }

    /// A sync went well and there was no failure since.
    pub fn sync_resumed(&mut self, health: &HealthCell) {
        self.is_degraded = false;
        health.resume();
    }

    /// How many records are missing since the last that was written.
    pub fn is_failing(&self) -> bool {
        self.lost > 0
    }

    fn open_next(&mut self) -> Result<(), AppendError> {
        if self.todo.rotated.len() >= MAX_ROTATED {
            return Err(AppendError::TooManyWaiting { waiting: self.todo.waiting.len() });
        }
        let segment = Segment::new(&self.folder, self.last_seq + 1);
        match open_segment(&self.folder, &segment) {
            Ok(file) => {
                let open = Open {
                    file: Arc::new(file),
                    first: segment.first,
                    path: segment.path,
                    len: 0,
                    is_ragged: false,
                };
                if let Some(old) = self.open.replace(open)
                    && self.is_power
                {
                    self.todo.rotated.push(old.file);
                }
                (self.todo.is_folder, self.todo.is_tidy) = (true, true);
                Ok(())
            }
            // The old one becomes longer than it should, and nothing is lost.
            Err(why) if self.open.is_some() => {
                tracing::warn!(file = %segment.path.display(), error = %why, "cannot begin the next segment of the journal");
                Ok(())
            }
            Err(why) => Err(AppendError::Write { path: segment.path, why }),
        }
    }
}

/// Opens a new segment. What has its name already holds no good record, and is put aside.
fn open_segment(folder: &Path, segment: &Segment) -> io::Result<File> {
    let file = match files::open_for_append(&segment.path) {
        // The folder was removed: it is made again.
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

/// Writes at the end. The first part that is missing is tried again: then the system says why.
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
    if buffer.capacity() > KEEP_BUFFER {
        *buffer = Vec::new();
    }
}
