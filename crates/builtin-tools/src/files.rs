//! The files toolbox: reading, searching and editing text files inside configured folders only.
//!
//! Paths are resolved in [`place`], changes are collected in [`stage`] and written in [`commit`]. Each tool
//! is one file; [`tools`] is their table.

mod apply_diff;
mod batch_operations;
mod commit;
mod delete_file;
mod diff;
mod disk;
mod edit_file;
mod endings;
mod kept_out;
mod list_directory;
mod multi_edit;
mod place;
mod read_file;
mod reason;
mod replace;
mod run;
mod search_files;
mod stage;
mod tool;
mod trash;
mod walk;
mod write_to_file;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use toolwright_base::IgnorePoison;

use super::clock::Clock;
use super::{BuiltinError, BuiltinTool};
use place::Root;

/// Where the files tools may work, and how much they take on.
#[derive(Clone, Debug, Default)]
pub struct FilesConfig {
    /// The folders that may be used. Relative paths of calls are below the first. Without any, the files
    /// tools are not offered.
    pub roots: Vec<PathBuf>,
    /// Files and folders, absolute, that no tool reads, lists or changes though they are inside of a root,
    /// whether they are there already or not.
    pub kept_out: Vec<PathBuf>,
    /// The limits.
    pub limits: FilesLimits,
}

/// How much the files tools take on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilesLimits {
    /// The largest file that is read, searched, edited or written, in bytes.
    pub max_file_bytes: u64,
    /// The most text that `read_file` gives back at once, in bytes.
    pub max_read_bytes: u64,
    /// The most entries that `list_directory` gives back.
    pub max_entries: usize,
    /// The most matching lines that `search_files` gives back. All are counted.
    pub max_matches: usize,
    /// The most files and folders that one search or listing looks at.
    pub max_visited: usize,
    /// The deepest folder that a search or listing enters, counted from where it begins.
    pub max_depth: usize,
    /// The most steps in one batch, and edits in one `multi_edit`.
    pub max_steps: usize,
    /// The most that one call writes in all, in bytes.
    pub max_batch_bytes: u64,
}

impl Default for FilesLimits {
    fn default() -> Self {
        FilesLimits {
            max_file_bytes: 16 << 20,
            max_read_bytes: 1 << 20,
            max_entries: 1000,
            max_matches: 200,
            max_visited: 100_000,
            max_depth: 64,
            max_steps: 500,
            max_batch_bytes: 64 << 20,
        }
    }
}

/// What all files tools of one configuration share.
struct Toolbox {
    roots: Vec<Root>,
    kept_out: Vec<PathBuf>,
    limits: FilesLimits,
    clock: Clock,
    /// Held while a call changes files.
    writing: Mutex<()>,
    /// What a recovery could not bring back, for the next call that writes to tell.
    untold: Mutex<Vec<String>>,
}

impl Toolbox {
    fn tell_later(&self, lines: Vec<String>) {
        self.untold.lock().ignore_poison().extend(lines);
    }

    fn told_once(&self) -> Vec<String> {
        std::mem::take(&mut *self.untold.lock().ignore_poison())
    }
}

/// The files tools for a configuration; none when it names no folder.
pub(super) fn tools(config: &FilesConfig, clock: &Clock) -> Result<Vec<BuiltinTool>, BuiltinError> {
    if config.roots.is_empty() {
        return Ok(Vec::new());
    }
    let open = |path: &PathBuf| {
        Root::open(path)
            .map_err(|source| BuiltinError::Root { path: path.clone(), reason: place::reason(&source) })
    };
    let toolbox = Arc::new(Toolbox {
        roots: config.roots.iter().map(open).collect::<Result<_, _>>()?,
        kept_out: config.kept_out.clone(),
        limits: config.limits.clone(),
        clock: clock.clone(),
        writing: Mutex::new(()),
        untold: Mutex::default(),
    });
    // What a process that died has left is put right before anybody looks. Where that fails, reading still
    // works, and calls that write say why they do not.
    match commit::recover(&toolbox.roots) {
        Ok(left) => toolbox.tell_later(left),
        Err(failure) => tracing::warn!("{failure}"),
    }
    Ok(vec![
        tool::entry::<read_file::ReadFile>(&toolbox),
        tool::entry::<list_directory::ListDirectory>(&toolbox),
        tool::entry::<search_files::SearchFiles>(&toolbox),
        tool::entry::<write_to_file::WriteToFile>(&toolbox),
        tool::entry::<edit_file::EditFile>(&toolbox),
        tool::entry::<multi_edit::MultiEdit>(&toolbox),
        tool::entry::<apply_diff::ApplyDiff>(&toolbox),
        tool::entry::<batch_operations::BatchOperations>(&toolbox),
        tool::entry::<delete_file::DeleteFile>(&toolbox),
    ])
}
