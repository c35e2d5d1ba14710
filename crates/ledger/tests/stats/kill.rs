//! Q04: the process is killed while it writes, many times.
//!
//! `TOOLWRIGHT_KILLS` sets how often (50; the full number is 1,000).

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use toolwright_ledger::stats::{NormalizerStats, Stats, StatsFile};

use super::records::changed;

const FOLDER: &str = "TOOLWRIGHT_STATS_KILLED_IN";
const NODE: &str = "TOOLWRIGHT_STATS_KILLED_AS";

/// The child process. It prints the count after each write.
#[test]
fn killed_child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let stats = Arc::new(Stats::default());
    let node = std::env::var(NODE).expect("a name");
    let (file, _) = StatsFile::open(Path::new(&folder), &node, Arc::clone(&stats)).expect("it opens");
    let mut stderr = std::io::stderr();
    loop {
        for _ in 0..3 {
            stats.observe(&changed("edit", "r1", "param_alias"));
        }
        let count = stats.summary().total.processed;
        file.flush().expect("it is written");
        writeln!(stderr, "written {count}").expect("the other one listens");
    }
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn q04_kill_while_writing_loses_nothing_written() {
    let kills: u64 =
        std::env::var("TOOLWRIGHT_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(50);
    let folder = tempfile::tempdir().expect("a folder");
    let mut before = 0;
    // Three processes share the folder, one after the other.
    let mut written = [0; 3];
    for kill in 0..kills {
        let child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "stats::kill::killed_child", "--nocapture", "--test-threads=1"])
            .env(FOLDER, folder.path())
            .env(NODE, format!("node{}", kill % 3))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut child = Killed(child);
        let mut lines = BufReader::new(child.0.stderr.take().expect("it is piped")).lines();
        // After the first write, the kill comes at a different moment each time.
        let first = lines.next().expect("it writes").expect("a line");
        std::thread::sleep(Duration::from_micros(kill * 7_919 % 15_000));
        child.0.kill().expect("it is killed");
        let rest: Vec<String> = lines.map_while(Result::ok).collect();
        written[kill as usize % 3] = rest
            .iter()
            .rev()
            .chain(std::iter::once(&first))
            .find_map(|line| line.strip_prefix("written ")?.parse().ok())
            .expect("it said how much was written");
        let acknowledged: u64 = written.iter().sum();

        let bytes = fs::read(StatsFile::path(folder.path())).expect("there is a file");
        let stats_on_disk: NormalizerStats = serde_json::from_slice(&bytes).expect("it can always be read");
        assert!(
            stats_on_disk.total_processed >= acknowledged,
            "kill {kill}: {stats_on_disk:?}, {acknowledged} were written"
        );
        assert!(stats_on_disk.total_processed >= before, "kill {kill}: counted backwards from {before}");
        assert!(stats_on_disk.total_processed <= acknowledged + 9, "kill {kill}: counted twice");
        assert_eq!(stats_on_disk.by_tool["edit"].processed, stats_on_disk.total_processed);
        assert_eq!(stats_on_disk.by_rule["r1"].hits, stats_on_disk.total_processed);
        before = stats_on_disk.total_processed;
    }
    assert!(before >= kills * 3);
}
