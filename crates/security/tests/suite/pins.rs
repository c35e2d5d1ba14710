//! Approvals and the pin file.

use std::fs;
use std::path::{Path, PathBuf};

use toolwright_security::{ApproveError, Kind, MAX_DEFINITION_BYTES, MAX_TOOLS, Pins, PinsError, Sight};

fn tool(name: &str, description: &str) -> String {
    format!(r#"{{"name":"{name}","description":"{description}"}}"#)
}

fn open(file: &Path) -> Pins {
    Pins::open_with(Some(file.to_owned()), || 1_000).expect("opened")
}

fn folder_and_file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("deeper").join("pins.json");
    (folder, file)
}

#[test]
fn approved_and_waiting_tools_survive_a_restart() {
    let (_folder, file) = folder_and_file();
    let pins = open(&file);
    assert_eq!(pins.see("s", "run", &[tool("a", "one"), tool("b", "two")]).len(), 2);
    assert!(pins.see("s", "run", &[tool("a", "one"), tool("b", "two")]).is_empty());
    pins.see("s", "run", &[tool("a", "other"), tool("c", "new")]);
    let (waiting, agreed) = (pins.waiting(), pins.agreed());
    drop(pins);
    let pins = open(&file);
    assert_eq!((pins.waiting(), pins.agreed()), (waiting.clone(), agreed));
    let kinds: Vec<_> = waiting.iter().map(|waiting| (waiting.tool.as_str(), waiting.kind)).collect();
    assert_eq!(kinds, [("a", Kind::Changed), ("c", Kind::Added)]);
    assert_eq!(waiting[0].fields, ["description"]);
    assert!(waiting[0].agreed.as_ref().is_some_and(|text| text.contains("one")));
    assert!(waiting[0].offered.as_ref().is_some_and(|text| text.contains("other")));
    assert_eq!((waiting[0].since, waiting[0].agreed_command.as_deref()), (1_000, Some("run")));
    assert!(!pins.is_waiting("s", "b"), "a tool that is gone is not forgotten");
    assert_eq!(pins.see("s", "run", &[tool("b", "three")])[0].tool, "b");
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, file) = folder_and_file();
    open(&file).see("s", "run", &[tool("a", "one")]);
    let mode = |file: &Path| fs::metadata(file).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("opened to others");
    open(&file);
    assert_eq!(mode(&file), 0o600);
    let names = fs::read_dir(file.parent().expect("a folder")).expect("read").count();
    assert_eq!(names, 1, "nothing is left beside it");
}

#[test]
fn damaged_file_is_reported_and_unchanged() {
    let (_folder, file) = folder_and_file();
    open(&file).see("s", "run", &[tool("a", "one")]);
    let good = fs::read_to_string(&file).expect("read");
    let damaged = [
        ("", "line 1"),
        (&good[..good.len() / 2], "line"),
        (&good.replace("\"version\": 1", "\"version\": 2"), "version"),
        (&good.replace("one", "evil"), "servers / s / agreed / a"),
        (&good.replace("\"servers\"", "\"serves\""), "line"),
    ];
    for (text, place) in damaged {
        fs::write(&file, text).expect("written");
        let error = Pins::open(Some(file.clone())).expect_err("not understood");
        assert!(
            matches!(&error, PinsError::NotUnderstood { place: message, .. } if message.contains(place)),
            "{error}"
        );
        let message = error.to_string();
        assert!(message.contains("pins.json") && message.contains("move it away"), "{message}");
        assert_eq!(fs::read_to_string(&file).expect("read"), text);
    }
}

#[test]
fn only_the_reviewed_definition_is_approved() {
    let pins = Pins::open(None).expect("opened");
    pins.see("s", "run", &[tool("a", "one")]);
    pins.see("s", "run", &[tool("a", "two")]);
    let reviewed = pins.waiting()[0].fingerprint.clone();
    pins.see("s", "run", &[tool("a", "three")]);
    let refused = pins.approve("s", "a", reviewed.as_str());
    assert!(matches!(refused, Err(ApproveError::ChangedMeanwhile { .. })), "{refused:?}");
    assert!(pins.is_waiting("s", "a"));
    let now = pins.waiting()[0].fingerprint.clone();
    pins.approve("s", "a", now.as_str()).expect("approved");
    assert!(!pins.is_waiting("s", "a"));
    assert_eq!(pins.agreed()[0].fingerprint, now);
    assert!(pins.see("s", "run", &[tool("a", "three")]).is_empty());
    assert!(matches!(pins.approve("s", "a", now.as_str()), Err(ApproveError::NotWaiting { .. })));
    assert!(matches!(pins.approve("t", "a", now.as_str()), Err(ApproveError::NotWaiting { .. })));
}

#[test]
fn reverted_definition_stops_waiting() {
    let pins = Pins::open(None).expect("opened");
    pins.see("s", "run", &[tool("a", "one")]);
    pins.see("s", "other", &[tool("a", "two"), tool("b", "new")]);
    assert_eq!(pins.waiting().len(), 2);
    assert!(pins.see("s", "run", &[tool("a", "one")]).is_empty());
    assert!(pins.waiting().is_empty());
}

