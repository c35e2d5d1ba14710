//! What is left of the servers of a gateway that is killed.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{Figure, Times, Usage};
use crate::servers::{PATIENCE, Programs};

/// A variable that every process of one gateway inherits.
const TEST: &str = "TOOLWRIGHT_TEST";
/// What is promised.
const PROMISED: Duration = Duration::from_secs(2);

/// A gateway process with one server and a guardian. What is left of it is killed when it is dropped.
pub struct Gateway {
    /// The process itself.
    pub process: Child,
    /// The process id of its guardian.
    pub guardian: u32,
    /// The process id of its server.
    pub server: u32,
    name: String,
}

impl Gateway {
    /// Starts one; its name tells its processes from those of others.
    pub fn start(programs: &Programs, name: &str, program: &str, args: &[&str]) -> Gateway {
        let name = format!("{name}-{}", std::process::id());
        let mut process = Command::new(&programs.guardian)
            .arg("hold")
            .arg(program)
            .args(args)
            .env(TEST, &name)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the gateway starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("its stdout");
        BufReader::new(stdout).read_line(&mut line).expect("its first line");
        let mut pids = line.split_whitespace().map(|pid| pid.parse().expect("a process id"));
        let (guardian, server) = (pids.next().expect("a guardian"), pids.next().expect("a server"));
        Gateway { process, guardian, server, name }
    }

    /// Every process of it that runs, with its command line; without the gateway itself.
    pub fn left(&self) -> Vec<(u32, String)> {
        let wanted = format!("{TEST}={}", self.name);
        let pids = std::fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| {
            entry.ok()?.file_name().to_str()?.parse::<u32>().ok().filter(|pid| *pid != self.process.id())
        });
        pids.filter_map(|pid| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
            let bears = environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes());
            let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            bears.then(|| (pid, String::from_utf8_lossy(&command).replace('\0', " ")))
        })
        .collect()
    }

    /// Waits until so many of them run.
    pub fn wait_for(&self, count: usize) {
        assert!(waits(PATIENCE, || self.left().len() == count), "not {count} but {:?}", self.left());
    }

    /// Kills the gateway with SIGKILL; says how long anything was left.
    pub fn kill(&mut self) -> Option<Duration> {
        let begin = Instant::now();
        self.process.kill().expect("killed");
        self.process.wait().expect("gone");
        waits(PATIENCE, || self.left().is_empty()).then(|| begin.elapsed())
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        for (pid, _) in self.left() {
            let _ = Pid::from_raw(pid.cast_signed()).map(|pid| kill_process(pid, Signal::KILL));
        }
    }
}

fn waits(patience: Duration, is_done: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + patience;
    while !is_done() {
        if Instant::now() >= deadline {
            return false;
        }
        sleep(Duration::from_millis(5));
    }
    true
}

/// A shell in a shell with a server that ignores SIGTERM and the end of its stdin.
pub fn stubborn(programs: &Programs) -> String {
    format!("sh -c 'trap \"\" TERM; \"{}\" --ignore-end; :'; :", programs.server.display())
}

/// Whether a program can be run.
pub fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// `node`, started by a shell, started by `npx`; it ignores SIGTERM and the end of its stdin.
pub const NPX: [&str; 4] = [
    "--offline",
    "--yes",
    "-c",
    "node -e \"process.on('SIGTERM', () => {}); process.stdin.resume(); setInterval(() => {}, 1000)\"",
];

/// Q18: gateways that are killed, each with a tree of processes that ignore everything else.
pub fn orphans(programs: &Programs, rounds: usize) -> Figure {
    let mut figure = Figure::new(
        "Q18",
        format!("{rounds} gateways killed, each with a tree that ignores SIGTERM and EOF"),
    );
    let tree = stubborn(programs);
    let escaped = "setsid sleep 3600 & exec sleep 3600";
    let mut kinds: Vec<(&str, &str, Vec<&str>, usize)> =
        vec![("sh", "sh", vec!["-c", &tree], 3), ("setsid", "sh", vec!["-c", escaped], 2)];
    if has("npx") {
        kinds.push(("npx", "npx", NPX.to_vec(), 2));
    } else {
        figure.see("without npx: it is not installed");
    }
    let mut times = Times::default();
    let mut guardian = Usage::default();
    for round in 0..rounds {
        let (name, program, args, processes) = &kinds[round % kinds.len()];
        let mut gateway = Gateway::start(programs, &format!("{name}-{round}"), program, args);
        let is_grown = waits(PATIENCE, || {
            let left = gateway.left();
            left.len() >= *processes
                && (*name != "npx" || left.iter().any(|(_, line)| line.starts_with("node -e")))
        });
        figure.must(is_grown, || format!("{name}: the tree did not grow"));
        guardian = Usage::of(gateway.guardian);
        let took = gateway.kill();
        figure.must(took.is_some(), || format!("{name}: left are {:?}", gateway.left()));
        times.add(took.unwrap_or(PATIENCE));
    }
    figure.see(format!("until nothing was left: {times}"));
    figure.see(format!("a guardian: {} KiB in memory, {} threads", guardian.rss_kib, guardian.threads));
    figure.should("0 orphans after 2 s", times.most() <= PROMISED);
    figure
}
