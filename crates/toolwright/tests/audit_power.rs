//! Records that survive a loss of power: a call waits for the sync of its records, and nobody is told that a call went
//! well whose record is not safe. Syncs are made to fail and to take long by `strace`; where that is not there or not
//! allowed, the tests say so and pass.

#![cfg(unix)]

use crate::gateway;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gateway::{Gateway, Home, until};
use serde_json::{Value, json};

/// A gateway whose syncs of the journal do not go as they should.
struct Faulty {
    home: Home,
    gateway: Gateway,
}

fn has_strace() -> bool {
    let words = ["-D", "-f", "-qq", "-o", "/dev/null", "-e", "inject=fdatasync:error=EIO:when=1", "true"];
    let ran = Command::new("strace").args(words).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_there = ran.is_ok_and(|status| status.success());
    if !is_there {
        eprintln!("left out: strace does not work here");
    }
    is_there
}

/// What the gateway says on standard error is in the file `said`.
fn start(ledger: &Value, servers: &Value, fault: &str) -> Faulty {
    let home = Home::new();
    fs::write(home.work().join("a.txt"), "hello").expect("written");
    let file = json!({ "mcpServers": servers, "builtinTools": true, "ledger": ledger });
    let file = home.put("toolwright.json", &file.to_string());
    // Only syncs of the first file of the journal.
    let journal = home.path().join("state/toolwright/journal/main").join(format!("{:020}.jsonl", 1));
    let serve = home.command(&["serve", "--port", "0", "--json", "--config", &file.display().to_string()]);
    // With -D the gateway is our child, so that it ends with the test.
    let mut command = Command::new("strace");
    command.args(["-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync", "-e"]);
    command.arg(format!("inject=fdatasync:{fault}")).arg("-P").arg(journal);
    command.arg(serve.get_program()).args(serve.get_args());
    for (name, value) in serve.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.current_dir(home.work()).stderr(fs::File::create(home.path().join("said")).expect("a file"));
    let gateway = Gateway::of(&mut command);
    Faulty { home, gateway }
}

impl Faulty {
    fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        self.gateway.modern("/mcp/all", "tools/call", params).expect("a result")
    }

    fn files(&self, tool: &str) -> Value {
        self.call(&format!("builtin__files__{tool}"), json!({ "path": "a.txt" }))
    }

    fn has_file(&self) -> bool {
        self.home.work().join("a.txt").exists()
    }

    /// What a command says of the journal.
    fn audit(&self, arguments: &[&str]) -> String {
        self.home.run(&[&["audit"], arguments].concat()).1
    }
}

#[track_caller]
fn is_well(answer: &Value) {
    assert_ne!(answer["isError"], json!(true), "{answer}");
}

/// The call failed with these words.
#[track_caller]
fn says(answer: &Value, words: &str) {
    assert_eq!(answer["isError"], json!(true), "{answer}");
    assert!(answer.to_string().contains(words), "{answer}");
}

fn power(on_failure: &str) -> Value {
    json!({ "durability": "power", "onFailure": on_failure })
}

#[test]
fn an_answer_waits_for_the_sync_of_its_record() {
    if !has_strace() {
        return;
    }
    let slow = start(&power("block"), &json!({}), "delay_enter=1000000");
    let begun = Instant::now();
    is_well(&slow.files("read_file"));
    assert!(begun.elapsed() >= Duration::from_millis(900), "the answer came before the sync");
    // A call that changes something waits twice: for the record of its begin, and for that of its end.
    let begun = Instant::now();
    is_well(&slow.files("delete_file"));
    assert!(begun.elapsed() >= Duration::from_millis(1800), "the answer came before a sync");
    assert!(!slow.has_file());
}

#[test]
fn without_power_nothing_is_synced() {
    if !has_strace() {
        return;
    }
    // Every sync would fail, and there is none.
    let process = start(&json!({ "onFailure": "block" }), &json!({}), "error=EIO");
    is_well(&process.files("read_file"));
    is_well(&process.files("delete_file"));
    assert!(!process.has_file());
}

#[test]
fn a_call_whose_begin_is_not_safe_is_not_run() {
    if !has_strace() {
        return;
    }
    let faulty = start(&power("block"), &json!({}), "error=EIO:when=2");
    is_well(&faulty.files("read_file"));
    says(&faulty.files("delete_file"), "was not run");
    assert!(faulty.has_file());
    // The file whose sync failed is given up, and the next one works.
    is_well(&faulty.files("delete_file"));
    assert!(!faulty.has_file());
    let verified = faulty.audit(&["verify"]);
    assert!(verified.contains("main: whole, 5 records"), "{verified}");
}

#[test]
fn a_result_whose_record_is_not_safe_is_held_back_and_that_the_tool_has_run_is_said() {
    if !has_strace() {
        return;
    }
    let faulty = start(&power("block"), &json!({}), "error=EIO:when=1");
    let answer = faulty.files("read_file");
    says(&answer, "has run, and the record of this call is not safe");
    assert!(!answer.to_string().contains("hello"), "{answer}");
    is_well(&faulty.files("read_file"));

    let faulty = start(&power("block"), &json!({}), "error=ENOSPC:when=2");
    says(&faulty.files("delete_file"), "has run, and the record of this call is not safe");
    assert!(!faulty.has_file(), "it has run");
    let tail = faulty.audit(&["tail", "-n", "1"]);
    assert!(tail.contains("delete_file") && tail.contains("ok"), "{tail}");
}

#[test]
fn what_a_server_answered_is_held_back_too() {
    if !has_strace() {
        return;
    }
    let program = Path::new(env!("CARGO_BIN_EXE_toolwright")).with_file_name("hostile-server");
    assert!(program.exists(), "{} is missing: cargo build -p toolwright-testkit", program.display());
    let servers = json!({ "one": { "command": program, "args": ["--lists-habits"] } });
    let faulty = start(&power("block"), &servers, "error=EIO:when=2");
    until("the server is there", || {
        let listed = faulty.gateway.modern("/mcp/all", "tools/list", json!({})).expect("a list");
        listed.to_string().contains("one__crlf")
    });
    let call = || faulty.call("default__one__crlf", json!({ "text": "hello" }));
    let answer = call();
    says(&answer, "has run, and the record of this call is not safe");
    assert!(!answer.to_string().contains("hello"), "{answer}");
    is_well(&call());
}

#[test]
fn where_calls_are_allowed_without_records_the_result_is_given_out_and_the_log_tells() {
    if !has_strace() {
        return;
    }
    let faulty = start(&power("allow"), &json!({}), "error=EIO:when=1");
    is_well(&faulty.files("read_file"));
    let said: PathBuf = faulty.home.path().join("said");
    until("the log tells", || {
        fs::read_to_string(&said).unwrap_or_default().contains("the journal cannot be written")
    });
    is_well(&faulty.files("delete_file"));
    assert!(!faulty.has_file());
}
