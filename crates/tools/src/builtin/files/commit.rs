//! Writing staged changes: all of them or none, and never half a file.
//!
//! Each new content goes to a temporary file beside its target and is flushed to disk first. Then every
//! target is checked to be still what the call has read. Only then do the names change, one atomic rename
//! each, with a list of how to take it back; the first failure takes everything back.

mod undo;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{Dir, OpenOptions, Permissions};

use super::disk::{Identity, OnDisk};
use super::place::{Place, Root, reason};
use super::run::Stop;
use super::trash;
use crate::ToolFailure;
use undo::{Undo, UndoList};

/// One file that changes.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub place: Place,
    /// What was there when the call read it.
    pub before: Option<OnDisk>,
    pub after: After,
}

/// What a file becomes.
#[derive(Clone, Debug)]
pub(super) enum After {
    /// These contents, with these permissions where they are known.
    Write { bytes: Arc<[u8]>, permissions: Option<Permissions> },
    /// Moved to this path in the trash of its root.
    Trash(PathBuf),
    /// Gone for good.
    Remove,
}

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Writes all changes or none.
pub(super) fn commit(roots: &[Root], changes: &[Change], stop: &Stop) -> Result<(), ToolFailure> {
    let mut undo = UndoList::default();
    let mut ready = Vec::with_capacity(changes.len());
    for change in changes {
        ready.push(prepare(roots, change, &mut undo).map_err(|error| failed(change, &error))?);
    }
    stop.check()?;
    for (change, target) in changes.iter().zip(&ready) {
        check_unchanged(change, target)?;
    }
    for (change, target) in changes.iter().zip(&ready) {
        let others = changes.len() > 1;
        if let Err(error) = apply(roots, change, target, others, &mut undo) {
            let left = undo.take_back();
            return Err(failed_and_undone(change, &error, &left));
        }
    }
    undo.finish();
    // What is renamed is safe from a crash of this program; flushing the folders makes it safe from a loss
    // of power too. Not every file system can, and nothing could be taken back any more.
    let mut flushed = BTreeSet::new();
    for (change, target) in changes.iter().zip(&ready) {
        if flushed.insert((change.place.root, change.place.parent().to_owned())) {
            let _ = target.folder.open(".").and_then(|folder| folder.sync_all());
        }
    }
    Ok(())
}

/// A change whose folder is open and whose contents wait under a temporary name.
struct Target {
    folder: Dir,
    name: PathBuf,
    temporary: PathBuf,
}

