//! Batches are all or nothing, and each step sees what the steps before it did.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

use crate::files_support;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use files_support::{Desk, says};
use serde_json::{Value, json};

fn pipeline(steps: Value) -> Value {
    json!({"pipeline_json": json!({"steps": steps}).to_string()})
}

#[test]
fn steps_see_what_earlier_steps_did() {
    let desk = Desk::new();
    desk.put("a.txt", "one\n").put("old.txt", "old\n");
    let done = desk.json(
        "batch_operations",
        pipeline(json!([
            {"id": "w", "action": "write", "path": "new/b.txt", "content": "two one\n"},
            {"id": "e", "action": "edit", "path": "new/b.txt", "old_text": "two", "new_text": "three"},
            {"id": "m", "action": "multi_edit", "path": "a.txt", "edits_json": "[{\"old_text\":\"one\",\"new_text\":\"1\"}]"},
            {"id": "d", "action": "diff", "path": "a.txt", "diff": "@@ -1 +1 @@\n-1\n+uno\n"},
            {"id": "s", "action": "search", "pattern": "one"},
            {"id": "r", "action": "read", "path": "a.txt"},
            {"id": "x", "action": "delete", "path": "old.txt", "permanent": true},
            {"id": "v", "action": "move", "path": "new/b.txt", "to": "c.txt"},
            {"id": "c", "action": "copy", "path": "c.txt", "to": "d.txt"}
        ])),
    );
    says(done["steps"][4]["text"].as_str().unwrap(), &["1 line in 1 file", "new/b.txt:1: three one"]);
    assert_eq!(done["steps"][5], json!({"id": "r", "action": "read", "text": "uno\n"}));
    assert_eq!(done["changed"], json!(["a.txt", "old.txt", "c.txt", "d.txt"]));
    let names: Vec<_> = desk.everything().into_keys().collect();
    assert_eq!(names, ["root/", "root/a.txt", "root/c.txt", "root/d.txt"]);
    assert_eq!(
        (desk.get("a.txt"), desk.get("c.txt"), desk.get("d.txt")),
        ("uno\n".into(), "three one\n".into(), "three one\n".into())
    );
}

#[test]
fn a_batch_with_one_failing_step_changes_nothing() {
    let failing = [
        json!({"action": "edit", "path": "a.txt", "old_text": "nine", "new_text": "9"}),
        json!({"action": "read", "path": "none.txt"}),
        json!({"action": "delete", "path": "none.txt"}),
        json!({"action": "delete", "path": "sub"}),
        json!({"action": "write", "path": "../out.txt", "content": "x"}),
        json!({"action": "write", "path": "sub", "content": "x"}),
        json!({"action": "write", "path": "new/x.txt/y.txt", "content": "x"}),
        json!({"action": "move", "path": "a.txt", "to": "sub/b.txt"}),
        json!({"action": "copy", "path": "a.txt", "to": "a.txt"}),
        json!({"action": "diff", "path": "a.txt", "diff": "@@ -1 +1 @@\n-x\n+y\n"}),
        json!({"action": "read", "path": "old.txt"}),
    ];
    for last in failing {
        let desk = Desk::new();
        desk.put("a.txt", "one").put("sub/b.txt", "two").put("old.txt", "old");
        let before = desk.everything();
        let steps = json!([
            {"id": "1", "action": "write", "path": "a.txt", "content": "changed"},
            {"id": "2", "action": "write", "path": "new/x.txt", "content": "new"},
            {"id": "3", "action": "delete", "path": "old.txt"},
            {"id": "4", "action": "edit", "path": "sub/b.txt", "old_text": "two", "new_text": "2"},
            last
        ]);
        let text = desk.no("batch_operations", pipeline(steps));
        assert!(desk.everything() == before, "{last}: {text}");
    }
}

