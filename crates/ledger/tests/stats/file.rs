//! `normalizer_stats.json` and the part files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolwright_ledger::Record;
use toolwright_ledger::stats::{NormalizerStats, Stats, StatsFile, StatsFileError};

use super::records::{call, changed};

fn open(folder: &Path, node: &str) -> (Arc<Stats>, StatsFile) {
    let stats = Arc::new(Stats::default());
    let (file, _) = StatsFile::open(folder, node, Arc::clone(&stats)).expect("it opens");
    (stats, file)
}

fn on_disk(folder: &Path) -> NormalizerStats {
    let bytes = fs::read(StatsFile::path(folder)).expect("there is a file");
    serde_json::from_slice(&bytes).expect("it can be read")
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("there is a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.to_string_lossy().ends_with(ending)).collect()
}

#[test]
fn counts_continue_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    for round in 1..=3 {
        let (stats, file) = open(folder.path(), "a");
        stats.observe(&changed("edit", "r1", "param_alias"));
        file.flush().expect("it is written");
        assert_eq!(stats.snapshot().total.processed, round);
        assert_eq!(on_disk(folder.path()).by_rule["r1"].hits, round);
    }
    let all = fs::read_dir(folder.path()).expect("there is a folder").count();
    assert_eq!(all, 4, "the file, its lock, one part and its lock");
}

#[cfg(unix)]
#[test]
fn stats_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("not/there/yet");
    let _open = open(&inside, "a");
    for entry in fs::read_dir(&inside).expect("there is a folder") {
        let seen = entry.expect("an entry");
        let mode = seen.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", seen.path().display());
    }
}

#[test]
fn processes_on_one_folder_do_not_overwrite_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let running: Vec<_> = ["a", "a", "b", "host/with:odd signs"].map(|node| open(folder.path(), node)).into();
    for round in 0..3 {
        for (number, (stats, file)) in running.iter().enumerate() {
            for _ in 0..=number {
                stats.observe(&call("read"));
            }
            file.flush().expect("it is written");
            let expected = round * 10 + [1, 3, 6, 10][number];
            assert_eq!(on_disk(folder.path()).total_processed, expected);
        }
    }
    assert_eq!(running[0].1.sum().expect("it can be added up").total_processed, 30);
    assert_eq!(files(folder.path(), ".part.json").len(), 4);
    drop(running);

    // They start again, in another order and fewer of them.
    let (stats, _file) = open(folder.path(), "b");
    assert_eq!(stats.snapshot().total.processed, 9, "its own");
    assert_eq!(on_disk(folder.path()).total_processed, 30);
    let (first, _file) = open(folder.path(), "a");
    assert_eq!(first.snapshot().total.processed, 3);
    assert_eq!(on_disk(folder.path()).total_processed, 30);
}

#[test]
fn parts_of_exited_processes_are_absorbed() {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..80 {
        let (stats, file) = open(folder.path(), &format!("node{number}"));
        stats.observe(&changed("read", "r1", "param_alias"));
        file.flush().expect("it is written");
        assert_eq!(on_disk(folder.path()).total_processed, number + 1);
    }
    let parts = files(folder.path(), ".part.json").len();
    assert!(parts <= 65, "{parts} parts");
    assert_eq!(files(folder.path(), ".part.lock").len(), parts);
}

#[test]
fn absorbed_part_does_not_count_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = tempfile::tempdir().expect("a folder");
    for number in 0..64 {
        let (stats, file) = open(folder.path(), &format!("node{number}"));
        stats.observe(&call("read"));
        file.flush().expect("it is written");
    }
    for part in files(folder.path(), ".part.json") {
        fs::copy(&part, kept.path().join(part.file_name().expect("a name"))).expect("it is copied");
    }
    drop(open(folder.path(), "taker"));
    assert_eq!(files(folder.path(), ".part.json").len(), 1);
    // As if the process had been killed before it removed them.
    for part in files(kept.path(), ".part.json") {
        fs::copy(&part, folder.path().join(part.file_name().expect("a name"))).expect("it is copied");
    }
    let (_, file) = open(folder.path(), "somebody");
    assert_eq!(file.sum().expect("it can be added up").total_processed, 64);
    assert_eq!(on_disk(folder.path()).total_processed, 64);
}