fn prepare(roots: &[Root], change: &Change, undo: &mut UndoList) -> io::Result<Target> {
    let root = &roots[change.place.root].dir;
    let folder = open_folder(root, change.place.parent(), undo)?;
    let name = change.place.name().ok_or(io::ErrorKind::IsADirectory)?.to_owned();
    let temporary = temporary_name("new");
    if let After::Write { bytes, permissions } = &change.after {
        step()?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        // Nobody else may read the new contents before they have the permissions of the old.
        #[cfg(unix)]
        if permissions.is_some() {
            cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let mut file = folder.open_with(&temporary, &options)?;
        undo.push(Undo::Leave { folder: folder.try_clone()?, name: temporary.clone() });
        file.write_all(bytes)?;
        step()?;
        if let Some(permissions) = permissions {
            file.set_permissions(without_owners_rights(permissions.clone()))?;
        }
        file.sync_all()?;
    }
    Ok(Target { folder, name, temporary })
}

/// Opens a folder below a root, making what is missing of it.
fn open_folder(root: &Dir, path: &Path, undo: &mut UndoList) -> io::Result<Dir> {
    match root.open_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    let mut made = PathBuf::new();
    for component in path.components() {
        made.push(component);
        step()?;
        match root.create_dir(&made) {
            Ok(()) => undo.push(Undo::RemoveFolder { root: root.try_clone()?, path: made.clone() }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    root.open_dir(path)
}

/// Nobody may have changed the target since the call looked at it.
fn check_unchanged(change: &Change, target: &Target) -> Result<(), ToolFailure> {
    let now = match target.folder.symlink_metadata(&target.name) {
        Ok(metadata) => Some(Identity::of(&metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(change, &error)),
    };
    if now == change.before.as_ref().map(|before| before.identity.clone()) {
        return Ok(());
    }
    Err(ToolFailure::tool(format!(
        "{:?} was changed by somebody else during the call, so nothing was written. Read it again and repeat the call",
        change.place.shown
    )))
}

/// Changes the names. What is kept for taking back is needed only when other changes can still fail.
fn apply(
    roots: &[Root],
    change: &Change,
    target: &Target,
    others: bool,
    undo: &mut UndoList,
) -> io::Result<()> {
    let Target { folder, name, temporary } = target;
    match &change.after {
        After::Write { .. } if change.before.is_some() && !others => {
            step()?;
            folder.rename(temporary, folder, name)
        }
        After::Remove if !others => {
            step()?;
            folder.remove_file(name)
        }
        After::Write { .. } if change.before.is_some() => {
            let kept = temporary_name("old");
            step()?;
            keep(folder, name, &kept)?;
            undo.push(Undo::PutBack { folder: folder.try_clone()?, kept, name: name.clone() });
            step()?;
            folder.rename(temporary, folder, name)
        }
        After::Write { .. } => {
            step()?;
            place_new(folder, temporary, name)?;
            undo.push(Undo::Remove { folder: folder.try_clone()?, name: name.clone() });
            Ok(())
        }
        After::Trash(path) => {
            let root = &roots[change.place.root].dir;
            let bin = open_folder(root, Path::new(trash::FOLDER), undo)?;
            let to = path.file_name().map(PathBuf::from).unwrap_or_default();
            step()?;
            folder.rename(name, &bin, &to)?;
            undo.push(Undo::MoveBack {
                from: bin,
                kept: to,
                folder: folder.try_clone()?,
                name: name.clone(),
            });
            Ok(())
        }
        After::Remove => {
            let kept = temporary_name("old");
            step()?;
            folder.rename(name, folder, &kept)?;
            undo.push(Undo::PutBack { folder: folder.try_clone()?, kept, name: name.clone() });
            Ok(())
        }
    }
}

/// Keeps the old file under a second name until everything is done. A hard link costs nothing; where there
/// are none, a copy.
fn keep(folder: &Dir, name: &Path, kept: &Path) -> io::Result<()> {
    folder.hard_link(name, folder, kept).or_else(|_| folder.copy(name, folder, kept).map(drop))
}

/// Gives a new file its name without ever replacing one that appeared meanwhile.
fn place_new(folder: &Dir, temporary: &Path, name: &Path) -> io::Result<()> {
    match folder.hard_link(temporary, folder, name) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // A file system without hard links.
        Err(_) => folder.rename(temporary, folder, name),
    }
}

fn temporary_name(kind: &str) -> PathBuf {
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    PathBuf::from(format!(".toolwright-{}-{number}.{kind}", std::process::id()))
}

fn failed(change: &Change, error: &io::Error) -> ToolFailure {
    ToolFailure::tool(format!(
        "cannot write {:?}: {}. Nothing was changed",
        change.place.shown,
        reason(error)
    ))
}

fn failed_and_undone(change: &Change, error: &io::Error, left: &[String]) -> ToolFailure {
    if left.is_empty() {
        return failed(change, error);
    }
    ToolFailure::tool(format!(
        "cannot write {:?}: {}. Taking the other changes back failed too: {}. Look at these files",
        change.place.shown,
        reason(error),
        left.join("; ")
    ))
}

/// Where a test can make the next act on the disk fail.
#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "the one for tests fails")]
fn step() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
use tests::step;

/// The new file is ours: to run it with the rights of its owner would be to run it with other rights.
#[cfg(unix)]
fn without_owners_rights(mut permissions: Permissions) -> Permissions {
    use cap_std::fs::PermissionsExt;
    permissions.set_mode(permissions.mode() & 0o1777);
    permissions
}

#[cfg(not(unix))]
fn without_owners_rights(permissions: Permissions) -> Permissions {
    permissions
}

#[cfg(test)]
mod tests;
