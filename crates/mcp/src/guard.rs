//! Nothing outlives us: a small process that ends what a gateway leaves behind when it is killed.
//!
//! A process that is killed with SIGKILL cannot end its servers, and a server that ignores the end of its
//! stdin stays for ever. So one [`Guardian`] stands beside us. It is told of every server's process
//! group through its stdin, and when that ends, for whatever reason we ended, it ends the groups. Servers
//! are still our own children, with their own pipes, process ids and exit codes: nothing goes through the
//! guardian.
//!
//! On Linux every server also carries a mark in its environment, which what it starts inherits. What left
//! the group (`setsid`) is found by it, and so is a server that was started in the moment of our death.
//! What takes the mark out of its environment and leaves the group is not found.

mod handle;
mod mark;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, BufRead};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

pub use handle::Guardian;
pub(crate) use handle::Watched;
pub use mark::MARK;

/// What is said to a guardian that has nothing left to do.
const DISMISSAL: &str = "bye\n";
/// The name of the process, so that who kills all that bears ours does not kill it too.
const NAME: &str = "tw-guardian";
/// How long servers may take to end by themselves once their stdin is closed.
const QUIET: Duration = Duration::from_millis(200);
/// When those that are left must end, counted from the same moment.
const KILL_AFTER: Duration = Duration::from_millis(900);
/// When the guardian goes, whatever is left: processes that even SIGKILL does not end yet.
const GIVE_UP_AFTER: Duration = Duration::from_secs(5);
/// How often it looks.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often in a row nothing must be found: a server may be between its start and its mark.
const CLEAN_LOOKS: u32 = 3;

/// The guardian itself: call this in a process of its own, with the arguments that [`Guardian::start`] adds.
/// It returns when the process that started it is gone and nothing of it is left.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args = args.into_iter();
    let (Some(mark), None) = (args.next().and_then(|mark| mark.into_string().ok()), args.next()) else {
        return ExitCode::from(2);
    };
    // Only Linux has this file, and only there names are given in this way.
    let _ = std::fs::write("/proc/self/comm", NAME);
    if let Some(groups) = listen(io::stdin().lock()) {
        end_all(&groups, &mark);
    }
    ExitCode::SUCCESS
}

/// Keeps the list of groups until nobody is left who could change it. `None` when it was sent away.
fn listen(orders: impl BufRead) -> Option<BTreeSet<i32>> {
    let mut groups = BTreeSet::new();
    for line in orders.lines() {
        let Ok(line) = line else { break };
        if line == DISMISSAL.trim_end() {
            return None;
        }
        match (line.split_at_checked(1), line.get(1..).and_then(|group| group.parse().ok())) {
            (Some(("+", _)), Some(group)) => groups.insert(group),
            (Some(("-", _)), Some(group)) => groups.remove(&group),
            // A line that was cut off when its writer died.
            _ => false,
        };
    }
    Some(groups)
}

fn end_all(groups: &BTreeSet<i32>, mark: &str) {
    let begin = Instant::now();
    let groups: Vec<Pid> = groups.iter().filter_map(|group| Pid::from_raw(*group)).collect();
    let of_ours = |found: &str| found.strip_prefix(mark).is_some_and(|rest| rest.starts_with('.'));
    let mut is_asked = false;
    let mut clean = 0;
    while begin.elapsed() < GIVE_UP_AFTER && clean < CLEAN_LOOKS {
        let living = groups.iter().any(|group| test_kill_process_group(*group).is_ok());
        let signal = match begin.elapsed() {
            elapsed if elapsed >= KILL_AFTER => Some(Signal::KILL),
            elapsed if elapsed >= QUIET && !is_asked => Some(Signal::TERM),
            _ => None,
        };
        is_asked |= signal.is_some();
        if let Some(signal) = signal {
            for group in &groups {
                // A group that is gone by now is what we want.
                let _ = kill_process_group(*group, signal);
            }
        }
        let marked = mark::signal(of_ours, signal);
        clean = if living || marked > 0 { 0 } else { clean + 1 };
        sleep(LOOK_EVERY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_groups_is_what_was_told_last() {
        let groups = |told: &str| {
            listen(told.as_bytes()).expect("it was not sent away").into_iter().collect::<Vec<i32>>()
        };
        assert_eq!(groups("+12\n+7\n-12\n+9\n"), [7, 9]);
        assert_eq!(groups(""), Vec::<i32>::new());
        // What a dying writer left half written names a group that it did not mean to, or none.
        assert_eq!(groups("+12\n-\n+\nx\n\n+x9\n"), [12]);
        assert_eq!(groups("+12\nby"), [12]);
        assert_eq!(listen(&b"+12\nbye\n"[..]), None);
    }

    #[test]
    fn wrong_arguments_are_refused() {
        let refused = format!("{:?}", ExitCode::from(2));
        assert_eq!(format!("{:?}", run([])), refused);
        assert_eq!(format!("{:?}", run(["a".into(), "b".into()])), refused);
    }
}
