//! Age of segments, derived from the times in their records and not from the current clock.
//!
//! A clock can be wrong by years at startup: an empty battery, a restored machine. So the age of a segment is the time
//! that the later records show to have passed, in their own order. No step from one record to the next counts more than
//! [`longest_step`]: a clock that jumps ahead is one step. All such long steps together count at most half of the
//! retention time, so that no number of jumps makes a segment too old. Times in the future and steps back count
//! nothing. In doubt a segment is younger, and stays; the byte limit applies anyway.

use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::files::JournalSegment;

/// Records of a segment that are sampled.
const SAMPLES: u64 = 32;
/// Bytes that are read for each sample.
const SAMPLE_BYTES: usize = 8 << 10;
/// Longest credible time without a record.
const LONGEST_STEP: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Tolerated clock skew into the future: clocks are set back a little.
const MAX_CLOCK_SKEW_US: i64 = 24 * 60 * 60 * 1_000_000;

/// The longest step that counts. One wrong step alone never makes a segment too old.
fn longest_step(keep: Duration) -> u64 {
    micros(LONGEST_STEP.min(keep / 2))
}

/// Elapsed time in microseconds.
#[derive(Clone, Copy, Default)]
struct ElapsedTime {
    /// Sum of credible steps.
    credible: u64,
    /// Sum of longer steps, each cut to the longest that counts.
    doubtful: u64,
}

/// The time since the end of each segment, oldest segment first.
pub(super) fn ages(
    segments: &[(JournalSegment, Metadata)],
    now: SystemTime,
    keep: Duration,
) -> Vec<Duration> {
    let now = since_epoch(now);
    let longest = longest_step(keep);
    let (mut elapsed, mut latest) = (ElapsedTime::default(), None::<i64>);
    let mut step = |time: i64, elapsed: &mut ElapsedTime| {
        if time > now.saturating_add(MAX_CLOCK_SKEW_US) {
            return;
        }
        match latest.map(|before| (time > before, time.abs_diff(before))) {
            Some((true, passed)) if passed > longest => elapsed.doubtful += longest,
            Some((true, passed)) => elapsed.credible += passed,
            _ => {}
        }
        latest = Some(latest.map_or(time, |before| before.max(time)));
    };
    let mut ends = Vec::with_capacity(segments.len());
    for (segment, seen) in segments {
        for time in times(&segment.path, seen.len()) {
            step(time, &mut elapsed);
        }
        if let Ok(written) = seen.modified() {
            step(since_epoch(written), &mut elapsed);
        }
        ends.push(elapsed);
    }
    step(now, &mut elapsed);
    let most_doubt = micros(keep / 2);
    let age = |end: ElapsedTime| {
        (elapsed.credible - end.credible) + (elapsed.doubtful - end.doubtful).min(most_doubt)
    };
    ends.into_iter().map(|end| Duration::from_micros(age(end))).collect()
}

/// The times of some records of a file, in their order. Unreadable records are skipped.
fn times(path: &Path, len: u64) -> Vec<i64> {
    let Ok(mut file) = File::open(path) else { return Vec::new() };
    let mut times = Vec::new();
    let mut buffer = vec![0; SAMPLE_BYTES];
    let mut last_offset = None;
    for sample in 0..SAMPLES {
        let offset = len / SAMPLES * sample;
        if last_offset.replace(offset) == Some(offset) || file.seek(SeekFrom::Start(offset)).is_err() {
            continue;
        }
        let Ok(count) = (&mut file).take(SAMPLE_BYTES as u64).read(&mut buffer) else { continue };
        let bytes = &buffer[..count];
        let line = match offset {
            0 => Some(bytes),
            _ => bytes.iter().position(|byte| *byte == b'\n').map(|at| &bytes[at + 1..]),
        };
        times.extend(line.and_then(time_of));
    }
    times
}

/// Parses the time of a line, which is near its start: `{"seq":7,"ts":1790000000000000,…`.
fn time_of(line: &[u8]) -> Option<i64> {
    const KEY: &[u8] = b"\"ts\":";
    const HEAD: usize = 64;
    let head = &line[..line.len().min(HEAD)];
    let at = head.windows(KEY.len()).position(|part| part == KEY)? + KEY.len();
    let digits = head[at..].iter().position(|byte| !byte.is_ascii_digit() && *byte != b'-')?;
    std::str::from_utf8(&head[at..at + digits]).ok()?.parse().ok()
}

fn since_epoch(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_micros()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_micros()).map_or(i64::MIN, |before| -before),
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    const KEEP: Duration = Duration::from_secs(90 * 24 * 60 * 60);

    /// The ages in days of segments whose records were written on these days, with a clock at `today`.
    fn ages_of(segments: &[&[i64]], today: i64) -> Vec<u64> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut times = Vec::new();
        for (number, days) in segments.iter().enumerate() {
            let segment = JournalSegment::new(folder.path(), number as u64 + 1);
            let lines: String = days
                .iter()
                .map(|day| format!("{{\"seq\":1,\"ts\":{},\"node\":\"n\"}}\n", day * 86_400_000_000))
                .collect();
            std::fs::write(&segment.path, lines).expect("written");
            let last = *days.last().expect("one");
            let file = File::options().write(true).open(&segment.path).expect("there");
            file.set_modified(UNIX_EPOCH + DAY * u32::try_from(last).expect("a day")).expect("set");
            let seen = std::fs::metadata(&segment.path).expect("there");
            times.push((segment, seen));
        }
        let now = UNIX_EPOCH + DAY * u32::try_from(today).expect("a day");
        ages(&times, now, KEEP).iter().map(|age| age.as_secs() / DAY.as_secs()).collect()
    }

    #[test]
    fn age_follows_the_record_times() {
        assert_eq!(ages_of(&[&[100, 104], &[106, 110], &[115]], 117), [13, 7, 2]);
    }

    #[test]
    fn wrong_clock_counts_as_one_step() {
        // The clock is a year ahead at startup.
        assert_eq!(ages_of(&[&[100, 104], &[106, 110]], 475), [13, 7]);
        // A record was written then, and the clock is still wrong at the next startup.
        assert_eq!(ages_of(&[&[100, 104], &[106, 475]], 476), [10, 1]);
        // The clock is right again: records from the future do not count.
        assert_eq!(ages_of(&[&[100, 104], &[106, 475], &[111]], 112), [8, 6, 1]);
        // Back by ten years.
        assert_eq!(ages_of(&[&[4000, 4004], &[4006, 350], &[351]], 352), [2, 2, 1]);
        // Repeated jumps ahead and back count once.
        assert_eq!(ages_of(&[&[100, 475], &[101, 476], &[102, 477]], 478), [3, 2, 1]);
    }

    #[test]
    fn clock_jumps_never_make_a_segment_too_old() {
        let jumps: Vec<i64> = (1..=200).map(|jump| 100 + jump * 400).collect();
        let starts: Vec<&[i64]> = jumps.chunks(1).collect();
        let segments = [&[&[100, 101][..]], &starts[..]].concat();
        let oldest = ages_of(&segments, 100 + 201 * 400)[0];
        assert_eq!(oldest, KEEP.as_secs() / DAY.as_secs() / 2);
        // Records with short steps are credible, however long the total is.
        let daily: Vec<i64> = (101..=300).collect();
        assert_eq!(ages_of(&[&[100], &daily], 300)[0], 200);
    }
}
