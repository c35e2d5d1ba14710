//! Changes of files that are first made in memory and then written all at once, or not at all.

use std::sync::Arc;

use super::Toolbox;
use super::commit::{After, Change};
use super::disk::{self, File};
use super::place::{self, Place, Root};
use super::run::Stop;
use super::trash;
use crate::ToolFailure;

/// The files as the steps of one call see them: what is on disk, and what earlier steps have changed.
pub(super) struct Stage<'a> {
    toolbox: &'a Toolbox,
    stop: &'a Stop,
    mode: Mode,
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
        Stage { toolbox, stop, mode, changes: Vec::new(), bytes: 0 }
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

    pub(super) fn is_dry_run(&self) -> bool {
        self.mode == Mode::DryRun
    }

    /// "Replaced …" or "Would replace …".
    pub(super) fn say(&self, done: &'static str, would: &'static str) -> &'static str {
        if self.is_dry_run() { would } else { done }
    }

    /// Finds the place that a path names.
    pub(super) fn place(&self, path: &str) -> Result<Place, ToolFailure> {
        place::resolve(self.roots(), path)
    }

    /// Finds the entry of a folder that a path names, without following a link at its end.
    pub(super) fn entry(&self, path: &str) -> Result<Place, ToolFailure> {
        place::resolve_entry(self.roots(), path)
    }

    /// The changes so far.
    pub(super) fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The file at a place as this call sees it; nothing when there is none.
    pub(super) fn find(&self, place: &Place) -> Result<Option<File>, ToolFailure> {
        if let Some(change) = self.changes.iter().find(|change| change.place == *place) {
            return Ok(match &change.after {
                After::Write { bytes, .. } => {
                    Some(File { bytes: Arc::clone(bytes), on_disk: change.before.clone() })
                }
                After::Trash(_) | After::Remove => None,
            });
        }
        disk::load(self.roots(), place, self.toolbox.limits.max_file_bytes)
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
        let before = found.and_then(|file| file.on_disk.clone());
        check_protected(place, before.as_ref(), protected)?;
        let permissions = before.as_ref().map(|before| before.permissions.clone());
        self.put(place, before, After::Write { bytes: bytes.into(), permissions });
        Ok(())
    }

    /// Stages that a file goes away, to the trash or for good. Gives its place in the trash.
    pub(super) fn delete(
        &mut self,
        place: &Place,
        fate: Fate,
        protected: Protected,
    ) -> Result<Option<String>, ToolFailure> {
        let staged = self.changes.iter().position(|change| change.place == *place);
        let before = match staged {
            Some(index) => self.changes[index].before.clone(),
            None => disk::look(self.roots(), place)?,
        };
        let gone = staged.is_some_and(|index| !matches!(self.changes[index].after, After::Write { .. }));
        if gone || (staged.is_none() && before.is_none()) {
            return Err(ToolFailure::tool(format!(
                "{:?} does not exist, so it cannot be deleted. Use list_directory to see what is there",
                place.shown
            )));
        }
        check_protected(place, before.as_ref(), protected)?;
        let (after, shown) = match fate {
            Fate::Remove => (After::Remove, None),
            Fate::Trash => {
                if trash::holds(&place.path) {
                    return Err(ToolFailure::tool(format!(
                        "{:?} is in the trash already. Set \"permanent\": true to delete it for good",
                        place.shown
                    )));
                }
                let path = trash::path_for(place, self.toolbox.clock.now());
                let shown = place::shown(self.roots(), place.root, &path);
                // What only this call has made was never on disk: it does not come into the trash.
                let is_on_disk = before.is_some();
                (After::Trash(path), is_on_disk.then_some(shown))
            }
        };
        self.put(place, before, after);
        Ok(shown)
    }

    /// Gives a staged file the permissions of another: a moved file keeps its own.
    pub(super) fn keep_permissions(&mut self, place: &Place, from: &File) {
        let wanted = from.on_disk.as_ref().map(|on_disk| on_disk.permissions.clone());
        for change in &mut self.changes {
            if let After::Write { permissions, .. } = &mut change.after
                && change.place == *place
            {
                permissions.clone_from(&wanted);
            }
        }
    }

    fn put(&mut self, place: &Place, before: Option<disk::OnDisk>, after: After) {
        self.changes.retain(|change| change.place != *place);
        // A file that a step made and a later one took away again leaves nothing to do.
        if before.is_some() || matches!(after, After::Write { .. }) {
            self.changes.push(Change { place: place.clone(), before, after });
        }
    }
}

/// What becomes of a deleted file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Moved to the trash folder of its root.
    Trash,
    /// Gone for good.
    Remove,
}

/// A rename replaces a file whatever its mode says, so read-only files are protected here.
fn check_protected(
    place: &Place,
    before: Option<&disk::OnDisk>,
    protected: Protected,
) -> Result<(), ToolFailure> {
    let read_only = before.is_some_and(|before| before.permissions.readonly());
    if read_only && protected == Protected::Refuse {
        return Err(ToolFailure::tool(format!(
            "{:?} is read-only, so it is left alone. Set \"force\": true to change it all the same; it stays \
             read-only afterwards",
            place.shown
        )));
    }
    Ok(())
}
