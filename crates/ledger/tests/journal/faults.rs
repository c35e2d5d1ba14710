//! Q03: calls to the system that fail, by `strace`; Q22: a disk that is full, by a small `tmpfs`. Where one is not
//! there or not allowed, the test says so and passes.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::tempdir;
use toolwright_ledger::journal::{State, verify};

use crate::child::Running;
use crate::support::{open, read, record, segments, seqs, torn};

fn is_there(program: &str, words: &[&str]) -> bool {
    let ran = Command::new(program).args(words).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_there = ran.is_ok_and(|status| status.success());
    if !is_there {
        eprintln!("left out: {program} {words:?} does not work here");
    }
    is_there
}

fn has_strace() -> bool {
    is_there("strace", &["-f", "-qq", "-o", "/dev/null", "-e", "inject=fdatasync:error=EIO:when=1", "true"])
}

/// Runs a child whose n-th such call fails. What it said.
fn with_fault(
    call: &str,
    error: &str,
    when: u32,
    path: Option<&Path>,
    what: &str,
    folder: &Path,
) -> Vec<String> {
    // The folder is there before, so that only what is appended is counted.
    drop(open(folder));
    let (trace, inject) = (format!("trace={call}"), format!("inject={call}:error={error}:when={when}"));
    let mut before = vec!["strace", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
    let path = path.map(|path| path.to_str().expect("a name").to_owned());
    if let Some(path) = &path {
        before.extend(["-P", path]);
    }
    let (lines, is_well) = Running::start(&before, what, folder).end();
    assert!(is_well, "{call} {error} {when}: {lines:?}");
    lines
}

#[test]
fn q03_the_nth_sync_fails_and_nobody_is_told_that_it_went_well() {
    if !has_strace() {
        return;
    }
    for (call, error) in [("fdatasync", "EIO"), ("fdatasync", "ENOSPC"), ("fsync", "EIO")] {
        for when in 1..=7 {
            let folder = tempdir().unwrap();
            let said = with_fault(call, error, when, None, "six-power", folder.path());
            // Folders are synced once for each new segment: only the first record waits for that.
            let failing = if call == "fsync" && when > 1 { 7 } else { when };
            for number in 1..=6 {
                let how = if number == failing { "failed degraded" } else { "ok ok" };
                assert_eq!(said[number as usize - 1], format!("c{number} {how}"), "{call} {error} {when}");
            }
            let unsynced = u32::from(failing <= 6);
            let state = if failing == 6 { "degraded" } else { "ok" };
            assert_eq!(said[6], format!("end {state} lost 0 unsynced {unsynced}"), "{call} {error} {when}");
            let verified = verify(folder.path()).unwrap();
            assert_eq!((verified.records, verified.bad), (6, 0));
            // The file whose sync failed is given up, and the next says so.
            let files = segments(folder.path());
            assert_eq!(files.len(), if failing < 6 { 2 } else { 1 });
            if let Some(next) = files.get(1) {
                let text = fs::read_to_string(next).unwrap();
                assert!(text.contains(r#""why":"sync"}"#), "{text}");
            }
        }
    }
}

#[test]
fn q03_a_group_whose_sync_fails_is_told_so_to_the_last_one() {
    if !has_strace() {
        return;
    }
    for when in 1..=4 {
        let folder = tempdir().unwrap();
        let said = with_fault("fdatasync", "EIO", when, None, "group", folder.path());
        assert_eq!(said.len(), 64);
        let failed = said.iter().filter(|line| line.ends_with("failed")).count();
        let verified = verify(folder.path()).unwrap();
        assert_eq!((verified.records, verified.bad), (65, 0), "{failed} failed");
        // With the first sync fails all that was written when it ran; of later ones there may be none.
        assert!(when > 1 || failed > 0);
    }
}

#[test]
fn q03_the_nth_write_fails_and_only_that_record_is_missing_and_counted() {
    if !has_strace() {
        return;
    }
    for error in ["ENOSPC", "EIO"] {
        for when in 1..=7 {
            for what in ["six", "six-power"] {
                let folder = tempdir().unwrap();
                let first = folder.path().join(format!("{:020}.jsonl", 1));
                let said = with_fault("write", error, when, Some(&first), what, folder.path());
                for number in 1..=6 {
                    let how = if number == when { "failed degraded" } else { "ok ok" };
                    assert_eq!(
                        said[number as usize - 1],
                        format!("c{number} {how}"),
                        "{error} {when} {what}"
                    );
                }
                let lost = u64::from(when <= 6);
                let state = if when == 6 { "degraded" } else { "ok" };
                assert_eq!(said[6], format!("end {state} lost {lost} unsynced 0"));
                let (records, damage) = read(folder.path());
                let calls: Vec<String> = records.iter().map(|record| record.call.clone()).collect();
                let rest = (1..=6).filter(|number| *number != when).map(|number| format!("c{number}"));
                assert_eq!((calls, damage), (rest.collect(), vec![]), "{error} {when} {what}");
                // The next record tells of the one that is missing.
                let verified = verify(folder.path()).unwrap();
                assert_eq!((verified.bad, verified.lost), (0, u64::from(when < 6)));
            }
        }
    }
}

/// Runs a child on a disk of one MiB that ends with it.
fn on_a_small_disk(what: &str) {
    if !is_there("unshare", &["-rm", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/tmp"]) {
        return;
    }
    let folder = tempdir().expect("it works");
    let disk = folder.path().to_str().expect("it works");
    let mount = r#"mount -t tmpfs -o size=1m tmpfs "$0" && exec "$@""#;
    let (said, is_well) =
        Running::start(&["unshare", "-rm", "sh", "-c", mount, disk], what, folder.path()).end();
    assert!(is_well && said.iter().any(|line| line.starts_with("done")), "{said:?}");
}

#[test]
fn q22_a_full_disk_loses_nothing_unseen_and_writing_goes_on_with_room() {
    on_a_small_disk("full");
}

#[test]
fn q22_a_torn_end_on_a_full_disk_stays_until_there_is_room() {
    on_a_small_disk("full-torn");
}

#[test]
fn no_torn_end_comes_from_a_write_that_failed() {
    if !has_strace() {
        return;
    }
    let folder = tempdir().unwrap();
    let first = folder.path().join(format!("{:020}.jsonl", 1));
    with_fault("write", "EIO", 3, Some(&first), "six", folder.path());
    let (_, recovered) = open(folder.path());
    assert!(recovered.torn.is_none() && recovered.damage.is_none());
    assert!(torn(folder.path()).is_empty());
}

#[cfg(unix)]
#[test]
fn a_file_that_is_removed_while_it_is_written_is_replaced_at_once_and_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let (journal, _) = open(folder.path());
    for number in 0..3 {
        journal.append(record(&format!("before{number}"))).expect("written");
    }
    std::fs::remove_file(&segments(folder.path())[0]).expect("removed");
    for number in 0..5 {
        journal.append(record(&format!("after{number}"))).expect("written");
    }
    let health = journal.health();
    assert_eq!((health.lost, health.state), (3, State::Ok));
    assert!(health.last_error.is_some_and(|why| why.contains("was removed with 3 records")));
    let (records, _) = read(folder.path());
    assert_eq!(seqs(&records), [4, 5, 6, 7, 8]);
}
