//! Calls as clients really send them: the built-in rules make them fit these tools, and the tools run them.

#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

use crate::files_support;

use files_support::Desk;
use serde_json::{Value, json};
use toolwright_builtin_tools::{BuiltinConfig, builtin_tools};
use toolwright_model::Outcome;
use toolwright_normalizer::{Normalizer, RawArguments, RuleSet, Tool};

#[test]
fn the_fourteen_rules_fit_the_files_tools() {
    let desk = Desk::new();
    desk.put("a.txt", "hello\n").put("sub/b.txt", "hello\n");
    let cases: [(&str, Value, Value); 12] = [
        (
            "edit_file",
            json!({"path": "a.txt", "old_str": "hello", "new_str": "world"}),
            json!({"path": "a.txt", "old_text": "hello", "new_text": "world"}),
        ),
        (
            "multi_edit",
            json!({"path": "a.txt", "edits_json": [{"old_str": "world", "new_str": "hello"}]}),
            json!({"path": "a.txt", "edits_json": "[{\"old_text\":\"world\",\"new_text\":\"hello\"}]"}),
        ),
        (
            "edit_file",
            json!({"path": "a.txt", "old_text": "hello", "new_text": "x", "force": "true", "dry_run": "true"}),
            json!({"path": "a.txt", "old_text": "hello", "new_text": "x", "force": true, "dry_run": true}),
        ),
        (
            "search_files",
            json!({"pattern": "hello", "count_only": "true", "recursive": "false"}),
            json!({"pattern": "hello", "count_only": true, "recursive": false}),
        ),
        (
            "list_directory",
            json!({"path": ".", "recursive": "true"}),
            json!({"path": ".", "recursive": true}),
        ),
        (
            "batch_operations",
            json!({"pipeline_json": "{\"steps\":[{\"type\":\"search\",\"pattern\":\"hello\"}]}"}),
            json!({"pipeline_json": "{\"steps\":[{\"action\":\"search\",\"pattern\":\"hello\",\"id\":\"step-0\"}]}"}),
        ),
        (
            "batch_operations",
            json!({"request_json": "{\"steps\":[{\"type\":\"read\",\"path\":\"a.txt\"}]}"}),
            json!({"request_json": "{\"steps\":[{\"action\":\"read\",\"path\":\"a.txt\",\"id\":\"step-0\"}]}"}),
        ),
        ("read_file", json!({"file_path": "a.txt"}), json!({"path": "a.txt"})),
        (
            "write_to_file",
            json!({"filepath": "c.txt", "content": "x"}),
            json!({"path": "c.txt", "content": "x"}),
        ),
        (
            "apply_diff",
            json!({"file": "c.txt", "diff": "@@ -1 +1 @@\n-x\n+y\n"}),
            json!({"path": "c.txt", "diff": "@@ -1 +1 @@\n-x\n+y\n"}),
        ),
        (
            "delete_file",
            json!({"path": "c.txt", "permanent": "true"}),
            json!({"path": "c.txt", "permanent": true}),
        ),
        (
            "edit_file",
            json!({"file_path": "a.txt", "old_string": "hello", "new_string": "world"}),
            json!({"path": "a.txt", "old_text": "hello", "new_text": "world"}),
        ),
    ];
    for (tool, sent, expected) in cases {
        let mended = desk.mended(tool, &sent).unwrap_or_else(|why| panic!("{tool} {sent}: {why}"));
        assert_eq!(mended, expected, "{tool}");
        desk.ok(tool, mended);
    }
    assert_eq!(desk.get("a.txt"), "world\n");
}

