//! The six rule types of founding document 004, each with the semantics of its document and with what the
//! original did not test: numbers, typed defaults, and values that must stay unchanged.

use crate::support;

use support::*;
use toolwright_model::{Code, Outcome};
use toolwright_normalizer::{RawArguments, Tool};

/// A tool that accepts every object, so that only the rules change something.
fn any_tool() -> Tool {
    tool("any", r#"{"type":"object"}"#)
}

/// A file with one rule for every tool; `rest` is the rest of the rule after its type.
fn one(kind: &str, rest: &str) -> String {
    format!(r#"[{{"id":"r","tools":["*"],"type":"{kind}",{rest}}}]"#)
}

#[track_caller]
fn assert_rule(file: &str, arguments: &str, expected: &str) {
    assert_repaired(&with_rules(file), &any_tool(), arguments, expected);
}

#[track_caller]
fn assert_left_alone(file: &str, arguments: &str) {
    assert_unchanged(&with_rules(file), &any_tool(), arguments);
}

// === param_alias ===

#[test]
fn param_alias_renames_a_parameter_in_its_place() {
    let file = one("param_alias", r#""from":"old_str","to":"old_text""#);
    assert_rule(&file, r#"{"a":1,"old_str":"x","b":2}"#, r#"{"a":1,"old_text":"x","b":2}"#);
}

#[test]
fn param_alias_moves_any_value_even_null() {
    let file = one("param_alias", r#""from":"a","to":"b""#);
    for value in ["null", "false", "[1, 2]", r#"{"x": {}}"#, "12345678901234567890", "1.0", r#""\u00e9""#] {
        assert_rule(&file, &format!(r#"{{"a":{value}}}"#), &format!(r#"{{"b":{value}}}"#));
    }
}

#[test]
fn param_alias_lets_an_explicit_target_win_and_reports_the_conflict() {
    let file = one("param_alias", r#""from":"a","to":"b""#);
    let (repaired_text, changes) = repair(&with_rules(&file), &any_tool(), r#"{"a":"alias","b":"explicit"}"#);
    assert_eq!(repaired_text, r#"{"b":"explicit"}"#);
    insta::assert_snapshot!(report(&changes), @r#"X1 /a "alias" → - by r: conflict: "b" is given explicitly and wins"#);
}

#[test]
fn param_alias_drops_a_repetition_of_the_target_and_says_so() {
    let file = one("param_alias", r#""from":"a","to":"b""#);
    let changes = changes(&with_rules(&file), &any_tool(), r#"{"a":1,"b":1.0}"#);
    insta::assert_snapshot!(report(&changes), @r#"X1 /a 1 → - by r: the same value is given as "b""#);
}

#[test]
fn param_alias_knows_neither_case_nor_dots() {
    let file = one("param_alias", r#""from":"a.b","to":"c""#);
    assert_left_alone(&file, r#"{"A.B":1,"a":{"b":2}}"#);
    assert_rule(&file, r#"{"a.b":1}"#, r#"{"c":1}"#);
}

#[test]
fn param_alias_looks_at_the_top_level_only() {
    let file = one("param_alias", r#""from":"a","to":"b""#);
    assert_left_alone(&file, r#"{"in":{"a":1},"list":[{"a":1}]}"#);
}

// === param_default ===

#[test]
fn param_default_adds_a_missing_parameter_at_the_end() {
    let file = one("param_default", r#""from":"encoding","value":"utf-8""#);
    assert_rule(&file, r#"{"path":"a"}"#, r#"{"path":"a","encoding":"utf-8"}"#);
    assert_rule(&file, "{}", r#"{"encoding":"utf-8"}"#);
}

#[test]
fn param_default_keeps_the_type_that_its_value_is_written_with() {
    for value in
        ["5", "1.0", "12345678901234567890", "true", "null", r#"["a", 1]"#, r#"{"k": [{}]}"#, r#""5""#]
    {
        let file = one("param_default", &format!(r#""from":"x","value":{value}"#));
        assert_rule(&file, "{}", &format!(r#"{{"x":{value}}}"#));
    }
}

#[test]
fn param_default_generates_an_id_that_one_call_always_gets() {
    let file = one("param_default", r#""from":"id","value":"job-{{uuid}}""#);
    let normalizer = with_rules(&file);
    let id_of = |arguments: &str, seed: &str| {
        let raw = RawArguments::json(arguments).with_seed(seed);
        match normalizer.normalize(&any_tool(), &raw) {
            Outcome::Repaired { arguments, .. } => {
                let made: serde_json::Value = serde_json::from_str(&arguments).expect("JSON");
                // The result of the rules is a fixed point.
                assert_unchanged(&normalizer, &any_tool(), &arguments);
                made["id"].as_str().expect("a text").to_owned()
            }
            other => panic!("{other:?}"),
        }
    };
    let id = id_of(r#"{"title":"Milk"}"#, "");
    let digits = id.strip_prefix("job-").expect("the text around it");
    let is_uuid = digits.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
    assert!(is_uuid && digits.as_bytes()[14] == b'8' && b"89ab".contains(&digits.as_bytes()[19]), "{id}");
    assert_eq!(id, id_of(r#"{"title":"Milk"}"#, ""));
    assert_ne!(id, id_of(r#"{"title":"Eggs"}"#, ""));
    assert_ne!(id, id_of(r#"{"title":"Milk"}"#, "another call"));
    assert_left_alone(&file, r#"{"title":"Milk","id":"7"}"#);
}

#[test]
fn nested_default_generates_an_id_for_every_item() {
    let rest = r#""in_payload":"p","array_path":"steps[]","from":"id","value":"{{uuid}}""#;
    let normalizer = with_rules(&one("nested_default", rest));
    let (repaired, _) = repair(&normalizer, &any_tool(), r#"{"p":{"steps":[{"a":1},{"a":1},{"id":"x"}]}}"#);
    let made: serde_json::Value = serde_json::from_str(&repaired).expect("JSON");
    let ids: Vec<&str> = (0..3).map(|at| made["p"]["steps"][at]["id"].as_str().expect("an id")).collect();
    assert!(ids[0].len() == 36 && ids[1].len() == 36 && ids[0] != ids[1] && ids[2] == "x", "{ids:?}");
    assert_unchanged(&normalizer, &any_tool(), &repaired);
}

#[test]
fn param_default_leaves_a_present_parameter_alone_even_null() {
    let file = one("param_default", r#""from":"x","value":5"#);
    for value in ["null", r#""""#, "0", "false", "[]"] {
        assert_left_alone(&file, &format!(r#"{{"x":{value}}}"#));
    }
}

#[test]
fn param_default_fills_a_required_parameter() {
    let file = one("param_default", r#""from":"mode","value":"r""#);
    let tool =
        tool("open", &closed(r#""mode":{"type":"string"},"path":{"type":"string"}"#, &["mode", "path"]));
    assert_repaired(&with_rules(&file), &tool, r#"{"path":"a"}"#, r#"{"path":"a","mode":"r"}"#);
}

#[test]
fn param_default_is_reported_as_d1() {
    let file = one("param_default", r#""from":"x","value":{"k":1}"#);
    let changes = changes(&with_rules(&file), &any_tool(), "{}");
    insta::assert_snapshot!(report(&changes), @r#"D1 /x - → {"k":1} by r: default"#);
}

// === type_coerce ===

#[test]
fn type_coerce_bool_reads_the_words_of_the_document_in_any_case() {
    let file = one("type_coerce", r#""from":"x","coerce_to":"bool""#);
    for word in ["true", "True", "TRUE", "tRuE", "1", "yes", "YES"] {
        assert_rule(&file, &format!(r#"{{"x":"{word}"}}"#), r#"{"x":true}"#);
    }
    for word in ["false", "False", "FALSE", "0", "no", "No"] {
        assert_rule(&file, &format!(r#"{{"x":"{word}"}}"#), r#"{"x":false}"#);
    }
}

#[test]
fn type_coerce_bool_leaves_everything_else_alone() {
    let file = one("type_coerce", r#""from":"x","coerce_to":"bool""#);
    let others =
        [r#"" true ""#, r#""on""#, r#""y""#, r#""""#, r#""maybe""#, "1", "0", "null", "true", r#"["true"]"#];
    for value in others {
        assert_left_alone(&file, &format!(r#"{{"x":{value}}}"#));
    }
}

#[test]
fn type_coerce_int_reads_whole_decimal_numbers() {
    let file = one("type_coerce", r#""from":"x","coerce_to":"int""#);
    for number in ["42", "-7", "0", "9007199254740993", "123456789012345678901234567890"] {
        assert_rule(&file, &format!(r#"{{"x":"{number}"}}"#), &format!(r#"{{"x":{number}}}"#));
    }
}

#[test]
fn type_coerce_int_leaves_everything_else_alone() {
    let file = one("type_coerce", r#""from":"x","coerce_to":"int""#);
    for text in ["1.0", "1.5", "1e3", "0x10", " 5 ", "+5", "007", "1_000", "5*2800", "five", "", "-"] {
        assert_left_alone(&file, &format!(r#"{{"x":"{text}"}}"#));
    }
    for value in ["5", "1.5", "true", "null", r#"["5"]"#] {
        assert_left_alone(&file, &format!(r#"{{"x":{value}}}"#));
    }
}

#[test]
fn type_coerce_float_reads_json_numbers_as_they_are_written() {
    let file = one("type_coerce", r#""from":"x","coerce_to":"float""#);
    for number in ["1.5", "-0.25", "3", "1e3", "1.0", "0.1000"] {
        assert_rule(&file, &format!(r#"{{"x":"{number}"}}"#), &format!(r#"{{"x":{number}}}"#));
    }
}

#[test]
fn type_coerce_float_leaves_everything_else_alone() {
    let file = one("type_coerce", r#""from":"x","coerce_to":"float""#);
    for text in ["inf", "NaN", "Infinity", "0x1p4", "1,5", ".5", "5.", "1.5 m", ""] {
        assert_left_alone(&file, &format!(r#"{{"x":"{text}"}}"#));
    }
}

#[test]
fn type_coerce_is_reported_with_both_values() {
    let file = one("type_coerce", r#""from":"x","coerce_to":"int""#);
    let changes = changes(&with_rules(&file), &any_tool(), r#"{"x":"42"}"#);
    insta::assert_snapshot!(report(&changes), @r#"T1 /x "42" → 42 by r: coerced as the rule says"#);
}

// === json_accept_both ===

#[test]
fn json_accept_both_turns_a_list_or_an_object_into_its_text() {
    let file = one("json_accept_both", r#""from":"x""#);
    assert_rule(&file, r#"{"x":[{"a": 1.0}, "é\n"]}"#, r#"{"x":"[{\"a\": 1.0}, \"é\\n\"]"}"#);
    assert_rule(&file, r#"{"x":{}}"#, r#"{"x":"{}"}"#);
}

#[test]
fn json_accept_both_leaves_a_string_alone_whatever_it_holds() {
    let file = one("json_accept_both", r#""from":"x""#);
    for text in [r#""[{}]""#, r#""not JSON""#, r#""""#] {
        assert_left_alone(&file, &format!(r#"{{"x":{text}}}"#));
    }
}

#[test]
fn json_accept_both_does_not_turn_null_or_a_scalar_into_text() {
    let file = one("json_accept_both", r#""from":"x""#);
    for value in ["null", "true", "5"] {
        assert_left_alone(&file, &format!(r#"{{"x":{value}}}"#));
    }
}

#[test]
fn json_accept_both_keeps_numbers_and_key_order_of_the_payload() {
    let file = one("json_accept_both", r#""from":"x""#);
    let arguments = r#"{"x":{"z":9007199254740993,"a":1.50,"m":"<&>"}}"#;
    assert_rule(&file, arguments, r#"{"x":"{\"z\":9007199254740993,\"a\":1.50,\"m\":\"<&>\"}"}"#);
}

#[test]
fn json_accept_both_is_reported_as_t3() {
    let file = one("json_accept_both", r#""from":"x""#);
    let changes = changes(&with_rules(&file), &any_tool(), r#"{"x":[1]}"#);
    insta::assert_snapshot!(report(&changes), @r#"T3 /x [1] → "[1]" by r: raw JSON as text"#);
}

// === nested_alias and nested_default (their payloads: rule_payloads.rs) ===

#[test]
fn nested_alias_renames_a_field_in_every_item() {
    let file = one("nested_alias", r#""in_payload":"p","array_path":"steps[]","from":"type","to":"action""#);
    let arguments = r#"{"p":{"steps":[{"type":"a"},{"n":1,"type":"b"}]}}"#;
    assert_rule(&file, arguments, r#"{"p":{"steps":[{"action":"a"},{"n":1,"action":"b"}]}}"#);
}

#[test]
fn nested_alias_lets_an_explicit_field_win_and_reports_the_conflict() {
    let file = one("nested_alias", r#""in_payload":"p","array_path":"[]","from":"type","to":"action""#);
    let (repaired_text, changes) =
        repair(&with_rules(&file), &any_tool(), r#"{"p":[{"type":"a","action":"b"},{"type":"c"}]}"#);
    assert_eq!(repaired_text, r#"{"p":[{"action":"b"},{"action":"c"}]}"#);
    insta::assert_snapshot!(report(&changes), @r#"
    X1 /p/0/type "a" → - by r: conflict: "action" is given explicitly and wins
    N5 /p/1/type "type" → "action" by r: alias
    "#);
}

#[test]
fn nested_default_fills_what_is_missing_null_or_empty() {
    let file = one("nested_default", r#""in_payload":"p","array_path":"[]","from":"id","value":"x""#);
    let arguments = r#"{"p":[{},{"id":null},{"id":""},{"id":"y"},{"id":0},{"id":false}]}"#;
    let expected = r#"{"p":[{"id":"x"},{"id":"x"},{"id":"x"},{"id":"y"},{"id":0},{"id":false}]}"#;
    assert_rule(&file, arguments, expected);
}

#[test]
fn nested_default_keeps_the_type_that_its_value_is_written_with() {
    for value in ["5", "1.0", "true", r#"["a"]"#, r#"{"k":1}"#] {
        let rest = format!(r#""in_payload":"p","array_path":"[]","from":"x","value":{value}"#);
        let file = one("nested_default", &rest);
        assert_rule(&file, r#"{"p":[{}]}"#, &format!(r#"{{"p":[{{"x":{value}}}]}}"#));
    }
}

#[test]
fn nested_default_is_reported_per_item_as_d2() {
    let rest = r#""in_payload":"p","array_path":"[]","from":"id","value":"step-{{index}}""#;
    let changes = changes(&with_rules(&one("nested_default", rest)), &any_tool(), r#"{"p":[{},{"id":""}]}"#);
    insta::assert_snapshot!(report(&changes), @r#"
    D2 /p/0/id - → "step-0" by r: default
    D2 /p/1/id "" → "step-1" by r: default
    "#);
}

// === case_convert ===

#[test]
fn case_convert_leaves_keys_alone_that_are_not_plainly_in_one_style() {
    for to in ["camel", "snake", "kebab", "pascal"] {
        let file = one("case_convert", &format!(r#""to":"{to}""#));
        assert_left_alone(&file, r#"{"-i":1,"x_":2,"a-b c":3,"_meta":4,"$ref":5,"a.b":6,"my_varName":7}"#);
    }
}

#[test]
fn case_convert_keeps_digits_with_their_word() {
    let file = one("case_convert", r#""to":"snake""#);
    assert_rule(&file, r#"{"v2Path":1,"step2":2}"#, r#"{"v2_path":1,"step2":2}"#);
}

#[test]
fn case_convert_never_makes_one_key_of_two() {
    let file = one("case_convert", r#""to":"camel""#);
    for arguments in [
        r#"{"device_name":1,"deviceName":2}"#,
        r#"{"device_name":1,"device-name":2}"#,
        r#"{"step_2":1,"step2":2}"#,
        r#"{"a_b_c":1,"a_bc":2}"#,
    ] {
        assert_left_alone(&file, arguments);
    }
}

#[test]
fn case_convert_takes_linear_time() {
    let file = one("case_convert", r#""to":"camel""#);
    let normalizer = with_rules(&file);
    assert_grows_linearly(4_000, |count| {
        let keys: Vec<String> = (0..count).map(|at| format!(r#""key{at}_name":1"#)).collect();
        let repaired_text = repaired(&normalizer, &any_tool(), &format!("{{{}}}", keys.join(",")));
        assert!(repaired_text.contains(&format!("key{}Name", count - 1)));
    });
}

// === What every type has in common ===

#[test]
fn a_rule_whose_parameter_is_absent_does_nothing() {
    for (kind, rest) in [
        ("param_alias", r#""from":"x","to":"y""#),
        ("type_coerce", r#""from":"x","coerce_to":"bool""#),
        ("json_accept_both", r#""from":"x""#),
        ("nested_alias", r#""in_payload":"x","from":"a","to":"b""#),
        ("nested_default", r#""in_payload":"x","from":"a","value":1"#),
        ("param_drop", r#""from":"x""#),
        ("value_map", r#""from":"x","value":{"a":"b"}"#),
    ] {
        assert_left_alone(&one(kind, rest), r#"{ "z": "true" }"#);
    }
}

#[test]
fn arguments_that_are_no_object_are_not_given_to_the_rules() {
    let file = one("param_default", r#""from":"x","value":5"#);
    assert_eq!(refused(&with_rules(&file), &any_tool(), "[1,2]"), [Code::ValueMismatch]);
    assert_eq!(refused(&with_rules(&file), &any_tool(), "7"), [Code::ValueMismatch]);
}

#[test]
fn case_convert_of_the_user_reaches_undeclared_keys_of_a_tool_that_declares_others() {
    let file = r#"[{"id":"c","tools":["part_tool"],"type":"case_convert","to":"camel"}]"#;
    let properties = r#""text":{"type":"string"},"page_size":{"type":"integer"}"#;
    let tool_open = tool("part_tool", &open(properties, &["text"]));
    let arguments = r#"{"text":"a","page_size":1,"max_count":2}"#;
    let expected = r#"{"text":"a","page_size":1,"maxCount":2}"#;
    assert_repaired(&with_rules(file), &tool_open, arguments, expected);
    // A closed schema accepts no further name, whatever its style.
    let tool_closed = tool("part_tool", &closed(properties, &["text"]));
    assert!(!refused(&with_rules(file), &tool_closed, arguments).is_empty());
}