#[test]
fn a_failing_step_is_named() {
    let desk = Desk::new();
    desk.put("a.txt", "one");
    let steps = json!([
        {"id": "first", "action": "read", "path": "a.txt"},
        {"id": "second", "action": "edit", "path": "a.txt", "old_text": "two", "new_text": "2"}
    ]);
    let text = desk.no("batch_operations", pipeline(steps));
    says(&text, &["step 2 of 2", "\"second\", edit", "nothing was changed", "does not occur"]);
}

#[test]
fn steps_that_cancel_out_leave_no_trace() {
    let desk = Desk::new();
    let steps = json!([
        {"action": "write", "path": "a/b.txt", "content": "x"},
        {"action": "delete", "path": "a/b.txt"}
    ]);
    says(&desk.ok("batch_operations", pipeline(steps)), &["No file changes"]);
    assert_eq!(desk.everything().len(), 1);
}

/// Runs steps on `a` (with "A") and `b` (with "B") and gives what is there afterwards, without the trash.
fn after(steps: Value) -> Vec<(String, String)> {
    let desk = Desk::new();
    desk.put("a", "A").put("b", "B").put("d/e", "E");
    desk.ok("batch_operations", pipeline(steps));
    let mut found = desk.everything();
    found.retain(|name, _| !name.ends_with('/') && !name.contains(".toolwright-trash"));
    let text = |bytes| String::from_utf8(bytes).unwrap();
    found.into_iter().map(|(name, bytes)| (name["root/".len()..].to_owned(), text(bytes))).collect()
}

#[test]
fn a_path_that_is_freed_can_be_used_again() {
    let cases = [
        (
            json!([{"action": "delete", "path": "a"}, {"action": "write", "path": "a", "content": "new"}]),
            "a=new b=B d/e=E",
        ),
        (
            json!([{"action": "delete", "path": "a", "permanent": true}, {"action": "write", "path": "a", "content": "new"}]),
            "a=new b=B d/e=E",
        ),
        (
            json!([{"action": "move", "path": "a", "to": "c"}, {"action": "write", "path": "a", "content": "new"}]),
            "a=new b=B c=A d/e=E",
        ),
        (
            json!([
                {"action": "move", "path": "a", "to": "t"},
                {"action": "move", "path": "b", "to": "a"},
                {"action": "move", "path": "t", "to": "b"}
            ]),
            "a=B b=A d/e=E",
        ),
        (
            json!([{"action": "move", "path": "a", "to": "t"}, {"action": "move", "path": "t", "to": "a"}]),
            "a=A b=B d/e=E",
        ),
        (
            json!([{"action": "write", "path": "a", "content": "new"}, {"action": "delete", "path": "a"}]),
            "b=B d/e=E",
        ),
        (
            json!([
                {"action": "delete", "path": "a"},
                {"action": "write", "path": "a", "content": "new"},
                {"action": "delete", "path": "a"}
            ]),
            "b=B d/e=E",
        ),
        // A file whose name becomes that of a folder, and back.
        (
            json!([{"action": "delete", "path": "a"}, {"action": "write", "path": "a/x/y", "content": "new"}]),
            "a/x/y=new b=B d/e=E",
        ),
        (
            json!([
                {"action": "move", "path": "a", "to": "t"},
                {"action": "move", "path": "t", "to": "a/a"},
                {"action": "copy", "path": "a/a", "to": "a/b"}
            ]),
            "a/a=A a/b=A b=B d/e=E",
        ),
        (
            json!([
                {"action": "write", "path": "n/m", "content": "x"},
                {"action": "delete", "path": "n/m"},
                {"action": "write", "path": "n", "content": "now a file"}
            ]),
            "a=A b=B d/e=E n=now a file",
        ),
    ];
    for (steps, expected) in cases {
        let found = after(steps.clone()).into_iter().map(|(name, text)| format!("{name}={text}"));
        assert_eq!(found.collect::<Vec<_>>().join(" "), expected, "{steps}");
    }
}

