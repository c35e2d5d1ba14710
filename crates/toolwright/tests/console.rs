//! The sessions in README.md and the pages are run: blocks marked `console`, one shell and folder per page.

#![cfg(unix)]

use crate::program;

use std::path::Path;

use program::command;

/// A command line and what it prints.
struct Step {
    command: String,
    printed: String,
}

/// Where the sessions of a page are run.
#[derive(Clone, Copy)]
enum At {
    /// In some folder.
    Folder,
    /// In a home of their own: nobody's own files are looked at.
    Home,
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if !inside {
        } else if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { command: command.to_owned(), printed: String::new() });
        } else if let Some(step) = steps.last_mut() {
            step.printed.push_str(line);
            step.printed.push('\n');
        }
    }
    steps
}

/// Times differ from run to run, and so does the name of the folder.
fn comparable(printed: &str, folder: &Path) -> String {
    let key = "\"duration_ms\":";
    let mut parts = printed.split(key);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(key);
        out.push_str(&format!("0{}", part.trim_start_matches(|char: char| char.is_ascii_digit())));
    }
    let program = command(&[]);
    let program = Path::new(program.get_program()).display().to_string();
    out.replace(&folder.display().to_string(), "ROOT").replace(&program, "/usr/local/bin/toolwright")
}

fn run_page(name: &str, at: At) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    let steps = steps(&std::fs::read_to_string(page).expect("the page"));
    assert!(!steps.is_empty(), "{name} has no sessions");
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = std::fs::canonicalize(scratch.path()).expect("a path");
    let program = command(&[]);
    let program = Path::new(program.get_program()).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    for step in steps {
        let mut shell = std::process::Command::new("sh");
        if let At::Home = at {
            shell.env("HOME", &folder).env_remove("XDG_CONFIG_HOME").env_remove("XDG_STATE_HOME");
            shell.env_remove("WORKBENCH_CONFIG");
        }
        let output = shell
            .args(["-c", &format!("exec 2>&1; {}", step.command)])
            .current_dir(&folder)
            .env("PATH", &path)
            .env_remove("TOOLWRIGHT_LOG")
            .env_remove("TOOLWRIGHT_SEARCH")
            .output()
            .expect("a shell");
        let printed = comparable(&String::from_utf8_lossy(&output.stdout), &folder);
        assert_eq!(printed, step.printed, "{name}: $ {}", step.command);
    }
}

#[test]
fn the_readme_shows_what_happens() {
    run_page("README.md", At::Folder);
}

#[test]
fn the_page_of_tools_and_call_shows_what_happens() {
    run_page("docs/call.md", At::Folder);
}

#[test]
fn the_page_of_install_shows_what_happens() {
    run_page("docs/install.md", At::Home);
}

#[test]
fn the_page_of_import_shows_what_happens() {
    run_page("docs/import.md", At::Home);
}
