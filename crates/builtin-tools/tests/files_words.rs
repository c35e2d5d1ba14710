//! What the files tools say of what they did: true, in words, and safe to print.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

use crate::files_support;

use files_support::{Desk, says};
use serde_json::{Value, json};

#[test]
fn one_of_a_thing_is_said_as_one() {
    let desk = Desk::new();
    assert_eq!(desk.ok("write_to_file", json!({"path": "a", "content": "x"})), "Created a with 1 byte.");
    assert_eq!(
        desk.ok("write_to_file", json!({"path": "a", "content": "y"})),
        "Replaced the contents of a (1 byte)."
    );
    assert_eq!(desk.ok("list_directory", json!({})), "a  1 byte");
    says(&desk.no("read_file", json!({"path": "a", "start_line": 2})), &["\"a\" has 1 line"]);
    desk.put("b", "x x\n");
    assert_eq!(
        desk.ok("edit_file", json!({"path": "b", "old_text": "x", "new_text": "y", "replace_all": true})),
        "Replaced 2 occurrences in b (line 1)."
    );
}

#[test]
fn what_went_to_the_trash_comes_back_the_way_the_message_says() {
    let desk = Desk::new();
    desk.put("a.txt", "kept");
    let would = desk.json("delete_file", json!({"path": "a.txt", "dry_run": true}));
    assert_eq!(would["trash"], ".toolwright-trash");
    let output = desk.call("delete_file", json!({"path": "a.txt"})).unwrap();
    says(&output.text, &["Moved a.txt to the trash, where it is .toolwright-trash/", "batch_operations"]);
    let read: Value = serde_json::from_str(&output.structured.unwrap()).unwrap();
    let step = json!({"id": "back", "action": "move", "path": read["trash"], "to": "a.txt"});
    desk.ok("batch_operations", json!({"pipeline_json": json!({"steps": [step]}).to_string()}));
    assert_eq!(desk.get("a.txt"), "kept");
}

#[test]
fn what_a_batch_made_and_deleted_again_is_not_said_to_be_in_the_trash() {
    let desk = Desk::new();
    let steps = json!([{"id": "w", "action": "write", "path": "a", "content": "x"}, {"id": "d", "action": "delete", "path": "a"}]);
    let text = desk.ok("batch_operations", json!({"pipeline_json": steps.to_string()}));
    says(&text, &["d (delete): Deleted a for good.", "No file changes."]);
}

#[test]
fn names_that_hold_commands_to_a_terminal_are_written_out_in_text_and_exact_in_json() {
    let desk = Desk::new();
    let name = "a\u{1b}[2Jb\nc.txt";
    desk.put(name, "one\u{1b}[31m\ttwo\n");
    let shown = "a\\u001b[2Jb\\nc.txt";
    let listed = desk.call("list_directory", json!({})).unwrap();
    assert_eq!(listed.text, format!("{shown}  13 bytes"));
    let read: Value = serde_json::from_str(&listed.structured.unwrap()).unwrap();
    assert_eq!(read["entries"][0]["path"], name);
    let found = desk.ok("search_files", json!({"pattern": "two"}));
    assert_eq!(found, format!("1 line in 1 file.\n{shown}:1: one\\u001b[31m\ttwo"));
    assert_eq!(
        desk.json("search_files", json!({"pattern": "two"}))["matches"][0]["text"],
        "one\u{1b}[31m\ttwo"
    );
    let copy = json!([{"id": "c", "action": "copy", "path": name, "to": "b\u{7}"}]).to_string();
    for (tool, arguments) in [
        ("edit_file", json!({"path": name, "old_text": "one", "new_text": "1"})),
        ("write_to_file", json!({"path": name, "content": "x\n"})),
        ("apply_diff", json!({"path": name, "diff": "@@ -1 +1 @@\n-x\n+y\n"})),
        ("batch_operations", json!({"pipeline_json": copy})),
        ("delete_file", json!({"path": name})),
    ] {
        let text = desk.ok(tool, arguments);
        assert!(!text.replace('\n', "").contains(char::is_control) && text.contains(shown), "{tool}: {text}");
    }
}
