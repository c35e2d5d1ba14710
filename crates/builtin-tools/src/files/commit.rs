//! Writing staged changes: all of them or none, and never half a file.
//!
//! A journal at the top of each root says first what is going to happen. Each new content goes to a temporary
//! file and is flushed to disk. Then every target is checked to be still what the call has read. Only then do
//! the names change, one atomic rename each. The first failure takes everything back; after a crash the next
//! call that writes does it, from the journal.

mod acts;
mod journal;
mod mark;
mod plan;
mod roll_back;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::{Dir, Permissions};
use toolwright_executor::ToolFailure;

use super::disk::Identity;
use super::place::{Place, Root, reason};
use super::run::Stop;
use acts::{make_folders, prepare, put, take_away};
use journal::{Journal, Record};
use plan::{Plan, PlannedFile};
use words::{CommitFailure, failed, not_taken_away};

pub(super) use journal::{is_own, recover};

/// One path whose file changes, from what the call found there to what it leaves.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub place: Place,
    /// What was on disk when the call first looked.
    pub before: Option<Identity>,
    /// Where that went when a step took it away. A file that is there afterwards is another one.
    pub taken: Option<Taken>,
    /// What is there in the end; nothing when it is gone.
    pub after: Option<Contents>,
}

/// What became of a file that was taken away.
#[derive(Clone, Debug)]
pub(super) enum Taken {
    /// It is moved to this path in the trash of its root.
    Trashed(PathBuf),
    /// It is gone for good, or lives on under another name.
    Removed,
}

/// What a file becomes.
#[derive(Clone, Debug)]
pub(super) struct Contents {
    pub what: What,
    /// Those of a new file where they are not known.
    pub permissions: Option<Permissions>,
}

/// What a path holds in the end.
#[derive(Clone, Debug)]
pub(super) enum What {
    Bytes(Arc<[u8]>),
    /// The very file or link that another path held.
    Moved(Origin),
}

/// Where a moved file or link was.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub place: Place,
    pub identity: Identity,
    pub is_link: bool,
}

impl Change {
    /// Whether the file on disk is still the one that the steps see, with other contents at most.
    pub(super) fn is_of_old_file(&self) -> bool {
        self.before.is_some() && self.taken.is_none()
    }

    /// Whether one act on the disk does it, so that there is never anything to take back.
    fn is_one_act(&self) -> bool {
        self.after.is_none() || !matches!(self.taken, Some(Taken::Trashed(_)))
    }
}

/// The changes in one root.
struct Part<'a> {
    dir: &'a Dir,
    journal: Journal,
    /// One file for each change, in the same order.
    plan: Plan,
    changes: Vec<&'a Change>,
}

/// Whether a crash or a failure could leave a part of the changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Acts {
    /// One name goes away: there is nothing to note before, and it works on a full disk.
    Removal,
    One,
    Several,
}

/// Writes all changes or none.
pub(super) fn commit(roots: &[Root], changes: &[Change], stop: &Stop) -> Result<(), ToolFailure> {
    let acts = match changes {
        [] => return Ok(()),
        [change] if change.after.is_none() => Acts::Removal,
        [change] if change.is_one_act() => Acts::One,
        _ => Acts::Several,
    };
    let mut parts = begin(roots, changes, acts, stop)?;
    let mut is_ready = false;
    match carry_out(roots, &mut parts, acts, &mut is_ready, stop) {
        Ok(()) => {
            finish(parts, acts);
            Ok(())
        }
        Err(failure) => {
            let mut left = Vec::new();
            for part in parts.into_iter().rev() {
                left.extend(roll_back::roll_back(part.dir, &part.plan, is_ready));
                part.journal.remove(part.dir);
            }
            Err(failure.after_rollback(&left))
        }
    }
}

/// Plans the changes of each root under the lock of its journal. The locks are taken in the order of the
/// folders' names, so that two processes never wait for each other.
fn begin<'a>(
    roots: &'a [Root],
    changes: &'a [Change],
    acts: Acts,
    stop: &Stop,
) -> Result<Vec<Part<'a>>, ToolFailure> {
    let mut used: Vec<usize> = changes.iter().map(|change| change.place.root).collect();
    used.sort_by_key(|root| roots[*root].real());
    used.dedup();
    let mut journals = Vec::with_capacity(used.len());
    for root in &used {
        journals.push(Journal::lock(roots, &roots[*root], stop)?);
    }
    let id = plan::new_id();
    let mut parts = Vec::with_capacity(used.len());
    for (root, journal) in used.into_iter().zip(journals) {
        let changes: Vec<&Change> = changes.iter().filter(|change| change.place.root == root).collect();
        let dir = &roots[root].dir;
        let plan = Plan::of(&id, dir, &changes, acts == Acts::Several);
        parts.push(Part { dir, journal, plan, changes });
    }
    Ok(parts)
}

