//! How to take back what a commit has done so far.

use std::io;
use std::path::PathBuf;

use cap_std::fs::Dir;

/// One act and its opposite.
pub(super) enum Undo {
    /// A temporary file was made: it goes away in the end, whatever happens.
    Leave { folder: Dir, name: PathBuf },
    /// A folder was made.
    RemoveFolder { root: Dir, path: PathBuf },
    /// A file was made.
    Remove { folder: Dir, name: PathBuf },
    /// A file was replaced or taken away; its old self is kept under another name in the same folder.
    PutBack { folder: Dir, kept: PathBuf, name: PathBuf },
    /// A file was moved to the trash.
    MoveBack { from: Dir, kept: PathBuf, folder: Dir, name: PathBuf },
}

/// The acts of one commit. Dropped before [`UndoList::finish`], it takes them back.
#[derive(Default)]
pub(super) struct UndoList(Vec<Undo>);

impl UndoList {
    pub(super) fn push(&mut self, undo: Undo) {
        self.0.push(undo);
    }

    /// Takes everything back, the last act first. Gives a line for each act that could not be.
    pub(super) fn take_back(&mut self) -> Vec<String> {
        self.0.drain(..).rev().filter_map(|undo| undo.take_back().err()).collect()
    }

    /// Everything is done: what was kept for taking back goes away.
    pub(super) fn finish(mut self) {
        for undo in self.0.drain(..) {
            undo.forget();
        }
    }
}

impl Drop for UndoList {
    fn drop(&mut self) {
        self.take_back();
    }
}

impl Undo {
    fn take_back(&self) -> Result<(), String> {
        match self {
            Undo::Leave { folder, name } => gone(folder.remove_file(name), name),
            Undo::RemoveFolder { root, path } => gone(root.remove_dir(path), path),
            Undo::Remove { folder, name } => gone(folder.remove_file(name), name),
            Undo::PutBack { folder, kept, name } => put_back(folder, kept, folder, name),
            Undo::MoveBack { from, kept, folder, name } => put_back(from, kept, folder, name),
        }
    }

    fn forget(&self) {
        // The new state is complete; a leftover that cannot be removed is only untidy.
        match self {
            Undo::Leave { folder, name } => drop(folder.remove_file(name)),
            Undo::PutBack { folder, kept, .. } => drop(folder.remove_file(kept)),
            Undo::RemoveFolder { .. } | Undo::Remove { .. } | Undo::MoveBack { .. } => {}
        }
    }
}

fn gone(removed: io::Result<()>, name: &std::path::Path) -> Result<(), String> {
    match removed {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(format!("{} stays ({error})", name.display())),
    }
}

fn put_back(from: &Dir, kept: &PathBuf, folder: &Dir, name: &PathBuf) -> Result<(), String> {
    from.rename(kept, folder, name)
        .map_err(|error| format!("{} is kept as {} ({error})", name.display(), kept.display()))?;
    // Two names of one file: the rename of one onto the other does nothing and leaves both.
    gone(from.remove_file(kept), kept)
}
