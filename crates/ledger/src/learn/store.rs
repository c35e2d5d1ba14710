//! Where decisions are kept: a file of JSON lines, or nothing but memory.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use toolwright_base::private_options;

use super::decisions::Event;

/// The file of decisions in the state folder.
pub const DECISIONS_FILE: &str = "decisions.jsonl";
/// The longest file of decisions that is read.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Why decisions could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file failed.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// The file is longer than is read.
    #[error("{} has {bytes} bytes, more than the {MAX_FILE_BYTES} that are read; move it away to begin anew", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// A decision cannot be written as JSON.
    #[error("a decision cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A store of another kind failed.
    #[error("the store of decisions failed: {0}")]
    Other(String),
}

/// What was read at the start.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The decisions, oldest first.
    pub events: Vec<Event>,
    /// The numbers of lines that cannot be read and were passed over.
    pub damaged: Vec<usize>,
    /// Bytes of a last line that was not finished; it is gone.
    pub torn_bytes: u64,
}

/// Keeps decisions in order.
pub trait DecisionStore: Send {
    /// All decisions so far.
    fn load(&mut self) -> Result<Loaded, StoreError>;
    /// Adds one and returns when it will survive the end of the machine.
    fn append(&mut self, event: &Event) -> Result<(), StoreError>;
    /// Decisions that others may have added since the last look. Some of them may be known.
    fn news(&mut self) -> Result<Vec<Event>, StoreError> {
        Ok(Vec::new())
    }
}

/// Decisions that are gone with the process.
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

/// Decisions in `decisions.jsonl`. Lines are only ever added, by all processes that share the folder. There is no file
/// before there is a decision.
#[derive(Debug)]
pub struct FileStore {
    path: PathBuf,
    file: Option<File>,
    /// The lines up to here are known.
    read_to: u64,
}

impl FileStore {
    /// The file in this folder.
    ///
    /// # Errors
    /// When there is one and it cannot be opened.
    pub fn open(folder: &Path) -> Result<FileStore, StoreError> {
        let mut store = FileStore { path: folder.join(DECISIONS_FILE), file: None, read_to: 0 };
        store.look()?;
        Ok(store)
    }

    /// The file, when there is one by now.
    fn look(&mut self) -> Result<Option<&mut File>, StoreError> {
        if self.file.is_none() {
            match OpenOptions::new().read(true).append(true).open(&self.path) {
                Ok(file) => self.file = Some(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(failed("open", &self.path)(error)),
            }
        }
        Ok(self.file.as_mut())
    }

    /// The file, made when there is none.
    fn make(&mut self) -> Result<&mut File, StoreError> {
        let file = match self.file.take() {
            Some(file) => file,
            None => private_options(OpenOptions::new().read(true).append(true).create(true))
                .open(&self.path)
                .map_err(failed("make", &self.path))?,
        };
        Ok(self.file.insert(file))
    }
}

/// Works while no other process writes.
fn alone<T>(file: &mut File, work: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    file.lock()?;
    let worked = work(file);
    // A lock that cannot be given back goes with the file.
    let _ = file.unlock();
    worked
}

/// What is in a file from a byte on.
fn text_from(path: &Path, mut file: &File, from: u64) -> Result<Vec<u8>, StoreError> {
    let bytes = file.metadata().map_err(failed("read", path))?.len();
    if bytes > MAX_FILE_BYTES {
        return Err(StoreError::TooLong { path: path.to_owned(), bytes });
    }
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(from)).map_err(failed("read", path))?;
    file.take(MAX_FILE_BYTES).read_to_end(&mut text).map_err(failed("read", path))?;
    Ok(text)
}

/// Cuts off a last line that is not finished: its process ended while it wrote, and nobody was told that the decision
/// holds. Only while nobody else writes.
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

/// How many bytes are whole lines.
fn whole_lines(text: &[u8]) -> usize {
    text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}

impl DecisionStore for FileStore {
    fn load(&mut self) -> Result<Loaded, StoreError> {
        let path = self.path.clone();
        let Some(file) = self.look()? else { return Ok(Loaded::default()) };
        // Too long is told as such, and nothing is cut then.
        text_from(&path, file, 0)?;
        let torn_bytes = alone(file, cut_torn).map_err(failed("shorten", &path))?;
        let text = text_from(&path, file, 0)?;
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
        let file = self.make()?;
        let written = alone(file, |file| {
            cut_torn(file)?;
            let before = file.metadata()?.len();
            let written = file.write_all(line.as_bytes()).and_then(|()| file.sync_data());
            written.inspect_err(|_| {
                // Half a line would swallow the next one.
                let _ = file.set_len(before);
            })
        });
        written.map_err(failed("write", &path))
    }

    fn news(&mut self) -> Result<Vec<Event>, StoreError> {
        let (path, read_to) = (self.path.clone(), self.read_to);
        let Some(file) = self.look()? else { return Ok(Vec::new()) };
        let bytes = file.metadata().map_err(failed("read", &path))?.len();
        if bytes == read_to {
            return Ok(Vec::new());
        }
        // A file that became shorter lost a line that was not finished, or was changed by hand.
        let from = if bytes < read_to { 0 } else { read_to };
        let text = text_from(&path, file, from)?;
        let whole = whole_lines(&text);
        self.read_to = from + whole as u64;
        let lines = text[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }
}

fn failed<'p>(action: &'static str, path: &'p Path) -> impl Fn(std::io::Error) -> StoreError + 'p {
    move |source| StoreError::File { action, path: path.to_owned(), source }
}
