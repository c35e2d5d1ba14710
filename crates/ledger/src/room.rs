//! Whether there is room on the disk for records.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use toolwright_base::{IgnorePoison, TEMPORARY_ENDING, private_options};

/// Whether a folder has room for records, tried at most once a second: a trial writes, and any client may ask for it.
#[derive(Debug, Default)]
pub(crate) struct Room(Mutex<Option<(Instant, bool)>>);

impl Room {
    /// A trial is good for so long.
    const KNOWN_FOR: Duration = Duration::from_secs(1);
    const TRIED_BYTES: usize = 64 << 10;

    /// Whether a file can be written: one is, and is removed.
    pub fn is_there(&self, folder: &Path) -> bool {
        let mut known = self.0.lock().ignore_poison();
        if let Some((tried, is_there)) = *known
            && tried.elapsed() < Self::KNOWN_FOR
        {
            return is_there;
        }
        let is_there = can_write(folder).is_ok();
        *known = Some((Instant::now(), is_there));
        is_there
    }
}

/// Writes without a sync, so that nothing waits for the disk: a full one refuses the write itself.
fn can_write(folder: &Path) -> io::Result<()> {
    let path = folder.join(format!("room.{}{TEMPORARY_ENDING}", std::process::id()));
    let mut options = OpenOptions::new();
    let file = private_options(options.write(true).create(true).truncate(true)).open(&path);
    let written = file.and_then(|mut file| file.write_all(&[b' '; Room::TRIED_BYTES]));
    // That it may not be there is no second error.
    let _ = fs::remove_file(path);
    written
}
