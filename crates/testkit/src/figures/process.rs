//! What a process uses, as Linux tells it.

use std::fs;

/// What was read of one process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Memory that is in use, in KiB.
    pub rss_kib: u64,
    /// The most that was ever in use, in KiB.
    pub peak_kib: u64,
    /// Its threads.
    pub threads: u64,
    /// Its open files.
    pub files: usize,
    /// Its children, zombies included.
    pub children: usize,
}

impl Usage {
    /// Of this process.
    pub fn own() -> Usage {
        Usage::of(std::process::id())
    }

    /// Of any process of ours; nothing when it is gone.
    pub fn of(pid: u32) -> Usage {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.and_then(|value| value.split_whitespace().next()?.parse().ok()).unwrap_or(0)
        };
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let children = tasks.map(|task| {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            children.split_whitespace().count()
        });
        Usage {
            rss_kib: number("VmRSS"),
            peak_kib: number("VmHWM"),
            threads: number("Threads"),
            files: fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count),
            children: children.sum(),
        }
    }
}
