//! What is moved or deleted is the file or link itself, and it can be had back as it was.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

use crate::files_support;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use files_support::{Desk, says};
use serde_json::{Value, json};
use toolwright_builtin_tools::FilesLimits;

fn batch(steps: Value) -> Value {
    json!({"pipeline_json": json!({"steps": steps}).to_string()})
}

/// Deletes a path and takes it back from the trash, as the result of `delete_file` says.
fn delete_and_take_back(desk: &Desk, path: &str, force: bool) {
    let deleted = desk.json("delete_file", json!({"path": path, "force": force}));
    assert!(fs::symlink_metadata(desk.root().join(path)).is_err(), "{path} is still there");
    desk.ok("batch_operations", batch(json!([{"action": "move", "path": deleted["trash"], "to": path}])));
}

#[test]
fn links_of_every_kind_come_back_from_the_trash() {
    let desk = Desk::new();
    desk.put("in.txt", "in").put("sub/x", "x");
    let inside = desk.root().join("in.txt").display().to_string();
    let targets = [inside.as_str(), "in.txt", "sub", "nowhere", "loop", "../outside"];
    for (index, target) in targets.iter().enumerate() {
        symlink(target, desk.root().join(format!("link{index}"))).unwrap();
    }
    symlink("loop", desk.root().join("loop")).unwrap();
    let before = desk.everything();
    for index in 0..targets.len() {
        delete_and_take_back(&desk, &format!("link{index}"), false);
    }
    fs::remove_dir(desk.root().join(".toolwright-trash")).unwrap();
    assert_eq!(desk.everything(), before);
}

#[test]
fn large_and_read_only_files_come_back_as_the_same_files() {
    let desk = Desk::with_limits(FilesLimits { max_file_bytes: 10, ..FilesLimits::default() });
    desk.put("large", "more than ten bytes").put("kept", "k");
    fs::set_permissions(desk.root().join("kept"), fs::Permissions::from_mode(0o400)).unwrap();
    for path in ["large", "kept"] {
        let of = |path: &str| {
            let found = fs::metadata(desk.root().join(path)).unwrap();
            (found.ino(), found.mode(), found.mtime(), found.mtime_nsec(), found.len(), found.nlink())
        };
        let before = of(path);
        delete_and_take_back(&desk, path, true);
        assert_eq!(of(path), before, "{path}");
    }
}

#[test]
fn a_move_replaces_a_link_and_not_what_it_points_to() {
    let desk = Desk::new();
    desk.put("a", "A").put("b", "B");
    symlink("b", desk.root().join("link")).unwrap();
    let onto = json!([{"action": "move", "path": "a", "to": "link"}]);
    says(&desk.no("batch_operations", batch(onto.clone())), &["\"link\" exists already", "force"]);
    let mut forced = batch(onto);
    forced["force"] = json!(true);
    desk.ok("batch_operations", forced);
    assert!(!desk.root().join("link").is_symlink() && !desk.root().join("a").exists());
    assert_eq!((desk.get("link"), desk.get("b")), ("A".into(), "B".into()));
}

#[test]
fn later_steps_see_a_moved_file_and_not_through_a_moved_link() {
    let desk = Desk::new();
    desk.put("a", "A\n").put("b", "B");
    symlink("b", desk.root().join("link")).unwrap();
    let steps = json!([
        {"action": "move", "path": "a", "to": "c"},
        {"id": "r", "action": "read", "path": "c"},
        {"action": "edit", "path": "c", "old_text": "A", "new_text": "changed"},
        {"action": "copy", "path": "c", "to": "d"}
    ]);
    assert_eq!(desk.json("batch_operations", batch(steps))["steps"][1]["text"], "A\n");
    assert_eq!((desk.get("c"), desk.get("d")), ("changed\n".into(), "changed\n".into()));
    let steps = json!([{"action": "move", "path": "link", "to": "l"}, {"action": "read", "path": "l"}]);
    says(&desk.no("batch_operations", batch(steps)), &["a symbolic link that an earlier step has moved"]);
    assert!(desk.root().join("link").is_symlink());
}

#[test]
fn a_file_that_is_moved_and_then_deleted_is_in_the_trash() {
    let desk = Desk::new();
    desk.put("a", "A");
    let steps = json!([{"action": "move", "path": "a", "to": "b"}, {"action": "delete", "path": "b"}]);
    desk.ok("batch_operations", batch(steps));
    let trash = fs::read_dir(desk.root().join(".toolwright-trash")).unwrap();
    let kept: Vec<_> = trash.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    assert_eq!(kept, ["A"]);
    assert!(!desk.root().join("a").exists() && !desk.root().join("b").exists());
}