#[test]
fn what_was_deleted_before_its_path_was_used_again_is_in_the_trash() {
    let desk = Desk::new();
    desk.put("a", "old");
    let steps =
        json!([{"action": "delete", "path": "a"}, {"action": "write", "path": "a", "content": "new"}]);
    let done = desk.json("batch_operations", pipeline(steps));
    let said = done["steps"][0]["text"].as_str().unwrap();
    let trash = said.split_once("where it is ").and_then(|(_, rest)| rest.split_once(". ")).unwrap().0;
    assert_eq!((desk.get("a"), desk.get(trash)), ("new".into(), "old".into()));
}

#[test]
fn steps_do_only_what_they_could_do_one_after_another() {
    let steps = [
        json!([{"action": "delete", "path": "d/e"}, {"action": "write", "path": "d", "content": "x"}]),
        json!([{"action": "write", "path": "n", "content": "x"}, {"action": "write", "path": "n/m", "content": "x"}]),
        json!([{"action": "write", "path": "n/m", "content": "x"}, {"action": "write", "path": "n", "content": "x"}]),
        json!([{"action": "write", "path": "n/m", "content": "x"}, {"action": "delete", "path": "n"}]),
        json!([{"action": "delete", "path": "a"}, {"action": "read", "path": "a"}]),
        json!([{"action": "delete", "path": "a"}, {"action": "delete", "path": "a"}]),
        json!([{"action": "delete", "path": "a"}, {"action": "delete", "path": "a/b"}]),
        json!([{"action": "move", "path": "a", "to": "a/b"}]),
    ];
    for steps in steps {
        let desk = Desk::new();
        desk.put("a", "A").put("d/e", "E");
        let before = desk.everything();
        let text = desk.no("batch_operations", pipeline(steps.clone()));
        assert!(!text.contains("somebody else"), "{steps}: {text}");
        assert!(desk.everything() == before, "{steps}");
    }
}

#[test]
fn a_deleted_link_is_not_followed_by_later_steps() {
    let desk = Desk::new();
    desk.put("a", "A");
    std::os::unix::fs::symlink("a", desk.root().join("link")).unwrap();
    let steps = json!([
        {"action": "delete", "path": "link", "permanent": true},
        {"action": "write", "path": "link", "content": "file"}
    ]);
    desk.ok("batch_operations", pipeline(steps));
    assert_eq!((desk.get("a"), desk.get("link")), ("A".into(), "file".into()));
    assert!(!desk.root().join("link").is_symlink());
}

