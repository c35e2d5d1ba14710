//! Changes of files that are first made in memory and then written all at once, or not at all.

mod moves;

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

use cap_std::fs::Permissions;
use toolwright_executor::ToolFailure;

use super::Toolbox;
use super::commit::{Change, Contents, Taken, What};
use super::disk::{self, File, Guard};
use super::kept_out::{KeptOut, refused};
use super::place::{self, Place, Root, Staged};
use super::run::Stop;
use super::trash;

/// The files as the steps of one call see them: what is on disk, and what earlier steps have changed.
pub(super) struct Stage<'a> {
    toolbox: &'a Toolbox,
    stop: &'a Stop,
    mode: Mode,
    kept_out: OnceCell<KeptOut>,
    changes: Vec<Change>,
    bytes: u64,
}

/// Whether the changes are written at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Write,
    DryRun,
}

/// Whether files that are protected are changed all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protected {
    Refuse,
    Change,
}

impl Protected {
    /// From the parameter `force`.
    pub(super) fn forced(force: bool) -> Self {
        if force { Protected::Change } else { Protected::Refuse }
    }
}

impl<'a> Stage<'a> {
    pub(super) fn new(toolbox: &'a Toolbox, stop: &'a Stop, mode: Mode) -> Self {
        Stage { toolbox, stop, mode, kept_out: OnceCell::new(), changes: Vec::new(), bytes: 0 }
    }

