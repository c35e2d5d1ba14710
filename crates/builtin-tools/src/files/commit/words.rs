//! Why a commit failed, in words.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use toolwright_executor::ToolFailure;

use super::super::place::reason;
use super::super::trash;
use super::{Change, Taken};

/// Why a commit failed, before it is known whether everything could be rolled back.
pub(super) enum CommitFailure {
    /// A change could not be made, for this reason.
    Change(String),
    /// The call was cancelled, or a file was changed meanwhile: the failure is complete.
    Whole(ToolFailure),
}

impl From<ToolFailure> for CommitFailure {
    fn from(failure: ToolFailure) -> CommitFailure {
        CommitFailure::Whole(failure)
    }
}

impl CommitFailure {
    /// The failure for the caller; `left` has what could not be rolled back.
    pub(super) fn after_rollback(self, left: &[String]) -> ToolFailure {
        let reason = match (self, left) {
            (CommitFailure::Whole(failure), []) => return failure,
            (CommitFailure::Change(reason), []) => {
                return ToolFailure::tool(format!("{reason}. Nothing was changed"));
            }
            (CommitFailure::Whole(failure), _) => failure.to_string(),
            (CommitFailure::Change(reason), _) => reason,
        };
        ToolFailure::tool(format!(
            "{reason}. Taking the other changes back failed too: {}. Look at these files",
            left.join("; ")
        ))
    }
}

pub(super) fn failed(change: &Change, error: &io::Error) -> CommitFailure {
    CommitFailure::Change(format!("cannot write {:?}: {}", change.place.shown, reason(error)))
}

/// A file that could not be taken away. Where it is the trash that is at fault, there is a way without it.
pub(super) fn not_taken_away(dir: &Dir, change: &Change, error: &io::Error) -> CommitFailure {
    let shown = &change.place.shown;
    let why = match (&change.taken, error.kind()) {
        (Some(Taken::Trashed(_)), io::ErrorKind::CrossesDevices) => "is on another file system than the file",
        (Some(Taken::Trashed(_)), io::ErrorKind::PermissionDenied) if !can_take_files(dir) => {
            "cannot be written to (permission denied)"
        }
        _ => {
            let why = reason(error);
            return CommitFailure::Change(format!("cannot take {shown:?} away: {why}"));
        }
    };
    CommitFailure::Change(format!(
        "cannot move {shown:?} to the trash: the folder {} at the top {why}. Set \"permanent\": true to delete the \
         file for good instead",
        trash::FOLDER
    ))
}

/// Whether files can be put into the trash, or the trash can be made: tried with a folder that goes at once.
fn can_take_files(dir: &Dir) -> bool {
    let trash = Path::new(trash::FOLDER);
    let folder = if dir.symlink_metadata(trash).is_ok() { trash } else { Path::new("") };
    let probe = folder.join(format!(".toolwright-{}-probe.new", std::process::id()));
    dir.create_dir(&probe).is_ok_and(|()| dir.remove_dir(&probe).is_ok())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

    use std::path::PathBuf;

    use super::super::super::place::{Root, resolve};
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_trash_on_another_file_system_is_named_with_the_way_out() {
        let folder = tempfile::tempdir().unwrap();
        let roots = [Root::open(folder.path()).unwrap()];
        let place = resolve(&roots, "mounted/a.txt", &|_, _| None).unwrap();
        let taken = Some(Taken::Trashed(PathBuf::from(".toolwright-trash/1-a.txt")));
        let change = Change { place, before: None, taken, after: None };
        let error = io::Error::from_raw_os_error(18);
        let failure = not_taken_away(&roots[0].dir, &change, &error).after_rollback(&[]).to_string();
        assert_eq!(
            failure,
            "cannot move \"mounted/a.txt\" to the trash: the folder .toolwright-trash at the top is on another file \
             system than the file. Set \"permanent\": true to delete the file for good instead. Nothing was changed"
        );
    }
}
