//! The acts of a commit on the disk, each of which can fail.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, OpenOptions, Permissions};

use super::super::disk::Identity;
use super::super::place::Root;
use super::plan::PlannedFile;
use super::{Change, Contents, Origin, What, step};

/// Gives what a file becomes its temporary name.
pub(super) fn prepare(roots: &[Root], dir: &Dir, file: &mut PlannedFile, change: &Change) -> io::Result<()> {
    let (Some(new), Some(contents)) = (&file.new, &change.after) else { return Ok(()) };
    step()?;
    let (aside, new) = file.reach(dir, new);
    let made = match &contents.what {
        What::Bytes(bytes) => write(aside, new, bytes, contents)?,
        What::Moved(origin) => name_again(&roots[origin.place.root].dir, origin, aside, new)?,
    };
    file.made = Some(made);
    Ok(())
}

fn write(aside: &Dir, new: &Path, bytes: &[u8], contents: &Contents) -> io::Result<Identity> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // Nobody else may read the new contents before they have the permissions of the old.
    if contents.permissions.is_some() {
        for_us_alone(&mut options);
    }
    let mut written = aside.open_with(new, &options)?;
    step()?;
    written.write_all(bytes)?;
    if let Some(permissions) = &contents.permissions {
        written.set_permissions(without_owners_rights(permissions.clone()))?;
    }
    written.sync_all()?;
    Ok(Identity::of(&written.metadata()?))
}

/// Gives a file that is moved its second name; the first goes with the others that are taken away.
fn name_again(dir: &Dir, origin: &Origin, aside: &Dir, new: &Path) -> io::Result<Identity> {
    step()?;
    let is_linked = second_name(dir, &origin.place.path, aside, new)?;
    let made = Identity::of(&aside.symlink_metadata(new)?);
    if is_linked && made != origin.identity {
        return Err(io::Error::other("somebody else has changed it during the call"));
    }
    Ok(made)
}

pub(super) fn make_folders(dir: &Dir, folders: &[PathBuf]) -> io::Result<()> {
    for folder in folders {
        step()?;
        match dir.create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn take_away(dir: &Dir, file: &PlannedFile) -> io::Result<()> {
    step()?;
    match &file.old {
        Some(old) => {
            let (aside, old) = file.reach(dir, old);
            dir.rename(&file.path, aside, old)
        }
        None => dir.remove_file(&file.path),
    }
}

/// Gives the new contents their name. What they replace is never missing in between.
pub(super) fn put(dir: &Dir, file: &PlannedFile, new: &Path) -> io::Result<()> {
    let (aside, new) = file.reach(dir, new);
    if file.before.is_none() {
        step()?;
        return put_new(aside, new, dir, &file.path);
    }
    if let Some(old) = &file.old {
        step()?;
        // Kept until everything is done.
        let (aside, old) = file.reach(dir, old);
        second_name(dir, &file.path, aside, old)?;
    }
    step()?;
    aside.rename(new, dir, &file.path)
}

/// Gives a new file its name without ever replacing one that appeared meanwhile.
fn put_new(aside: &Dir, new: &Path, dir: &Dir, path: &Path) -> io::Result<()> {
    match aside.hard_link(new, dir, path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // A file system without hard links.
        Err(_) => aside.rename(new, dir, path),
    }
}

/// Gives a file or link a second name. A hard link costs nothing and is the same file; where there can be
/// none, a copy. Whether it is the same file.
fn second_name(dir: &Dir, path: &Path, to: &Dir, name: &Path) -> io::Result<bool> {
    match dir.hard_link(path, to, name) {
        Ok(()) => return Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        Err(_) => {}
    }
    if dir.symlink_metadata(path)?.is_symlink() {
        copy_link(dir, path, to, name)?;
    } else {
        copy(dir, path, to, name)?;
    }
    Ok(false)
}

fn copy(dir: &Dir, path: &Path, to: &Dir, name: &Path) -> io::Result<()> {
    let mut reading = OpenOptions::new();
    reading.read(true).follow(FollowSymlinks::No);
    let mut from = dir.open_with(path, &reading)?;
    let mut writing = OpenOptions::new();
    writing.write(true).create_new(true);
    for_us_alone(&mut writing);
    let mut copied = to.open_with(name, &writing)?;
    io::copy(&mut from, &mut copied)?;
    copied.set_permissions(without_owners_rights(from.metadata()?.permissions()))?;
    copied.sync_all()
}

#[cfg(unix)]
fn copy_link(dir: &Dir, path: &Path, to: &Dir, name: &Path) -> io::Result<()> {
    to.symlink_contents(dir.read_link_contents(path)?, name)
}

#[cfg(not(unix))]
fn copy_link(_: &Dir, _: &Path, _: &Dir, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
fn for_us_alone(options: &mut OpenOptions) {
    cap_std::fs::OpenOptionsExt::mode(options, 0o600);
}

#[cfg(not(unix))]
fn for_us_alone(_: &mut OpenOptions) {}

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
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

    use std::fs;

    use cap_std::ambient_authority;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_cannot_have_a_second_name_is_copied_as_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "A").unwrap();
        std::os::unix::fs::symlink("../nowhere", folder.path().join("link")).unwrap();
        let dir = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        copy(&dir, Path::new("a"), &dir, Path::new("b")).unwrap();
        copy_link(&dir, Path::new("link"), &dir, Path::new("link2")).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("b")).unwrap(), "A");
        assert_eq!(fs::read_link(folder.path().join("link2")).unwrap(), Path::new("../nowhere"));
        assert!(copy(&dir, Path::new("link"), &dir, Path::new("c")).is_err(), "a link is not followed");
    }
}
