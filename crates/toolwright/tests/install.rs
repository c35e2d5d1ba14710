//! `toolwright install` as a user runs it, in a home of its own with the files of all clients.

#![cfg(unix)]

use crate::gateway::{Gateway, Home};
use crate::import::{furnished, shown};

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

const CLIENTS: &[(&str, &str)] = &[
    ("claude-desktop", "config/Claude/claude_desktop_config.json"),
    ("claude-code", ".claude.json"),
    ("cursor", ".cursor/mcp.json"),
    ("vs-code", "config/Code/User/mcp.json"),
    ("cline", "config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
    ("windsurf", ".codeium/windsurf/mcp_config.json"),
    ("gemini-cli", ".gemini/settings.json"),
    ("zed", "config/zed/settings.json"),
    ("continue", ".continue/config.yaml"),
    ("goose", "config/goose/config.yaml"),
    ("opencode", "config/opencode/opencode.json"),
    ("lm-studio", ".lmstudio/mcp.json"),
    ("codex", ".codex/config.toml"),
    ("kiro", ".kiro/settings/mcp.json"),
];

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn program() -> String {
    env!("CARGO_BIN_EXE_toolwright").to_owned()
}

/// What was printed, without the names of the home and of the program.
fn plain(home: &Home, done: (i32, String, String)) -> String {
    shown(home, done).replace(&program(), "TOOLWRIGHT")
}

/// Runs and expects no error.
fn done(home: &Home, arguments: &[&str]) -> String {
    let (code, stdout, stderr) = home.run(arguments);
    assert_eq!(code, 0, "{arguments:?}: {stderr}");
    stdout
}

#[test]
fn every_client_gets_it_once_and_is_what_it_was_after_undo() {
    for way in ["--stdio", "--http"] {
        let home = furnished();
        for (client, name) in CLIENTS {
            let file = home.path().join(name);
            let before = read(&file);
            if (*client, way) == ("claude-desktop", "--http") {
                let (code, _, stderr) = home.run(&["install", client, way]);
                assert!(code == 2 && stderr.contains("leave out --http"), "{stderr}");
                assert_eq!(read(&file), before);
                continue;
            }
            let shown = done(&home, &["install", client, way]);
            assert!(shown.starts_with("Toolwright is in ") && shown.contains("next: "), "{shown}");
            let once = read(&file);
            assert_ne!(once, before, "{client}");
            assert!(once.contains(if way == "--http" { "127.0.0.1:8484/mcp" } else { "stdio" }), "{client}");
            let again = done(&home, &["install", client, way]);
            assert!(again.contains("already"), "{again}");
            assert_eq!(read(&file), once, "{client}: twice is the same as once");
            let listed: Value =
                serde_json::from_str(&done(&home, &["install", "--list", "--json"])).expect("JSON");
            let row =
                listed.as_array().expect("rows").iter().find(|row| row["client"] == *client).expect("a row");
            assert_eq!(row["state"], "in", "{row}");
            done(&home, &["install", client, "--undo"]);
            assert_eq!(read(&file), before, "{client}");
            let nothing = done(&home, &["install", client, "--undo"]);
            assert!(nothing.contains("nothing to undo"), "{nothing}");
        }
    }
}

#[test]
fn a_file_that_was_not_there_is_gone_again_with_its_folders() {
    for (client, name) in CLIENTS {
        let home = Home::new();
        let file = home.path().join(name);
        let told = done(&home, &["install", client]);
        assert!(file.exists() && told.contains("There was no such file before."), "{client}: {told}");
        done(&home, &["install", client, "--undo"]);
        assert!(!file.exists(), "{client}");
        let first = Path::new(name).components().next().expect("a folder").as_os_str();
        assert!(!home.path().join(first).exists(), "{client}: the folder is left");
    }
}

#[test]
fn a_dry_run_shows_the_change_without_secrets_and_writes_nothing() {
    let home = furnished();
    home.put("toolwright.json", "{\"mcpServers\": {}}");
    let mut text = String::new();
    for (client, way) in [
        ("cursor", "--stdio"),
        ("zed", "--http"),
        ("codex", "--http"),
        ("goose", "--stdio"),
        ("continue", "--http"),
        ("lm-studio", "--http"),
        ("windsurf", "--stdio"),
    ] {
        let file = home.path().join(CLIENTS.iter().find(|(id, _)| *id == client).expect("a client").1);
        let before = read(&file);
        text.push_str(&format!("$ toolwright install {client} {way} --dry-run\n"));
        text.push_str(&plain(&home, home.run(&["install", client, way, "--dry-run"])));
        assert_eq!(read(&file), before, "{client}");
    }
    let token = done(&home, &["token", "show"]);
    assert!(!text.contains(token.trim()) && !text.contains("hf_abcdefghijklmnop"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn what_is_said_after_it() {
    let home = furnished();
    home.put("toolwright.json", "{\"mcpServers\": {}}");
    let mut text = String::new();
    for arguments in [
        &["install", "cursor"][..],
        &["install", "cursor"],
        &["install", "cursor", "--all"],
        &["install", "claude-code", "--http", "--toolbox", "web", "--name", "web"],
        &["install", "cursor", "--undo"],
        &["install", "cursor", "--undo"],
        &["install", "gemini-cli", "--http", "--scope", "project"],
        &["install", "codex", "--http", "--scope", "project"],
        &["install", "windsurf", "--scope", "project"],
        &["install", "claude-desktop", "--http"],
        &["install", "emacs"],
        &["install", "--list"],
    ] {
        text.push_str(&format!("$ toolwright {}\n", arguments.join(" ")));
        text.push_str(&plain(&home, home.run(arguments)));
        text.push('\n');
    }
    insta::assert_snapshot!(text);
    let project = read(&home.work().join(".codex/config.toml"));
    assert!(
        project.contains("bearer_token_env_var = \"TOOLWRIGHT_TOKEN\"") && !project.contains("tw_"),
        "{project}"
    );
}

#[test]
fn a_file_that_was_changed_since_loses_our_entry_only() {
    for (client, name) in CLIENTS {
        let home = furnished();
        let file = home.path().join(name);
        let before = read(&file);
        done(&home, &["install", client]);
        let changed = match *client {
            "continue" | "goose" => format!("{}# added since\n", read(&file)),
            "codex" => format!("# added since\n{}", read(&file)),
            "claude-code" => read(&file).replacen("\"numStartups\": 41", "\"numStartups\": 42", 1),
            _ => read(&file).replacen('{', "{ \"addedSince\": 1,", 1),
        };
        assert_ne!(changed, read(&file), "{client}");
        std::fs::write(&file, &changed).expect("written");
        let told = done(&home, &["install", client, "--undo"]);
        assert!(told.contains("was changed since, so only \"toolwright\" was taken out"), "{client}: {told}");
        let after = read(&file);
        assert!(!after.contains("toolwright"), "{client}: {after}");
        let expected = match *client {
            "continue" | "goose" => format!("{before}# added since\n"),
            "codex" => format!("# added since\n{before}"),
            "claude-code" => before.replacen("\"numStartups\": 41", "\"numStartups\": 42", 1),
            _ => before.replacen('{', "{ \"addedSince\": 1,", 1),
        };
        assert_eq!(after, expected, "{client}");
    }
}

#[test]
fn undo_takes_out_nothing_that_is_not_ours() {
    let home = furnished();
    let servers = home.path().join(".gemini/settings.json");
    let theirs = r#"{"mcpServers": {"toolwright": {"command": "other"}, "mine": {"command": "x"}}}"#;
    std::fs::write(&servers, theirs).expect("written");
    let models = home.path().join(".claude/settings.json");
    let own_models = r#"{"env": {"ANTHROPIC_BASE_URL": "https://models.example"}}"#;
    std::fs::create_dir_all(models.parent().expect("a folder")).expect("made");
    std::fs::write(&models, own_models).expect("written");
    for arguments in [
        &["install", "gemini-cli", "--undo"][..],
        &["install", "gemini-cli", "--undo", "--name", "mine"],
        &["install", "claude-code", "--llm", "--undo"],
    ] {
        let said = done(&home, arguments);
        assert!(said.contains("nothing to undo"), "{arguments:?}: {said}");
    }
    assert_eq!((read(&servers).as_str(), read(&models).as_str()), (theirs, own_models));
}

#[test]
fn an_address_is_for_a_gateway_that_is_reached() {
    let home = Home::new();
    let (code, _, stderr) = home.run(&["install", "cursor", "--url", "http://127.0.0.1:9"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("--http|--llm"), "{stderr}");
    for way in ["--http", "--llm"] {
        let (code, _, stderr) =
            home.run(&["install", "claude-code", "--url", "http://127.0.0.1:9", way, "--dry-run"]);
        assert_eq!(code, 0, "{way}: {stderr}");
    }
}

#[test]
fn a_toolbox_that_nobody_has_is_told() {
    let home = furnished();
    let server = r#"{"toolboxes": {"work": {"mcpServers": {"a": {"command": "a"}}}}}"#;
    let file = home.path().join("ours.json");
    std::fs::write(&file, server).expect("written");
    let file = file.display().to_string();
    let install = ["install", "cursor", "--dry-run", "--config", &file, "--toolbox"];
    let warned = |toolbox| home.run(&[&install[..], &[toolbox]].concat()).2;
    assert!(warned("nope").contains("has no toolbox \"nope\"; it has work"), "{}", warned("nope"));
    assert!(!warned("work").contains("has no toolbox"), "{}", warned("work"));
}

#[test]
fn installed_again_after_a_change_undo_keeps_the_change() {
    let home = furnished();
    let file = home.path().join(".cursor/mcp.json");
    done(&home, &["install", "cursor"]);
    std::fs::write(&file, read(&file).replacen("// Cursor", "// My Cursor", 1)).expect("written");
    done(&home, &["install", "cursor", "--all"]);
    done(&home, &["install", "cursor", "--undo"]);
    let after = read(&file);
    assert!(after.contains("// My Cursor") && !after.contains("toolwright"), "{after}");
}

#[test]
fn modes_and_links_stay_and_open_files_with_a_token_are_told() {
    let home = furnished();
    let real = home.path().join("dotfiles/mcp.json");
    std::fs::create_dir_all(real.parent().expect("a folder")).expect("made");
    let link = home.path().join(".cursor/mcp.json");
    std::fs::rename(&link, &real).expect("moved");
    std::os::unix::fs::symlink("../dotfiles/mcp.json", &link).expect("linked");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).expect("changed");
    let (code, _, stderr) = home.run(&["install", "cursor", "--http"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("chmod 600"), "{stderr}");
    assert!(link.is_symlink(), "the link is a file now");
    assert!(read(&real).contains("127.0.0.1:8484/mcp"));
    assert_eq!(std::fs::metadata(&real).expect("a file").permissions().mode() & 0o777, 0o640);
    // A new file with a token is for its owner alone.
    let (_, _, stderr) = home.run(&["install", "kiro", "--http"]);
    assert!(!stderr.contains("chmod") || home.path().join(".kiro/settings/mcp.json").exists());
    let fresh = Home::new();
    let (code, _, stderr) = fresh.run(&["install", "kiro", "--http"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let made = std::fs::metadata(fresh.path().join(".kiro/settings/mcp.json")).expect("a file");
    assert_eq!(made.permissions().mode() & 0o777, 0o600);
    // Backups hold what clients' files hold.
    let installs: PathBuf = fresh.path().join("state/toolwright/installs");
    for folder in std::fs::read_dir(installs).expect("a folder") {
        for file in std::fs::read_dir(folder.expect("an entry").path()).expect("a folder") {
            let mode = file.expect("an entry").metadata().expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    let home = furnished();
    let file = home.path().join(".kiro/settings/mcp.json");
    let broken = "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\",, }\n  }\n}\n";
    std::fs::write(&file, broken).expect("written");
    let told = plain(&home, home.run(&["install", "kiro"]));
    assert_eq!(read(&file), broken);
    insta::assert_snapshot!(told);
    std::fs::write(&file, [0x7b, 0xff, 0x7d]).expect("written");
    let (code, _, stderr) = home.run(&["install", "kiro"]);
    assert!(code == 2 && stderr.contains("not UTF-8"), "{stderr}");
    std::fs::write(&file, "{\"mcpServers\": {\"toolwright\": {\"command\": \"mine\"}}}").expect("written");
    let (code, _, stderr) = home.run(&["install", "kiro"]);
    assert!(code == 2 && stderr.contains("--name"), "{stderr}");
}

#[test]
fn the_other_servers_are_taken_out_only_when_asked_and_only_those_that_we_have() {
    let home = furnished();
    let file = home.path().join(".gemini/settings.json");
    let before = read(&file);
    let (code, _, stderr) = home.run(&["install", "gemini-cli", "--replace"]);
    assert!(code == 2 && stderr.contains("toolwright import gemini-cli"), "{stderr}");
    assert_eq!(read(&file), before);
    done(&home, &["import", "gemini-cli", "--yes"]);
    // One more that nobody took over.
    let more = before.replacen("\"web\": {", "\"later\": {\"command\": \"later\"},\n    \"web\": {", 1);
    std::fs::write(&file, &more).expect("written");
    let told = done(&home, &["install", "gemini-cli", "--replace"]);
    assert!(told.contains("Taken out, because Toolwright has them: py, web, old."), "{told}");
    assert!(told.contains("These servers go past Toolwright: later."), "{told}");
    let settings: Value = serde_json::from_str(&read(&file)).expect("JSON");
    let names: Vec<&String> = settings["mcpServers"].as_object().expect("servers").keys().collect();
    assert_eq!(names, ["later", "toolwright"]);
    done(&home, &["install", "gemini-cli", "--undo"]);
    assert_eq!(read(&file), more);
}

#[test]
fn the_models_of_a_client_are_printed_or_written() {
    let home = furnished();
    let token = done(&home, &["token", "show"]);
    let mut text = String::new();
    for arguments in [
        &["install", "claude-code", "--llm"][..],
        &["install", "openai", "--llm", "--shell"],
        &["install", "ollama", "--llm"],
        &["install", "cursor", "--llm"],
        &["install", "openai", "--llm", "--write"],
        &["install", "claude-code", "--llm", "--write", "--dry-run"],
        &["install", "claude-code", "--llm", "--write"],
        &["install", "claude-code", "--llm", "--undo"],
    ] {
        text.push_str(&format!("$ toolwright {}\n", arguments.join(" ")));
        text.push_str(&plain(&home, home.run(arguments)).replace(token.trim(), "TOKEN"));
        text.push('\n');
    }
    insta::assert_snapshot!(text);
    let file = home.path().join(".claude/settings.json");
    assert!(!file.exists());
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    std::fs::write(&file, "{\n  \"model\": \"opus\"\n}\n").expect("written");
    done(&home, &["install", "claude-code", "--llm", "--write"]);
    let settings: Value = serde_json::from_str(&read(&file)).expect("JSON");
    assert_eq!(settings["env"]["ANTHROPIC_BASE_URL"], "http://127.0.0.1:8484");
    assert_eq!(settings["env"]["ANTHROPIC_AUTH_TOKEN"], token.trim());
    done(&home, &["install", "claude-code", "--llm", "--undo"]);
    assert_eq!(read(&file), "{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn a_client_is_given_the_address_of_the_gateway_that_runs() {
    let home = Home::new();
    let gateway = Gateway::start(&home, &[]);
    let url = format!("http://127.0.0.1:{}", gateway.port);
    let (code, out, errors) = home.run(&["install", "openai", "--llm", "--shell"]);
    assert!(code == 0 && out.contains(&url) && !out.contains(":8484"), "{out}{errors}");
    let (code, out, errors) = home.run(&["install", "cursor", "--http", "--dry-run"]);
    assert!(code == 0 && out.contains(&url) && !out.contains(":8484"), "{out}{errors}");
    let said = home.run(&["install", "openai", "--llm", "--shell", "--url", "http://10.0.0.1:9"]).1;
    assert!(said.contains("http://10.0.0.1:9/v1"), "{said}");
    drop(gateway);
    let usual = home.run(&["install", "openai", "--llm", "--shell"]).1;
    assert!(usual.contains("http://127.0.0.1:8484"), "{usual}");
}