#[test]
fn tools_of_our_own_get_their_arguments_unchanged() {
    for tool in builtin_tools(&BuiltinConfig::default()).unwrap() {
        let compiled = Tool::compile(&tool.definition).unwrap();
        let sent = RawArguments::json(r#"{"dry_run": "true"}"#);
        let outcome = Normalizer::default().normalize(&compiled, &sent);
        assert!(!matches!(outcome, Outcome::Repaired { .. }), "{}: {outcome:?}", tool.definition.name);
    }
}

#[test]
fn a_window_that_read_file_does_not_have_is_never_taken_for_its_lines() {
    let desk = Desk::new();
    let tool = Tool::compile(&desk.tool("read_file").definition).unwrap();
    let sent = r#"{"file_path": "a.txt", "offset": 100, "limit": 50}"#;
    // By default the window is meant, so the call is refused or keeps to what was sent; it is not guessed.
    if let Outcome::Repaired { arguments, .. } =
        Normalizer::default().normalize(&tool, &RawArguments::json(sent))
    {
        panic!("{arguments}");
    }
    let sets = RuleSet::from_sets(&["file-path", "file-window-drop"]);
    match Normalizer::new(sets).normalize(&tool, &RawArguments::json(sent)) {
        Outcome::Repaired { arguments, .. } => assert_eq!(arguments, r#"{"path":"a.txt"}"#),
        other => panic!("{other:?}"),
    }
}

#[test]
fn names_inside_of_steps_and_edits_are_mended_as_they_are_outside() {
    let desk = Desk::new();
    desk.put("a.txt", "hello\n");
    let step = json!({"action": "edit", "file_path": "a.txt", "old_str": "hello", "new_string": "world"});
    for (payload, steps) in [
        ("pipeline_json", json!({"steps": [step]})),
        ("request_json", json!(json!({"steps": [{"action": "read", "filepath": "a.txt"}]}).to_string())),
    ] {
        let mended = desk.mended("batch_operations", &json!({payload: steps})).unwrap();
        desk.ok("batch_operations", mended);
    }
    let edits = json!({"path": "a.txt", "edits_json": [{"old_string": "world", "new_string": "moon"}]});
    desk.ok("multi_edit", desk.mended("multi_edit", &edits).unwrap());
    assert_eq!(desk.get("a.txt"), "moon\n");
}

#[test]
fn steps_are_found_and_mended_however_they_are_sent() {
    let desk = Desk::new();
    let steps = json!([
        {"type": "write", "file": "a.txt", "contents": "one one", "force": "true"},
        {"action": "edit", "file_path": "a.txt", "old_str": "one", "new_str": "two", "replace_all": "True"},
        {"action": "multi_edit", "path": "a.txt", "edits": [{"old_text": "two", "new_text": "six", "replace_all": "true"}]},
        {"action": "search", "path": ".", "pattern": "six", "count_only": "true", "recursive": "false"},
    ]);
    for sent in [
        json!({"steps": steps}),
        json!({"operations": steps}),
        json!({"pipeline": steps}),
        json!({"pipeline": {"steps": steps}}),
        json!({"pipeline_json": steps}),
        json!({"pipeline_json": steps.to_string()}),
        json!({"request_json": {"steps": steps}}),
        json!({"request_json": steps}),
    ] {
        let mended = desk.mended("batch_operations", &sent).unwrap_or_else(|why| panic!("{sent}: {why}"));
        desk.ok("batch_operations", mended);
        assert_eq!(desk.get("a.txt"), "six six", "{sent}");
        desk.put("a.txt", "");
    }
    let write = desk.mended("write_to_file", &json!({"path": "b.txt", "contents": "x"})).unwrap();
    assert_eq!(write, json!({"path": "b.txt", "content": "x"}));
}

#[test]
fn steps_and_contents_that_only_look_alike_are_refused() {
    let desk = Desk::new();
    let (one, other) =
        (json!([{"action": "delete", "path": "a"}]), json!([{"action": "delete", "path": "b"}]));
    for (tool, sent) in [
        ("batch_operations", json!({"steps": one, "operations": other})),
        ("batch_operations", json!({"steps": one, "pipeline_json": other.to_string()})),
        ("batch_operations", json!({"step": one})),
        ("batch_operations", json!({"operation": "delete"})),
        ("write_to_file", json!({"path": "a", "contents": "x", "content": "y"})),
        ("write_to_file", json!({"path": "a", "contexts": "x"})),
    ] {
        let mended = desk.mended(tool, &sent);
        assert!(mended.is_err(), "{sent}: {mended:?}");
    }
    let number = desk.mended("batch_operations", &json!({"steps": 3})).unwrap();
    assert!(desk.no("batch_operations", number).contains("holds no steps"));
    // Two names with two values in one step.
    for step in [
        json!({"action": "write", "path": "a", "contents": "x", "content": "y"}),
        json!({"action": "read", "path": "a", "file": "b"}),
        json!({"action": "multi_edit", "path": "a", "edits": [], "edits_json": "[1]"}),
    ] {
        let refused = desk.mended("batch_operations", &json!({"steps": [step]})).unwrap_err();
        assert!(refused.contains("ConflictingValues"), "{refused}");
    }
}

#[test]
fn what_does_not_fit_in_a_step_is_named() {
    let desk = Desk::new();
    desk.put("a.txt", "x");
    let step = |step: Value| desk.no("batch_operations", json!({"pipeline_json": json!([step]).to_string()}));
    let said = step(json!({"action": "write", "path": "a.txt", "content": "x", "force": "yes"}));
    assert!(
        said.contains("\"force\" does not fit: invalid type: string \"yes\", expected a boolean"),
        "{said}"
    );
    let said = step(json!({"action": "write", "path": "a.txt", "text": "x"}));
    assert!(said.ends_with("\"text\" is not known here; known are path, content, force"), "{said}");
    let edits = json!([{"old_text": "x", "new_text": "y", "replace_all": "all"}]).to_string();
    let said = desk.no("multi_edit", json!({"path": "a.txt", "edits_json": edits}));
    assert!(
        said.contains("edit 1: \"replace_all\" does not fit: \"all\" is neither true nor false"),
        "{said}"
    );
}

#[test]
fn names_inside_of_steps_that_only_look_alike_are_refused() {
    let desk = Desk::new();
    desk.put("a.txt", "hello\n").put("b.txt", "hello\n");
    let send = |step: Value| json!({"pipeline_json": json!({"steps": [step]}).to_string()});
    // Two names, two values: neither is chosen.
    for step in [
        json!({"action": "delete", "path": "a.txt", "file_path": "b.txt"}),
        json!({"action": "edit", "path": "a.txt", "old_str": "hello", "old_string": "x", "new_str": "y"}),
    ] {
        let refused = desk.mended("batch_operations", &send(step)).unwrap_err();
        assert!(refused.contains("ConflictingValues"), "{refused}");
    }
    // Names that sound like it and mean something else stay, and the tool does not know them.
    for step in [
        json!({"action": "delete", "file_pattern": "a.txt"}),
        json!({"action": "edit", "path": "a.txt", "old_strength": "hello", "new_str": "y"}),
    ] {
        let mended = desk.mended("batch_operations", &send(step)).unwrap();
        assert!(desk.no("batch_operations", mended).contains("nothing was changed"));
    }
    assert_eq!((desk.get("a.txt"), desk.get("b.txt")), ("hello\n".to_owned(), "hello\n".to_owned()));
}

/// What models write for these tools without any rule that names it.
#[test]
fn what_models_really_send_is_made_to_fit() {
    let desk = Desk::new();
    let steps = json!({"steps": [{"type": "search", "pattern": "x"}]});
    let mended = "{\"steps\":[{\"action\":\"search\",\"pattern\":\"x\",\"id\":\"step-0\"}]}";
    for (tool, sent, expected) in [
        ("batch_operations", json!({"pipeline_json": steps}), json!({"pipeline_json": mended})),
        ("batch_operations", json!({"pipeline": steps}), json!({"pipeline_json": mended})),
        ("batch_operations", json!({"pipeline": steps.to_string()}), json!({"pipeline_json": mended})),
        (
            "edit_file",
            json!({"filename": "a", "search": "x", "replace": "y"}),
            json!({"path": "a", "old_text": "x", "new_text": "y"}),
        ),
        ("search_files", json!({"query": "a", "directory": "b"}), json!({"pattern": "a", "path": "b"})),
        ("list_directory", json!({"dir": "a"}), json!({"path": "a"})),
        ("delete_file", json!({"file_path": "a"}), json!({"path": "a"})),
    ] {
        assert_eq!(desk.mended(tool, &sent), Ok(expected), "{tool} {sent}");
    }
}
