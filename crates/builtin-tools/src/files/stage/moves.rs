//! Moving a file or link as it is: it gets another name, and nothing of it is read or written.

use std::sync::Arc;

use toolwright_executor::ToolFailure;

use super::super::commit::{Change, Contents, Origin, Taken, What};
use super::super::disk;
use super::super::place::{self, Place};
use super::super::trash;
use super::{Fate, Protected, Stage, is_inside};

impl Stage<'_> {
    /// Stages that a file or link gets another name. `replaces` lets it take that of another.
    pub(in super::super) fn rename(
        &mut self,
        from: &Place,
        to: &Place,
        replaces: bool,
    ) -> Result<(), ToolFailure> {
        let after = self.contents_to_move(from)?;
        let change = self.change_to_replace(to)?;
        if !replaces && (change.after.is_some() || change.is_of_old_file()) {
            return Err(ToolFailure::tool(format!(
                "{:?} exists already. Choose another name, or set \"force\": true to replace it",
                to.shown
            )));
        }
        self.put(Change { after: Some(after), ..change })?;
        // It goes on living under its new name, so it is not protected from this.
        self.delete(from, Fate::Remove, Protected::Change)?;
        Ok(())
    }

    fn contents_to_move(&self, from: &Place) -> Result<Contents, ToolFailure> {
        self.check_is_no_new_folder(from)?;
        let found = match self.change_of(from) {
            Some(change) => change.after.clone(),
            None if self.is_below_a_change(from) => None,
            None => disk::look(self.roots(), from)?.map(|found| {
                let origin = Origin { place: from.clone(), identity: found.identity, is_link: found.is_link };
                Contents { what: What::Moved(origin), permissions: Some(found.permissions) }
            }),
        };
        found.ok_or_else(|| {
            ToolFailure::tool(format!(
                "{:?} does not exist. Use list_directory or search_files to find the file",
                from.shown
            ))
        })
    }

    /// What is known of a place that is to hold something else.
    fn change_to_replace(&self, to: &Place) -> Result<Change, ToolFailure> {
        self.check_is_no_new_folder(to)?;
        if to.name().is_none() {
            return Err(ToolFailure::tool(format!("{:?} is a folder, not a file", to.shown)));
        }
        let is_file = |change: &&Change| change.after.is_some() && is_inside(to, &change.place);
        if let Some(file) = self.changes.iter().find(is_file) {
            return Err(ToolFailure::tool(format!(
                "cannot use {:?}: {:?} is a file, not a folder",
                to.shown, file.place.shown
            )));
        }
        if let Some(change) = self.change_of(to) {
            return Ok(change.clone());
        }
        let found = if self.is_below_a_change(to) { None } else { disk::look(self.roots(), to)? };
        let before = found.map(|found| found.identity);
        Ok(Change { place: to.clone(), before, taken: None, after: None })
    }

    /// The bytes of a file that an earlier step has moved to this place.
    pub(super) fn read_moved(&self, place: &Place, origin: &Origin) -> Result<Arc<[u8]>, ToolFailure> {
        if origin.is_link {
            return Err(ToolFailure::tool(format!(
                "{:?} is a symbolic link that an earlier step has moved; what it points to is not used in the same \
                 call. Use it in a call of its own",
                place.shown
            )));
        }
        let there = Place { shown: place.shown.clone(), ..origin.place.clone() };
        let found = self.load(&there)?;
        found.map(|file| file.bytes).ok_or_else(|| {
            ToolFailure::tool(format!(
                "{:?} was taken away by somebody else during the call. Nothing was changed",
                origin.place.shown
            ))
        })
    }

    /// A file that was moved and then deleted goes to the trash from where it is on disk.
    pub(super) fn trash_moved(&mut self, place: &Place, after: &Contents, fate: Fate) -> Option<String> {
        let (What::Moved(origin), Fate::Trash) = (&after.what, fate) else { return None };
        let path = trash::path_for(place, self.toolbox.clock.now());
        let shown = place::shown(self.roots(), origin.place.root, &path);
        let change = self.changes.iter_mut().find(|change| change.place == origin.place)?;
        change.taken = Some(Taken::Trashed(path));
        Some(shown)
    }
}
