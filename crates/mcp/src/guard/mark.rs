//! The mark that servers carry, and who bears it.

use rustix::process::Signal;

/// The variable that holds the mark. What a server starts inherits it.
pub const MARK: &str = "TOOLWRIGHT_CHILD";

/// Sends a signal to every process with such a mark, and counts them. Without a signal it only counts.
#[cfg(target_os = "linux")]
pub(super) fn signal(is_meant: impl Fn(&str) -> bool, signal: Option<Signal>) -> usize {
    use rustix::process::{Pid, PidfdFlags, pidfd_open, pidfd_send_signal};

    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let bears = |pid: i32| of(pid).is_some_and(|mark| is_meant(&mark));
    let mut count = 0;
    for pid in pids.filter(|pid| bears(*pid)) {
        count += 1;
        let Some(signal) = signal else { continue };
        // The number may be another process's by now: what is held open cannot change any more.
        let held = Pid::from_raw(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        if let Some(held) = held.filter(|_| bears(pid)) {
            let _ = pidfd_send_signal(held, signal);
        }
    }
    count
}

/// Other systems do not show the environment of a process.
#[cfg(not(target_os = "linux"))]
pub(super) fn signal(_: impl Fn(&str) -> bool, _: Option<Signal>) -> usize {
    0
}

/// The mark of a process; none when it has ended, is another user's or bears none.
#[cfg(target_os = "linux")]
fn of(pid: i32) -> Option<String> {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mut variables = environment.split(|byte| *byte == 0);
    let value = variables.find_map(|variable| variable.strip_prefix(MARK.as_bytes())?.strip_prefix(b"="))?;
    str::from_utf8(value).ok().map(str::to_owned)
}
