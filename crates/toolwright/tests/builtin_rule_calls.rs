//! The 14 built-in rules of founding document 004, each from the command line to the disk: what the model sent, what the
//! tool received, and what came out.

use crate::desk;
use crate::program;

use std::collections::BTreeSet;

use desk::Desk;
use program::run;
use serde_json::{Value, json};

/// One call of a tool that only its rule makes right.
struct Case {
    rule: &'static str,
    tool: &'static str,
    sent: Value,
    received: Value,
    /// Words in the result.
    result: &'static str,
    /// What is in `a.txt` afterwards; `None` when it is gone.
    left: Option<&'static str>,
}

/// What `a.txt` holds before each call.
const BEFORE: &str = "hello hello\n";

fn payload(steps: Value) -> String {
    json!({ "steps": steps }).to_string()
}

fn cases() -> Vec<Case> {
    let edits = |old: &str, new: &str| json!([{old: "hello hello", new: "world"}]);
    let unchanged = Some(BEFORE);
    vec![
        Case {
            rule: "edit-old_str",
            tool: "edit_file",
            sent: json!({"path": "a.txt", "old_str": "hello hello", "new_text": "world"}),
            received: json!({"path": "a.txt", "old_text": "hello hello", "new_text": "world"}),
            result: "Replaced 1 occurrence in a.txt",
            left: Some("world\n"),
        },
        Case {
            rule: "edit-new_str",
            tool: "edit_file",
            sent: json!({"path": "a.txt", "old_text": "hello hello", "new_str": "world"}),
            received: json!({"path": "a.txt", "old_text": "hello hello", "new_text": "world"}),
            result: "Replaced 1 occurrence in a.txt",
            left: Some("world\n"),
        },
        Case {
            rule: "multi_edit-old_str",
            tool: "multi_edit",
            sent: json!({"path": "a.txt", "edits_json": edits("old_str", "new_text").to_string()}),
            received: json!({"path": "a.txt", "edits_json": edits("old_text", "new_text").to_string()}),
            result: "Replaced 1 occurrence in a.txt",
            left: Some("world\n"),
        },
        Case {
            rule: "multi_edit-new_str",
            tool: "multi_edit",
            sent: json!({"path": "a.txt", "edits_json": edits("old_text", "new_str").to_string()}),
            received: json!({"path": "a.txt", "edits_json": edits("old_text", "new_text").to_string()}),
            result: "Replaced 1 occurrence in a.txt",
            left: Some("world\n"),
        },
        Case {
            rule: "force-bool-coerce",
            tool: "write_to_file",
            sent: json!({"path": "a.txt", "content": "new\n", "force": "true"}),
            received: json!({"path": "a.txt", "content": "new\n", "force": true}),
            result: "Replaced the contents of a.txt",
            left: Some("new\n"),
        },
        Case {
            rule: "count_only-bool-coerce",
            tool: "search_files",
            sent: json!({"pattern": "hello", "count_only": "true"}),
            received: json!({"pattern": "hello", "count_only": true}),
            result: "2 lines in 2 files",
            left: unchanged,
        },
        Case {
            rule: "dry_run-bool-coerce",
            tool: "edit_file",
            sent: json!({"path": "a.txt", "old_text": "hello hello", "new_text": "world", "dry_run": "true"}),
            received: json!({"path": "a.txt", "old_text": "hello hello", "new_text": "world", "dry_run": true}),
            result: "Would replace 1 occurrence in a.txt",
            left: unchanged,
        },
        Case {
            rule: "permanent-bool-coerce",
            tool: "delete_file",
            sent: json!({"path": "a.txt", "permanent": "true"}),
            received: json!({"path": "a.txt", "permanent": true}),
            result: "Deleted a.txt for good",
            left: None,
        },
        Case {
            rule: "recursive-bool-coerce",
            tool: "list_directory",
            sent: json!({"path": ".", "recursive": "true"}),
            received: json!({"path": ".", "recursive": true}),
            result: "sub/b.txt",
            left: unchanged,
        },
        Case {
            rule: "multi_edit-edits-coerce",
            tool: "multi_edit",
            sent: json!({"path": "a.txt", "edits_json": edits("old_text", "new_text")}),
            received: json!({"path": "a.txt", "edits_json": edits("old_text", "new_text").to_string()}),
            result: "Replaced 1 occurrence in a.txt",
            left: Some("world\n"),
        },
        Case {
            rule: "pipeline-type-alias",
            tool: "batch_operations",
            sent: json!({"pipeline_json": payload(json!([{"id": "1", "type": "search", "pattern": "hello"}]))}),
            received: json!({"pipeline_json": payload(json!([{"id": "1", "action": "search", "pattern": "hello"}]))}),
            result: "1 (search): 2 lines in 2 files",
            left: unchanged,
        },
        Case {
            rule: "pipeline-step-id-default",
            tool: "batch_operations",
            sent: json!({"pipeline_json": payload(json!([
                {"action": "edit", "path": "a.txt", "old_text": "hello hello", "new_text": "world"},
                {"action": "read", "path": "a.txt"}
            ]))}),
            received: json!({"pipeline_json": payload(json!([
                {"action": "edit", "path": "a.txt", "old_text": "hello hello", "new_text": "world", "id": "step-0"},
                {"action": "read", "path": "a.txt", "id": "step-1"}
            ]))}),
            result: "step-1 (read): world",
            left: Some("world\n"),
        },
        Case {
            rule: "batch-type-alias",
            tool: "batch_operations",
            sent: json!({"request_json": payload(json!([{"id": "1", "type": "delete", "path": "a.txt"}]))}),
            received: json!({"request_json": payload(json!([{"id": "1", "action": "delete", "path": "a.txt"}]))}),
            result: "1 (delete)",
            left: None,
        },
        Case {
            rule: "batch-step-id-default",
            tool: "batch_operations",
            sent: json!({"request_json": payload(json!([{"action": "read", "path": "a.txt"}]))}),
            received: json!({"request_json": payload(json!([{"action": "read", "path": "a.txt", "id": "step-0"}]))}),
            result: "step-0 (read): hello hello",
            left: unchanged,
        },
    ]
}

