//! Files of a journal: their names, permissions, and the lock.
//!
//! `NNNNNNNNNNNNNNNNNNNN.jsonl` are the segments, `lock` is locked by the writer, `node` contains the node name,
//! `journal.head` the start of the chain after old segments were removed, and `*.jsonl.torn-<seq>` a torn end that was
//! cut off.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use toolwright_base::{make_private_folder, private_options, replace_private};

use super::error::JournalError;

/// Maximum size of the small files next to the segments, larger than any that is written.
const MAX_SMALL_FILE_BYTES: u64 = 4096;

/// The folder of a node's journal in a state folder.
pub fn node_folder(state: &Path, node: &str) -> PathBuf {
    state.join("journal").join(node)
}

/// The folders of all journals in a state folder, sorted by name.
///
/// # Errors
/// When the folder cannot be read. A missing folder is no error.
pub fn folders(state: &Path) -> Result<Vec<PathBuf>, JournalError> {
    let root = state.join("journal");
    let entries = match fs::read_dir(&root) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(why) => return Err(JournalError::Io { what: "read", path: root, why }),
        Ok(entries) => entries,
    };
    let mut found: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    Ok(found)
}

/// The first sequence number of each segment, in order: the positions at which reading can start without older
/// segments.
///
/// # Errors
/// When the folder cannot be read.
pub fn begins(folder: &Path) -> Result<Vec<u64>, JournalError> {
    let failed = |why| JournalError::Io { what: "read the journal in", path: folder.to_path_buf(), why };
    Ok(segments(folder).map_err(failed)?.iter().map(|segment| segment.first).collect())
}

/// One file of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JournalSegment {
    /// Sequence number of its first record, from the file name.
    pub first: u64,
    pub path: PathBuf,
}

impl JournalSegment {
    pub fn new(folder: &Path, first: u64) -> JournalSegment {
        JournalSegment { first, path: folder.join(segment_name(first)) }
    }
}

/// The name of the segment that starts with this record.
pub(super) fn segment_name(first: u64) -> String {
    format!("{first:020}.jsonl")
}

/// All segments, in order.
pub(super) fn segments(folder: &Path) -> io::Result<Vec<JournalSegment>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".jsonl"));
        let number = number.filter(|digits| digits.len() == 20 && digits.bytes().all(|b| b.is_ascii_digit()));
        if let Some(first) = number.and_then(|digits| digits.parse().ok()) {
            found.push(JournalSegment { first, path: entry.path() });
        }
    }
    found.sort_by_key(|segment| segment.first);
    Ok(found)
}

/// Creates the folder, private to the user; also closes one that was opened to others.
pub(super) fn make_folder(folder: &Path) -> Result<(), JournalError> {
    let failed = |why| JournalError::Io { what: "make the folder", path: folder.to_path_buf(), why };
    make_private_folder(folder).map_err(failed)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if fs::metadata(folder).map_err(failed)?.permissions().mode() & 0o077 != 0 {
            tracing::warn!(folder = %folder.display(), "others could read the journal; it is closed to them now");
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).map_err(failed)?;
        }
    }
    Ok(())
}

/// Opens a segment for appending, and creates it when it is missing.
pub(super) fn open_for_append(path: &Path) -> io::Result<File> {
    private_options(OpenOptions::new().append(true).create(true)).open(path)
}

/// Takes the writer lock.
pub(super) fn lock(folder: &Path) -> Result<File, JournalError> {
    let path = folder.join("lock");
    let failed = |why| JournalError::Io { what: "lock", path: path.clone(), why };
    let mut file = private_options(OpenOptions::new().read(true).write(true).create(true).truncate(false))
        .open(&path)
        .map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            // Only for the error message: a failure changes nothing.
            let _ = (&mut file).take(MAX_SMALL_FILE_BYTES).read_to_string(&mut text);
            return Err(JournalError::InUse { folder: folder.to_path_buf(), pid: text.trim().parse().ok() });
        }
        Err(TryLockError::Error(why)) => return Err(failed(why)),
    }
    // Also only for messages, and a full disk must not keep the gateway from starting.
    let _ = file.set_len(0).and_then(|()| file.write_all(std::process::id().to_string().as_bytes()));
    Ok(file)
}

/// The node name in the folder; the first time, the requested one, or the name of the folder.
pub(super) fn node(folder: &Path, requested: Option<&str>) -> Result<String, JournalError> {
    let path = folder.join("node");
    let failed = |what, why| JournalError::Io { what, path: path.clone(), why };
    if let Some(requested) = requested {
        check_node(requested)?;
    }
    let stored = read_small(&path).map_err(|why| failed("read", why))?.map(|text| text.trim().to_owned());
    if let Some(found) = stored.filter(|name| !name.is_empty()) {
        check_node(&found)?;
        return match requested {
            Some(requested) if requested != found => Err(JournalError::OtherNode {
                folder: folder.to_path_buf(),
                found,
                asked: requested.to_owned(),
            }),
            _ => Ok(found),
        };
    }
    let name = match requested {
        Some(requested) => requested.to_owned(),
        None => folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
    };
    check_node(&name)?;
    replace_private(&path, format!("{name}\n").as_bytes()).map_err(|why| failed("write", why))?;
    Ok(name)
}

fn check_node(name: &str) -> Result<(), JournalError> {
    let is_fine = (1..=64).contains(&name.len())
        && !name.starts_with('.')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    if is_fine { Ok(()) } else { Err(JournalError::NodeName { name: name.to_owned() }) }
}

/// The content of a small file; `None` when it is missing.
pub(super) fn read_small(path: &Path) -> io::Result<Option<String>> {
    let file = match File::open(path) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut text = String::new();
    file.take(MAX_SMALL_FILE_BYTES).read_to_string(&mut text)?;
    Ok(Some(text))
}

/// Writes bytes to a new file; when the name is taken, with a number appended.
pub(super) fn write_aside(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    for number in 0..1000 {
        let path = match number {
            0 => path.to_path_buf(),
            _ => PathBuf::from(format!("{}.{number}", path.display())),
        };
        match private_options(OpenOptions::new().write(true).create_new(true)).open(&path) {
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => continue,
            opened => {
                let mut file = opened?;
                file.write_all(bytes)?;
                file.sync_all()?;
                return Ok(path);
            }
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "there are a thousand such files already"))
}

/// Whether an open file still has a name in a folder. A file without one is deleted when it is closed.
#[cfg(unix)]
pub(super) fn is_linked(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().is_ok_and(|seen| seen.nlink() > 0)
}

/// An open file keeps its name on this system.
#[cfg(not(unix))]
pub(super) fn is_linked(_: &File) -> bool {
    true
}

/// Whether an open file is the one at this path.
#[cfg(unix)]
pub(super) fn is_file_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of = |seen: std::io::Result<fs::Metadata>| seen.map(|seen| (seen.dev(), seen.ino())).ok();
    of(file.metadata()).is_some_and(|own| of(fs::metadata(path)) == Some(own))
}

/// Whether a file exists at this path.
#[cfg(not(unix))]
pub(super) fn is_file_at(_: &File, path: &Path) -> bool {
    path.exists()
}
