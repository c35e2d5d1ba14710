//! Taking a commit back, or clearing up behind a finished one.
//!
//! What was done is read from the disk, so it does not matter where a commit stopped, nor whether taking it
//! back was itself interrupted.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;

use super::super::disk::Identity;
use super::plan::{Plan, PlannedFile, is_temporary};
use super::step;

/// Takes back what was done of a plan. Before it was ready no name had changed. Gives a line for each file
/// that could not be brought back.
pub(super) fn roll_back(dir: &Dir, plan: &Plan, is_ready: bool) -> Vec<String> {
    let mut left = Vec::new();
    if is_ready {
        let put = plan.files.iter().rev().filter(|file| file.new.is_some());
        left.extend(put.filter_map(|file| undo(dir, file).err()));
        // The folder goes before the file whose name it has taken.
        remove_folders(dir, plan);
        let taken = plan.files.iter().rev().filter(|file| file.new.is_none());
        left.extend(taken.filter_map(|file| undo(dir, file).err()));
    }
    for new in plan.files.iter().filter_map(|file| file.new.as_deref()) {
        remove(dir, new);
    }
    remove_folders(dir, plan);
    left
}

/// Removes what was kept for taking a plan back.
pub(super) fn tidy(dir: &Dir, plan: &Plan) {
    for file in &plan.files {
        for path in file.new.iter().chain(&file.old).filter(|path| is_temporary(path)) {
            remove(dir, path);
        }
    }
}

fn undo(dir: &Dir, file: &PlannedFile) -> Result<(), String> {
    let kept_as = |error: io::Error| match &file.old {
        Some(old) => format!("{} is kept as {} ({error})", file.path.display(), old.display()),
        None => format!("{} stays ({error})", file.path.display()),
    };
    let now = Identity::at(dir, &file.path).map_err(kept_as)?;
    if now == file.before {
        // At most a second name was given to it.
        if let Some(old) = &file.old {
            remove(dir, old);
        }
        return Ok(());
    }
    if now.is_some() && now != file.made {
        return Err(kept_as(io::Error::other("somebody else has changed it since")));
    }
    let _ = step();
    match &file.old {
        Some(old) => dir.rename(old, dir, &file.path).map_err(kept_as),
        None => dir.remove_file(&file.path).map_err(kept_as),
    }
}

/// Removes the folders that were made, as far as they are empty.
fn remove_folders(dir: &Dir, plan: &Plan) {
    for folder in plan.files.iter().rev().flat_map(|file| file.folders.iter().rev()) {
        let _ = step();
        let _ = dir.remove_dir(folder);
    }
}

/// A temporary file that cannot be removed is only untidy.
fn remove(dir: &Dir, path: &Path) {
    let _ = step();
    let _ = dir.remove_file(path);
}
