//! Order and scope of the rules of founding document 004, and what they may and may not do to a valid
//! call.

use crate::support;

use support::*;
use toolwright_model::{Code, Outcome};
use toolwright_normalizer::{Normalizer, RawArguments, RuleSet, Tool, Verdict};

fn any_tool() -> Tool {
    tool("any", r#"{"type":"object"}"#)
}

fn alias(id: &str, tools: &str, from: &str, to: &str) -> String {
    format!(r#"{{"id":"{id}","tools":["{tools}"],"type":"param_alias","from":"{from}","to":"{to}"}}"#)
}

fn file(rules: &[String]) -> String {
    format!("[{}]", rules.join(","))
}

// === Order ===

#[test]
fn rules_run_once_in_the_order_of_the_file() {
    let file = file(&[alias("first", "any", "a", "b"), alias("second", "any", "b", "c")]);
    assert_repaired(&with_rules(&file), &any_tool(), r#"{"a":1}"#, r#"{"c":1}"#);
    assert_eq!(fired(&with_rules(&file), &any_tool(), r#"{"a":1}"#), ["first", "second"]);
}

#[test]
fn a_chain_of_aliases_settles_in_the_other_order_too() {
    let file = file(&[alias("first", "any", "b", "c"), alias("second", "any", "a", "b")]);
    assert_eq!(repaired(&with_rules(&file), &any_tool(), r#"{"a":1}"#), r#"{"c":1}"#);
}

#[test]
fn a_later_rule_sees_what_an_earlier_one_did() {
    let coerce = r#"{"id":"c","tools":["any"],"type":"type_coerce","from":"b","coerce_to":"int"}"#.to_owned();
    let file = file(&[alias("a", "any", "a", "b"), coerce]);
    assert_repaired(&with_rules(&file), &any_tool(), r#"{"a":"5"}"#, r#"{"b":5}"#);
}

#[test]
fn a_rule_for_every_tool_runs_after_those_that_name_the_tool() {
    let file = file(&[alias("wild", "*", "x", "everywhere"), alias("named", "any", "x", "here")]);
    assert_repaired(&with_rules(&file), &any_tool(), r#"{"x":1}"#, r#"{"here":1}"#);
    let other = tool("other", r#"{"type":"object"}"#);
    assert_repaired(&with_rules(&file), &other, r#"{"x":1}"#, r#"{"everywhere":1}"#);
}

#[test]
fn pattern_rule_runs_with_named_rules() {
    let file = file(&[alias("wild", "*", "x", "everywhere"), alias("pattern", "an*", "x", "matched")]);
    assert_repaired(&with_rules(&file), &any_tool(), r#"{"x":1}"#, r#"{"matched":1}"#);
}

#[test]
fn a_rule_that_names_a_tool_twice_runs_once() {
    let file = r#"[{"id":"r","tools":["any","a*","any","*"],"type":"param_alias","from":"x","to":"y"}]"#;
    assert_eq!(fired(&with_rules(file), &any_tool(), r#"{"x":1}"#), ["r"]);
}

#[test]
fn rules_of_the_user_run_before_the_built_in_ones_for_the_same_tool() {
    let user = rules(&file(&[alias("mine", "edit_file", "old_str", "new_text")]));
    let normalizer = Normalizer::new(RuleSet::builtin().with_user_rules(user));
    let properties = r#""old_text":{"type":"string"},"new_text":{"type":"string"}"#;
    let tool = tool("edit_file", &closed(properties, &["new_text"]));
    assert_eq!(fired(&normalizer, &tool, r#"{"old_str":"x"}"#), ["mine"]);
}

#[test]
fn the_same_rules_give_the_same_result_every_time() {
    let file = file(&[alias("a", "*", "x", "y"), alias("b", "any", "y", "z"), alias("c", "a?y", "z", "w")]);
    let first = outcome(&with_rules(&file), &any_tool(), r#"{"x":1,"y":2}"#);
    for _ in 0..20 {
        assert_eq!(outcome(&with_rules(&file), &any_tool(), r#"{"x":1,"y":2}"#), first);
    }
}

// === Switched off ===

#[test]
fn a_rule_that_is_not_enabled_is_listed_and_does_nothing() {
    let file = r#"[{"id":"r","tools":["*"],"type":"param_alias","from":"x","to":"y","enabled":false}]"#;
    assert_eq!(with_rules(file).rules().rules().len(), 1);
    assert_unchanged(&with_rules(file), &any_tool(), r#"{"x":1}"#);
}

#[test]
fn explicitly_enabled_rule_applies() {
    let file =
        r#"[{"id":"r","tools":["*"],"type":"param_alias","from":"x","to":"y","enabled":true,"note":"why"}]"#;
    assert_repaired(&with_rules(file), &any_tool(), r#"{"x":1}"#, r#"{"y":1}"#);
    assert_eq!(with_rules(file).rules().rules()[0].note.as_deref(), Some("why"));
}

// === Scope ===

#[test]
fn tool_names_are_matched_literally() {
    let normalizer = with_rules(&file(&[alias("r", "read_file", "x", "y")]));
    for name in ["Read_File", "read-file", "readFile", "read_file2", "fs__read_file"] {
        assert_unchanged(&normalizer, &tool(name, r#"{"type":"object"}"#), r#"{"x":1}"#);
    }
}

#[test]
fn a_scope_may_name_the_server_too() {
    let normalizer = with_rules(&file(&[alias("r", "fs/read", "x", "y")]));
    let schema = r#"{"type":"object"}"#;
    assert_repaired(&normalizer, &tool_of_server("fs", "read", schema), r#"{"x":1}"#, r#"{"y":1}"#);
    assert_unchanged(&normalizer, &tool_of_server("db", "read", schema), r#"{"x":1}"#);
    assert_unchanged(&normalizer, &tool_of_server("fs", "write", schema), r#"{"x":1}"#);
    assert_unchanged(&normalizer, &tool("read", schema), r#"{"x":1}"#);
}

#[test]
fn a_scope_may_be_a_pattern_of_names_or_of_server_and_name() {
    let schema = r#"{"type":"object"}"#;
    for (scope, matches) in [
        ("read_*", true),
        ("*_file", true),
        ("fs/*", true),
        ("*/read_file", true),
        ("db/*", false),
        ("write_*", false),
    ] {
        let normalizer = with_rules(&file(&[alias("r", scope, "x", "y")]));
        let outcome = outcome(&normalizer, &tool_of_server("fs", "read_file", schema), r#"{"x":1}"#);
        assert_eq!(outcome != Outcome::Unchanged, matches, "{scope}");
    }
}

#[test]
fn a_rule_may_be_for_several_tools() {
    let file = r#"[{"id":"r","tools":["a","b"],"type":"param_alias","from":"x","to":"y"}]"#;
    for (name, expected) in [("a", true), ("b", true), ("c", false)] {
        let outcome = outcome(&with_rules(file), &tool(name, r#"{"type":"object"}"#), r#"{"x":1}"#);
        assert_eq!(outcome != Outcome::Unchanged, expected, "{name}");
    }
}

// === Valid calls ===

#[test]
fn a_rule_of_the_user_may_change_a_valid_call_as_it_says() {
    let properties = r#""a":{"type":"string"},"b":{"type":"string"}"#;
    let tool = tool("any", &closed(properties, &[]));
    assert_unchanged(&without_rules(), &tool, r#"{"a":"x"}"#);
    let normalizer = with_rules(&file(&[alias("r", "any", "a", "b")]));
    assert_repaired(&normalizer, &tool, r#"{"a":"x"}"#, r#"{"b":"x"}"#);
}

#[test]
fn valid_call_without_matching_user_rule_keeps_its_bytes() {
    let normalizer = with_rules(&file(&[alias("r", "*", "a", "b")]));
    assert_unchanged(&normalizer, &any_tool(), r#"{ "c" : 1.0 , "d" : "\u00e9" }"#);
}

#[test]
fn a_rule_never_makes_a_valid_call_invalid() {
    let tool = tool("any", &closed(r#""path":{"type":"string"},"mode":{"type":"string"}"#, &["path"]));
    for (kind, rest) in [
        ("param_drop", r#""from":"path""#),
        ("param_alias", r#""from":"path","to":"file""#),
        ("param_alias", r#""from":"path","to":"mode""#),
        ("param_default", r#""from":"mode","value":5"#),
        ("param_default", r#""from":"unknown","value":"x""#),
        ("type_coerce", r#""from":"path","coerce_to":"int""#),
        ("value_map", r#""from":"path","value":{"7":null}"#),
        ("nested_default", r#""in_payload":"path","from":"x","value":1"#),
    ] {
        let file = format!(r#"[{{"id":"r","tools":["any"],"type":"{kind}",{rest}}}]"#);
        assert_unchanged(&with_rules(&file), &tool, r#"{"path":"7"}"#);
    }
}

#[test]
fn a_rule_that_would_make_a_valid_call_invalid_is_named_in_the_explanation() {
    let tool = tool("any", &closed(r#""path":{"type":"string"}"#, &["path"]));
    let normalizer = with_rules(r#"[{"id":"bad","tools":["any"],"type":"param_drop","from":"path"}]"#);
    let explanation = normalizer.explain(&tool, &RawArguments::json(r#"{"path":"7"}"#));
    assert_eq!(explanation.outcome, Outcome::Unchanged);
    let step = explanation.steps.iter().find(|step| step.verdict == Verdict::Rejected).unwrap();
    assert_eq!(step.text, "rule bad would make a valid call invalid");
}

#[test]
fn one_rule_that_cannot_apply_does_not_stop_the_next() {
    let tool = tool("any", &closed(r#""path":{"type":"string"},"mode":{"type":"string"}"#, &["path"]));
    let file = r#"[{"id":"bad","tools":["any"],"type":"param_drop","from":"path"},
                   {"id":"good","tools":["any"],"type":"param_default","from":"mode","value":"r"}]"#;
    assert_repaired(&with_rules(file), &tool, r#"{"path":"a"}"#, r#"{"path":"a","mode":"r"}"#);
}

#[test]
fn built_in_rule_applies_unless_schema_contradicts() {
    let open = tool_of_server("s", "edit_file", r#"{"type":"object"}"#);
    let arguments = r#"{"path":"a","old_str":"x","new_str":"y","force":"True","count_only":"yes"}"#;
    let expected = r#"{"path":"a","old_text":"x","new_text":"y","force":true,"count_only":true}"#;
    assert_repaired(&by_default(), &open, arguments, expected);
    let multi = tool_of_server("s", "multi_edit", r#"{"type":"object"}"#);
    let arguments = r#"{"edits_json":[{"old_str":"a"}]}"#;
    let expected = r#"{"edits_json":"[{\"old_text\":\"a\"}]"}"#;
    assert_repaired(&by_default(), &multi, arguments, expected);
}

#[test]
fn a_built_in_rule_does_not_change_what_the_schema_declares() {
    let declared = open(r#""old_str":{"type":"string"},"force":{"type":"string"}"#, &[]);
    let tool_of_its_own = tool_of_server("s", "edit_file", &declared);
    assert_unchanged(&by_default(), &tool_of_its_own, r#"{ "old_str":"x","force":"true"}"#);
    let strings = r#"{"type":"object","additionalProperties":{"type":"string"}}"#;
    let map = tool_of_server("s", "set_labels", strings);
    assert_unchanged(&by_default(), &map, r#"{"force":"true","count_only":"no"}"#);
    let destructive = tool_of_server("s", "delete_file", r#"{"type":"object"}"#);
    assert_unchanged(&by_default(), &destructive, r#"{"path":"a","permanent":"yes"}"#);
    let text = tool("any", &closed(r#""force":{"type":["boolean","string"]}"#, &[]));
    assert_unchanged(&by_default(), &text, r#"{"force":"true"}"#);
}

#[test]
fn a_built_in_rule_needs_the_schema_to_agree() {
    let enumerated = tool("any", &closed(r#""force":{"enum":["hard","soft"]}"#, &[]));
    assert_eq!(refused(&by_default(), &enumerated, r#"{"force":"true"}"#), [Code::UnknownEnumValue]);
}

#[test]
fn schema_repairs_what_rules_leave() {
    let tool = tool("any", &closed(r#""path":{"type":"string"},"count":{"type":"integer"}"#, &["path"]));
    let normalizer = with_rules(&file(&[alias("r", "any", "where", "path")]));
    let (repaired_text, changes) = repair(&normalizer, &tool, r#"{"where":"a","count":"3"}"#);
    assert_eq!(repaired_text, r#"{"path":"a","count":3}"#);
    let rules: Vec<Option<&str>> = changes.iter().map(|change| change.rule.as_deref()).collect();
    assert_eq!(rules, [Some("r"), None]);
}

#[test]
fn a_call_that_stays_invalid_after_its_rules_is_refused_whole() {
    let tool =
        tool("any", &closed(r#""path":{"type":"string"},"count":{"type":"integer"}"#, &["path", "count"]));
    let normalizer = with_rules(&file(&[alias("r", "any", "where", "path")]));
    assert_eq!(refused(&normalizer, &tool, r#"{"where":"a"}"#), [Code::MissingRequired]);
}

#[test]
fn rejected_rule_does_not_prevent_repair() {
    let tool = tool("any", &closed(r#""path":{"type":"string"},"count":{"type":"integer"}"#, &["path"]));
    let normalizer = with_rules(r#"[{"id":"bad","tools":["any"],"type":"param_drop","from":"path"}]"#);
    assert_unchanged(&normalizer, &tool, r#"{"path":"a","count":3}"#);
    assert_repaired(&normalizer, &tool, r#"{"path":"a","count":"3"}"#, r#"{"path":"a","count":3}"#);
}

// === Conflicts ===

#[test]
fn two_rules_for_one_target_let_the_first_win_and_report_the_second() {
    let normalizer = with_rules(&file(&[alias("one", "any", "a", "c"), alias("two", "any", "b", "c")]));
    let (repaired_text, changes) = repair(&normalizer, &any_tool(), r#"{"b":2,"a":1}"#);
    assert_eq!(repaired_text, r#"{"c":1}"#);
    insta::assert_snapshot!(report(&changes), @r#"
    N3 /a "a" → "c" by one: alias
    X1 /b 2 → - by two: conflict: "c" is given explicitly and wins
    "#);
}

#[test]
fn every_value_is_in_the_result_or_reported_as_dropped() {
    let drop = r#"{"id":"d","tools":["any"],"type":"param_drop","from":"gone"}"#.to_owned();
    let normalizer = with_rules(&file(&[alias("r", "any", "a", "b"), drop]));
    let (repaired_text, changes) = repair(&normalizer, &any_tool(), r#"{"a":1,"b":2,"gone":[3],"kept":4}"#);
    assert_eq!(repaired_text, r#"{"b":2,"kept":4}"#);
    let dropped: Vec<&str> = changes
        .iter()
        .filter(|change| change.code == Code::UnsupportedDropped && change.to.is_none())
        .filter_map(|change| change.from.as_deref())
        .collect();
    assert_eq!(dropped, ["1", "[3]"]);
}

// === Rules and the names of the schema ===

fn file_tool(schema: fn(&str, &[&str]) -> String) -> Tool {
    tool("any", &schema(r#""path":{"type":"string"},"encoding":{"type":"string"}"#, &["path"]))
}

fn default_of(name: &str, value: &str) -> Normalizer {
    with_rules(&format!(
        r#"[{{"id":"d","tools":["any"],"type":"param_default","from":"{name}","value":"{value}"}}]"#
    ))
}

#[test]
fn default_does_not_replace_aliased_value() {
    for tool in [file_tool(open), file_tool(closed)] {
        let arguments = r#"{"file_path":"notes.md"}"#;
        assert_repaired(&default_of("path", "/tmp/default"), &tool, arguments, r#"{"path":"notes.md"}"#);
    }
}

#[test]
fn default_is_not_added_to_another_spelling() {
    for tool in [file_tool(open), file_tool(closed)] {
        let outcome = outcome(&default_of("encoding", "utf-8"), &tool, r#"{"path":"a","Encoding":"latin1"}"#);
        assert!(!format!("{outcome:?}").contains("utf-8"), "{outcome:?}");
    }
}

#[test]
fn a_default_for_an_empty_optional_is_settled_in_one_pass() {
    let normalizer = default_of("encoding", "utf-8");
    let repaired_text = repaired(&normalizer, &file_tool(closed), r#"{"path":"a","encoding":null}"#);
    assert_unchanged(&normalizer, &file_tool(closed), &repaired_text);
}

#[test]
fn misspelt_payload_is_repaired_in_one_pass() {
    let tool = tool("batch_operations", &closed(r#""pipeline_json":{"type":"string"}"#, &["pipeline_json"]));
    let expected = r#"{"pipeline_json":"{\"steps\":[{\"action\":\"search\",\"id\":\"step-0\"}]}"}"#;
    for name in ["pipelineJson", "pipeline"] {
        let arguments = format!(r#"{{"{name}":"{{\"steps\":[{{\"type\":\"search\"}}]}}"}}"#);
        assert_repaired(&by_default(), &tool, &arguments, expected);
    }
}

#[test]
fn repeated_key_with_one_value_is_one_parameter() {
    let rule = |kind: &str, rest: &str| {
        with_rules(&format!(r#"[{{"id":"r","tools":["any"],"type":"{kind}","from":"x"{rest}}}]"#))
    };
    let sent = r#"{"x":"5","x":"5"}"#;
    for (normalizer, left) in [
        (rule("type_coerce", r#","coerce_to":"int""#), r#""5""#),
        (rule("param_alias", r#","to":"y""#), r#""x""#),
        (rule("param_drop", ""), r#""x""#),
    ] {
        let repaired_text = repaired(&normalizer, &any_tool(), sent);
        assert!(!repaired_text.contains(left), "{repaired_text}");
    }
}
