//! Q03: failing system calls, by `strace`; Q22: a full disk, by a small `tmpfs`. Where one is missing or not allowed,
//! the test prints that and passes.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::tempdir;
use toolwright_ledger::journal::{State, verify};

use crate::child::ChildProcess;
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

/// Runs a child whose n-th such call fails. Returns its output.
fn with_fault(
    call: &str,
    error: &str,
    when: u32,
    path: Option<&Path>,
    what: &str,
    folder: &Path,
) -> Vec<String> {
    // The folder exists before, so that only appends are counted.
    drop(open(folder));
    let (trace, inject) = (format!("trace={call}"), format!("inject={call}:error={error}:when={when}"));
    let mut before = vec!["strace", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
    let path = path.map(|path| path.to_str().expect("a name").to_owned());
    if let Some(path) = &path {
        before.extend(["-P", path]);
    }
    let (lines, is_well) = ChildProcess::start(&before, what, folder).end();
    assert!(is_well, "{call} {error} {when}: {lines:?}");
    lines
}

#[test]
fn q03_failed_sync_is_never_reported_as_durable() {
    if !has_strace() {
        return;
    }
    for (call, error) in [("fdatasync", "EIO"), ("fdatasync", "ENOSPC"), ("fsync", "EIO")] {
        for when in 1..=7 {
            let folder = tempdir().unwrap();
            let lines = with_fault(call, error, when, None, "six-power", folder.path());
            // Folders are synced once for each new segment: only the first record waits for that.
            let failing = if call == "fsync" && when > 1 { 7 } else { when };
            for number in 1..=6 {
                let how = if number == failing { "failed degraded" } else { "ok ok" };
                assert_eq!(lines[number as usize - 1], format!("c{number} {how}"), "{call} {error} {when}");
            }
            let unsynced = u32::from(failing <= 6);
            let state = if failing == 6 { "degraded" } else { "ok" };
            assert_eq!(lines[6], format!("end {state} lost 0 unsynced {unsynced}"), "{call} {error} {when}");
            let verified = verify(folder.path()).unwrap();
            assert_eq!((verified.records, verified.bad), (6, 0));
            // The file whose sync failed is abandoned, and the next one states that.
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
fn q03_failed_group_sync_fails_every_waiting_record() {
    if !has_strace() {
        return;
    }
    for when in 1..=4 {
        let folder = tempdir().unwrap();
        let lines = with_fault("fdatasync", "EIO", when, None, "group", folder.path());
        assert_eq!(lines.len(), 64);
        let failed = lines.iter().filter(|line| line.ends_with("failed")).count();
        let verified = verify(folder.path()).unwrap();
        assert_eq!((verified.records, verified.bad), (65, 0), "{failed} failed");
        // The first failing sync fails everything that was written when it ran; later ones may have no records.
        assert!(when > 1 || failed > 0);
    }
}

#[test]
fn q03_failed_write_loses_and_counts_one_record() {
    if !has_strace() {
        return;
    }
    for error in ["ENOSPC", "EIO"] {
        for when in 1..=7 {
            for what in ["six", "six-power"] {
                let folder = tempdir().unwrap();
                let first = folder.path().join(format!("{:020}.jsonl", 1));
                let lines = with_fault("write", error, when, Some(&first), what, folder.path());
                for number in 1..=6 {
                    let how = if number == when { "failed degraded" } else { "ok ok" };
                    assert_eq!(
                        lines[number as usize - 1],
                        format!("c{number} {how}"),
                        "{error} {when} {what}"
                    );
                }
                let lost = u64::from(when <= 6);
                let state = if when == 6 { "degraded" } else { "ok" };
                assert_eq!(lines[6], format!("end {state} lost {lost} unsynced 0"));
                let (records, damage) = read(folder.path());
                let calls: Vec<String> = records.iter().map(|record| record.call.clone()).collect();
                let rest = (1..=6).filter(|number| *number != when).map(|number| format!("c{number}"));
                assert_eq!((calls, damage), (rest.collect(), vec![]), "{error} {when} {what}");
                // The next record contains the number of lost ones.
                let verified = verify(folder.path()).unwrap();
                assert_eq!((verified.bad, verified.lost), (0, u64::from(when < 6)));
            }
        }
    }
}

/// Runs a child on a disk of one MiB that exists as long as the child.
fn on_a_small_disk(what: &str) {
    if !is_there("unshare", &["-rm", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/tmp"]) {
        return;
    }
    let folder = tempdir().expect("it works");
    let disk = folder.path().to_str().expect("it works");
    let mount = r#"mount -t tmpfs -o size=1m tmpfs "$0" && exec "$@""#;
    let (lines, is_well) =
        ChildProcess::start(&["unshare", "-rm", "sh", "-c", mount, disk], what, folder.path()).end();
    assert!(is_well && lines.iter().any(|line| line.starts_with("done")), "{lines:?}");
}

#[test]
fn q22_full_disk_counts_losses_and_resumes() {
    on_a_small_disk("full");
}

#[test]
fn q22_torn_end_on_a_full_disk_stays() {
    on_a_small_disk("full-torn");
}

#[test]
fn failed_write_leaves_no_torn_end() {
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
fn removed_segment_is_replaced_and_counted() {
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
