//! `toolwright call` and what is around it: its time, its search engine, its log.

use crate::desk;
use crate::program;

use std::io::Read;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use desk::Desk;
use program::command;
use serde_json::{Value, json};

/// A server that takes requests and never answers.
fn silent_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || while stream.read(&mut [0; 1024]).is_ok_and(|read| read > 0) {});
        }
    });
    url
}

#[test]
fn a_call_ends_at_its_timeout() {
    let started = Instant::now();
    let mut command = command(&["call", "search_web", r#"{"query": "rust"}"#, "--timeout", "0.5", "--json"]);
    let output = command
        .env("TOOLWRIGHT_SEARCH", "searxng")
        .env("TOOLWRIGHT_SEARCH_URL", silent_server())
        .env("NO_PROXY", "127.0.0.1")
        .output()
        .expect("it runs");
    let took = started.elapsed();
    assert!(took >= Duration::from_millis(500) && took < Duration::from_secs(8), "{took:?}");
    assert_eq!(output.status.code(), Some(1));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["error"]["code"], "timeout");
    assert_eq!(answer["error"]["details"], "search_web was stopped after 500 ms without an answer");
    assert_eq!(answer["run"], true);
}

/// What the program says and its exit code when a shell starts it like this.
#[cfg(unix)]
fn in_a_shell(script: &str) -> (Option<i32>, String) {
    let mut shell = std::process::Command::new("sh");
    let output =
        shell.args(["-c", script, "sh", env!("CARGO_BIN_EXE_toolwright")]).output().expect("it runs");
    (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
}

#[test]
#[cfg(unix)]
fn too_few_open_files_are_an_error_in_words() {
    for limit in [6, 8, 10] {
        let (code, stderr) = in_a_shell(&format!("ulimit -n {limit}; exec \"$1\" call get_current_datetime"));
        assert_eq!(code, Some(3), "{limit}: {stderr}");
        assert!(stderr.starts_with("error: cannot start: Too many open files"), "{limit}: {stderr}");
        assert!(stderr.contains("\nfix: raise the limit of open files"), "{stderr}");
    }
}

#[test]
#[cfg(unix)]
fn arguments_without_end_are_not_read_to_the_end() {
    for sent in ["@/dev/zero", "@- </dev/zero"] {
        let (code, stderr) = in_a_shell(&format!("exec \"$1\" call read_file {sent}"));
        assert_eq!(code, Some(2), "{stderr}");
        assert!(
            stderr.contains("holds more than 16777216 bytes, the most that arguments can have"),
            "{stderr}"
        );
    }
}

#[test]
fn what_says_nothing_is_to_be_left_out() {
    let done = program::run(&["call", "get_current_datetime", r#"{"timezone": null}"#], "");
    assert_eq!(done.code, 1);
    let said = "- /timezone: an optional parameter that says nothing: leave it out (R8)";
    assert!(done.stderr.contains(said), "{}", done.stderr);
}

#[test]
fn a_tool_that_another_server_has_is_said_to_be_there() {
    let done = Desk::new().call(&["builtin/read_file", r#"{"path": "notes.md"}"#]);
    assert_eq!(done.code, 1);
    let said = "error: There is no tool read_file of builtin, but there is one called read_file without it.";
    assert!(done.stderr.starts_with(said), "{}", done.stderr);
}

#[test]
fn without_a_search_engine_the_way_to_one_is_told() {
    let mut command = command(&["call", "search_web", r#"{"query": "rust"}"#]);
    let output = command.env_remove("TOOLWRIGHT_SEARCH").output().expect("it runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(
        stderr.starts_with("error: web search is not set up: no search engine is configured."),
        "{stderr}"
    );
    assert!(!stderr.contains("network"), "{stderr}");
    assert!(stderr.contains("\nfix: set TOOLWRIGHT_SEARCH=duckduckgo; or "), "{stderr}");
}

#[test]
fn a_search_engine_that_cannot_be_used_fails_search_web_alone() {
    let desk = Desk::new();
    let root = desk.root();
    for (engine, url, why, fix) in [
        ("bing", "", "TOOLWRIGHT_SEARCH is \"bing\"", "fix: use searxng, brave, google or duckduckgo"),
        ("searxng", "", "TOOLWRIGHT_SEARCH_URL is not set", "fix: set TOOLWRIGHT_SEARCH_URL"),
        ("searxng", "ftp://a", "it must begin with http://", "fix: correct TOOLWRIGHT_SEARCH_URL"),
    ] {
        let run = |arguments: &[&str]| {
            let mut command = command(arguments);
            let command = command.env("TOOLWRIGHT_SEARCH", engine).env("TOOLWRIGHT_SEARCH_URL", url);
            let output = command.output().expect("it runs");
            (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
        };
        let read = run(&["call", "--root", &root, "read_file", r#"{"path": "notes.md"}"#]);
        assert_eq!(read, (Some(0), String::new()), "{engine} {url}");
        let (code, stderr) = run(&["tools"]);
        assert_eq!(code, Some(0), "{stderr}");
        assert!(stderr.starts_with("warning: search_web cannot be used: "), "{stderr}");
        let (code, searched) = run(&["call", "search_web", r#"{"query": "rust"}"#]);
        assert_eq!(code, Some(1), "{searched}");
        assert!(searched.starts_with("error: web search is not set up: the search engine"), "{searched}");
        for stderr in [stderr, searched] {
            assert!(stderr.contains(why), "{stderr}");
            assert_eq!(stderr.trim_end().lines().last(), Some(fix));
        }
    }
}

#[test]
fn the_log_goes_to_stderr_when_it_is_asked_for() {
    let desk = Desk::new();
    let root = desk.root();
    let mut command = command(&["call", "--root", &root, "read_file", r#"{"file_path": "notes.md"}"#]);
    let output = command.env("TOOLWRIGHT_LOG", "debug").output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "# Notes\nbuy milk\n");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("read_file") && stderr.contains("INFO"), "{stderr}");
}

#[test]
fn the_log_shows_the_beginning_of_long_values_only() {
    let desk = Desk::new();
    let long = "0123456789".repeat(20);
    let root = desk.root();
    let write = json!({"path": "long.txt", "content": long}).to_string();
    for (tool, sent) in [("write_to_file", write.as_str()), ("read_file", r#"{"path": "long.txt"}"#)] {
        let mut command = command(&["call", "--root", &root, tool, sent]);
        let output = command.env("TOOLWRIGHT_LOG", "trace").output().expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(&format!("{}… (160 more bytes)", &long[..40])), "{tool}: {stderr}");
        assert!(!stderr.contains(&long[..41]), "{tool}: {stderr}");
    }
}