#[test]
fn counts_of_another_program_are_continued() {
    let folder = tempfile::tempdir().expect("a folder");
    let theirs = r#"{
        "total_processed": 7, "total_normalized": 3, "last_updated": "2026-03-16T10:00:00.5+01:00", "unknown": {},
        "by_tool": {"edit_file": {"processed": 5, "normalized": 3}, "read_file": {"processed": 2, "normalized": 0}},
        "by_rule": {"edit-old_str": {"rule_id": "edit-old_str", "type": "param_alias", "hits": 3, "tools": null}},
        "recent_normalizations": [{"ts": "2026-03-16T10:00:00+01:00", "tool": "edit_file",
            "applied": [{"rule_id": "edit-old_str", "type": "param_alias", "param": "old_str", "from": "old_str",
                "to": "old_text"}]}]
    }"#;
    fs::write(StatsFile::path(folder.path()), theirs).expect("it is written");
    for expected in [8, 9] {
        let (stats, file) = open(folder.path(), "a");
        stats.observe(&changed("edit_file", "edit-old_str", "param_alias"));
        file.flush().expect("it is written");
        let stats_on_disk = on_disk(folder.path());
        assert_eq!(stats_on_disk.total_processed, expected);
        assert_eq!(stats_on_disk.by_tool["edit_file"].processed, expected - 2);
        assert_eq!(stats_on_disk.by_rule["edit-old_str"].hits, expected - 4);
        assert_eq!(stats_on_disk.recent_normalizations[0].ts, "2026-03-16T09:00:00Z");
        assert_eq!(stats_on_disk.recent_normalizations.len() as u64, expected - 6);
    }
}

#[test]
fn counts_saturate() {
    let folder = tempfile::tempdir().expect("a folder");
    let most = u64::MAX;
    let theirs = format!(
        r#"{{"total_processed": {most}, "total_normalized": {most},
            "by_tool": {{"edit": {{"processed": {most}, "normalized": {most}}}}},
            "by_rule": {{"r1": {{"rule_id": "r1", "type": "param_alias", "hits": {most}}}}}}}"#
    );
    fs::write(StatsFile::path(folder.path()), theirs).expect("it is written");
    for server in ["one", "two"] {
        let (stats, file) = open(folder.path(), "a");
        let record = Record { server: Some(server.to_owned()), ..changed("edit", "r1", "param_alias") };
        stats.observe(&record);
        file.flush().expect("it is written");
        let stats_on_disk = on_disk(folder.path());
        assert_eq!((stats_on_disk.total_processed, stats_on_disk.total_normalized), (most, most));
        assert_eq!(
            (stats_on_disk.by_tool["edit"].processed, stats_on_disk.by_tool["edit"].normalized),
            (most, most)
        );
        assert_eq!(stats_on_disk.by_rule["r1"].hits, most);
        assert_eq!(stats.normalizer(jiff::Timestamp::now()).by_tool["edit"].processed, most);
    }
}