    pub(super) fn toolbox(&self) -> &'a Toolbox {
        self.toolbox
    }

    pub(super) fn stop(&self) -> &'a Stop {
        self.stop
    }

    pub(super) fn roots(&self) -> &'a [Root] {
        &self.toolbox.roots
    }

    /// What no tool touches, as it was when this call first asked.
    pub(super) fn kept_out(&self) -> &KeptOut {
        self.kept_out.get_or_init(|| KeptOut::look(&self.toolbox.kept_out))
    }

    pub(super) fn is_dry_run(&self) -> bool {
        self.mode == Mode::DryRun
    }

    /// "Replaced …" or "Would replace …".
    pub(super) fn say(&self, done: &'static str, would: &'static str) -> &'static str {
        if self.is_dry_run() { would } else { done }
    }

    /// Finds the place that a path names.
    pub(super) fn place(&self, path: &str) -> Result<Place, ToolFailure> {
        let place = place::resolve(self.roots(), path, &|root, path| self.staged(root, path))?;
        self.kept_out().check(self.roots(), &place, path)?;
        Ok(place)
    }

    /// Finds the place of a file that a path names.
    pub(super) fn file(&self, path: &str) -> Result<Place, ToolFailure> {
        place::check_names_file(path)?;
        self.place(path)
    }

    /// Finds the file or link of a folder that a path names, without following a link at its end.
    pub(super) fn entry(&self, path: &str) -> Result<Place, ToolFailure> {
        place::check_names_file(path)?;
        let place = place::resolve_entry(self.roots(), path, &|root, path| self.staged(root, path))?;
        self.kept_out().check(self.roots(), &place, path)?;
        Ok(place)
    }

    /// The changes so far.
    pub(super) fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The file at a place as this call sees it; nothing when there is none.
    pub(super) fn find(&self, place: &Place) -> Result<Option<File>, ToolFailure> {
        self.check_is_no_new_folder(place)?;
        if let Some(change) = self.change_of(place) {
            let Some(after) = &change.after else { return Ok(None) };
            let bytes = match &after.what {
                What::Bytes(bytes) => Arc::clone(bytes),
                What::Moved(origin) => self.read_moved(place, origin)?,
            };
            return Ok(Some(File { bytes, permissions: after.permissions.clone(), identity: None }));
        }
        if self.is_below_a_change(place) {
            return Ok(None);
        }
        self.load(place)
    }

    /// Reads a file from disk. What was opened is asked again whether it is kept out: by then its path may lead
    /// elsewhere.
    fn load(&self, place: &Place) -> Result<Option<File>, ToolFailure> {
        let found = disk::load(self.roots(), place, self.toolbox.limits.max_file_bytes)?;
        let identity = found.as_ref().and_then(|file| file.identity.as_ref());
        if identity.is_some_and(|identity| self.kept_out().is_known(identity.id())) {
            return Err(refused(&place.shown));
        }
        Ok(found)
    }

    /// The file at a place, which must be there.
    pub(super) fn read(&self, place: &Place) -> Result<File, ToolFailure> {
        self.find(place)?.ok_or_else(|| {
            ToolFailure::tool(format!(
                "{:?} does not exist. Use list_directory or search_files to find the file",
                place.shown
            ))
        })
    }

    /// Stages new contents for a place.
    pub(super) fn write(
        &mut self,
        place: &Place,
        found: Option<&File>,
        bytes: Vec<u8>,
        protected: Protected,
    ) -> Result<(), ToolFailure> {
        if place.name().is_none() {
            return Err(ToolFailure::tool(format!("{:?} is a folder, not a file", place.shown)));
        }
        let limits = &self.toolbox.limits;
        let len = bytes.len() as u64;
        if len > limits.max_file_bytes {
            return Err(ToolFailure::tool(format!(
                "{:?} would have {len} bytes; files over {} bytes are not written (max_file_bytes). Split the contents",
                place.shown, limits.max_file_bytes
            )));
        }
        self.bytes += len;
        if self.bytes > limits.max_batch_bytes {
            return Err(ToolFailure::tool(format!(
                "the call would write more than {} bytes in all (max_batch_bytes). Split it into several",
                limits.max_batch_bytes
            )));
        }
        let permissions = found.and_then(|file| file.permissions.clone());
        let is_old = self.change_of(place).map_or(found.is_some(), Change::is_of_old_file);
        self.check_protected(place, permissions.as_ref(), is_old, protected, "change")?;
        let after = Some(Contents { what: What::Bytes(bytes.into()), permissions });
        let change = match self.change_of(place) {
            Some(change) => Change { after, ..change.clone() },
            None => {
                let before = found.and_then(|file| file.identity.clone());
                Change { place: place.clone(), before, taken: None, after }
            }
        };
        self.put(change)
    }

    /// Stages that a file goes away, to the trash or for good. Gives its place in the trash. What a step of
    /// this call has made leaves nothing there.
    pub(super) fn delete(
        &mut self,
        place: &Place,
        fate: Fate,
        protected: Protected,
    ) -> Result<Option<String>, ToolFailure> {
        self.check_is_no_new_folder(place)?;
        let staged = self.change_of(place).cloned();
        let (change, permissions) = match staged {
            Some(change) => {
                let Some(after) = &change.after else { return Err(nothing_to_delete(place)) };
                let permissions = after.permissions.clone();
                (change, permissions)
            }
            None => {
                let found =
                    if self.is_below_a_change(place) { None } else { disk::look(self.roots(), place)? };
                let found = found.ok_or_else(|| nothing_to_delete(place))?;
                let before = Some(found.identity);
                (Change { place: place.clone(), before, taken: None, after: None }, Some(found.permissions))
            }
        };
        self.check_protected(place, permissions.as_ref(), change.is_of_old_file(), protected, "delete")?;
        if !change.is_of_old_file() {
            let after = change.after.clone();
            self.put(Change { after: None, ..change })?;
            return Ok(after.and_then(|after| self.trash_moved(place, &after, fate)));
        }
        // What was moved here has replaced the old file already: it is the one that is deleted.
        if let Some(after @ Contents { what: What::Moved(_), .. }) = change.after.clone() {
            self.put(Change { taken: Some(Taken::Removed), after: None, ..change })?;
            return Ok(self.trash_moved(place, &after, fate));
        }
        let (taken, shown) = match fate {
            Fate::Remove => (Taken::Removed, None),
            Fate::Trash => {
                if trash::holds(&place.path) {
                    return Err(ToolFailure::tool(format!(
                        "{:?} is in the trash already. Set \"permanent\": true to delete it for good",
                        place.shown
                    )));
                }
                let path = trash::path_for(place, self.toolbox.clock.now());
                let shown = place::shown(self.roots(), place.root, &path);
                (Taken::Trashed(path), Some(shown))
            }
        };
        self.put(Change { taken: Some(taken), after: None, ..change })?;
        Ok(shown)
    }

    /// Gives a staged file the permissions of another: a moved file keeps its own.
    pub(super) fn keep_permissions(&mut self, place: &Place, from: &File) {
        for change in self.changes.iter_mut().filter(|change| change.place == *place) {
            if let Some(after) = &mut change.after {
                after.permissions.clone_from(&from.permissions);
            }
        }
    }

    /// A rename replaces a file whoever may write to it, so read-only files are protected here: those that
    /// nobody may write to by their mode, and those on disk that this process may not.
    fn check_protected(
        &self,
        place: &Place,
        permissions: Option<&Permissions>,
        is_on_disk: bool,
        protected: Protected,
        verb: &str,
    ) -> Result<(), ToolFailure> {
        if protected == Protected::Change {
            return Ok(());
        }
        let guard = if permissions.is_some_and(Permissions::readonly) {
            Some(Guard::ReadOnly)
        } else if is_on_disk {
            disk::guard(self.roots(), place)
        } else {
            None
        };
        guard.map_or(Ok(()), |guard| Err(guarded(place, guard, verb)))
    }

    /// Every change of a file comes by here.
    fn put(&mut self, change: Change) -> Result<(), ToolFailure> {
        self.kept_out().check_change(self.roots(), &change.place)?;
        self.changes.retain(|other| other.place != change.place);
        // A file that a step made and a later one took away again leaves nothing to do.
        if change.before.is_some() || change.after.is_some() {
            self.changes.push(change);
        }
        Ok(())
    }

    fn change_of(&self, place: &Place) -> Option<&Change> {
        self.changes.iter().find(|change| change.place == *place)
    }

    fn staged(&self, root: usize, path: &Path) -> Option<Staged> {
        let change =
            self.changes.iter().find(|change| change.place.root == root && change.place.path == path)?;
        Some(if change.after.is_some() { Staged::File } else { Staged::Gone })
    }

    /// Whether a file has gone whose name is now that of a folder on the way to this place.
    fn is_below_a_change(&self, place: &Place) -> bool {
        self.changes.iter().any(|change| is_inside(place, &change.place))
    }

    /// A file that a step has made brings its folders with it.
    fn check_is_no_new_folder(&self, place: &Place) -> Result<(), ToolFailure> {
        let made = |change: &&Change| change.after.is_some() && is_inside(&change.place, place);
        match self.changes.iter().find(made) {
            None => Ok(()),
            Some(change) => Err(ToolFailure::tool(format!(
                "{:?} is a folder, not a file: an earlier step has written {:?}",
                place.shown, change.place.shown
            ))),
        }
    }
}

