//! `toolwright ask` as people and programs see it: the answer on standard output, calls on standard error, exit codes.

#![cfg(unix)]

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use toolwright_testkit::llm_upstream::{Ended, LlmUpstream, Said};

use crate::program::{Done, command};

/// Longer than anything here takes that does not hang.
const SOON: Duration = Duration::from_secs(60);

/// A folder with a note and a configuration, and a scripted model.
struct Desk {
    folder: TempDir,
    upstream: LlmUpstream,
    runtime: Runtime,
}

impl Desk {
    fn new(said: Vec<Said>) -> Desk {
        Desk::with(said, json!({}))
    }

    /// With more in the configuration.
    fn with(said: Vec<Said>, more: Value) -> Desk {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let upstream = runtime.block_on(LlmUpstream::start()).expect("a port");
        upstream.script("scripted", said);
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("desk")).expect("made");
        let desk = Desk { folder, upstream, runtime };
        std::fs::write(desk.path("desk/notes.md"), "# Notes\nbuy milk\n").expect("written");
        let mut configuration = json!({
            "llm": {"upstreams": {"local": {"kind": "openai", "url": format!("{}/v1", desk.upstream.url), "apiKey": "sk-1234567890"}}},
            "agent": {"model": "scripted"},
        });
        if let (Some(all), Value::Object(more)) = (configuration.as_object_mut(), more) {
            all.extend(more);
        }
        std::fs::write(desk.path("toolwright.json"), configuration.to_string()).expect("written");
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program, with a state of its own and nobody's keys.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(arguments);
        command
            .current_dir(self.path("desk"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("HOME", self.path("home"))
            .env_remove("ANTHROPIC_API_KEY")
            .env_remove("OPENAI_API_KEY")
            .env_remove("WORKBENCH_CONFIG")
            .env("OLLAMA_HOST", "127.0.0.1:9")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Done {
        let output = self.command(arguments).output().expect("it runs");
        Done {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    fn ask(&self, arguments: &[&str]) -> Done {
        let config = self.path("toolwright.json").display().to_string();
        self.run(&[&["ask", "--config", &config], arguments].concat())
    }

    /// What was printed and where, with the folder's own name left out.
    fn shown(&self, done: &Done) -> String {
        let text = format!("exit code {}\n--- stdout\n{}--- stderr\n{}", done.code, done.stdout, done.stderr);
        let real = std::fs::canonicalize(self.folder.path()).expect("a path").display().to_string();
        let address = self.upstream.url.trim_start_matches("http://");
        text.replace(&real, "ROOT")
            .replace(&self.folder.path().display().to_string(), "ROOT")
            .replace(address, "UPSTREAM")
    }
}

fn json_of(done: &Done) -> Value {
    assert_eq!(done.stdout.matches('\n').count(), 1, "one line: {}", done.stdout);
    serde_json::from_str(&done.stdout).expect("JSON")
}

fn reading() -> Vec<Said> {
    vec![
        Said::calls(&[("read_file", r#"{"file_path": "notes.md"}"#), ("get_current_dateime", "{}")])
            .after("Let me read it."),
        Said::text("You want to buy milk."),
    ]
}

#[test]
fn the_answer_is_printed_and_calls_are_shown_before_and_after() {
    let desk = Desk::new(reading());
    let done = desk.ask(&["What do I want to buy?"]);
    insta::assert_snapshot!(desk.shown(&done));
    let desk = Desk::new(reading());
    let quiet = desk.ask(&["What do I want to buy?", "--quiet"]);
    assert_eq!((quiet.stdout, quiet.stderr), (done.stdout, String::new()));
}

#[test]
fn a_program_gets_one_document() {
    let desk = Desk::new(reading());
    let done = desk.ask(&["What do I want to buy?", "--json", "--quiet"]);
    let mut told = json_of(&done);
    told["duration_ms"] = json!(0);
    for call in told["calls"].as_array_mut().expect("calls") {
        if let Some(time) = call.get_mut("duration_ms") {
            *time = json!(0);
        }
    }
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(serde_json::to_string_pretty(&told).expect("JSON"));
}

#[test]
fn a_question_can_come_from_standard_input_and_without_tools() {
    use std::io::Write;
    for arguments in
        [vec!["-", "--no-tools"], vec!["--no-tools"], vec!["@-", "--no-tools", "--system", "Be brief."]]
    {
        let desk = Desk::new(vec![Said::text("Twelve.")]);
        let config = desk.path("toolwright.json").display().to_string();
        let mut command = desk.command(&[vec!["ask", "--config", &config], arguments.clone()].concat());
        let mut child = command.stdin(Stdio::piped()).spawn().expect("it starts");
        child.stdin.take().expect("stdin").write_all(b"Three times four?\n").expect("read");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "Twelve.\n", "{arguments:?}");
        let asked = desk.upstream.exchanges()[0].asked.clone();
        assert!(asked.json("/tools").is_null() && asked.body.contains("Three times four?"), "{}", asked.body);
        assert_eq!(asked.body.contains("Be brief."), arguments.contains(&"Be brief."));
    }
}

#[test]
fn a_model_that_fails_is_told_with_its_reason() {
    let desk = Desk::new(vec![Said::error(429)]);
    insta::assert_snapshot!(desk.shown(&desk.ask(&["Hi.", "--no-tools"])));
    let desk = Desk::new(vec![Said::error(401)]);
    let done = desk.ask(&["Hi.", "--no-tools", "--json"]);
    let told = json_of(&done);
    assert_eq!((done.code, &told["error"]["code"], &told["model"]), (1, &json!("key"), &json!("scripted")));
    assert!(!done.stdout.contains("sk-1234567890"), "{}", done.stdout);
}

#[test]
fn what_is_missing_is_said_with_what_to_write() {
    let desk = Desk::new(Vec::new());
    // No configuration at all.
    let mut told = String::new();
    for arguments in [
        vec!["ask", "Hi.", "--no-tools"],
        vec!["ask", "Hi.", "--no-tools", "--model", "claude-3"],
        vec!["ask", "Hi.", "--no-tools", "--model", "gpt-4.1"],
        vec!["ask", "Hi.", "--no-tools", "--model", "qwen3:8b"],
        vec!["ask", "", "--no-tools"],
    ] {
        let done = desk.run(&arguments);
        told.push_str(&format!("$ toolwright {}\n{}\n", arguments.join(" "), desk.shown(&done)));
    }
    let wrong = desk.ask(&["Hi.", "--toolbox", "kitchen"]);
    told.push_str(&format!("$ toolwright ask Hi. --toolbox kitchen\n{}\n", desk.shown(&wrong)));
    let none = desk.ask(&["Hi.", "--must-call", "fly", "--tool", "read_file"]);
    told.push_str(&format!("$ toolwright ask Hi. --must-call fly --tool read_file\n{}", desk.shown(&none)));
    insta::assert_snapshot!(told);
}

#[test]
fn a_program_gets_one_document_also_when_nobody_can_be_asked() {
    let desk = Desk::new(Vec::new());
    let config = desk.path("toolwright.json").display().to_string();
    for (arguments, code, error, fix) in [
        (vec!["Hi.", "--no-tools"], 2, "no_model", "--model NAME"),
        (vec!["Hi.", "--no-tools", "--model", "claude-3"], 2, "key", "set ANTHROPIC_API_KEY"),
        (vec!["Hi.", "--toolbox", "kitchen", "--config", &config], 2, "no_toolbox", "--config FILE"),
        (vec!["Hi.", "--tool", "raed_file", "--config", &config], 2, "no_tool", "did you mean read_file"),
        (vec!["", "--no-tools"], 2, "no_question", "toolwright ask"),
        (vec!["@nowhere.txt", "--no-tools"], 3, "file", "check the path"),
        (vec!["Hi.", "--no-tools", "--model", "qwen3:8b"], 1, "broken", "start Ollama"),
        (vec!["Hi.", "--config", "none.json"], 2, "usage", ""),
    ] {
        let done = desk.run(&[vec!["ask", "--json"], arguments.clone()].concat());
        let told = json_of(&done);
        assert_eq!((done.code, told["error"]["code"].as_str()), (code, Some(error)), "{arguments:?} {told}");
        assert!(!told["error"]["message"].as_str().unwrap_or_default().is_empty(), "{told}");
        assert!(told["error"]["fix"].as_str().unwrap_or_default().contains(fix), "{told}");
        assert_eq!(told["calls"], json!([]));
        assert_eq!(done.stderr, "", "{arguments:?}");
    }
}

#[test]
fn a_tool_that_is_offered_by_a_wrong_name_is_told_with_the_nearest() {
    let desk = Desk::new(vec![Said::text("Fine.")]);
    let done = desk.ask(&["Hi.", "--tool", "raed_file"]);
    assert_eq!((done.code, done.stdout.as_str()), (2, ""));
    assert_eq!(
        done.stderr,
        "error: no tool is called \"raed_file\"\nfix: did you mean read_file? All of them: toolwright tools\n"
    );
    assert!(desk.upstream.exchanges().is_empty(), "nobody was asked");
    let none = desk.ask(&["Hi.", "--tool", "kitchen/*"]);
    assert!(none.code == 2 && none.stderr.contains("no tool is called \"kitchen/*\""), "{}", none.stderr);
    let done = desk.ask(&["Hi.", "--tool", "files/*", "--tool", "!files/delete_file"]);
    assert_eq!((done.code, done.stdout.as_str()), (0, "Fine.\n"), "{}", done.stderr);
}

#[test]
fn a_model_that_says_nothing_has_not_answered() {
    let desk = Desk::new(vec![Said::text("")]);
    let done = desk.ask(&["Hi.", "--no-tools"]);
    assert_eq!((done.code, done.stdout.as_str()), (1, "I have no answer to that.\n"));
    assert!(done.stderr.starts_with("error: the model ended without a word"), "{}", done.stderr);
    let desk = Desk::new(vec![Said::text("")]);
    let done = desk.ask(&["Hi.", "--no-tools", "--json"]);
    assert_eq!((done.code, &json_of(&done)["stop"]), (1, &json!("empty")));
}

#[test]
fn a_server_that_is_broken_is_told_and_the_others_are_used() {
    let broken = json!({"mcpServers": {"gone": {"command": "/nowhere/no-such-server"}}});
    let desk = Desk::with(reading(), broken);
    let done = desk.ask(&["What do I want to buy?"]);
    assert_eq!(done.stdout, "Let me read it.\nYou want to buy milk.\n");
    assert!(done.stderr.contains("warning: the server 'gone' cannot be used"), "{}", done.stderr);
    assert_eq!(done.code, 0);
}

#[test]
fn what_destroys_something_is_run_only_after_a_yes() {
    let deleting =
        || vec![Said::calls(&[("delete_file", r#"{"path": "notes.md"}"#)]), Said::text("Done, or not.")];
    let desk = Desk::new(deleting());
    let done = desk.ask(&["Delete my notes."]);
    insta::assert_snapshot!(desk.shown(&done));
    assert!(desk.path("desk/notes.md").exists());
    let desk = Desk::new(deleting());
    let done = desk.ask(&["Delete my notes.", "--yes"]);
    assert_eq!((done.code, done.stdout.as_str()), (0, "Done, or not.\n"));
    assert!(!desk.path("desk/notes.md").exists());
}

#[test]
fn everything_is_written_down_under_its_front() {
    let desk = Desk::new(reading());
    let config = desk.path("toolwright.json").display().to_string();
    assert_eq!(desk.run(&["ask", "What?", "--config", &config, "--quiet"]).code, 0);
    let done = desk.run(&["audit", "export"]);
    let records: Vec<Value> =
        done.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |kind: &str| -> Vec<&Value> {
        records
            .iter()
            .filter(|record| {
                record["front"] == "ask" && (record["kind"] == "exchange") == (kind == "exchange")
            })
            .collect()
    };
    assert_eq!(of("exchange").len(), 2, "{}", done.stdout);
    assert!(
        of("call").iter().any(|record| record["tool"] == "read_file" && record["server"] == "files"),
        "{}",
        done.stdout
    );
    assert_eq!(desk.run(&["audit", "verify"]).code, 0);
}

#[test]
fn ctrl_c_cancels_the_model_and_ends_with_130() {
    let desk = Desk::new(vec![Said::text("One two three four five six seven.").sent("hold=3")]);
    let config = desk.path("toolwright.json").display().to_string();
    let child =
        desk.command(&["ask", "Count.", "--no-tools", "--config", &config]).spawn().expect("it starts");
    desk.runtime.block_on(
        desk.upstream
            .until("it speaks", SOON, |all| all.first().is_some_and(|exchange| exchange.written > 0)),
    );
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("it runs");
    assert!(killed.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    desk.runtime
        .block_on(desk.upstream.until("the model is left", SOON, |all| {
            all.iter().all(|exchange| exchange.ended == Ended::Gone)
        }));
}

#[test]
fn rounds_and_time_have_their_flags() {
    let call = || Said::calls(&[("get_current_datetime", "{}")]);
    let desk = Desk::new(vec![call(), Said::text("As far as I know.")]);
    let told = json_of(&desk.ask(&["When?", "--max-rounds", "1", "--json", "--quiet"]));
    assert_eq!((&told["stop"], &told["rounds"]), (&json!("rounds"), &json!(2)));
    let desk = Desk::new(vec![Said::text("Late.").sent("slow=60000")]);
    let done = desk.ask(&["When?", "--timeout", "200ms", "--no-tools"]);
    assert_eq!((done.code, done.stdout.as_str()), (1, "I ran out of time before I had an answer.\n"));
}
