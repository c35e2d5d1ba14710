//! Storage of decisions: a file of JSON lines, or memory.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use toolwright_base::private_options;

use super::decisions::Event;

/// The file of decisions in the state folder.
pub const DECISIONS_FILE: &str = "decisions.jsonl";
/// Maximum size of a decisions file that is read.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Error of storing or reading decisions.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// An I/O error.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// The attempted operation.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file exceeds the maximum size.
    #[error("{} has {bytes} bytes, more than the {MAX_FILE_BYTES} that are read; move it away to begin anew", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// A decision cannot be serialized as JSON.
    #[error("a decision cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A store of another kind failed.
    #[error("the store of decisions failed: {0}")]
    Other(String),
}

/// Result of loading decisions at startup.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The decisions, oldest first.
    pub events: Vec<Event>,
    /// Line numbers of unreadable decisions, which are skipped.
    pub damaged: Vec<usize>,
    /// Bytes of an incomplete last line, which was cut off.
    pub torn_bytes: u64,
}

/// Stores decisions in order.
pub trait DecisionStore: Send {
    /// Returns all decisions so far.
    fn load(&mut self) -> Result<Loaded, StoreError>;
    /// Appends one and returns when it survives a power loss.
    fn append(&mut self, event: &Event) -> Result<(), StoreError>;
    /// Decisions that other processes may have appended since the last call. Some of them may be known.
    fn news(&mut self) -> Result<Vec<Event>, StoreError> {
        Ok(Vec::new())
    }
}

/// Stores decisions in memory only.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore(Vec<Event>);

impl DecisionStore for MemoryStore {
    fn load(&mut self) -> Result<Loaded, StoreError> {
        Ok(Loaded { events: self.0.clone(), ..Loaded::default() })
    }

    fn append(&mut self, event: &Event) -> Result<(), StoreError> {
        self.0.push(event.clone());
        Ok(())
    }
}

/// Stores decisions in `decisions.jsonl`. Lines are only appended, by all processes that share the folder. The file is
/// created with the first decision.
#[derive(Debug)]
pub struct FileStore {
    path: PathBuf,
    file: Option<File>,
    /// Offset up to which the lines are known.
    read_to: u64,
}

impl FileStore {
    /// Opens the file in this folder.
    ///
    /// # Errors
    /// When it exists and cannot be opened.
    pub fn open(folder: &Path) -> Result<FileStore, StoreError> {
        let mut store = FileStore { path: folder.join(DECISIONS_FILE), file: None, read_to: 0 };
        store.open_existing()?;
        Ok(store)
    }

    /// The file, when it exists by now.
    fn open_existing(&mut self) -> Result<Option<&mut File>, StoreError> {
        if self.file.is_none() {
            match OpenOptions::new().read(true).append(true).open(&self.path) {
                Ok(file) => self.file = Some(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(failed("open", &self.path)(error)),
            }
        }
        Ok(self.file.as_mut())
    }

    /// The file, created when it is missing.
    fn open_or_create(&mut self) -> Result<&mut File, StoreError> {
        let file = match self.file.take() {
            Some(file) => file,
            None => private_options(OpenOptions::new().read(true).append(true).create(true))
                .open(&self.path)
                .map_err(failed("make", &self.path))?,
        };
        Ok(self.file.insert(file))
    }
}

/// Runs `work` with an exclusive lock on the file.
fn with_lock<T>(file: &mut File, work: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    file.lock()?;
    let result = work(file);
    // A lock that cannot be released ends when the file is closed.
    let _ = file.unlock();
    result
}

/// The content of a file from an offset on.
fn read_from(path: &Path, mut file: &File, from: u64) -> Result<Vec<u8>, StoreError> {
    let bytes = file.metadata().map_err(failed("read", path))?.len();
    if bytes > MAX_FILE_BYTES {
        return Err(StoreError::TooLong { path: path.to_owned(), bytes });
    }
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(from)).map_err(failed("read", path))?;
    file.take(MAX_FILE_BYTES).read_to_end(&mut text).map_err(failed("read", path))?;
    Ok(text)
}

/// Cuts off an incomplete last line: its process exited during the write, and the decision was never confirmed.
/// Requires the exclusive lock.
fn cut_torn(file: &mut File) -> io::Result<u64> {
    let bytes = file.metadata()?.len();
    let mut last = [b'\n'];
    if bytes > 0 {
        file.seek(SeekFrom::Start(bytes - 1))?;
        file.read_exact(&mut last)?;
    }
    if last == [b'\n'] {
        return Ok(0);
    }
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    Read::take(&mut *file, MAX_FILE_BYTES).read_to_end(&mut text)?;
    let whole = whole_lines(&text) as u64;
    file.set_len(whole)?;
    Ok(bytes - whole)
}

/// Length of all complete lines in bytes.
fn whole_lines(text: &[u8]) -> usize {
    text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}

impl DecisionStore for FileStore {
    fn load(&mut self) -> Result<Loaded, StoreError> {
        let path = self.path.clone();
        let Some(file) = self.open_existing()? else { return Ok(Loaded::default()) };
        // Check the size first: a file that is too long is reported and not cut.
        read_from(&path, file, 0)?;
        let torn_bytes = with_lock(file, cut_torn).map_err(failed("shorten", &path))?;
        let text = read_from(&path, file, 0)?;
        let mut loaded = Loaded { torn_bytes, ..Loaded::default() };
        let whole = whole_lines(&text);
        for (index, line) in text[..whole].split(|byte| *byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            match serde_json::from_slice(line) {
                Ok(event) => loaded.events.push(event),
                Err(_) => loaded.damaged.push(index + 1),
            }
        }
        self.read_to = whole as u64;
        Ok(loaded)
    }

    fn append(&mut self, event: &Event) -> Result<(), StoreError> {
        let mut line = serde_json::to_string(event)?;
        line.push('\n');
        let path = self.path.clone();
        let file = self.open_or_create()?;
        let result = with_lock(file, |file| {
            cut_torn(file)?;
            let before = file.metadata()?.len();
            let result = file.write_all(line.as_bytes()).and_then(|()| file.sync_data());
            result.inspect_err(|_| {
                // Half a line would corrupt the next one.
                let _ = file.set_len(before);
            })
        });
        result.map_err(failed("write", &path))
    }

    fn news(&mut self) -> Result<Vec<Event>, StoreError> {
        let (path, read_to) = (self.path.clone(), self.read_to);
        let Some(file) = self.open_existing()? else { return Ok(Vec::new()) };
        let bytes = file.metadata().map_err(failed("read", &path))?.len();
        if bytes == read_to {
            return Ok(Vec::new());
        }
        // A file that became shorter lost an incomplete line, or was edited by hand.
        let from = if bytes < read_to { 0 } else { read_to };
        let text = read_from(&path, file, from)?;
        let whole = whole_lines(&text);
        self.read_to = from + whole as u64;
        let lines = text[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }
}

fn failed<'p>(action: &'static str, path: &'p Path) -> impl Fn(std::io::Error) -> StoreError + 'p {
    move |source| StoreError::File { action, path: path.to_owned(), source }
}
