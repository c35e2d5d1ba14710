//! The journal of a root: what a commit in it is doing, for whoever comes after a crash.
//!
//! It is one file at the top of the root, there only while something is written. The process that writes
//! holds its lock: a journal that can be locked and says something was left behind by one that died. One that was not
//! written here ([`Mark`]) is put aside.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, Metadata, OpenOptions};
use serde::{Deserialize, Serialize};
use toolwright_executor::ToolFailure;

use super::super::disk::Identity;
use super::super::place::{Root, reason};
use super::super::run::Stop;
use super::mark::Mark;
use super::plan::{self, Plan, is_temporary};
use super::roll_back::{roll_back, tidy};

/// Its name, at the top of a root.
pub(super) const FILE: &str = ".toolwright-journal";

/// How long a commit waits for one of another process.
const MAX_WAIT: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(2);
/// The largest journal that is read, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// One line of a journal.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Record {
    /// The first line: which file it was written into.
    Written(Mark),
    /// Temporary files are made from now on.
    Begun(Plan),
    /// Names change from now on.
    Ready(Plan),
    /// Everything is in its place.
    Done,
}

/// A locked journal. Where the root itself cannot be written to there is none, and a crash is not made good.
pub(super) struct Journal(Option<File>);

/// What a journal tells of a commit that did not come to its end.
struct Unfinished<'a> {
    root: &'a Root,
    journal: Journal,
    plan: Plan,
    is_ready: bool,
    is_done: bool,
}

/// Whether a name belongs to the tools themselves while they write, so that it is neither shown nor touched.
pub(in super::super) fn is_own(name: &Path) -> bool {
    name == Path::new(FILE) || is_temporary(name)
}

/// Brings commits to an end that died in these roots: taken back, or cleared up behind when all was done. Gives
/// a sentence for each file that could not be brought back.
pub(in super::super) fn recover(roots: &[Root]) -> Result<Vec<String>, ToolFailure> {
    let mut left = Vec::new();
    let mut found = Vec::new();
    for root in roots {
        if root.dir.symlink_metadata(FILE).is_ok()
            && let Some(journal) = Journal::try_lock(root)?
        {
            found.extend(journal.unfinished(root)?);
        }
    }
    // A commit in several roots is done when it is in one: only then were all others ready.
    let done: Vec<String> = found.iter().filter(|one| one.is_done).map(|one| one.plan.id.clone()).collect();
    for one in found {
        let dir = &one.root.dir;
        if done.contains(&one.plan.id) {
            tidy(dir, &one.plan);
        } else {
            for line in roll_back(dir, &one.plan, one.is_ready) {
                let line = format!("An interrupted change of files was not taken back whole: {line}.");
                tracing::error!("{line}");
                left.push(line);
            }
        }
        one.journal.remove(dir);
    }
    Ok(left)
}

