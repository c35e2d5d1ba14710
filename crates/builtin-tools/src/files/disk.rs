//! Reading files: regular files only, never more than the limit, with what is needed to write them back.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use cap_fs_ext::{FollowSymlinks, MetadataExt, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, Metadata, OpenOptions, Permissions};
use serde::{Deserialize, Serialize};
use toolwright_executor::ToolFailure;

use super::place::{Place, Root, failure, reason};
use super::reason::{is_escape, is_not_permitted};

/// How many bytes at the beginning are looked at for NUL bytes.
const BINARY_PROBE_BYTES: usize = 8192;

/// A file as it is on disk or as a batch has staged it.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub bytes: Arc<[u8]>,
    /// Nothing for a file that a batch is about to create.
    pub permissions: Option<Permissions>,
    /// Nothing for a file that a batch has staged.
    pub identity: Option<Identity>,
}

/// What a file on disk is besides its bytes.
#[derive(Clone, Debug)]
pub(super) struct OnDisk {
    pub is_link: bool,
    pub permissions: Permissions,
    pub identity: Identity,
}

/// What changes when somebody else writes or replaces a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    len: u64,
    /// In nanoseconds since 1970.
    modified_ns: Option<i64>,
}

impl Identity {
    pub(super) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
        let modified_ns = modified.and_then(|modified| match modified.duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_nanos()).ok(),
            Err(before) => i64::try_from(before.duration().as_nanos()).ok().map(|ns| -ns),
        });
        Identity { device: metadata.dev(), inode: metadata.ino(), len: metadata.len(), modified_ns }
    }

    /// What is at a path below a folder, without following a link; nothing when nothing is there.
    pub(super) fn at(dir: &Dir, path: &Path) -> io::Result<Option<Self>> {
        match dir.symlink_metadata(path) {
            Ok(metadata) => Ok(Some(Identity::of(&metadata))),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Its device and inode.
    pub(super) fn id(&self) -> (u64, u64) {
        (self.device, self.inode)
    }

    /// Whether it is the same file, whatever is in it now.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// Reads the file at a place; nothing when there is none.
pub(super) fn load(roots: &[Root], place: &Place, max_bytes: u64) -> Result<Option<File>, ToolFailure> {
    match open(&roots[place.root].dir, place) {
        Ok((mut file, metadata)) => {
            check_kind(place, &metadata)?;
            too_large(place, metadata.len(), max_bytes)?;
            let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
            let read = Read::by_ref(&mut file).take(max_bytes + 1).read_to_end(&mut bytes);
            read.map_err(|error| unreadable(place, &error))?;
            // The file may have grown since its size was asked for.
            too_large(place, bytes.len() as u64, max_bytes)?;
            Ok(Some(File {
                bytes: bytes.into(),
                permissions: Some(metadata.permissions()),
                identity: Some(Identity::of(&metadata)),
            }))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failure(roots, &place.shown, &error)),
    }
}

/// Looks at the file or link at a place without reading it; nothing when there is none.
pub(super) fn look(roots: &[Root], place: &Place) -> Result<Option<OnDisk>, ToolFailure> {
    match roots[place.root].dir.symlink_metadata(&place.path) {
        Ok(metadata) => {
            if !metadata.is_symlink() {
                check_kind(place, &metadata)?;
            }
            Ok(Some(OnDisk {
                is_link: metadata.is_symlink(),
                permissions: metadata.permissions(),
                identity: Identity::of(&metadata),
            }))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failure(roots, &place.shown, &error)),
    }
}

/// What keeps a file from being changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guard {
    /// Its mode, or that it is the file of somebody else.
    ReadOnly,
    /// The disk it is on takes no changes.
    ReadOnlyDisk,
    /// The system keeps it from everybody, such as a file that was made immutable.
    Immutable,
    /// Its path leads elsewhere by now.
    Swapped,
}

/// What keeps this process from writing to the file at a place, if anything. A link is not asked for what it
/// points to.
pub(super) fn guard(roots: &[Root], place: &Place) -> Option<Guard> {
    let mut options = OpenOptions::new();
    options.write(true).follow(FollowSymlinks::No).nonblock(true);
    guard_of(&roots[place.root].dir.open_with(&place.path, &options).err()?)
}

fn guard_of(error: &io::Error) -> Option<Guard> {
    match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem => Some(Guard::ReadOnlyDisk),
        io::ErrorKind::PermissionDenied if is_escape(error) => Some(Guard::Swapped),
        io::ErrorKind::PermissionDenied if is_not_permitted(error) => Some(Guard::Immutable),
        io::ErrorKind::PermissionDenied => Some(Guard::ReadOnly),
        _ => None,
    }
}

/// The text of a file, or why it is none.
pub(super) fn text<'a>(place: &Place, bytes: &'a [u8]) -> Result<&'a str, ToolFailure> {
    let why = match binary(bytes) {
        None => return std::str::from_utf8(bytes).map_err(|error| not_text(place, &error.to_string())),
        Some(why) => why,
    };
    Err(not_text(place, &why))
}

/// Why these bytes are no text; nothing when they are.
pub(super) fn binary(bytes: &[u8]) -> Option<String> {
    if let Some(at) = bytes.iter().take(BINARY_PROBE_BYTES).position(|byte| *byte == 0) {
        return Some(format!("a NUL byte at position {at}"));
    }
    let error = std::str::from_utf8(bytes).err()?;
    Some(format!("no UTF-8 at position {}", error.valid_up_to()))
}

fn not_text(place: &Place, why: &str) -> ToolFailure {
    ToolFailure::tool(format!(
        "{:?} is a binary file ({why}). The files tools read and edit UTF-8 text only; write_to_file with \
         \"force\": true replaces it whole",
        place.shown
    ))
}

/// Opens without following a link at the end, and without waiting for the other end of a pipe.
fn open(dir: &Dir, place: &Place) -> io::Result<(cap_std::fs::File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = dir.open_with(&place.path, &options)?;
    let metadata = file.metadata()?;
    Ok((file, metadata))
}

fn check_kind(place: &Place, metadata: &Metadata) -> Result<(), ToolFailure> {
    if metadata.is_file() {
        return Ok(());
    }
    let what = if metadata.is_dir() {
        "is a folder, not a file. Use list_directory to see what it holds"
    } else {
        "is neither a file nor a folder (a link, pipe, socket or device) and is left alone"
    };
    Err(ToolFailure::tool(format!("{:?} {what}", place.shown)))
}

fn too_large(place: &Place, len: u64, max_bytes: u64) -> Result<(), ToolFailure> {
    if len <= max_bytes {
        return Ok(());
    }
    Err(ToolFailure::tool(format!(
        "{:?} has {len} bytes; files over {max_bytes} bytes are not read or edited (max_file_bytes). Split the file",
        place.shown
    )))
}

fn unreadable(place: &Place, error: &io::Error) -> ToolFailure {
    ToolFailure::tool(format!("cannot read {:?}: {}", place.shown, reason(error)))
}

#[cfg(test)]
mod tests {
    use super::super::reason::escape;
    use super::{Guard, guard_of};

    #[cfg(unix)]
    #[test]
    fn what_guards_a_file_is_told_apart() {
        let of = |number| guard_of(&std::io::Error::from_raw_os_error(number));
        assert_eq!(
            [1, 13, 30, 26].map(of),
            [Some(Guard::Immutable), Some(Guard::ReadOnly), Some(Guard::ReadOnlyDisk), None]
        );
        assert_eq!(guard_of(&escape()), Some(Guard::Swapped));
    }
}
