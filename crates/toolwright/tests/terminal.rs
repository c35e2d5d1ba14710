//! What is said on a terminal and what is not said elsewhere.

#![cfg(unix)]

use std::process::{Command, Stdio};

use serde_json::json;

use crate::gateway::Home;
use crate::notes;

/// Runs a line on a terminal of its own; nothing where there is no program for that.
fn on_a_terminal(home: &Home, line: &str) -> Option<String> {
    let program = home.command(&[]);
    let folder = std::path::Path::new(program.get_program()).parent().expect("a folder").to_owned();
    let mut script = Command::new("script");
    for (key, value) in program.get_envs().filter(|(key, _)| *key != "NO_COLOR") {
        match value {
            Some(value) => script.env(key, value),
            None => script.env_remove(key),
        };
    }
    let output = script
        .args(["-qec", line, "/dev/null"])
        .current_dir(home.work())
        .env("PATH", format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default()))
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn progress_is_shown_on_a_terminal_and_wiped_away() {
    let home = Home::new();
    home.put("toolwright.json", &notes::configuration(&json!({})));
    let Some(shown) = on_a_terminal(&home, "toolwright doctor --timeout 5 --listen 127.0.0.1:0") else {
        eprintln!("SKIPPED: progress was not looked at, for there is no `script` that makes a terminal");
        return;
    };
    assert!(shown.contains("looking …"), "{shown:?}");
    assert!(shown.contains("\r\u{1b}[K"), "it is wiped away: {shown:?}");
    let (_, out, errors) = home.run(&["doctor", "--timeout", "5", "--listen", "127.0.0.1:0"]);
    assert!(!out.contains('\u{1b}') && !out.contains("looking"), "{out}");
    assert_eq!(errors, "", "nothing is said beside the result");
}

#[test]
fn colours_are_for_terminals_without_no_color() {
    let home = Home::new();
    let log = "TOOLWRIGHT_LOG=info timeout 2 toolwright serve --port 0 2>&1";
    let Some(shown) = on_a_terminal(&home, log) else { return };
    let is_coloured = |text: &str| text.contains("\u{1b}[3") || text.contains("\u{1b}[2m");
    let plain = on_a_terminal(&home, &format!("NO_COLOR=1 {log}")).expect("a terminal");
    assert!(!is_coloured(&plain), "{plain:?}");
    assert!(shown.contains("Next:"), "{shown:?}");
    assert!(shown.contains("Token:         tw_") && shown.contains("/login?once="), "{shown:?}");
    for arguments in
        [&["status", "--line"][..], &["explain", "N4"], &["rules", "list"], &["tools"], &["--help"]]
    {
        let (_, out, errors) = home.run(arguments);
        assert!(!out.contains('\u{1b}') && !errors.contains('\u{1b}'), "{arguments:?}");
    }
}

#[test]
fn results_go_to_standard_output_and_mistakes_to_standard_error() {
    let home = Home::new();
    for (arguments, code) in [
        (&["doctr"][..], 2),
        (&["serve", "--prot", "1"], 2),
        (&["explain", "Q7"], 2),
        (&["call", "no_such_tool"], 1),
        (&["rules", "check", "gone.json"], 3),
        (&["servers", "--config", "gone.json"], 2),
        (&["audit", "show", "nothing"], 1),
        (&["token", "revoke", "nobody"], 2),
        (&["man", "nothing"], 2),
    ] {
        let (had, out, errors) = home.run(arguments);
        assert_eq!((had, out.as_str()), (code, ""), "{arguments:?}: {errors}");
        assert!(errors.contains("error: ") || arguments[0] == "call", "{arguments:?}: {errors}");
        assert!(errors.contains("fix: ") || arguments[0] == "call", "{arguments:?}: {errors}");
    }
    let (code, out, errors) = home.run(&["--version"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(out.starts_with("toolwright "), "{out}");
}
