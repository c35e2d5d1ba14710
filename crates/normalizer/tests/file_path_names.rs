//! Founding document 003, "Parameter Normalization" of a proxy: a named test for each of its
//! sentences about `read_file`, `write_to_file` and `apply_diff`, and for what its program got wrong.

use crate::support;

use support::*;
use toolwright_model::Code;
use toolwright_normalizer::Tool;

const TOOLS: [&str; 3] = ["read_file", "write_to_file", "apply_diff"];
const ALIASES: [&str; 3] = ["file_path", "filepath", "file"];

/// The properties of each tool in addition to `path`, and their part of a call.
fn further(name: &str) -> (&'static str, &'static str) {
    match name {
        "write_to_file" => (r#","content":{"type":"string"}"#, r#","content":"text""#),
        "apply_diff" => (r#","diff":{"type":"string"}"#, r#","diff":"-a\n+b""#),
        _ => ("", ""),
    }
}

fn closed_tool(name: &str) -> Tool {
    tool(name, &closed(&format!(r#""path":{{"type":"string"}}{}"#, further(name).0), &["path"]))
}

fn open_tool(name: &str) -> Tool {
    tool(name, &open(&format!(r#""path":{{"type":"string"}}{}"#, further(name).0), &["path"]))
}

// === Supported Tools: every alias of every tool ===

fn assert_aliases_become_path(name: &str) {
    for alias in ALIASES {
        for tool in [closed_tool(name), open_tool(name)] {
            let rest = further(name).1;
            let arguments = format!(r#"{{"{alias}":"/test/file.txt"{rest}}}"#);
            let expected = format!(r#"{{"path":"/test/file.txt"{rest}}}"#);
            assert_repaired(&by_default(), &tool, &arguments, &expected);
            assert_eq!(fired(&by_default(), &tool, &arguments), [format!("{name}-{alias}")]);
        }
    }
}

#[test]
fn read_file_takes_file_path_filepath_and_file_for_path() {
    assert_aliases_become_path("read_file");
}

#[test]
fn write_to_file_takes_file_path_filepath_and_file_for_path() {
    assert_aliases_become_path("write_to_file");
}

#[test]
fn apply_diff_takes_file_path_filepath_and_file_for_path() {
    assert_aliases_become_path("apply_diff");
}

#[test]
fn a_rename_is_reported_with_its_rule() {
    let changes = changes(&by_default(), &closed_tool("read_file"), r#"{"file_path":"/test/file.txt"}"#);
    insta::assert_snapshot!(report(&changes), @r#"N3 /file_path "file_path" → "path" by read_file-file_path: alias"#);
}

#[test]
fn a_path_in_a_whole_tool_use_input_is_renamed_without_touching_the_value() {
    let path = r#""C:\\Users\\new\\s+\\d/\u00e9.txt""#;
    let arguments = format!(r#"{{"file_path":{path}}}"#);
    assert_repaired(&by_default(), &closed_tool("read_file"), &arguments, &format!(r#"{{"path":{path}}}"#));
}

// === Already right, or nothing to do ===

#[test]
fn a_call_that_already_says_path_keeps_its_bytes() {
    for name in TOOLS {
        let arguments = format!(r#"{{ "path": "/test/file.txt"{} }}"#, further(name).1);
        assert_unchanged(&by_default(), &closed_tool(name), &arguments);
    }
}

#[test]
fn other_parameters_are_kept_with_the_renamed_one() {
    let arguments = r#"{"file":"a.txt","content":"x","encoding":"utf-8","line_count":10}"#;
    let expected = r#"{"path":"a.txt","content":"x","encoding":"utf-8","line_count":10}"#;
    assert_repaired(&by_default(), &open_tool("write_to_file"), arguments, expected);
}

#[test]
fn empty_arguments_of_a_tool_that_needs_none_stay_empty() {
    let tool = tool("read_file", &open(r#""path":{"type":"string"}"#, &[]));
    assert_unchanged(&by_default(), &tool, "{}");
}

#[test]
fn empty_arguments_of_a_tool_that_needs_a_path_are_refused_without_inventing_one() {
    for name in TOOLS {
        assert_eq!(refused(&by_default(), &closed_tool(name), "{}"), [Code::MissingRequired]);
    }
}

#[test]
fn null_next_to_path_is_kept_in_open_object() {
    let arguments = r#"{"path":"a.txt","file":null}"#;
    assert_unchanged(&by_default(), &open_tool("read_file"), arguments);
}

#[test]
fn null_alias_is_not_a_path() {
    assert_eq!(
        refused(&by_default(), &closed_tool("read_file"), r#"{"file_path":null}"#),
        [Code::MissingRequired]
    );
}

#[test]
fn a_nested_file_path_is_not_the_tools_path() {
    let properties = r#""path":{"type":"string"},"options":{"type":"object"}"#;
    let tool = tool("read_file", &closed(properties, &["path"]));
    assert_unchanged(&by_default(), &tool, r#"{"path":"a","options":{"file_path":"b"}}"#);
}

// === Other tools ===

#[test]
fn an_unknown_tool_is_untouched() {
    let schema = r#"{"type":"object"}"#;
    let arguments = r#"{"file_path":"/test/file.txt","offset":100,"limit":50}"#;
    assert_unchanged(&by_default(), &tool("some_other_tool", schema), arguments);
    assert_unchanged(&with_set_switched_on("file-window-drop"), &tool("some_other_tool", schema), arguments);
}

#[test]
fn a_tool_of_another_name_gets_no_rule_of_this_set() {
    let (_, changes) = repair(
        &by_default(),
        &tool("view_file", &closed(r#""path":{"type":"string"}"#, &["path"])),
        r#"{"file_path":"a"}"#,
    );
    assert!(changes.iter().all(|change| change.rule.is_none()), "{}", report(&changes));
}

#[test]
fn a_server_that_declares_file_path_keeps_file_path() {
    let tool = tool("read_file", &closed(r#""file_path":{"type":"string"}"#, &["file_path"]));
    assert_unchanged(&by_default(), &tool, r#"{"file_path":"a.txt"}"#);
}

#[test]
fn a_server_that_declares_file_and_path_keeps_both() {
    let properties = r#""file":{"type":"string"},"path":{"type":"string"}"#;
    let tool = tool("read_file", &closed(properties, &[]));
    assert_unchanged(&by_default(), &tool, r#"{"file":"a.txt"}"#);
    assert_unchanged(&by_default(), &tool, r#"{"file":"a.txt","path":"/dir"}"#);
}

#[test]
fn a_server_that_declares_neither_name_gets_the_path() {
    for schema in [r#"{"type":"object"}"#, &open(r#""path":{"type":"string"}"#, &[])] {
        for (name, alias) in
            [("read_file", "file_path"), ("write_to_file", "filepath"), ("apply_diff", "file")]
        {
            let tool = tool(name, schema);
            let arguments = format!(r#"{{"{alias}":"a.txt","mode":"r"}}"#);
            assert_repaired(&by_default(), &tool, &arguments, r#"{"path":"a.txt","mode":"r"}"#);
            assert_unchanged(&by_default(), &tool, r#"{ "path" : "a.txt" }"#);
        }
    }
}

#[test]
fn a_server_that_declares_the_alias_in_another_spelling_keeps_its_name() {
    let schema = open(r#""filePath":{"type":"string"}"#, &[]);
    assert_unchanged(&by_default(), &tool("read_file", &schema), r#"{"file_path":"a.txt"}"#);
    let tool = tool_of_server("s", "read_file", &schema);
    assert_repaired(&by_default(), &tool, r#"{"file_path":"a.txt"}"#, r#"{"filePath":"a.txt"}"#);
    let path = tool_of_server("s", "read_file", &open(r#""file_path":{"type":"string"}"#, &[]));
    assert_unchanged(&by_default(), &path, r#"{"file_path":"a.txt"}"#);
}

#[test]
fn conflicting_aliases_of_valid_call_stay_unchanged() {
    let tool = tool("read_file", r#"{"type":"object"}"#);
    assert_unchanged(&by_default(), &tool, r#"{"file_path":"a","filepath":"b"}"#);
    assert_unchanged(&by_default(), &tool, r#"{"file":"a","path":"b"}"#);
}

// === Several keys for one path (in the original the last one won silently) ===

#[test]
fn alias_with_another_path_is_refused() {
    for name in TOOLS {
        for alias in ALIASES {
            let rest = further(name).1;
            let arguments = format!(r#"{{"path":"A","{alias}":"B"{rest}}}"#);
            assert_eq!(
                refused(&by_default(), &closed_tool(name), &arguments),
                [Code::ConflictingValues],
                "{arguments}"
            );
        }
    }
}

#[test]
fn an_alias_that_repeats_the_path_is_left_out_and_reported() {
    let arguments = r#"{"path":"A","file_path":"A"}"#;
    assert_repaired(&by_default(), &closed_tool("read_file"), arguments, r#"{"path":"A"}"#);
    let changes = changes(&by_default(), &closed_tool("read_file"), arguments);
    insta::assert_snapshot!(report(&changes), @r#"X1 /file_path "A" → - by read_file-file_path: the same value is given as "path""#);
}

#[test]
fn two_aliases_with_different_paths_never_lose_one_silently() {
    let arguments = r#"{"file_path":"A","filepath":"B"}"#;
    assert!(refused(&by_default(), &closed_tool("read_file"), arguments).contains(&Code::ConflictingValues));
}

#[test]
fn two_aliases_with_one_path_are_sent_once() {
    let arguments = r#"{"file_path":"A","file":"A"}"#;
    assert_repaired(&by_default(), &closed_tool("read_file"), arguments, r#"{"path":"A"}"#);
}

#[test]
fn two_aliases_with_different_paths_are_refused_in_an_open_object_too() {
    let arguments = r#"{"file_path":"A","filepath":"B"}"#;
    assert!(refused(&by_default(), &open_tool("read_file"), arguments).contains(&Code::ConflictingValues));
}

// === "Removes unsupported parameters: offset, limit" ===

const WITH_WINDOW: &str = r#"{"file_path":"/test/file.txt","offset":100,"limit":50}"#;

#[test]
fn document_example_works_with_file_window_drop() {
    let normalizer = with_set_switched_on("file-window-drop");
    let expected = r#"{"path":"/test/file.txt"}"#;
    assert_repaired(&normalizer, &closed_tool("read_file"), WITH_WINDOW, expected);
}

#[test]
fn document_example_works_for_open_object() {
    let normalizer = with_set_switched_on("file-window-drop");
    let expected = r#"{"path":"/test/file.txt"}"#;
    assert_repaired(&normalizer, &open_tool("read_file"), WITH_WINDOW, expected);
}

#[test]
fn dropped_parameter_is_reported_with_its_value() {
    let normalizer = with_set_switched_on("file-window-drop");
    let changes = changes(&normalizer, &closed_tool("read_file"), WITH_WINDOW);
    insta::assert_snapshot!(report(&changes), @r#"
    N3 /file_path "file_path" → "path" by read_file-file_path: alias
    X1 /offset 100 → - by read_file-offset-drop: dropped as the rule says
    X1 /limit 50 → - by read_file-limit-drop: dropped as the rule says
    "#);
}

#[test]
fn nothing_is_dropped_unless_the_set_is_switched_on() {
    assert!(!default_sets().contains(&"file-window-drop"));
    let codes = refused(&by_default(), &closed_tool("read_file"), WITH_WINDOW);
    assert_eq!(codes, [Code::MeaningfulUnknown, Code::MeaningfulUnknown]);
}

#[test]
fn offset_and_limit_are_dropped_from_read_file_only() {
    let normalizer = with_set_switched_on("file-window-drop");
    for name in ["write_to_file", "apply_diff", "list_files"] {
        let arguments = format!(r#"{{"path":"a.txt","offset":100,"limit":50{}}}"#, further(name).1);
        assert_eq!(
            refused(&normalizer, &closed_tool(name), &arguments),
            [Code::MeaningfulUnknown, Code::MeaningfulUnknown],
            "{name}"
        );
        assert_unchanged(&normalizer, &open_tool(name), &arguments);
    }
}

#[test]
fn a_read_file_that_declares_offset_and_limit_keeps_them() {
    let properties = r#""path":{"type":"string"},"offset":{"type":"integer"},"limit":{"type":"integer"}"#;
    let tool = tool("read_file", &closed(properties, &["path"]));
    let normalizer = with_set_switched_on("file-window-drop");
    assert_unchanged(&normalizer, &tool, r#"{"path":"a.txt","offset":100,"limit":50}"#);
    let expected = r#"{"path":"/test/file.txt","offset":100,"limit":50}"#;
    assert_repaired(&normalizer, &tool, WITH_WINDOW, expected);
}

#[test]
fn a_read_file_that_declares_only_limit_loses_only_offset() {
    let properties = r#""path":{"type":"string"},"limit":{"type":"integer"}"#;
    let tool = tool("read_file", &closed(properties, &["path"]));
    let normalizer = with_set_switched_on("file-window-drop");
    let expected = r#"{"path":"/test/file.txt","limit":50}"#;
    assert_repaired(&normalizer, &tool, WITH_WINDOW, expected);
}

#[test]
fn offset_and_limit_are_dropped_whatever_else_the_call_needs() {
    let normalizer = with_set_switched_on("file-window-drop");
    let schema = open(r#""path":{"type":"string"}"#, &["path"]);
    let read = tool("read_file", &schema);
    let arguments = r#"{"path":"/x","offset":5,"limit":2}"#;
    assert_repaired(&normalizer, &read, arguments, r#"{"path":"/x"}"#);
    assert_eq!(fired(&normalizer, &read, arguments), ["read_file-offset-drop", "read_file-limit-drop"]);
    assert_repaired(&normalizer, &read, r#"{"file_path":"/x","offset":5}"#, r#"{"path":"/x"}"#);
    assert_unchanged(&by_default(), &read, arguments);
    assert_unchanged(&normalizer, &tool("read_lines", &schema), arguments);
    let window = open(r#""path":{"type":"string"},"limit":{"type":"integer"}"#, &["path"]);
    let expected = r#"{"path":"/x","limit":2}"#;
    assert_repaired(&normalizer, &tool("read_file", &window), arguments, expected);
}

#[test]
fn another_unknown_parameter_is_not_dropped_with_offset_and_limit() {
    let normalizer = with_set_switched_on("file-window-drop");
    let arguments = r#"{"path":"a.txt","offset":1,"owner":"me"}"#;
    assert_eq!(refused(&normalizer, &closed_tool("read_file"), arguments), [Code::MeaningfulUnknown]);
}

// === "Adding New Mappings" ===

#[test]
fn a_mapping_for_another_tool_is_a_rule_in_a_file() {
    let file = r#"[
        {"id":"a","tools":["your_tool_name"],"type":"param_alias","from":"old_param_name","to":"new_param_name"},
        {"id":"b","tools":["your_tool_name"],"type":"param_alias","from":"another_old_name","to":"correct_name"}
    ]"#;
    let properties = r#""new_param_name":{"type":"string"},"correct_name":{"type":"string"}"#;
    let tool = tool("your_tool_name", &closed(properties, &["new_param_name", "correct_name"]));
    let arguments = r#"{"old_param_name":"x","another_old_name":"y"}"#;
    let expected = r#"{"new_param_name":"x","correct_name":"y"}"#;
    assert_repaired(&with_rules(file), &tool, arguments, expected);
}

#[test]
fn the_set_file_path_can_be_switched_off() {
    let arguments = r#"{"file_path":"a.txt"}"#;
    let (_, changes) = repair(&with_set_switched_off("file-path"), &closed_tool("read_file"), arguments);
    assert!(changes.iter().all(|change| change.rule.is_none()), "{}", report(&changes));
}
