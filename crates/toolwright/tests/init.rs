//! The program as PID 1 of a container: it collects what servers leave behind, and ends when it is asked to.

#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};

use serde_json::json;

use crate::gateway::{Home, until};

/// How a process is started as PID 1, where the machine lets a test do that.
const CONTAINER: &[&str] = &["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];

/// The processes whose parent is this one, each with its state.
fn children(parent: u32) -> Vec<(u32, char)> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter_map(|id| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let (_, rest) = stat.rsplit_once(") ")?;
        let mut fields = rest.split(' ');
        let state = fields.next()?.chars().next()?;
        (fields.next()?.parse::<u32>().ok()? == parent).then_some((id, state))
    })
    .collect()
}

#[test]
fn as_pid_1_it_collects_orphans_and_passes_the_end_on() {
    let may = Command::new("unshare").args(CONTAINER).arg("true").stderr(Stdio::null()).status();
    if !may.is_ok_and(|status| status.success()) {
        eprintln!("skipped: this machine allows no namespaces");
        return;
    }
    let home = Home::new();
    let starts = home.path().join("starts");
    let script = format!("echo x >> {}; (setsid sleep 0.3 &); sleep 0.1; exit 1", starts.display());
    let servers = json!({ "mcpServers": { "leaves": { "command": "sh", "args": ["-c", script] } } });
    let file = home.put("toolwright.json", &servers.to_string());
    let plain = home.command(&["servers", "watch", "--config", &file.display().to_string()]);
    let mut command = Command::new("unshare");
    command.args(CONTAINER).arg(plain.get_program()).args(plain.get_args()).current_dir(home.work());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut outer = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let count = || std::fs::read_to_string(&starts).unwrap_or_default().lines().count();
    until("the second start", || count() >= 2);
    let first = children(outer.id()).first().expect("the first process of the container").0;
    // The process of the first start has ended by now, and its parent long before.
    until("no dead process is left", || children(first).iter().all(|(_, state)| *state != 'Z'));
    assert!(!children(first).is_empty(), "the gateway is a process of its own");
    let status = Command::new("kill").args(["-TERM", &first.to_string()]).status().expect("kill");
    assert!(status.success());
    // The exit code of a program that SIGTERM ended, told on.
    assert_eq!(outer.wait().expect("it ends").code(), Some(143));
}
