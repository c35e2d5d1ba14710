//! `cargo xtask bench start`: how large the program is, how soon it answers, and what it takes while nothing happens.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::print;
use crate::invocation::Invocation;
use crate::running::Running;
use crate::step::{Failure, announce};
use crate::workspace::Workspace;

const STEP: &str = "bench start";
/// How often each is started.
const STARTS: usize = 11;
/// After how long memory is looked at: by then everything that a start puts off has been done.
const AT_REST: Duration = Duration::from_secs(5);

/// Builds what ships, starts it, and prints what was seen.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    announce("bench start: build");
    workspace.cargo(["build", "--profile", "dist", "--package", "toolwright"]).run(STEP)?;
    let program = workspace.target().join("dist/toolwright");
    let size = fs::metadata(&program).map_err(|error| failed(&program, &error))?.len();
    announce("bench start: starts");
    let version = Invocation::new(&program, workspace.root()).arg("--version");
    let mut versions = Vec::new();
    let mut gateways = Vec::new();
    for number in 0..STARTS {
        let begin = Instant::now();
        version.read(STEP)?;
        versions.push(begin.elapsed());
        let begin = Instant::now();
        let gateway = Running::start(&gateway(workspace, &program, number)?, STEP)?;
        gateways.push(begin.elapsed());
        drop(gateway);
    }
    let resting = Running::start(&gateway(workspace, &program, STARTS)?, STEP)?;
    thread::sleep(AT_REST);
    let memory = resident_kib(resting.pid())
        .map_or("not told by this system".to_owned(), |kib| format!("{:.1} MB", kib as f64 / 1024.0));
    print(&format!(
        "size of the program                     {:.1} MB\n\
         `toolwright --version`, median of {STARTS}    {}\n\
         `toolwright serve` until it listens     {}\n\
         memory at rest                          {memory}",
        size as f64 / (1 << 20) as f64,
        median(versions),
        median(gateways),
    ))
}

/// A gateway on a port of its own whose state is new.
fn gateway(workspace: &Workspace, program: &Path, number: usize) -> Result<Invocation, Failure> {
    let folder = workspace.target().join(format!("bench/start/{number}"));
    // What an earlier run left is not part of this one; a folder that is not there is right already.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| failed(&folder, &error))?;
    let mut serve = Invocation::new(program, &folder).args(["serve", "--port", "0"]);
    for name in ["HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"] {
        serve = serve.env(name, &folder);
    }
    Ok(serve)
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(STEP, format!("{}: {error}", path.display()))
}

fn median(mut times: Vec<Duration>) -> String {
    times.sort();
    let middle = times.get(times.len() / 2).copied().unwrap_or_default();
    format!("{:.1} ms", middle.as_secs_f64() * 1e3)
}

fn resident_kib(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_in_the_middle_is_told() {
        let times = [9, 1, 3].map(Duration::from_millis).to_vec();
        assert_eq!(median(times), "3.0 ms");
    }
}
