//! The clock: whether it is behind what was written here before.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

use crate::Examined;
use crate::finding::{Area, Check, Finding, Fix, quoted};

/// No machine that runs this program is before the day it was written on: 2026-01-01, in seconds since 1970.
const WRITTEN: u64 = 1_767_225_600;
/// How far two clocks may differ.
const TOLERATED: Duration = Duration::from_secs(300);
/// How many files are looked at.
const LOOKED_AT: usize = 1_000;

pub(crate) fn check(examined: &Examined) -> Check {
    let now = SystemTime::now();
    let check = Check::new(Area::Clock, None, Timestamp::try_from(now).unwrap_or_default().to_string());
    let set = "sudo timedatectl set-ntp true";
    if now < UNIX_EPOCH + Duration::from_secs(WRITTEN) {
        return check.with([Finding::error(
            "clock-behind",
            "the clock is years behind",
            "logins and certificates do not work with it, and calls are written down with wrong times",
            Fix::Run(set.to_owned()),
        )]);
    }
    let newest = newest(examined).filter(|(_, written)| *written > now + TOLERATED);
    check.with(newest.map(|(file, written)| {
        let ahead = written.duration_since(now).unwrap_or_default().as_secs();
        let file = file.display().to_string();
        Finding::warning(
            "clock-behind",
            format!("a file was written {ahead} s in the future"),
            "the clock is behind now, or was ahead then: calls are out of order, and logins seem valid that are not",
            Fix::Do(format!("set the clock: {set}; if it is right now: touch {}", quoted(&file))),
        )
        .at(file)
    }))
}

/// The file of the state folder, or of a journal in it, that was written last.
fn newest(examined: &Examined) -> Option<(PathBuf, SystemTime)> {
    let state = examined.state.as_ref()?;
    let mut folders = vec![state.clone()];
    folders.extend(toolwright_ledger::journal::folders(state).unwrap_or_default());
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let written = files.take(LOOKED_AT).filter_map(|entry| {
        let seen = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some((entry.path(), seen.modified().ok()?))
    });
    written.max_by_key(|(_, written)| *written)
}