#[test]
fn a_file_that_is_moved_over_another_and_then_deleted_is_the_one_in_the_trash() {
    let desk = Desk::new();
    desk.put("a", "A").put("b", "B");
    let mut steps =
        batch(json!([{"action": "move", "path": "a", "to": "b"}, {"action": "delete", "path": "b"}]));
    steps["force"] = json!(true);
    desk.ok("batch_operations", steps);
    let trash = fs::read_dir(desk.root().join(".toolwright-trash")).unwrap();
    let kept: Vec<_> = trash.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    assert_eq!(kept, ["A"]);
    assert!(!desk.root().join("a").exists() && !desk.root().join("b").exists());
}

#[test]
fn two_names_of_one_file_can_be_moved_onto_each_other() {
    let desk = Desk::new();
    desk.put("a", "A");
    fs::hard_link(desk.root().join("a"), desk.root().join("b")).unwrap();
    let mut steps = batch(json!([{"action": "move", "path": "a", "to": "b"}]));
    steps["force"] = json!(true);
    desk.ok("batch_operations", steps);
    let names: Vec<_> = desk.everything().into_keys().collect();
    assert_eq!((names.join(" ").as_str(), desk.get("b").as_str()), ("root/ root/b", "A"));
}

#[test]
fn what_the_system_says_is_put_in_words() {
    let desk = Desk::new();
    desk.put("in.txt", "in");
    let _socket = std::os::unix::net::UnixListener::bind(desk.root().join("socket")).unwrap();
    says(&desk.no("read_file", json!({"path": "socket"})), &["a socket"]);
    says(&desk.no("read_file", json!({"path": "in.txt/."})), &["ends with \"/.\", so it names a folder"]);
    says(
        &desk.no("delete_file", json!({"path": "../out/secret.txt"})),
        &["the path \"../out/secret.txt\" leads"],
    );
    let mut target = Path::new("in.txt").to_owned();
    for index in 0..45 {
        let link = format!("l{index}");
        symlink(&target, desk.root().join(&link)).unwrap();
        target = link.into();
    }
    says(&desk.no("read_file", json!({"path": "l44"})), &["more than 40 symbolic links"]);
    fs::set_permissions(desk.root().join("in.txt"), fs::Permissions::from_mode(0o444)).unwrap();
    let refused = desk.no("delete_file", json!({"path": "in.txt"}));
    assert!(refused.ends_with("Set \"force\": true to delete it all the same"), "{refused}");
}

#[test]
fn both_kinds_of_line_ending_in_one_file_are_edited() {
    let desk = Desk::new();
    desk.put("mix", "x\ny\nx\r\ny\r\n");
    let edit = |all: bool| json!({"path": "mix", "old_text": "x\ny", "new_text": "1\n2", "replace_all": all});
    says(&desk.no("edit_file", edit(false)), &["occurs 2 times (lines 1, 3)"]);
    says(&desk.ok("edit_file", edit(true)), &["Replaced 2 occurrences"]);
    assert_eq!(desk.get("mix"), "1\n2\n1\r\n2\r\n");
}

#[test]
fn what_a_crash_has_left_beside_a_changed_file_is_told_once_and_listed() {
    let desk = Desk::new();
    desk.put("a.txt", "by hand").put(".toolwright-1-2-a.txt.old", "before");
    let file = json!({
        "path": "a.txt", "before": null, "new": ".toolwright-1-1-a.txt.new", "made": null,
        "old": ".toolwright-1-2-a.txt.old", "folders": []
    });
    // The first line says which file it was written into: one that came from elsewhere is not acted upon.
    desk.put(".toolwright-journal", "");
    let metadata = std::fs::metadata(desk.root().join(".toolwright-journal")).expect("a file");
    let born = metadata.created().ok().and_then(|born| born.duration_since(std::time::UNIX_EPOCH).ok());
    let born = born.map(|born| u64::try_from(born.as_nanos()).expect("a time"));
    let mark = json!({"Written": {"inode": std::os::unix::fs::MetadataExt::ino(&metadata), "born": born}});
    let journal = json!({"Ready": {"id": "1", "files": [file]}});
    desk.put(".toolwright-journal", format!("{mark}\n{journal}\n"));
    let write = || desk.ok("write_to_file", json!({"path": "b.txt", "content": "x", "force": true}));
    says(&write(), &["a.txt was changed by somebody else", "kept as a.txt.toolwright-kept."]);
    assert!(!write().contains("kept as"));
    assert_eq!((desk.get("a.txt"), desk.get("a.txt.toolwright-kept")), ("by hand".into(), "before".into()));
    says(&desk.ok("list_directory", json!({})), &["a.txt.toolwright-kept"]);
}
