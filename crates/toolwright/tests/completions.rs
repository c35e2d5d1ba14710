//! Completions in real shells, with names that only the running program knows, and manual pages that can be read.

#![cfg(unix)]

use std::process::{Command, Stdio};

use serde_json::json;

use crate::gateway::{Gateway, Home};
use crate::notes;

/// What bash offers for a line that is being written.
fn completed(home: &Home, line: &str) -> Vec<String> {
    let script = format!(
        r#"
source <(toolwright completions bash)
COMP_LINE={line:?}
COMP_POINT=${{#COMP_LINE}}
COMP_TYPE=9
read -ra COMP_WORDS <<< "$COMP_LINE"
case "$COMP_LINE" in *' ') COMP_WORDS+=('') ;; esac
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
COMPREPLY=()
completer=$(complete -p toolwright | sed 's/.*-F \([^ ]*\) .*/\1/')
$completer toolwright "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
printf '%s\n' "${{COMPREPLY[@]}}"
"#
    );
    let program = home.command(&[]);
    let folder = std::path::Path::new(program.get_program()).parent().expect("a folder").to_owned();
    let mut bash = Command::new("bash");
    for (key, value) in program.get_envs() {
        match value {
            Some(value) => bash.env(key, value),
            None => bash.env_remove(key),
        };
    }
    let output = bash
        .args(["--norc", "-c", &script])
        .current_dir(home.work())
        .env("PATH", format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default()))
        .stdin(Stdio::null())
        .output()
        .expect("bash");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

#[test]
fn bash_completes_commands_flags_and_live_names() {
    let home = Home::new();
    home.put("toolwright.json", &notes::configuration(&json!({})));
    assert_eq!(completed(&home, "toolwright doc"), ["doctor"]);
    assert!(completed(&home, "toolwright serve --li").contains(&"--listen".to_owned()));
    assert_eq!(completed(&home, "toolwright servers logs no"), ["notes"]);
    assert_eq!(completed(&home, "toolwright explain N"), ["N1", "N2", "N3", "N4", "N5"]);
    assert!(completed(&home, "toolwright explain edit-").contains(&"edit-old_str".to_owned()));
    assert!(completed(&home, "toolwright call get_").contains(&"get_current_datetime".to_owned()));
    assert_eq!(completed(&home, "toolwright rules list --disable zw"), ["zwave"]);
    assert_eq!(completed(&home, "toolwright stdio --toolbox d"), ["default"]);
    assert_eq!(completed(&home, "toolwright install claude-"), ["claude-code", "claude-desktop"]);
    assert_eq!(completed(&home, "toolwright import curs"), ["cursor"]);
    assert_eq!(completed(&home, "toolwright man doc"), ["doctor"]);
    // A server that never ran has no tools that are known, and is not started to find out.
    assert_eq!(completed(&home, "toolwright call notes/"), Vec::<String>::new());
    {
        let gateway = Gateway::start(&home, &[]);
        assert!(notes::send(&gateway, "prose", "milk"));
        assert_eq!(
            completed(&home, "toolwright call notes/"),
            ["notes/send_note"],
            "of the gateway that runs"
        );
    }
    assert_eq!(completed(&home, "toolwright call notes/"), ["notes/send_note"], "as it was seen");
}

#[test]
fn fish_completes_live_names_where_it_is_installed() {
    let home = Home::new();
    home.put("toolwright.json", &notes::configuration(&json!({})));
    let program = home.command(&[]);
    let folder = std::path::Path::new(program.get_program()).parent().expect("a folder").to_owned();
    let script = "toolwright completions fish | source; complete -C 'toolwright servers logs n'";
    let output = Command::new("fish")
        .args(["--no-config", "-c", script])
        .current_dir(home.work())
        .env("HOME", home.path())
        .env("XDG_STATE_HOME", home.path().join("state"))
        .env("XDG_RUNTIME_DIR", home.path())
        .env("XDG_CONFIG_HOME", home.path().join("config"))
        .env_remove("WORKBENCH_CONFIG")
        .env("PATH", format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default()))
        .stdin(Stdio::null())
        .output();
    let Ok(output) = output else {
        eprintln!("SKIPPED: nothing was completed, for there is no fish");
        return;
    };
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "notes", "{output:?}");
}

#[test]
fn every_shell_gets_a_script_that_asks_this_program() {
    let home = Home::new();
    for (shell, sign) in [
        ("bash", "complete -"),
        ("zsh", "#compdef toolwright"),
        ("fish", "complete "),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let (code, out, errors) = home.run(&["completions", shell]);
        assert_eq!((code, errors.as_str()), (0, ""), "{shell}");
        assert!(out.contains(sign) && out.contains("TOOLWRIGHT_COMPLETE"), "{shell}: {out}");
        // Where the shell is installed, it reads what it is given.
        let check: &[&str] = if shell == "fish" { &["--no-execute"] } else { &["-n"] };
        if shell != "powershell"
            && Command::new(shell).arg("--version").output().is_ok_and(|output| output.status.success())
        {
            let file = home.put(&format!("completions.{shell}"), &out);
            let read = Command::new(shell).args(check).arg(file).output().expect("the shell");
            assert!(read.status.success(), "{shell}: {}", String::from_utf8_lossy(&read.stderr));
        }
    }
}

#[test]
fn manual_pages_can_be_read() {
    let home = Home::new();
    for (words, name, part) in [
        (&[][..], "toolwright", "doctor"),
        (&["doctor"], "toolwright-doctor", "--listen"),
        (&["rules", "check"], "toolwright-rules-check", "rules file"),
    ] {
        let (code, page, errors) = home.run(&[&["man"], words].concat());
        assert_eq!((code, errors.as_str()), (0, ""));
        assert!(page.contains(&format!(".TH {name} ")), "{page}");
        let file = home.put("page.1", &page);
        let shown = Command::new("groff").args(["-man", "-Tutf8", "-ww", "-P-cbou"]).arg(&file).output();
        let Ok(shown) = shown else {
            eprintln!("SKIPPED: {name} was not set, for there is no groff");
            continue;
        };
        assert_eq!(String::from_utf8_lossy(&shown.stderr), "", "{name}");
        let text = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(text.contains("SYNOPSIS") && text.contains(part), "{name}: {text}");
    }
    let (code, _, errors) = home.run(&["man", "doctr"]);
    assert_eq!(
        (code, errors.as_str()),
        (2, "error: toolwright has no command \"doctr\"\nfix: did you mean \"doctor\"?\n")
    );
}
