//! Check for free disk space.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use toolwright_base::{IgnorePoison, TEMPORARY_ENDING, private_options};

/// Tests whether records can be written to a folder, at most once a second: the test writes, and any client can trigger
/// it.
#[derive(Debug, Default)]
pub(crate) struct DiskSpaceProbe(Mutex<Option<(Instant, bool)>>);

impl DiskSpaceProbe {
    /// A test result is cached for this long.
    const CACHE_TIME: Duration = Duration::from_secs(1);
    const PROBE_BYTES: usize = 64 << 10;

    /// Whether a file can be written: a test file is written and removed.
    pub fn has_space(&self, folder: &Path) -> bool {
        let mut cached = self.0.lock().ignore_poison();
        if let Some((tested, has_space)) = *cached
            && tested.elapsed() < Self::CACHE_TIME
        {
            return has_space;
        }
        let has_space = can_write(folder).is_ok();
        *cached = Some((Instant::now(), has_space));
        has_space
    }
}

/// Writes without a sync, so that nothing waits for the disk: a full disk fails the write itself.
fn can_write(folder: &Path) -> io::Result<()> {
    let path = folder.join(format!("room.{}{TEMPORARY_ENDING}", std::process::id()));
    let mut options = OpenOptions::new();
    let file = private_options(options.write(true).create(true).truncate(true)).open(&path);
    let result = file.and_then(|mut file| file.write_all(&[b' '; DiskSpaceProbe::PROBE_BYTES]));
    // The file may not exist: a failed removal is no second error.
    let _ = fs::remove_file(path);
    result
}
