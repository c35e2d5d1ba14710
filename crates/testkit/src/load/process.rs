//! What processes there are below one, and what they have used, as Linux tells it.

use std::fs;
use std::time::Duration;

/// How often Linux counts in a second, for programs.
const TICKS_PER_SECOND: u64 = 100;

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// `R`, `S`, `Z` …
    pub state: char,
    /// Its command line; empty for a zombie.
    pub command: String,
}

impl Process {
    /// Whether it has ended and nobody has asked for how.
    pub fn is_zombie(&self) -> bool {
        self.state == 'Z'
    }

    /// Whether it only looks after the others.
    pub fn is_guardian(&self) -> bool {
        self.command.contains("__guard")
    }
}

/// The children of a process, zombies included.
pub fn children(pid: u32) -> Vec<Process> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut pids: Vec<u32> = tasks
        .flat_map(|task| {
            let text = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>()
        })
        .collect();
    pids.sort_unstable();
    pids.into_iter().filter_map(process).collect()
}

fn process(pid: u32) -> Option<Process> {
    let fields = fields(pid)?;
    let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let command = String::from_utf8_lossy(&command).replace('\0', " ");
    Some(Process { pid, state: fields.first()?.chars().next()?, command })
}

/// The time of processors that a process has used, without its children.
pub fn cpu(pid: u32) -> Duration {
    let ticks = fields(pid).map_or(0, |fields| {
        // The 14th and the 15th of all; the first two are not among these.
        let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
        number(11) + number(12)
    });
    Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND)
}

/// The fields of its `stat` behind the name, which may hold anything.
fn fields(pid: u32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn children_are_found_and_time_is_counted() {
        let own = std::process::id();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep");
        let found = || children(own).into_iter().find(|process| process.pid == child.id());
        let begin = Instant::now();
        // It is us until it has become `sleep`.
        while found().is_none_or(|process| !process.command.starts_with("sleep 60")) {
            assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", found());
        }
        assert_eq!(found().map(|process| process.is_zombie()), Some(false));
        child.kill().expect("killed");
        let _ = child.wait();
        let before = cpu(own);
        while cpu(own) == before {
            assert!(begin.elapsed() < Duration::from_secs(60));
        }
    }
}
