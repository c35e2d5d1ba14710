//! The trash: a folder inside each root to which deleted files are moved.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;

use super::place::Place;

/// The name of the trash folder, at the top of each root.
pub(super) const FOLDER: &str = ".toolwright-trash";

/// Names in the trash are cut to this many bytes of the old name, to leave room for the time.
const MAX_OLD_NAME_BYTES: usize = 180;

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Whether a path below a root is the trash or in it.
pub(super) fn holds(path: &Path) -> bool {
    path.components().next().is_some_and(|first| first.as_os_str() == FOLDER)
}

/// Where a file goes when it is deleted: the time, a number, and its old name.
pub(super) fn path_for(place: &Place, now: Timestamp) -> PathBuf {
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let old = place.name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stamp = now.strftime("%Y%m%dT%H%M%S%.6f");
    Path::new(FOLDER).join(format!(
        "{stamp}-{}-{number}-{}",
        std::process::id(),
        cut(&old, MAX_OLD_NAME_BYTES)
    ))
}

/// The beginning of a name, at most so many bytes.
pub(super) fn cut(name: &str, max_bytes: usize) -> &str {
    let mut end = name.len().min(max_bytes);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}
