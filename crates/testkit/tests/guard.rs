//! Q18: nothing outlives a gateway that is killed, whatever its servers started and ignore.

#![cfg(target_os = "linux")]

use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use toolwright_mcp::guard::Guardian;
use toolwright_mcp::stdio::{ChildCommand, StartedChild, start};
use toolwright_mcp::{Ending, Event};
use toolwright_testkit::figures::{Gateway, NPX, has, stubborn};
use toolwright_testkit::servers::Programs;

const GUARDIAN: &str = env!("CARGO_BIN_EXE_guardian");
/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);
/// What is promised, and what a machine that does much else may add.
const PROMISED: Duration = Duration::from_secs(2);
const SLACK: Duration = Duration::from_secs(3);

fn programs() -> Programs {
    Programs { server: env!("CARGO_BIN_EXE_hostile-server").into(), guardian: GUARDIAN.into() }
}

fn gateway(name: &str, program: &str, args: &[&str]) -> Gateway {
    Gateway::start(&programs(), name, program, args)
}

fn killed(gateway: &mut Gateway) {
    let took = gateway.kill().expect("everything ends");
    assert!(took < PROMISED + SLACK, "{took:?}");
}

fn wait(what: &str, patience: Duration, mut is_done: impl FnMut() -> bool) {
    let deadline = Instant::now() + patience;
    while !is_done() {
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        sleep(Duration::from_millis(5));
    }
}

fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(pid.cast_signed()).expect("a process id");
    let _ = kill_process(pid, signal);
}

fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

#[test]
fn a_killed_gateway_leaves_no_shells_and_no_stubborn_server() {
    let mut gateway = gateway("tree", "sh", &["-c", &stubborn(&programs())]);
    gateway.wait_for(3);
    killed(&mut gateway);
    wait("the end of the guardian", PATIENCE, || !is_running(gateway.guardian));
}

#[test]
fn a_killed_gateway_leaves_no_tree_of_npx() {
    if !has("npx") {
        return;
    }
    let mut gateway = gateway("npx", "npx", &NPX);
    // npx itself, its shell where that stays, and node.
    wait("node", PATIENCE, || {
        let left = gateway.left();
        left.len() >= 2 && left.iter().any(|(_, command)| command.starts_with("node -e"))
    });
    killed(&mut gateway);
}

#[test]
fn what_left_its_group_is_found_when_the_gateway_is_killed_and_when_its_server_ends() {
    let script = "setsid sleep 3600 & exec sleep 3600";
    let mut first = gateway("setsid", "sh", &["-c", script]);
    first.wait_for(2);
    killed(&mut first);
    let gateway = gateway("setsid-end", "sh", &["-c", script]);
    gateway.wait_for(2);
    signal(gateway.server, Signal::KILL);
    gateway.wait_for(0);
}

#[test]
fn servers_outlive_a_killed_guardian_and_the_next_one_knows_them() {
    let mut gateway = gateway("killed", "sh", &["-c", &stubborn(&programs())]);
    gateway.wait_for(3);
    signal(gateway.guardian, Signal::KILL);
    wait("the end of the guardian", PATIENCE, || !is_running(gateway.guardian));
    // The next one bears another process id; the gateway is its parent.
    let tasks = format!("/proc/{0}/task", gateway.process.id());
    let children = || {
        let tasks = std::fs::read_dir(&tasks).into_iter().flatten().flatten();
        tasks.map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default()).collect()
    };
    wait("the next guardian", PATIENCE, || {
        let children: String = children();
        children.split_whitespace().any(|child| child != gateway.server.to_string())
            && !children.split_whitespace().any(|child| child == gateway.guardian.to_string())
    });
    sleep(Duration::from_millis(100));
    assert_eq!(gateway.left().len(), 3);
    killed(&mut gateway);
}

#[test]
fn an_orderly_end_takes_the_guardian_along() {
    let guardian = Guardian::start(GUARDIAN.into(), vec!["__guard".into()]).expect("it starts");
    let pid = guardian.pid().expect("it runs");
    assert!(is_running(pid));
    let name = || std::fs::read_to_string(format!("/proc/{pid}/comm")).expect("a name");
    wait("its name", PATIENCE, || name() == "tw-guardian\n");
    drop(guardian);
    wait("its end", PATIENCE, || !is_running(pid));
}

#[tokio::test]
async fn a_guarded_server_keeps_its_pid_its_exit_code_and_its_signal() {
    let guardian = Guardian::start(GUARDIAN.into(), vec!["__guard".into()]).expect("it starts");
    for (script, expected) in
        [("exit 7", Ending::Exited(7)), ("kill -9 $$", Ending::Killed(9)), ("exit 137", Ending::Exited(137))]
    {
        let command = ChildCommand {
            program: "sh".into(),
            args: vec!["-c".into(), format!("echo $$ >&2; {script}").into()],
            guardian: Some(guardian.clone()),
            ..ChildCommand::default()
        };
        let StartedChild { mut link, pid, .. } = start(&command).expect("it starts");
        let closed = loop {
            match link.events.recv().await.expect("an event") {
                Event::Closed(closed) => break closed,
                _ => continue,
            }
        };
        assert_eq!(closed.ending, expected, "{script}");
        assert_eq!(closed.stderr, pid.expect("a process id").to_string(), "{script}");
    }
}