fn is_inside(inner: &Place, outer: &Place) -> bool {
    inner.root == outer.root && inner.path != outer.path && inner.path.starts_with(&outer.path)
}

/// Why a file is not changed or deleted, and what helps; `force` only where it does.
fn guarded(place: &Place, guard: Guard, verb: &str) -> ToolFailure {
    let why = match guard {
        Guard::ReadOnly => {
            let mode = if verb == "change" { "; its mode stays as it is" } else { "" };
            format!("is read-only, so it is left alone. Set \"force\": true to {verb} it all the same{mode}")
        }
        Guard::ReadOnlyDisk => {
            format!(
                "is on a disk that takes no changes, so this call cannot {verb} it. Use a file on another disk"
            )
        }
        Guard::Immutable => format!(
            "is kept from changes by the system, perhaps because it is immutable, so this call cannot {verb} it. \
             Somebody with the right to must lift that first (chattr -i on Linux)"
        ),
        Guard::Swapped => {
            "leads elsewhere by now: a folder on its path was replaced during the call. Nothing was \
             changed; try again"
                .to_owned()
        }
    };
    ToolFailure::tool(format!("{:?} {why}", place.shown))
}

fn nothing_to_delete(place: &Place) -> ToolFailure {
    ToolFailure::tool(format!(
        "{:?} does not exist, so it cannot be deleted. Use list_directory to see what is there",
        place.shown
    ))
}

/// What becomes of a deleted file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Moved to the trash folder of its root.
    Trash,
    /// Gone for good.
    Remove,
}