#[test]
fn server_is_approved_or_forgotten_as_a_whole() {
    let (_folder, file) = folder_and_file();
    let pins = open(&file);
    pins.see("s", "run", &[tool("a", "one"), tool("b", "one")]);
    pins.see("s", "moved", &[tool("a", "one"), tool("b", "two")]);
    let kinds: Vec<_> = pins.waiting().iter().map(|waiting| waiting.kind).collect();
    assert_eq!(kinds, [Kind::Moved, Kind::Changed]);
    assert_eq!(pins.waiting()[1].fields, ["description", "command"]);
    assert_eq!(pins.approve_server("s").expect("approved"), 2);
    assert!(open(&file).see("s", "moved", &[tool("a", "one"), tool("b", "two")]).is_empty());
    assert!(pins.approve_server("s").is_err());
    assert!(pins.forget("s").expect("written"));
    assert!(!pins.forget("s").expect("written"));
    assert_eq!(open(&file).see("s", "x", &[tool("a", "evil")])[0].sight, Sight::First);
}

#[test]
fn duplicate_tool_cannot_hide_behind_the_approved_one() {
    for evil_first in [true, false] {
        let pins = Pins::open(None).expect("opened");
        pins.see("s", "run", &[tool("a", "one")]);
        let mut list = [tool("a", "one"), tool("a", "evil")];
        if evil_first {
            list.reverse();
        }
        for _ in 0..2 {
            pins.see("s", "run", &list);
            assert!(pins.is_waiting("s", "a"));
        }
    }
    let pins = Pins::open(None).expect("opened");
    pins.see("s", "run", &[tool("a", "one"), tool("a", "evil")]);
    assert!(pins.is_waiting("s", "a"), "also when the server is new");
}

#[test]
fn empty_list_is_not_a_first_list() {
    let pins = Pins::open(None).expect("opened");
    assert!(pins.see("s", "run", &[]).is_empty());
    assert_eq!(pins.see("s", "run", &["[]".to_owned()])[0].sight, Sight::Unreadable);
    assert_eq!(pins.see("s", "run", &[tool("a", "one")])[0].sight, Sight::First);
}

#[test]
fn large_definitions_are_compared_by_fingerprint() {
    let (_folder, file) = folder_and_file();
    let large = tool("a", &"x".repeat(MAX_DEFINITION_BYTES));
    let pins = open(&file);
    pins.see("s", "run", std::slice::from_ref(&large));
    assert!(fs::metadata(&file).expect("there").len() < 1_000);
    let pins = open(&file);
    assert!(pins.see("s", "run", &[large]).is_empty());
    let seen = pins.see("s", "run", &[tool("a", &"y".repeat(MAX_DEFINITION_BYTES))]);
    assert!(matches!(seen[0].sight, Sight::Changed(_)));
    assert_eq!(pins.waiting()[0].offered, None);
}

#[test]
fn tools_above_the_limit_wait() {
    let pins = Pins::open(None).expect("opened");
    let many: Vec<String> = (0..=MAX_TOOLS).map(|number| tool(&format!("t{number}"), "")).collect();
    let seen = pins.see("s", "run", &many);
    assert_eq!(seen.last().map(|seen| &seen.sight), Some(&Sight::TooMany));
    assert!(pins.is_waiting("s", &format!("t{MAX_TOOLS}")));
    assert!(!pins.is_waiting("s", "t0"));
    assert_eq!(pins.agreed().len(), MAX_TOOLS);
}

#[test]
fn approval_fails_if_the_file_cannot_be_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pins.json");
    let pins = open(&file);
    pins.see("s", "run", &[tool("a", "one")]);
    pins.see("s", "run", &[tool("a", "two")]);
    assert_eq!(pins.unsaved(), None);
    // A file cannot replace a folder that is not empty.
    fs::remove_file(&file).expect("removed");
    fs::create_dir_all(file.join("full")).expect("made");
    let failed = pins.approve_server("s");
    assert!(matches!(failed, Err(ApproveError::NotWritten(_))), "{failed:?}");
    assert!(pins.is_waiting("s", "a"));
    pins.see("s", "run", &[tool("a", "three")]);
    assert!(pins.unsaved().is_some());
    fs::remove_dir_all(&file).expect("removed");
    pins.see("s", "run", &[tool("a", "three")]);
    assert_eq!(pins.unsaved(), None, "it is tried again");
    assert_eq!(open(&file).waiting().len(), 1);
}

#[test]
fn long_fractions_do_not_damage_the_file() {
    let (_folder, file) = folder_and_file();
    let list = [r#"{"name":"a","x":[-5.564850520651944e-187,0.1,1e300,18446744073709551616]}"#.to_owned()];
    open(&file).see("s", "run", &list);
    assert!(open(&file).see("s", "run", &list).is_empty());
}
