//! Taking a commit back, or clearing up behind a finished one.
//!
//! What was done is read from the disk, so it does not matter where a commit stopped, nor whether taking it
//! back was itself interrupted.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

use super::super::disk::Identity;
use super::super::trash::cut;
use super::plan::{Plan, PlannedFile, is_temporary};
use super::step;

/// How the names of old contents end that are kept because a file was changed after a crash.
const KEPT: &str = ".toolwright-kept";
/// How many of them there are of one file at most, and how many bytes of its name they carry.
const MAX_KEPT: usize = 1000;
const MAX_OWN_NAME_BYTES: usize = 200;

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
    for file in &plan.files {
        if let Some(new) = &file.new {
            remove(dir, file, new);
        }
    }
    remove_folders(dir, plan);
    left
}

/// Removes what was kept for taking a plan back.
pub(super) fn tidy(dir: &Dir, plan: &Plan) {
    for file in &plan.files {
        for path in file.new.iter().chain(&file.old).filter(|path| is_temporary(path)) {
            remove(dir, file, path);
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
            remove(dir, file, old);
        }
        return Ok(());
    }
    if now.is_some() && now != file.made {
        return changed_since(dir, file);
    }
    let _ = step();
    match &file.old {
        Some(old) => {
            let (aside, old) = file.reach(dir, old);
            aside.rename(old, dir, &file.path).map_err(kept_as)
        }
        None => dir.remove_file(&file.path).map_err(kept_as),
    }
}

/// What somebody else has changed stays as it is. What was there before gets a name beside it that everybody
/// sees.
fn changed_since(dir: &Dir, file: &PlannedFile) -> Result<(), String> {
    let path = file.path.display();
    let Some(old) = &file.old else {
        return Err(format!("{path} stays (somebody else has changed it since)"));
    };
    let (aside, name) = file.reach(dir, old);
    let there = Identity::at(dir, &file.path).ok().flatten();
    match Identity::at(aside, name).ok().flatten() {
        // Nothing was done to it yet, or at most a second name was given to it.
        None => return Ok(()),
        Some(kept) if there.is_some_and(|there| there.is_same_file(&kept)) => {
            remove(dir, file, old);
            return Ok(());
        }
        Some(_) => {}
    }
    let mut kept = old.clone();
    if is_temporary(old)
        && let Some(free) = free_name(dir, &file.path)
        && aside.rename(name, dir, &free).is_ok()
    {
        kept = free;
    }
    Err(format!(
        "{path} was changed by somebody else since and stays so; what it held before is kept as {}",
        kept.display()
    ))
}

/// A name beside a file that nothing has.
fn free_name(dir: &Dir, path: &Path) -> Option<PathBuf> {
    let own = path.file_name()?.to_string_lossy();
    let cut = cut(&own, MAX_OWN_NAME_BYTES);
    let name = |number| match number {
        1 => format!("{cut}{KEPT}"),
        _ => format!("{cut}{KEPT}-{number}"),
    };
    (1..=MAX_KEPT)
        .map(|number| path.with_file_name(name(number)))
        .find(|path| dir.symlink_metadata(path).is_err())
}

/// Removes the folders that were made, as far as they are empty.
fn remove_folders(dir: &Dir, plan: &Plan) {
    for folder in plan.files.iter().rev().flat_map(|file| file.folders.iter().rev()) {
        let _ = step();
        let _ = dir.remove_dir(folder);
    }
}

/// A temporary file that cannot be removed is only untidy.
fn remove(dir: &Dir, file: &PlannedFile, path: &Path) {
    let _ = step();
    let (dir, path) = file.reach(dir, path);
    let _ = dir.remove_file(path);
}