impl Journal {
    /// Waits for the journal of one of the roots, and brings to an end what its last owner left.
    pub(super) fn lock(roots: &[Root], root: &Root, stop: &Stop) -> Result<Journal, ToolFailure> {
        let since = Instant::now();
        loop {
            if let Some(journal) = Journal::try_lock(root)? {
                if journal.is_empty().map_err(|error| unusable(root, &error))? {
                    return Ok(journal);
                }
                drop(journal);
                recover(roots)?;
                continue;
            }
            stop.check()?;
            if since.elapsed() > MAX_WAIT {
                return Err(ToolFailure::tool(format!(
                    "another program is writing in the folder {:?} and does not come to an end. Nothing was \
                     changed; try again later",
                    root.real()
                )));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Locks the journal of a root, made if need be; nothing while somebody else holds it.
    fn try_lock(root: &Root) -> Result<Option<Journal>, ToolFailure> {
        // A link or a folder of that name was not made by a commit.
        if root.dir.symlink_metadata(FILE).is_ok_and(|found| !found.is_file()) {
            put_aside(root)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).follow(FollowSymlinks::No);
        let file = match root.dir.open_with(FILE, &options) {
            Ok(file) => file,
            Err(error) if cannot_be_made(&error) => return Ok(Some(Journal(None))),
            Err(error) => return Err(unusable(root, &error)),
        };
        let metadata = file.metadata().map_err(|error| unusable(root, &error))?;
        let file = file.into_std();
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            // A file system without locks.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(unusable(root, &error)),
        }
        // The one who held it may have removed it; then it is locked for nothing.
        Ok(is_still_there(&root.dir, &metadata).then_some(Journal(Some(file))))
    }

    fn is_empty(&self) -> io::Result<bool> {
        match &self.0 {
            Some(file) => Ok(file.metadata()?.len() == 0),
            None => Ok(true),
        }
    }

    /// Adds a record. Before names change, and before what was kept is removed, it is flushed to the disk, so
    /// that a loss of power finds it there.
    pub(super) fn write(&mut self, record: &Record) -> io::Result<()> {
        let Some(file) = &mut self.0 else { return Ok(()) };
        let mut lines = Vec::new();
        if file.metadata()?.len() == 0 {
            serde_json::to_writer(&mut lines, &Record::Written(Mark::of(file)?))?;
            lines.push(b'\n');
        }
        serde_json::to_writer(&mut lines, record)?;
        lines.push(b'\n');
        file.write_all(&lines)?;
        if matches!(record, Record::Begun(_)) { Ok(()) } else { file.sync_all() }
    }

    /// Removes the journal and gives up its lock.
    pub(super) fn remove(self, dir: &Dir) {
        if self.0.is_some() {
            let _ = dir.remove_file(FILE);
        }
    }

    /// What it tells; a journal that tells nothing is removed.
    fn unfinished(mut self, root: &Root) -> Result<Option<Unfinished<'_>>, ToolFailure> {
        let Some(file) = &mut self.0 else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = file.rewind().and_then(|()| Read::by_ref(file).take(MAX_BYTES).read_to_end(&mut bytes));
        read.map_err(|error| unusable(root, &error))?;
        let own = Mark::of(file).map_err(|error| unusable(root, &error))?;
        // A line without its end was not written whole, and nothing was done after it.
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
        let is_own =
            |line| matches!(serde_json::from_slice(line), Ok(Record::Written(mark)) if mark.is_of(&own));
        if lines.next().is_some_and(|first| !is_own(first)) {
            put_aside(root)?;
            return Ok(None);
        }
        let (mut plan, mut is_ready, mut is_done) = (None, false, false);
        for line in lines {
            match serde_json::from_slice(line).map_err(|error| unusable(root, &error.into()))? {
                Record::Written(_) => {}
                Record::Begun(begun) => plan = Some(begun),
                Record::Ready(ready) => (plan, is_ready) = (Some(ready), true),
                Record::Done => is_done = true,
            }
        }
        match plan {
            None => {
                self.remove(&root.dir);
                Ok(None)
            }
            Some(plan) if plan.is_sound() => {
                Ok(Some(Unfinished { root, journal: self, plan, is_ready, is_done }))
            }
            Some(_) => Err(unusable(root, &io::Error::other("it names files that no commit would"))),
        }
    }
}

/// Gives a journal that was not written here another name: it says nothing, and blocks nothing.
fn put_aside(root: &Root) -> Result<(), ToolFailure> {
    let other = format!("{FILE}-not-used-{}", plan::new_id());
    root.dir.rename(FILE, &root.dir, &other).map_err(|error| unusable(root, &error))?;
    tracing::warn!(
        "the file {FILE} in {:?} was not written by Toolwright in this folder, perhaps it came with a repository; it is not used, and is called {other} now",
        root.real()
    );
    Ok(())
}

fn is_still_there(dir: &Dir, metadata: &Metadata) -> bool {
    let there = Identity::at(dir, Path::new(FILE));
    there.is_ok_and(|there| there.is_some_and(|there| there.is_same_file(&Identity::of(metadata))))
}

fn cannot_be_made(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

fn unusable(root: &Root, error: &io::Error) -> ToolFailure {
    ToolFailure::tool(format!(
        "the file {FILE} in {:?}, which tells of an interrupted change, cannot be used: {}. Nothing was changed; \
         look at the folder, then remove that file",
        root.real(),
        reason(error)
    ))
}