#[test]
fn null_and_missing_fields_are_empty() {
    let read: NormalizerStats = serde_json::from_str(
        r#"{"by_tool":null,"by_rule":null,"recent_normalizations":[{"tool":"x","applied":null}]}"#,
    )
    .expect("it can be read");
    assert_eq!(read.recent_normalizations.len(), 1);
    let other: NormalizerStats =
        serde_json::from_str(r#"{"total_processed":0,"recent":[]}"#).expect("it can be read");
    assert_eq!(other, NormalizerStats::default());
}

#[test]
fn broken_files_are_set_aside_and_counting_continues() {
    let folder = tempfile::tempdir().expect("a folder");
    let (stats, file) = open(folder.path(), "a");
    for _ in 0..5 {
        stats.observe(&call("read"));
    }
    file.flush().expect("it is written");
    drop((stats, file));

    // The part: its counts are still in the common file.
    let part = files(folder.path(), ".part.json").remove(0);
    fs::write(&part, "{\"id\":\"a\",\"stats\":{\"total\":{\"proc").expect("it is written");
    let stats = Arc::new(Stats::default());
    let (file, restored) = StatsFile::open(folder.path(), "a", Arc::clone(&stats)).expect("it opens");
    assert_eq!(restored.broken, files(folder.path(), ".broken"));
    assert_eq!((restored.broken.len(), restored.calls, restored.has_part), (1, 5, false));
    assert_eq!(on_disk(folder.path()).by_tool["read"].processed, 5);
    drop((stats, file));

    // The common file: it is the sum of the parts.
    fs::write(StatsFile::path(folder.path()), b"\0\0\0\0").expect("it is written");
    let (stats, _file) = open(folder.path(), "a");
    assert_eq!(stats.snapshot().total.processed, 5);
    assert_eq!(on_disk(folder.path()).total_processed, 5);
    assert_eq!(files(folder.path(), ".broken").len(), 2);
}

#[test]
fn broken_part_loses_no_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let (ended, file) = open(folder.path(), "ended");
    for _ in 0..4 {
        ended.observe(&call("read"));
    }
    file.flush().expect("it is written");
    drop((ended, file));
    let (stats, file) = open(folder.path(), "a");
    stats.observe(&call("read"));
    let part = folder.path().join("normalizer_stats.ended.part.json");
    fs::write(&part, "").expect("it is written");
    stats.observe(&call("read"));
    file.flush().expect("it is written");
    assert_eq!(on_disk(folder.path()).by_tool["read"].processed, 6);

    // Its owner is running: the sum is unknown until it rewrites its part.
    let (alive, alive_file) = open(folder.path(), "alive");
    alive.observe(&call("read"));
    alive_file.flush().expect("it is written");
    fs::write(folder.path().join("normalizer_stats.alive.part.json"), "").expect("it is written");
    assert!(matches!(file.flush(), Err(StatsFileError::Unreadable { .. })));
    assert_eq!(on_disk(folder.path()).total_processed, 7);
    alive_file.flush().expect("it is written");
    file.flush().expect("it is written again");
    assert_eq!(on_disk(folder.path()).total_processed, 7);
}

#[test]
fn folder_creation_failure_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let in_the_way = folder.path().join("file");
    fs::write(&in_the_way, "").expect("it is written");
    let error = StatsFile::open(&in_the_way, "a", Arc::default()).expect_err("it is no folder");
    assert!(error.to_string().contains("file"), "{error}");
}

#[test]
fn temporary_files_of_a_kill_are_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("normalizer_stats.json.new"), "{\"tot").expect("it is written");
    fs::write(folder.path().join("other.new"), "").expect("it is written");
    let _open = open(folder.path(), "a");
    assert_eq!(files(folder.path(), ".new").len(), 1, "only ours");
}

#[tokio::test(start_paused = true)]
async fn one_second_interval_loses_less_than_a_second() {
    let folder = tempfile::tempdir().expect("a folder");
    let (stats, file) = open(folder.path(), "a");
    let stop = CancellationToken::new();
    let writing = tokio::spawn(Arc::new(file).run_every(Duration::from_secs(1), stop.clone()));
    tokio::time::sleep(Duration::from_millis(500)).await;
    for second in 1..=20 {
        stats.observe(&call("read"));
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(on_disk(folder.path()).total_processed, second);
    }
    stop.cancel();
    writing.await.expect("it ends");
}

#[tokio::test(start_paused = true)]
async fn temporary_write_failure_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (stats, file) = open(&folder.path().join("logs"), "a");
    let stop = CancellationToken::new();
    let writing = tokio::spawn(Arc::new(file).run_every(Duration::from_secs(1), stop.clone()));
    stats.observe(&call("read"));
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    fs::rename(folder.path().join("logs"), folder.path().join("away")).expect("it is moved");
    stats.observe(&call("read"));
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(on_disk(&folder.path().join("away")).total_processed, 1);
    fs::rename(folder.path().join("away"), folder.path().join("logs")).expect("it is moved back");
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(on_disk(&folder.path().join("logs")).total_processed, 2);
    stop.cancel();
    writing.await.expect("it ends");
}