#[test]
fn every_rule_fires_from_the_command_line_to_the_disk() {
    for case in cases() {
        let Case { rule, tool, sent, received, result, left } = case;
        let desk = Desk::new();
        desk.put("a.txt", BEFORE);
        desk.put("sub/b.txt", "hello\n");
        if rule == "force-bool-coerce" {
            desk.make_read_only("a.txt");
        }
        let (code, answer) = desk.json(&[tool, &sent.to_string()]);
        assert_eq!((code, &answer["ok"]), (0, &json!(true)), "{rule}: {answer}");
        assert_eq!(answer["arguments"], received, "{rule}");
        let fired: Vec<&str> = answer["changes"]
            .as_array()
            .expect("changes")
            .iter()
            .filter_map(|change| change["rule"].as_str())
            .collect();
        assert!(!fired.is_empty() && fired.iter().all(|fired| *fired == rule), "{rule}: {fired:?}");
        let text = answer["text"].as_str().expect("a text");
        assert!(text.contains(result), "{rule}: {text}");
        assert_eq!(desk.find("a.txt").as_deref(), left, "{rule}");
    }
}

#[test]
fn without_the_rules_none_of_their_ids_shows() {
    for case in cases() {
        let desk = Desk::new();
        desk.put("a.txt", BEFORE);
        let sent = case.sent.to_string();
        let (_, answer) = desk.json(&[case.tool, &sent, "--disable", "claude-desktop", "--dry-run"]);
        for change in answer["changes"].as_array().expect("changes") {
            assert_eq!(change["rule"], Value::Null, "{}", case.rule);
        }
    }
}

#[test]
fn the_table_holds_every_rule_of_the_set() {
    let listed: Value = serde_json::from_str(&run(&["rules", "list", "--json"], "").stdout).expect("JSON");
    let of_set = |rule: &&Value| rule["set"] == "claude-desktop";
    let rules: BTreeSet<String> = listed["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .filter(of_set)
        .filter_map(|rule| rule["id"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(rules.len(), 14);
    assert_eq!(cases().iter().map(|case| case.rule.to_owned()).collect::<BTreeSet<_>>(), rules);
}
