//! Why a commit failed, in words.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use toolwright_executor::ToolFailure;

use super::super::place::reason;
use super::super::trash;
use super::{Change, Taken};

pub(super) fn failed(change: &Change, error: &io::Error) -> ToolFailure {
    ToolFailure::tool(format!(
        "cannot write {:?}: {}. Nothing was changed",
        change.place.shown,
        reason(error)
    ))
}

pub(super) fn with_what_is_left(failure: ToolFailure, left: &[String]) -> ToolFailure {
    if left.is_empty() {
        return failure;
    }
    let failure = failure.to_string();
    ToolFailure::tool(format!(
        "{}. Taking the other changes back failed too: {}. Look at these files",
        failure.trim_end_matches(". Nothing was changed"),
        left.join("; ")
    ))
}

/// A file that could not be taken away. Where it is the trash that is at fault, there is a way without it.
pub(super) fn not_taken_away(dir: &Dir, change: &Change, error: &io::Error) -> ToolFailure {
    let shown = &change.place.shown;
    let why = match (&change.taken, error.kind()) {
        (Some(Taken::Trashed(_)), io::ErrorKind::CrossesDevices) => "is on another file system than the file",
        (Some(Taken::Trashed(_)), io::ErrorKind::PermissionDenied) if !can_take_files(dir) => {
            "cannot be written to (permission denied)"
        }
        _ => {
            let why = reason(error);
            return ToolFailure::tool(format!("cannot take {shown:?} away: {why}. Nothing was changed"));
        }
    };
    ToolFailure::tool(format!(
        "cannot move {shown:?} to the trash: the folder {} at the top {why}. Set \"permanent\": true to delete the \
         file for good instead. Nothing was changed",
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
        let said = not_taken_away(&roots[0].dir, &change, &error).to_string();
        assert_eq!(
            said,
            "cannot move \"mounted/a.txt\" to the trash: the folder .toolwright-trash at the top is on another file \
             system than the file. Set \"permanent\": true to delete the file for good instead. Nothing was changed"
        );
    }
}