#[test]
fn a_mode_goes_with_the_file_through_all_its_names() {
    let desk = Desk::new();
    desk.put("run", "A").put("plain", "B");
    fs::set_permissions(desk.root().join("run"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(desk.root().join("plain"), fs::Permissions::from_mode(0o640)).unwrap();
    let steps = json!([
        {"action": "move", "path": "run", "to": "t"},
        {"action": "move", "path": "plain", "to": "run"},
        {"action": "move", "path": "t", "to": "plain"}
    ]);
    desk.ok("batch_operations", pipeline(steps));
    let mode = |name: &str| fs::metadata(desk.root().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("plain"), mode("run")), (0o755, 0o640));
}

#[test]
fn a_moved_file_keeps_its_bytes_and_its_mode() {
    let desk = Desk::new();
    desk.put("run.bin", b"\0\xff").put("there.txt", "there");
    fs::set_permissions(desk.root().join("run.bin"), fs::Permissions::from_mode(0o755)).unwrap();
    let to_there = json!([{"action": "move", "path": "run.bin", "to": "there.txt"}]);
    says(&desk.no("batch_operations", pipeline(to_there.clone())), &["there.txt", "exists already", "force"]);
    desk.ok(
        "batch_operations",
        json!({"request_json": json!({"steps": to_there}).to_string(), "force": true}),
    );
    assert_eq!(fs::read(desk.root().join("there.txt")).unwrap(), b"\0\xff");
    assert_eq!(fs::metadata(desk.root().join("there.txt")).unwrap().permissions().mode() & 0o777, 0o755);
    assert!(!desk.root().join("run.bin").exists());
}

#[test]
fn payloads_that_cannot_be_run_are_explained() {
    let desk = Desk::new();
    let text = |arguments: Value| desk.no("batch_operations", arguments);
    says(&text(json!({})), &["pipeline_json is missing", "\"steps\""]);
    says(&text(json!({"pipeline_json": "nope"})), &["not JSON text", "Send for example"]);
    says(&text(json!({"pipeline_json": "{}"})), &["holds no steps"]);
    says(&text(json!({"request_json": "[]"})), &["request_json holds no steps"]);
    says(
        &text(json!({"pipeline_json": r#"{"steps":[{"action":"read","path":"a"}],"dry_run":true}"#})),
        &["beside"],
    );
    says(&text(json!({"pipeline_json": "[1]", "request_json": "[2]"})), &["different steps"]);
    says(&text(pipeline(json!([{"path": "a"}]))), &["step 1 (\"step-0\") has no \"action\"", "read, search"]);
    says(
        &text(pipeline(json!([{"id": "a", "action": "explode"}]))),
        &["unknown action \"explode\"", "one of read"],
    );
    says(&text(pipeline(json!([{"type": "read", "path": "a"}]))), &["a \"type\": call it \"action\""]);
    says(&text(pipeline(json!([1]))), &["not a JSON object"]);
    says(&text(pipeline(json!([{"action": "read", "path": "a", "dry_run": true}]))), &["beside the steps"]);
    says(&text(pipeline(json!([{"action": "edit", "path": "a"}]))), &["\"old_text\" is missing"]);
    let twice =
        json!([{"id": "a", "action": "read", "path": "a"}, {"id": "a", "action": "read", "path": "a"}]);
    says(&text(pipeline(twice)), &["two steps have the id \"a\""]);
    let many: Vec<Value> = (0..501).map(|_| json!({"action": "read", "path": "a"})).collect();
    says(&text(pipeline(json!(many))), &["501 steps", "500"]);
}

#[test]
fn a_batch_that_would_write_too_much_is_refused() {
    let limits = toolwright_builtin_tools::FilesLimits { max_batch_bytes: 10, ..Default::default() };
    let desk = Desk::with_limits(limits);
    let steps = json!([
        {"action": "write", "path": "a.txt", "content": "123456"},
        {"action": "write", "path": "b.txt", "content": "123456"}
    ]);
    says(&desk.no("batch_operations", pipeline(steps)), &["more than 10 bytes", "max_batch_bytes"]);
    assert_eq!(desk.everything().len(), 1);
}

#[test]
fn a_batch_that_would_return_too_much_is_refused() {
    let limits = toolwright_builtin_tools::FilesLimits { max_read_bytes: 100, ..Default::default() };
    let desk = Desk::with_limits(limits);
    desk.put("a.txt", "x".repeat(60));
    let steps = json!([
        {"action": "write", "path": "b.txt", "content": "b"},
        {"action": "read", "path": "a.txt"},
        {"action": "read", "path": "a.txt"}
    ]);
    says(&desk.no("batch_operations", pipeline(steps)), &["\"step-2\"", "100 bytes", "nothing was changed"]);
    assert_eq!(desk.everything().len(), 2);
}

#[test]
fn a_step_that_lacks_something_is_told_in_words() {
    let desk = Desk::new();
    desk.put("a", "x");
    let no = |step: Value| desk.no("batch_operations", pipeline(json!([step])));
    says(&no(json!({"action": "read"})), &["nothing was changed: \"path\" is missing"]);
    says(
        &no(json!({"action": "read", "paths": "a"})),
        &["\"paths\" is not known here; known are path, start_line"],
    );
    let edits = json!({"path": "a", "edits_json": r#"[{"old_text": "x"}]"#});
    says(&desk.no("multi_edit", edits), &["objects: edit 1: \"new_text\" is missing. Send"]);
}
