//! `toolwright import` as a user runs it, in a home of its own with the files of all clients.

#![cfg(unix)]

use crate::gateway::Home;

use std::path::{Path, PathBuf};

use serde_json::Value;

/// Copies the home with the files of all clients, and the project into the folder that the program runs in.
pub fn furnished() -> Home {
    let home = Home::new();
    let homes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/tests/homes");
    copy(&homes.join("ann"), home.path());
    // The program looks for XDG's folder there.
    std::fs::rename(home.path().join(".config"), home.path().join("config")).expect("moved");
    home
}

/// Copies a folder with everything in it.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), &target).expect("copied");
        }
    }
}

/// What was printed, without the name of the home.
pub fn shown(home: &Home, (code, stdout, stderr): (i32, String, String)) -> String {
    let real = std::fs::canonicalize(home.path()).expect("a path").display().to_string();
    let text = format!("exit code {code}\n--- stdout\n{stdout}--- stderr\n{stderr}");
    text.replace(&real, "HOME").replace(&home.path().display().to_string(), "HOME")
}

fn project(home: &Home) {
    let homes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/tests/homes");
    copy(&homes.join("project"), &home.work());
}

fn ours(home: &Home) -> PathBuf {
    home.path().join("config/toolwright/toolwright.json")
}

#[test]
fn what_would_be_taken_over_is_shown_in_full_and_nothing_is_written() {
    let home = furnished();
    project(&home);
    let done = home.run(&["import", "--dry-run"]);
    // The project has a broken file: the others are read.
    assert_eq!(done.0, 1, "{}", done.2);
    let text = shown(&home, done);
    for secret in
        ["s3cret-of-setup", "lin_0123456789abcdef", "hf_abcdefghijklmnop", "k3y-of-notes", "hunter22"]
    {
        assert!(!text.contains(secret), "{secret} is shown:\n{text}");
    }
    insta::assert_snapshot!(text);
    assert!(!ours(&home).exists());
    let (_, stdout, _) = home.run(&["import", "--dry-run", "--show-secrets"]);
    assert!(stdout.contains("SETUP_TOKEN=s3cret-of-setup"), "{stdout}");
}

#[test]
fn nothing_is_written_without_an_answer_and_all_of_it_with_yes_once() {
    let home = furnished();
    let (code, _, stderr) = home.run(&["import"]);
    assert!(code == 2 && stderr.contains("--yes"), "{stderr}");
    assert!(!ours(&home).exists());
    let (code, stdout, stderr) = home.run(&["import", "--yes"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("Nothing was started."), "{stdout}");
    let written = std::fs::read_to_string(ours(&home)).expect("written");
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(ours(&home)).expect("a file").permissions(),
    );
    assert_eq!(mode & 0o777, 0o600);
    let (code, stdout, _) = home.run(&["import", "--yes"]);
    assert!(code == 0 && stdout.contains("Nothing to take over"), "{stdout}");
    assert_eq!(std::fs::read_to_string(ours(&home)).expect("read"), written, "twice is the same as once");
    // No client's file was touched.
    let homes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/tests/homes/ann");
    for name in [".claude.json", ".cursor/mcp.json", ".codex/config.toml"] {
        let there = std::fs::read(home.path().join(name)).expect("read");
        assert_eq!(there, std::fs::read(homes.join(name)).expect("read"), "{name}");
    }
}

#[test]
fn a_configuration_that_is_there_keeps_its_comments_and_is_backed_up() {
    let home = furnished();
    let mine = "{\n  // mine\n  \"mcpServers\": {\n    \"time\": {\"command\": \"uvx\", \"args\": [\"mcp-server-time\"]} // the clock\n  }\n}\n";
    let file = home.put("toolwright.json", mine);
    let (code, stdout, stderr) = home.run(&["import", "cursor", "kiro", "--yes", "--toolbox", "web"]);
    assert_eq!(code, 0, "{stderr}");
    let text = std::fs::read_to_string(&file).expect("read");
    assert!(text.contains("// mine") && text.contains("// the clock") && text.contains("\"web\""), "{text}");
    let backup =
        stdout.lines().find_map(|line| line.strip_prefix("What was there before is in ")).expect("a backup");
    assert_eq!(std::fs::read_to_string(backup.trim_end_matches('.')).expect("read"), mine);
    let (code, listed, stderr) = home.run(&["import", "cursor", "--json", "--into", "toolwright.json"]);
    assert_eq!(code, 0, "{stderr}");
    let said: Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(said["written"], false);
    assert_eq!(said["servers"][0]["outcome"], "same");
    assert_eq!(said["servers"][0]["as"], "web/github");
}

#[test]
fn a_file_that_was_named_is_named_in_what_comes_next() {
    let home = furnished();
    let folder = home.path().join("deep/er");
    let into = folder.join("mine.json").display().to_string();
    let (code, stdout, stderr) = home.run(&["import", "cursor", "--yes", "--into", &into]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains(&format!("The folder {} was made for it.", folder.display())), "{stdout}");
    assert!(stdout.contains(&format!("next: toolwright servers --config {into} shows")), "{stdout}");
    let (code, stdout, stderr) = home.run(&["import", "kiro", "--yes", "--into", &into]);
    assert_eq!(code, 0, "{stderr}");
    assert!(!stdout.contains("was made for it"), "{stdout}");
}

#[test]
fn secrets_that_others_could_read_then_are_told_of() {
    use std::os::unix::fs::PermissionsExt;
    let home = furnished();
    let file = home.path().join("mine.json");
    for (mode, is_told) in [(0o644, true), (0o600, false)] {
        std::fs::write(&file, "{}").expect("written");
        std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).expect("set");
        let into = file.display().to_string();
        let (code, _, stderr) = home.run(&["import", "--yes", "--into", &into]);
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(stderr.contains("holds secrets now: chmod 600"), is_told, "{stderr}");
    }
}

#[test]
fn one_file_is_read_as_what_it_looks_like() {
    let home = Home::new();
    home.put("servers.toml", "[mcp_servers.a]\ncommand = \"x\"\n");
    home.put("servers.yaml", "extensions:\n  b:\n    type: stdio\n    cmd: y\n    enabled: true\n");
    home.put("servers.json", "{\"context_servers\": {\"c\": {\"command\": \"z\"}}}");
    for (file, name) in [("servers.toml", "a"), ("servers.yaml", "b"), ("servers.json", "c")] {
        let (code, stdout, stderr) = home.run(&["import", "--file", file, "--json"]);
        assert_eq!(code, 0, "{stderr}");
        let said: Value = serde_json::from_str(&stdout).expect("JSON");
        assert_eq!(said["servers"][0]["name"], name, "{stdout}");
        assert_eq!(said["servers"][0]["outcome"], "added", "{stdout}");
    }
}

#[test]
fn wrong_use_is_told_with_what_to_do() {
    let home = Home::new();
    home.put("broken.json", "{\"mcpServers\": {\"a\": }}");
    let mut told = String::new();
    for arguments in [
        &["import", "cursr"][..],
        &["import", "--file", "nowhere.json"],
        &["import", "--file", "broken.json"],
        &["import", "--into", "broken.json", "--yes"],
        &["import", "cursor", "kiro", "--file", "broken.json"],
        &["import", "--dry-run"],
    ] {
        let (code, stdout, stderr) = home.run(arguments);
        told.push_str(&format!("$ toolwright {}\n{stdout}{stderr}exit code {code}\n\n", arguments.join(" ")));
    }
    insta::assert_snapshot!(told.replace(&home.path().display().to_string(), "HOME"));
}
