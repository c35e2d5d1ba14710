//! The first process of a container: PID 1 inherits every process whose parent has ended, and must collect it when it ends.
//!
//! Servers that are started by `npx` or `uvx` leave such processes. So a program that is PID 1 starts itself once more,
//! passes signals on to that process, collects whatever ends, and ends with it. Nothing else may wait for children here,
//! which is why the gateway is a process of its own.

use std::io::IsTerminal;
use std::process::{Child, Command, ExitCode};

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, wait};
use tokio::signal::unix::{SignalKind, signal};

/// What a shell adds to the number of the signal that ended a process.
const ENDED_BY_SIGNAL: i32 = 128;

/// Runs the program in a process of its own when this one is PID 1; `None` when it is not.
pub fn run() -> Option<ExitCode> {
    if std::process::id() != 1 {
        return None;
    }
    let own = std::env::current_exe().ok()?;
    let child = Command::new(own).args(std::env::args_os().skip(1)).spawn().ok()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let code = runtime.block_on(tend(&child));
    Some(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// Passes signals on and collects what ends, until the child does. Returns its exit code.
async fn tend(child: &Child) -> i32 {
    let main = Pid::from_child(child);
    let listen = |kind| signal(kind).ok();
    let (mut ended, mut terminate) = (listen(SignalKind::child()), listen(SignalKind::terminate()));
    let (mut interrupt, mut hangup) = (listen(SignalKind::interrupt()), listen(SignalKind::hangup()));
    // A terminal sends an interrupt to the child as well.
    let is_told = std::io::stdin().is_terminal();
    loop {
        if let Some(code) = collect(main) {
            return code;
        }
        tokio::select! {
            () = next(&mut ended) => {}
            () = next(&mut terminate) => pass_on(main, Signal::TERM),
            () = next(&mut interrupt) => if !is_told { pass_on(main, Signal::INT) },
            () = next(&mut hangup) => pass_on(main, Signal::HUP),
        }
    }
}

async fn next(signal: &mut Option<tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

fn pass_on(main: Pid, signal: Signal) {
    // It has ended when this fails, and is collected next.
    let _ = kill_process(main, signal);
}

/// Collects every process that has ended. The exit code of the child when it is among them.
fn collect(main: Pid) -> Option<i32> {
    while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
        if pid == main {
            return Some(code(status));
        }
    }
    None
}

fn code(status: WaitStatus) -> i32 {
    let by_signal = status.terminating_signal().map(|signal| ENDED_BY_SIGNAL + signal);
    status.exit_status().or(by_signal).unwrap_or(1)
}
