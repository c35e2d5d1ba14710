//! `toolwright demo`: a newcomer sees mistakes and repairs at once, and nothing of theirs is touched.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::gateway::{Gateway, Home, until};
use crate::pages::Browser;

/// Long enough for a slow machine; every test ends it sooner.
const LONG: &str = "120";

/// A user with a home of their own, in which nothing is.
struct Newcomer {
    home: Home,
}

impl Newcomer {
    fn new() -> Newcomer {
        let home = Home::new();
        std::fs::create_dir(home.path().join("tmp")).expect("a folder");
        Newcomer { home }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.home.command(arguments);
        command.env("TMPDIR", self.home.path().join("tmp")).stderr(Stdio::null());
        command
    }

    fn demo(&self, flags: &[&str]) -> Gateway {
        Gateway::of(&mut self.command(&[&["demo", "--json", "--for", LONG], flags].concat()))
    }

    /// The folders that a demo has.
    fn left(&self) -> Vec<PathBuf> {
        files_below(&self.home.path().join("tmp"))
    }

    /// What is in the home that the user did not put there.
    fn made(&self) -> Vec<PathBuf> {
        let known = [self.home.work().join("notes.md")];
        let tmp = self.home.path().join("tmp");
        files_below(self.home.path())
            .into_iter()
            .filter(|file| !known.contains(file) && !file.starts_with(&tmp))
            .collect()
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    paths.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

fn asked(demo: &Gateway, path: &str) -> Value {
    let answer = demo.send("GET", path, &demo.headers(), "");
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    serde_json::from_str(&answer.body).expect("JSON")
}

/// The codes of repairs that no rule asked for: they stand where rules have their id.
fn codes(demo: &Gateway) -> BTreeSet<String> {
    let stats = asked(demo, "/api/normalizer");
    let rules = stats["by_rule"].as_object().expect("rules");
    rules.values().filter(|rule| rule["type"] == "schema").map(|rule| rule["rule_id"].to_string()).collect()
}

#[test]
fn repairs_refusals_and_suggestions_come_by_themselves_and_are_marked_as_a_demo() {
    let newcomer = Newcomer::new();
    let mut demo = newcomer.demo(&["--listen", "127.0.0.1:0"]);
    assert_eq!(demo.said["demo"], json!(true));
    until("repairs of six kinds", || codes(&demo).len() >= 6);
    until("a suggestion", || {
        asked(&demo, "/api/suggestions")["suggestions"].as_array().is_some_and(|found| !found.is_empty())
    });
    until("patterns of errors", || {
        asked(&demo, "/api/error-patterns")["patterns"].as_array().is_some_and(|found| found.len() >= 3)
    });
    let refused = asked(&demo, "/api/operations?outcome=error&limit=100");
    let refused = refused.as_array().expect("calls");
    let is_refused =
        |call: &&Value| call["error_code"] == "invalid_arguments" || call["error_code"] == "refused";
    assert!(refused.iter().filter(is_refused).count() >= 3, "{refused:#?}");
    for call in asked(&demo, "/api/operations?limit=1000").as_array().expect("calls") {
        assert_eq!(call["client"], "demo", "{call}");
        assert!(call["tool"] != "search_web" && call["tool"] != "control_speaker_volume", "{call}");
    }

    let status = asked(&demo, "/api/status");
    assert_eq!((&status["demo"], &status["status"]), (&json!(true), &json!("ok")), "{status:#}");
    let browser = Browser::enter(&demo);
    for path in ["/", "/live", "/calls", "/normalizer", "/errors", "/rules", "/playground", "/about"] {
        assert!(browser.page(path).contains("Demo: made-up calls of a scripted model"), "{path}");
    }
    assert!(demo.send("GET", "/login", "", "").body.contains("Demo: made-up calls"), "before the login too");

    let line = newcomer.command(&["status", "--line"]).output().expect("it runs");
    let line = String::from_utf8(line.stdout).expect("UTF-8");
    assert!(line.contains(" · demo · "), "{line}");
    // The other commands, in the way that the demo says.
    let tail = newcomer
        .command(&["audit", "tail", "-n", "5"])
        .env("XDG_STATE_HOME", demo.said["stateHome"].as_str().expect("a folder"))
        .output()
        .expect("it runs");
    assert!(tail.status.success() && !tail.stdout.is_empty(), "{tail:?}");

    assert_eq!(newcomer.made(), Vec::<PathBuf>::new(), "something of the user's was touched");
    assert!(!newcomer.left().is_empty());
    demo.signal("TERM");
    let ended = demo.end(Duration::from_secs(30)).expect("it ends");
    assert!(ended.success(), "{ended:?}");
    assert_eq!(newcomer.left(), Vec::<PathBuf>::new(), "the folder of the demo is left");
    assert_eq!(newcomer.made(), Vec::<PathBuf>::new());
}

#[test]
fn it_ends_by_itself_after_the_time_that_was_given_and_leaves_nothing() {
    let newcomer = Newcomer::new();
    let output = newcomer
        .command(&["demo", "--for", "300ms", "--port", "0"])
        .stderr(Stdio::piped())
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "what is said is said on standard output");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let port = text.lines().next().and_then(|line| line.rsplit(':').next()).expect("a port");
    let host =
        text.split_once("toolwright-").and_then(|(_, rest)| rest.split_once(".localhost")).expect("a host").0;
    let text = text
        .replace(port, "PORT")
        .replace(host, "HOST")
        .lines()
        .map(|line| match line.split_once("once=").or_else(|| line.split_once("tw_")) {
            Some((before, after)) => {
                let rest = after.split_once(' ').map_or("", |(_, rest)| rest);
                format!("{before}SECRET {rest}")
            }
            None => match line.split_once("XDG_STATE_HOME=") {
                Some((before, after)) => {
                    let rest = after.split_once(' ').map_or("", |(_, rest)| rest);
                    format!("{before}XDG_STATE_HOME=FOLDER {rest}")
                }
                None => line.to_owned(),
            },
        })
        .collect::<Vec<_>>();
    insta::assert_snapshot!(text.join("\n"));
    assert_eq!(newcomer.left(), Vec::<PathBuf>::new());
    assert_eq!(newcomer.made(), Vec::<PathBuf>::new());
}

#[test]
fn a_user_with_a_gateway_of_their_own_keeps_it_and_the_demo_is_at_another_port() {
    let newcomer = Newcomer::new();
    // Taken by us, or by somebody else already: taken.
    let _taken = TcpListener::bind("127.0.0.1:8484");
    newcomer.home.put("toolwright.json", r#"{"mcpServers": {"own": {"command": "no-such-program"}}}"#);
    let mut demo = newcomer.demo(&[]);
    assert_ne!(demo.port, 8484);
    assert_eq!(asked(&demo, "/api/status")["servers"], json!([]), "the user's file is not read");
    assert_eq!(demo.said["configuration"], Value::Null);
    demo.signal("INT");
    assert!(demo.end(Duration::from_secs(30)).expect("it ends").success());
    assert_eq!(newcomer.left(), Vec::<PathBuf>::new());
}

#[test]
fn a_terminal_that_is_closed_ends_it() {
    let newcomer = Newcomer::new();
    let mut demo = newcomer.demo(&["--port", "0"]);
    until("it answers", || demo.try_send("GET", "/healthz", "", "").is_ok());
    demo.signal("HUP");
    assert!(demo.end(Duration::from_secs(30)).expect("it ends").success());
    assert_eq!(newcomer.left(), Vec::<PathBuf>::new());
}

#[test]
fn other_machines_cannot_look_and_a_port_that_was_asked_for_is_not_another_one() {
    let newcomer = Newcomer::new();
    let said = |arguments: &[&str]| {
        let output = newcomer.command(arguments).stderr(Stdio::piped()).output().expect("it runs");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{output:?}");
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    assert_eq!(
        said(&["demo", "--listen", "0.0.0.0:0"]),
        "error: other machines can reach 0.0.0.0:0, and a demo is for this machine alone\nfix: listen at 127.0.0.1\n"
    );
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    assert!(said(&["demo", "--port", &port]).contains("is taken: another program listens there"));
    assert_eq!(newcomer.left(), Vec::<PathBuf>::new());
}
