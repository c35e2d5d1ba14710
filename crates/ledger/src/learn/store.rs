//! Where decisions are kept: a file of JSON lines, or nothing but memory.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::decisions::Event;
use crate::disk::private;

/// The file of decisions in the state folder.
pub const SUGGESTIONS_FILE: &str = "suggestions.jsonl";
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

/// Decisions in `suggestions.jsonl`. Lines are only ever added.
#[derive(Debug)]
pub struct FileStore {
    path: PathBuf,
    file: File,
}

impl FileStore {
    /// Opens or creates the file in this folder.
    pub fn open(folder: &Path) -> Result<FileStore, StoreError> {
        let path = folder.join(SUGGESTIONS_FILE);
        let file = private(OpenOptions::new().read(true).append(true).create(true))
            .open(&path)
            .map_err(failed("open", &path))?;
        Ok(FileStore { path, file })
    }
}

impl DecisionStore for FileStore {
    fn load(&mut self) -> Result<Loaded, StoreError> {
        let bytes = self.file.metadata().map_err(failed("read", &self.path))?.len();
        if bytes > MAX_FILE_BYTES {
            return Err(StoreError::TooLong { path: self.path.clone(), bytes });
        }
        let mut text = Vec::new();
        self.file.seek(SeekFrom::Start(0)).map_err(failed("read", &self.path))?;
        (&self.file).take(MAX_FILE_BYTES).read_to_end(&mut text).map_err(failed("read", &self.path))?;
        let mut loaded = Loaded::default();
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if whole < text.len() {
            // The process ended while it wrote: nobody was told that this decision holds.
            loaded.torn_bytes = (text.len() - whole) as u64;
            self.file.set_len(whole as u64).map_err(failed("shorten", &self.path))?;
        }
        for (index, line) in text[..whole].split(|byte| *byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            match serde_json::from_slice(line) {
                Ok(event) => loaded.events.push(event),
                Err(_) => loaded.damaged.push(index + 1),
            }
        }
        Ok(loaded)
    }

    fn append(&mut self, event: &Event) -> Result<(), StoreError> {
        let before = self.file.metadata().map_err(failed("write", &self.path))?.len();
        let mut line = serde_json::to_string(event)?;
        line.push('\n');
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // Half a line would swallow the next one.
            let _ = self.file.set_len(before);
            return Err(failed("write", &self.path)(error));
        }
        Ok(())
    }
}

fn failed<'p>(action: &'static str, path: &'p Path) -> impl Fn(std::io::Error) -> StoreError + 'p {
    move |source| StoreError::File { action, path: path.to_owned(), source }
}