fn carry_out(
    roots: &[Root],
    parts: &mut [Part<'_>],
    acts: Acts,
    is_ready: &mut bool,
    stop: &Stop,
) -> Result<(), CommitFailure> {
    if acts != Acts::Removal {
        for part in parts.iter_mut() {
            note(part, Record::Begun)?;
        }
    }
    for part in parts.iter_mut() {
        open_folders(part)?;
        for (file, change) in part.plan.files.iter_mut().zip(&part.changes) {
            prepare(roots, part.dir, file, change).map_err(|error| failed(change, &error))?;
            stop.check()?;
        }
    }
    if acts == Acts::Several {
        for part in parts.iter_mut() {
            note(part, Record::Ready)?;
            flush_folder(part.dir, Path::new("."));
        }
    }
    for (dir, file, change) in files(parts) {
        check_unchanged(dir, file, change)?;
    }
    // From here on the call is brought to its end, whoever gives it up.
    stop.finish()?;
    *is_ready = acts == Acts::Several;
    // What goes away comes first: a folder may take its name.
    for (dir, file, change) in files(parts).filter(|(_, _, change)| change.after.is_none()) {
        let done = make_folders(dir, &file.folders).and_then(|()| take_away(dir, file));
        done.map_err(|error| not_taken_away(dir, change, &error))?;
    }
    for (dir, file, change) in files(parts) {
        if let Some(new) = &file.new {
            let done = make_folders(dir, &file.folders).and_then(|()| put(dir, file, new));
            done.map_err(|error| failed(change, &error))?;
        }
    }
    flush_folders(parts);
    Ok(())
}

fn files<'p>(parts: &'p [Part<'_>]) -> impl Iterator<Item = (&'p Dir, &'p PlannedFile, &'p Change)> {
    parts.iter().flat_map(|part| {
        let files = part.plan.files.iter().zip(&part.changes);
        files.map(|(file, change)| (part.dir, file, *change))
    })
}

/// Opens the folders of the temporary files, each once.
fn open_folders(part: &mut Part<'_>) -> Result<(), CommitFailure> {
    let mut open: BTreeMap<PathBuf, Arc<Dir>> = BTreeMap::new();
    for (file, change) in part.plan.files.iter_mut().zip(&part.changes) {
        let Some(folder) = file.folder_aside().map(Path::to_owned) else { continue };
        let aside = match open.get(&folder) {
            Some(aside) => Arc::clone(aside),
            None => Arc::new(part.dir.open_dir(&folder).map_err(|error| failed(change, &error))?),
        };
        open.insert(folder, Arc::clone(&aside));
        file.aside = Some(aside);
    }
    Ok(())
}

fn note(part: &mut Part<'_>, record: fn(Plan) -> Record) -> Result<(), CommitFailure> {
    let written = step().and_then(|()| part.journal.write(&record(part.plan.clone())));
    written.map_err(|error| {
        CommitFailure::Change(format!(
            "cannot note in {} what is going to be changed: {}",
            journal::FILE,
            reason(&error)
        ))
    })
}

/// Everything is in place: only what was kept for taking it back is left to go.
fn finish(mut parts: Vec<Part<'_>>, acts: Acts) {
    if acts == Acts::Several {
        for part in &mut parts {
            let _ = step().and_then(|()| part.journal.write(&Record::Done));
        }
    }
    for part in &parts {
        roll_back::tidy(part.dir, &part.plan);
    }
    for part in parts {
        let _ = step();
        part.journal.remove(part.dir);
    }
}

/// Nobody may have changed the target since the call looked at it.
fn check_unchanged(dir: &Dir, file: &PlannedFile, change: &Change) -> Result<(), CommitFailure> {
    let now = Identity::at(dir, &file.path).map_err(|error| failed(change, &error))?;
    if now == file.before {
        return Ok(());
    }
    Err(CommitFailure::Whole(ToolFailure::tool(format!(
        "{:?} was changed by somebody else during the call, so nothing was written. Read it again and repeat the call",
        change.place.shown
    ))))
}

/// What is renamed is safe from a crash of this program; flushing the folders makes it safe from a loss of
/// power too. Not every file system can.
fn flush_folders(parts: &[Part<'_>]) {
    for part in parts {
        let folders: BTreeSet<&Path> = part.changes.iter().map(|change| change.place.parent()).collect();
        for folder in folders {
            flush_folder(part.dir, folder);
        }
    }
}

fn flush_folder(dir: &Dir, folder: &Path) {
    let _ = dir.open(folder).and_then(|folder| folder.sync_all());
}

/// Where a test can make the next act on the disk fail.
#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "the one for tests fails")]
fn step() -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
use tests::step;

#[cfg(test)]
mod tests;
