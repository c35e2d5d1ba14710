//! Founding document 004, "Bug #22: Parameter Normalization": its table of problems, its fourteen
//! built-in rules by id, its example of an external rule, and the fifteen tests of the original.

use crate::support;

use support::*;
use toolwright_model::{Code, Outcome};
use toolwright_normalizer::rules::BUILTIN_SETS;
use toolwright_normalizer::{Normalizer, RuleSet, Tool};

fn edit_file() -> Tool {
    let properties = r#""path":{"type":"string"},"old_text":{"type":"string"},"new_text":{"type":"string"},
        "force":{"type":"boolean"},"dry_run":{"type":"boolean"}"#;
    tool("edit_file", &closed(properties, &["path", "old_text", "new_text"]))
}

fn multi_edit() -> Tool {
    let properties = r#""path":{"type":"string"},"edits_json":{"type":"string"},"force":{"type":"boolean"}"#;
    tool("multi_edit", &closed(properties, &["path", "edits_json"]))
}

fn batch_operations() -> Tool {
    let properties = r#""pipeline_json":{"type":"string"},"request_json":{"type":"string"}"#;
    tool("batch_operations", &closed(properties, &[]))
}

/// A tool with one flag.
fn flagged(name: &str, flag: &str) -> Tool {
    tool(name, &closed(&format!(r#""path":{{"type":"string"}},"{flag}":{{"type":"boolean"}}"#), &[]))
}

// === The table of the problem section ===

#[test]
fn the_wrong_name_old_str_becomes_old_text() {
    let arguments = r#"{"path":"a","old_str":"hello","new_text":"world"}"#;
    let expected = r#"{"path":"a","old_text":"hello","new_text":"world"}"#;
    assert_repaired(&by_default(), &edit_file(), arguments, expected);
}

#[test]
fn the_wrong_name_new_str_becomes_new_text() {
    let arguments = r#"{"path":"a","old_text":"hello","new_str":"world"}"#;
    let expected = r#"{"path":"a","old_text":"hello","new_text":"world"}"#;
    assert_repaired(&by_default(), &edit_file(), arguments, expected);
}

#[test]
fn the_string_booleans_force_count_only_and_dry_run_become_booleans() {
    for flag in ["force", "count_only", "dry_run"] {
        let (sent, expected) = (format!(r#"{{"{flag}":"true"}}"#), format!(r#"{{"{flag}":true}}"#));
        assert_repaired(&by_default(), &flagged("search_files", flag), &sent, &expected);
    }
}

#[test]
fn the_raw_json_array_edits_json_becomes_a_string() {
    let arguments = r#"{"path":"a","edits_json":[{"old_text":"x","new_text":"y"}]}"#;
    let expected = r#"{"path":"a","edits_json":"[{\"old_text\":\"x\",\"new_text\":\"y\"}]"}"#;
    assert_repaired(&by_default(), &multi_edit(), arguments, expected);
}

#[test]
fn the_wrong_field_name_type_of_a_pipeline_step_becomes_action() {
    let arguments = r#"{"pipeline_json":"{\"steps\":[{\"id\":\"s\",\"type\":\"search\"}]}"}"#;
    let expected = r#"{"pipeline_json":"{\"steps\":[{\"id\":\"s\",\"action\":\"search\"}]}"}"#;
    assert_repaired(&by_default(), &batch_operations(), arguments, expected);
}

// === Built-in rules (14), each by its id ===

const BUILTIN_IDS: [&str; 14] = [
    "edit-old_str",
    "edit-new_str",
    "multi_edit-old_str",
    "multi_edit-new_str",
    "force-bool-coerce",
    "count_only-bool-coerce",
    "dry_run-bool-coerce",
    "permanent-bool-coerce",
    "recursive-bool-coerce",
    "multi_edit-edits-coerce",
    "pipeline-type-alias",
    "pipeline-step-id-default",
    "batch-type-alias",
    "batch-step-id-default",
];

/// The rule alone changes the call, and the report names it.
#[track_caller]
fn assert_rule(id: &str, tool: &Tool, arguments: &str, expected: &str) {
    assert_repaired(&by_default(), tool, arguments, expected);
    assert_eq!(fired(&by_default(), tool, arguments), [id]);
}

#[test]
fn set_has_the_fourteen_rules_of_the_document() {
    let set = RuleSet::from_sets(&["claude-desktop"]);
    let ids: Vec<&str> = set.rules().iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids, BUILTIN_IDS);
}

#[test]
fn fourteen_rules_are_active_by_default() {
    let rules = by_default();
    for id in BUILTIN_IDS {
        assert!(rules.rules().rules().iter().any(|rule| rule.id == id && rule.enabled), "{id}");
    }
}

#[test]
fn rule_edit_old_str() {
    let arguments = r#"{"path":"a","old_str":"x","new_text":"y"}"#;
    assert_rule("edit-old_str", &edit_file(), arguments, r#"{"path":"a","old_text":"x","new_text":"y"}"#);
}

#[test]
fn rule_edit_new_str() {
    let arguments = r#"{"path":"a","old_text":"x","new_str":"y"}"#;
    assert_rule("edit-new_str", &edit_file(), arguments, r#"{"path":"a","old_text":"x","new_text":"y"}"#);
}

#[test]
fn rule_multi_edit_old_str() {
    let arguments = r#"{"path":"a","edits_json":"[{\"old_str\":\"x\",\"new_text\":\"y\"}]"}"#;
    let expected = r#"{"path":"a","edits_json":"[{\"old_text\":\"x\",\"new_text\":\"y\"}]"}"#;
    assert_rule("multi_edit-old_str", &multi_edit(), arguments, expected);
}

#[test]
fn rule_multi_edit_new_str() {
    let arguments = r#"{"path":"a","edits_json":"[{\"old_text\":\"x\",\"new_str\":\"y\"}]"}"#;
    let expected = r#"{"path":"a","edits_json":"[{\"old_text\":\"x\",\"new_text\":\"y\"}]"}"#;
    assert_rule("multi_edit-new_str", &multi_edit(), arguments, expected);
}

#[test]
fn rule_force_bool_coerce() {
    let tool = flagged("create_file", "force");
    assert_rule("force-bool-coerce", &tool, r#"{"force":"true"}"#, r#"{"force":true}"#);
}

#[test]
fn rule_count_only_bool_coerce() {
    let tool = flagged("search_files", "count_only");
    assert_rule("count_only-bool-coerce", &tool, r#"{"count_only":"true"}"#, r#"{"count_only":true}"#);
}

#[test]
fn rule_dry_run_bool_coerce() {
    let tool = flagged("rename_file", "dry_run");
    assert_rule("dry_run-bool-coerce", &tool, r#"{"dry_run":"true"}"#, r#"{"dry_run":true}"#);
}

#[test]
fn rule_permanent_bool_coerce() {
    let tool = flagged("delete_file", "permanent");
    assert_rule("permanent-bool-coerce", &tool, r#"{"permanent":"true"}"#, r#"{"permanent":true}"#);
}

#[test]
fn rule_recursive_bool_coerce() {
    let tool = flagged("list_directory", "recursive");
    assert_rule("recursive-bool-coerce", &tool, r#"{"recursive":"true"}"#, r#"{"recursive":true}"#);
}

#[test]
fn rule_multi_edit_edits_coerce() {
    let arguments = r#"{"path":"a","edits_json":[{"old_text":"x","new_text":"y"}]}"#;
    let expected = r#"{"path":"a","edits_json":"[{\"old_text\":\"x\",\"new_text\":\"y\"}]"}"#;
    assert_rule("multi_edit-edits-coerce", &multi_edit(), arguments, expected);
}

#[test]
fn rule_pipeline_type_alias() {
    let arguments = r#"{"pipeline_json":"{\"steps\":[{\"type\":\"search\",\"id\":\"s\"}]}"}"#;
    let expected = r#"{"pipeline_json":"{\"steps\":[{\"action\":\"search\",\"id\":\"s\"}]}"}"#;
    assert_rule("pipeline-type-alias", &batch_operations(), arguments, expected);
}

#[test]
fn rule_pipeline_step_id_default() {
    let arguments = r#"{"pipeline_json":"{\"steps\":[{\"action\":\"search\"}]}"}"#;
    let expected = r#"{"pipeline_json":"{\"steps\":[{\"action\":\"search\",\"id\":\"step-0\"}]}"}"#;
    assert_rule("pipeline-step-id-default", &batch_operations(), arguments, expected);
}

#[test]
fn rule_batch_type_alias() {
    let arguments = r#"{"request_json":"{\"steps\":[{\"type\":\"copy\",\"id\":\"s\"}]}"}"#;
    let expected = r#"{"request_json":"{\"steps\":[{\"action\":\"copy\",\"id\":\"s\"}]}"}"#;
    assert_rule("batch-type-alias", &batch_operations(), arguments, expected);
}

#[test]
fn rule_batch_step_id_default() {
    let arguments = r#"{"request_json":"{\"steps\":[{\"action\":\"copy\"}]}"}"#;
    let expected = r#"{"request_json":"{\"steps\":[{\"action\":\"copy\",\"id\":\"step-0\"}]}"}"#;
    assert_rule("batch-step-id-default", &batch_operations(), arguments, expected);
}

#[test]
fn the_set_can_be_switched_off() {
    let normalizer = with_set_switched_off("claude-desktop");
    let arguments = r#"{"pipeline_json":"{\"steps\":[{\"type\":\"search\"}]}"}"#;
    assert_unchanged(&normalizer, &batch_operations(), arguments);
}

#[test]
fn every_set_is_found_by_its_name_and_says_what_it_is_for() {
    for set in BUILTIN_SETS {
        assert!(!RuleSet::from_sets(&[set.name]).rules().is_empty(), "{}", set.name);
        assert!(!set.about.is_empty(), "{}", set.name);
    }
    assert!(RuleSet::from_sets(&["no-such-set"]).rules().is_empty());
}

// === External rules: the example of the document ===

const CUSTOM_ALIAS: &str = r#"[ { "id": "custom-alias", "tools": ["read_file"], "type": "param_alias", "from": "filename", "to": "path" }]"#;

fn read_file() -> Tool {
    tool("read_file", &closed(r#""path":{"type":"string"}"#, &["path"]))
}

#[test]
fn the_external_rule_of_the_document_renames_filename() {
    let arguments = r#"{"filename":"notes.md"}"#;
    assert_repaired(&with_rules(CUSTOM_ALIAS), &read_file(), arguments, r#"{"path":"notes.md"}"#);
    assert_eq!(fired(&with_rules(CUSTOM_ALIAS), &read_file(), arguments), ["custom-alias"]);
}

#[test]
fn external_rules_and_built_in_rules_both_apply() {
    let rules = RuleSet::builtin().with_user_rules(rules(CUSTOM_ALIAS));
    let normalizer = Normalizer::new(rules);
    assert_eq!(fired(&normalizer, &read_file(), r#"{"filename":"a"}"#), ["custom-alias"]);
    let arguments = r#"{"path":"a","old_str":"x","new_text":"y"}"#;
    assert_eq!(fired(&normalizer, &edit_file(), arguments), ["edit-old_str"]);
}

// === The fifteen tests of the original ===

#[test]
fn original_1_an_alias_renames_both_and_removes_the_sources_with_two_records() {
    let arguments = r#"{"path":"a","old_str":"hello","new_str":"world"}"#;
    let (repaired_text, changes) = repair(&by_default(), &edit_file(), arguments);
    assert_eq!(repaired_text, r#"{"path":"a","old_text":"hello","new_text":"world"}"#);
    insta::assert_snapshot!(report(&changes), @r#"
    N3 /old_str "old_str" → "old_text" by edit-old_str: alias
    N3 /new_str "new_str" → "new_text" by edit-new_str: alias
    "#);
}

#[test]
fn original_2_an_alias_does_not_overwrite_an_existing_target() {
    let arguments = r#"{"path":"a","old_str":"alias","old_text":"explicit","new_text":"y"}"#;
    assert_eq!(refused(&by_default(), &edit_file(), arguments), [Code::ConflictingValues]);
}

#[test]
fn two_aliases_with_different_texts_are_refused_in_an_open_object_too() {
    let properties = r#""path":{"type":"string"},"old_text":{"type":"string"},"new_text":{"type":"string"}"#;
    let tool = tool("edit_file", &open(properties, &["path", "old_text", "new_text"]));
    let arguments = r#"{"path":"a","old_str":"x","old_string":"q","new_text":"y"}"#;
    assert!(refused(&by_default(), &tool, arguments).contains(&Code::ConflictingValues));
}

#[test]
fn original_3_the_words_for_true_and_false_become_booleans() {
    let tool = flagged("search_files", "count_only");
    for (words, expected) in [
        (&["true", "True", "TRUE", "1", "yes"][..], r#"{"count_only":true}"#),
        (&["false", "False", "0", "no"][..], r#"{"count_only":false}"#),
    ] {
        for word in words {
            assert_repaired(&by_default(), &tool, &format!(r#"{{"count_only":"{word}"}}"#), expected);
        }
    }
}

#[test]
fn a_flag_that_can_destroy_something_takes_true_and_false_only() {
    let tool = flagged("create_file", "force");
    assert_repaired(&by_default(), &tool, r#"{"force":"True"}"#, r#"{"force":true}"#);
    for word in ["yes", "1", "no"] {
        assert_eq!(refused(&by_default(), &tool, &format!(r#"{{"force":"{word}"}}"#)), [Code::ValueMismatch]);
    }
}

#[test]
fn original_4_a_real_boolean_is_untouched() {
    for arguments in [r#"{"force":true}"#, r#"{"force":false}"#] {
        assert_unchanged(&by_default(), &flagged("create_file", "force"), arguments);
    }
}

#[test]
fn original_5_a_raw_array_becomes_a_json_string_that_parses_back_with_two_items() {
    let arguments = r#"{"path":"a","edits_json":[{"old_text":"1"},{"old_text":"2"}]}"#;
    let repaired_text = repaired(&by_default(), &multi_edit(), arguments);
    let repaired_text: serde_json::Value = serde_json::from_str(&repaired_text).unwrap();
    let edits: Vec<serde_json::Value> =
        serde_json::from_str(repaired_text["edits_json"].as_str().unwrap()).unwrap();
    assert_eq!(edits, [serde_json::json!({"old_text": "1"}), serde_json::json!({"old_text": "2"})]);
}

#[test]
fn original_6_a_payload_that_is_a_string_is_left_alone() {
    let arguments = r#"{"path":"a","edits_json":"[ {\"old_text\": \"1\"} ]"}"#;
    assert_unchanged(&by_default(), &multi_edit(), arguments);
}

#[test]
fn original_7_a_nested_alias_renames_the_field_in_both_steps() {
    let arguments =
        r#"{"pipeline_json":"{\"steps\":[{\"id\":\"a\",\"type\":\"x\"},{\"id\":\"b\",\"type\":\"y\"}]}"}"#;
    let expected = r#"{"pipeline_json":"{\"steps\":[{\"id\":\"a\",\"action\":\"x\"},{\"id\":\"b\",\"action\":\"y\"}]}"}"#;
    assert_repaired(&by_default(), &batch_operations(), arguments, expected);
}

#[test]
fn original_8_a_nested_default_gives_ids_that_are_not_empty() {
    let arguments = r#"{"pipeline_json":"{\"steps\":[{\"action\":\"x\"},{\"action\":\"y\"}]}"}"#;
    let repaired_text = repaired(&by_default(), &batch_operations(), arguments);
    assert!(repaired_text.contains("step-0") && repaired_text.contains("step-1"), "{repaired_text}");
}

#[test]
fn original_9_a_wildcard_rule_fires_on_five_different_tools() {
    for name in ["edit_file", "write_file", "delete_file", "move_file", "anything_else"] {
        let tool = flagged(name, "force");
        assert_repaired(&by_default(), &tool, r#"{"force":"true"}"#, r#"{"force":true}"#);
        assert_eq!(fired(&by_default(), &tool, r#"{"force":"true"}"#), ["force-bool-coerce"], "{name}");
    }
}

#[test]
fn original_10_a_rule_of_one_tool_does_not_fire_on_read_file() {
    let tool = tool("read_file", &open(r#""path":{"type":"string"},"old_text":{"type":"string"}"#, &[]));
    assert_unchanged(&by_default(), &tool, r#"{"path":"a","old_str":"x"}"#);
}

#[test]
fn original_11_of_three_calls_two_are_normalized() {
    let calls = [
        r#"{"path":"a","old_str":"x","new_text":"y"}"#,
        r#"{"path":"a","old_text":"x","new_text":"y"}"#,
        r#"{"path":"a","old_text":"x","new_text":"y","force":"true"}"#,
    ];
    let outcomes = calls.map(|arguments| outcome(&by_default(), &edit_file(), arguments));
    let normalized = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Repaired { .. }));
    assert_eq!(normalized.count(), 2);
}

#[test]
fn original_12_an_external_rule_file_is_read() {
    let rules = rules(CUSTOM_ALIAS);
    assert_eq!(rules.len(), 1);
    assert_eq!((rules[0].id.as_str(), rules[0].type_name()), ("custom-alias", "param_alias"));
}

#[test]
fn original_13_no_arguments_and_empty_arguments_are_safe() {
    assert_unchanged(&by_default(), &batch_operations(), "{}");
    assert_eq!(repaired(&by_default(), &batch_operations(), "null"), "{}");
    assert_eq!(repaired(&by_default(), &batch_operations(), ""), "{}");
}

#[test]
fn original_14_three_rules_fire_in_one_call() {
    let arguments = r#"{"path":"a","old_str":"x","new_str":"y","force":"true"}"#;
    let expected = r#"{"path":"a","old_text":"x","new_text":"y","force":true}"#;
    assert_repaired(&by_default(), &edit_file(), arguments, expected);
    let rules = fired(&by_default(), &edit_file(), arguments);
    assert_eq!(rules, ["edit-old_str", "edit-new_str", "force-bool-coerce"]);
}

#[test]
fn original_15_every_pattern_of_bug_22_is_covered_in_a_destructive_tool_too() {
    for flag in ["force", "count_only", "dry_run", "permanent", "recursive"] {
        let properties = format!(r#""path":{{"type":"string"}},"{flag}":{{"type":"boolean"}}"#);
        let tool = destructive_tool("delete_file", &closed(&properties, &["path"]));
        let sent = format!(r#"{{"path":"a","{flag}":"true"}}"#);
        assert_repaired(&by_default(), &tool, &sent, &format!(r#"{{"path":"a","{flag}":true}}"#));
    }
}
