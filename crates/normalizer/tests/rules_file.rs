//! Mistakes in a rules file: each with its line and column, the reason and the fix.

use crate::support;

use support::*;

// === The file as a whole ===

#[test]
fn a_file_that_is_not_json_is_reported_where_it_breaks() {
    let file = "[\n  {\"id\": \"a\", \"tools\": [\"t\"],\n   \"type\": param_alias}\n]";
    insta::assert_snapshot!(mistakes(file), @"
    line 3, column 12: this is not JSON: unexpected character
      fix: write a JSON array of rules
    ");
}

#[test]
fn a_file_that_ends_too_early_is_reported_at_its_end() {
    insta::assert_snapshot!(mistakes("[{\"id\": \"a\""), @"
    line 1, column 12: this is not JSON: the text ends too early
      fix: write a JSON array of rules
    ");
    insta::assert_snapshot!(mistakes(""), @"
    line 1, column 1: this is not JSON: the text ends too early
      fix: write a JSON array of rules
    ");
}

#[test]
fn a_trailing_comma_is_reported_at_what_follows_it() {
    let file = "[\n  {\"id\":\"a\",\"tools\":[\"t\"],\"type\":\"param_drop\",\"from\":\"x\"},\n]";
    insta::assert_snapshot!(mistakes(file), @"
    line 3, column 1: this is not JSON: unexpected character
      fix: write a JSON array of rules
    ");
}

#[test]
fn a_file_that_is_no_array_is_reported() {
    insta::assert_snapshot!(mistakes(r#"{"id":"a"}"#), @"
    line 1, column 1: a rules file is a JSON array, not an object
      fix: write [ {…}, {…} ]
    ");
    insta::assert_snapshot!(mistakes("\n  \"rules\""), @"
    line 2, column 3: a rules file is a JSON array, not a string
      fix: write [ {…}, {…} ]
    ");
}

#[test]
fn an_entry_that_is_no_object_is_reported() {
    insta::assert_snapshot!(mistakes(r#"[1, "x"]"#), @r#"
    line 1, column 2: a rule is an object
      fix: write {"id": …, "tools": […], "type": …}
    line 1, column 5: a rule is an object
      fix: write {"id": …, "tools": […], "type": …}
    "#);
}

#[test]
fn an_empty_array_is_a_file_without_rules() {
    assert!(rules(" [ ] ").is_empty());
}

// === Keys and types ===

#[test]
fn unknown_key_is_reported_with_closest_key() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_drop","from":"x","enabld":false}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 57: unknown key "enabld" in a param_drop rule
      fix: did you mean "enabled"?
    "#);
}

#[test]
fn an_unknown_key_that_resembles_none_is_reported_with_all_that_are_known() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_alias","from":"x","to":"y","priority":1}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 67: unknown key "priority" in a param_alias rule
      fix: param_alias takes from, to, id, tools, type, enabled, note
    "#);
}

#[test]
fn a_key_of_another_type_is_unknown_to_this_one() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_drop","from":"x","coerce_to":"bool"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 57: unknown key "coerce_to" in a param_drop rule
      fix: param_drop takes from, id, tools, type, enabled, note
    "#);
}

#[test]
fn a_misspelt_key_is_reported_as_unknown_and_as_missing() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_alias","from":"x","too":"y"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 2: rule "a": param_alias needs "to"
      fix: add "to"
    line 1, column 58: unknown key "too" in a param_alias rule
      fix: did you mean "to"?
    "#);
}

#[test]
fn an_unknown_type_is_reported_with_the_types_there_are() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_rename","from":"x","to":"y"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 33: unknown type "param_rename"
      fix: use one of param_alias, param_default, type_coerce, json_accept_both, nested_alias, nested_default, param_drop, case_convert, value_map
    "#);
}

#[test]
fn an_unknown_type_that_resembles_one_is_reported_with_that_one() {
    for (written, meant) in
        [("param_alais", "param_alias"), ("Param-Drop", "param_drop"), ("value_maps", "value_map")]
    {
        let file = format!(r#"[{{"id":"a","tools":["t"],"type":"{written}","from":"x"}}]"#);
        let found = mistakes(&file);
        assert!(found.ends_with(&format!("fix: did you mean \"{meant}\"?")), "{found}");
    }
}

#[test]
fn an_empty_rule_is_reported_with_everything_it_needs() {
    insta::assert_snapshot!(mistakes("[{}]"), @r#"
    line 1, column 2: "id" is missing
      fix: add "id" to the rule
    line 1, column 2: "type" is missing
      fix: add "type" to the rule
    line 1, column 2: the rule needs "tools"
      fix: list tool names, server/name, patterns, or "*"
    "#);
}

#[test]
fn a_missing_id_does_not_hide_other_mistakes() {
    let file = r#"[{"id":"","tools":[""],"type":"param_drop","form":"x"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 2: the rule: param_drop needs "from"
      fix: add "from"
    line 1, column 8: "id" is empty
      fix: write a name between the quotes
    line 1, column 20: "" in "tools" of the rule is not a tool name
      fix: list tool names, server/name, patterns, or "*"
    line 1, column 44: unknown key "form" in a param_drop rule
      fix: did you mean "from"?
    "#);
}

#[test]
fn a_missing_id_type_or_tools_is_reported() {
    let file = r#"[{"tools":["t"],"type":"param_drop","from":"x"},
 {"id":"b","tools":["t"],"from":"x"},
 {"id":"c","type":"param_drop","from":"x"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 2: "id" is missing
      fix: add "id" to the rule
    line 2, column 2: "type" is missing
      fix: add "type" to the rule
    line 3, column 2: rule "c" needs "tools"
      fix: list tool names, server/name, patterns, or "*"
    "#);
}

#[test]
fn every_type_says_which_keys_it_needs() {
    let types = [
        "param_alias",
        "param_default",
        "type_coerce",
        "json_accept_both",
        "nested_alias",
        "nested_default",
        "param_drop",
        "case_convert",
        "value_map",
    ];
    let rule = |kind: &&str| format!(r#"{{"id":"{kind}","tools":["t"],"type":"{kind}"}}"#);
    let file = format!("[{}]", types.iter().map(rule).collect::<Vec<_>>().join(",\n"));
    let messages: Vec<String> =
        mistakes(&file).lines().filter(|line| line.starts_with("line")).map(str::to_owned).collect();
    insta::assert_snapshot!(messages.join("\n"), @r#"
    line 1, column 2: rule "param_alias": param_alias needs "from"
    line 1, column 2: rule "param_alias": param_alias needs "to"
    line 2, column 1: rule "param_default": param_default needs "from"
    line 2, column 1: rule "param_default": param_default needs "value"
    line 3, column 1: rule "type_coerce": type_coerce needs "from"
    line 3, column 1: rule "type_coerce": type_coerce needs "coerce_to"
    line 4, column 1: rule "json_accept_both": json_accept_both needs "from"
    line 5, column 1: rule "nested_alias": nested_alias needs "in_payload"
    line 5, column 1: rule "nested_alias": nested_alias needs "from"
    line 5, column 1: rule "nested_alias": nested_alias needs "to"
    line 6, column 1: rule "nested_default": nested_default needs "in_payload"
    line 6, column 1: rule "nested_default": nested_default needs "from"
    line 6, column 1: rule "nested_default": nested_default needs "value"
    line 7, column 1: rule "param_drop": param_drop needs "from"
    line 8, column 1: rule "case_convert": case_convert needs "to"
    line 9, column 1: rule "value_map": value_map needs "from"
    line 9, column 1: rule "value_map": value_map needs "value"
    "#);
}

#[test]
fn a_name_that_is_empty_or_no_text_is_reported() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_drop","from":""},
 {"id":"b","tools":["t"],"type":"param_drop","from":7},
 {"id":"","tools":["t"],"type":"param_drop","from":"x"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 53: "from" is empty
      fix: write a name between the quotes
    line 2, column 53: "from" must be a string
      fix: write it in quotes
    line 3, column 8: "id" is empty
      fix: write a name between the quotes
    "#);
}

#[test]
fn a_key_that_is_given_twice_in_a_rule_is_reported() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_drop","from":"x","from":"y"}]"#;
    assert!(mistakes(file).contains("\"from\""));
}

// === tools and enabled ===

#[test]
fn tools_that_are_empty_or_no_list_of_names_are_reported() {
    let file = r#"[{"id":"a","tools":[],"type":"param_drop","from":"x"},
 {"id":"b","tools":"t","type":"param_drop","from":"x"},
 {"id":"c","tools":["t",""],"type":"param_drop","from":"x"},
 {"id":"d","tools":["t",5],"type":"param_drop","from":"x"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 20: "tools" of rule "a" is a list of at least one name
      fix: for example ["read_file"]
    line 2, column 20: "tools" of rule "b" is a list of at least one name
      fix: for example ["read_file"]
    line 3, column 25: "" in "tools" of rule "c" is not a tool name
      fix: list tool names, server/name, patterns, or "*"
    line 4, column 25: 5 in "tools" of rule "d" is not a tool name
      fix: list tool names, server/name, patterns, or "*"
    "#);
}

#[test]
fn a_tool_with_white_space_around_its_name_is_reported() {
    let file = r#"[{"id":"a","tools":["t", " read "],"type":"param_drop","from":"x"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 26: " read " has white space around it, so no tool matches
      fix: write "read"
    "#);
}

#[test]
fn enabled_that_is_no_boolean_is_reported() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_drop","from":"x","enabled":"no"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 67: "enabled" must be true or false
      fix: write true or false without quotes
    "#);
}

#[test]
fn a_note_that_is_no_text_is_reported() {
    mistakes(r#"[{"id":"a","tools":["t"],"type":"param_drop","from":"x","note":5}]"#);
}

// === Ids ===

#[test]
fn an_id_that_is_used_twice_is_reported_at_the_second_rule() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_drop","from":"x"},
 {"id":"a","tools":["t"],"type":"param_drop","from":"y"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 2, column 2: the id "a" is used twice
      fix: give every rule its own id
    "#);
}

#[test]
fn id_of_built_in_rule_is_reserved() {
    let file = r#"[{"id":"edit-old_str","tools":["t"],"type":"param_drop","from":"x"},
 {"id":"read_file-offset-drop","tools":["t"],"type":"param_drop","from":"y"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 2: "edit-old_str" is the id of a built-in rule
      fix: choose another id
    line 2, column 2: "read_file-offset-drop" is the id of a built-in rule
      fix: choose another id
    "#);
}

// === Rules that can never fire ===

#[test]
fn an_alias_from_a_name_to_itself_is_reported() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_alias","from":"x","to":"x"},
 {"id":"b","tools":["t"],"type":"nested_alias","in_payload":"p","from":"x","to":"x"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 63: "from" and "to" are the same, so the rule can never fire
      fix: name the parameter the tool expects
    line 2, column 81: "from" and "to" are the same, so the rule can never fire
      fix: name the parameter the tool expects
    "#);
}

#[test]
fn shadowed_rule_is_reported() {
    let file = r#"[{"id":"a","tools":["t","u"],"type":"param_alias","from":"x","to":"y"},
 {"id":"b","tools":["u"],"type":"param_drop","from":"x"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 2, column 2: rule "b" can never fire: "a" takes "x" first
      fix: remove one of them, or narrow the tools of the first
    "#);
}

#[test]
fn shadowed_wildcard_rule_is_reported() {
    let file = r#"[{"id":"a","tools":["*"],"type":"param_drop","from":"x"},
 {"id":"b","tools":["*"],"type":"param_alias","from":"x","to":"y"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 2, column 2: rule "b" can never fire: "a" takes "x" first
      fix: remove one of them, or narrow the tools of the first
    "#);
}

#[test]
fn disabled_rule_neither_shadows_nor_is_shadowed() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_drop","from":"x","enabled":false},
 {"id":"b","tools":["t"],"type":"param_alias","from":"x","to":"y"},
 {"id":"c","tools":["t"],"type":"param_drop","from":"x","enabled":false}]"#;
    assert_eq!(rules(file).len(), 3);
}

#[test]
fn wildcard_rule_does_not_shadow_named_rule() {
    let file = r#"[{"id":"a","tools":["*"],"type":"param_alias","from":"x","to":"y"},
 {"id":"b","tools":["t"],"type":"param_alias","from":"x","to":"z"}]"#;
    assert_eq!(rules(file).len(), 2);
}

#[test]
fn rule_shadowed_by_two_others_is_reported() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_alias","from":"x","to":"y"},
 {"id":"b","tools":["u"],"type":"param_alias","from":"x","to":"y"},
 {"id":"c","tools":["t","fs/u"],"type":"param_drop","from":"x"}]"#;
    assert!(mistakes(file).starts_with("line 3, column 2: rule \"c\" can never fire"), "{}", mistakes(file));
}

#[test]
fn rule_with_a_tool_of_its_own_is_not_shadowed() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_alias","from":"x","to":"y"},
 {"id":"b","tools":["t","u"],"type":"param_alias","from":"x","to":"z"}]"#;
    assert_eq!(rules(file).len(), 2);
}

#[test]
fn shadows_of_nested_aliases_and_defaults_and_patterns_are_reported_too() {
    for file in [
        r#"[{"id":"a","tools":["t"],"type":"nested_alias","in_payload":"p","from":"x","to":"y"},
            {"id":"b","tools":["t"],"type":"nested_alias","in_payload":"p","from":"x","to":"z"}]"#,
        r#"[{"id":"a","tools":["t"],"type":"param_default","from":"x","value":1},
            {"id":"b","tools":["t"],"type":"param_default","from":"x","value":2}]"#,
        r#"[{"id":"a","tools":["t*"],"type":"param_drop","from":"x"},
            {"id":"b","tools":["tool"],"type":"param_alias","from":"x","to":"y"}]"#,
    ] {
        assert!(mistakes(file).contains("can never fire"), "{file}");
    }
}

// === Values of single keys ===

#[test]
fn an_array_path_that_cannot_be_read_is_reported() {
    for (path, expected) in [
        ("steps[0]", r#""steps[0]" is not a step"#),
        ("a..b", r#""" is not a step"#),
        ("steps[", r#""steps[" is not a step"#),
        ("[]steps", r#""[]steps" is not a step"#),
        (".", r#""" is not a step"#),
    ] {
        let file = format!(
            r#"[{{"id":"a","tools":["t"],"type":"nested_alias","in_payload":"p","array_path":"{path}","from":"x","to":"y"}}]"#
        );
        let found = mistakes(&file);
        assert!(found.contains(expected), "{path}: {found}");
    }
}

#[test]
fn an_array_path_that_cannot_be_read_is_reported_at_its_place() {
    let file = r#"[{"id":"a","tools":["t"],"type":"nested_default","in_payload":"p","from":"x","value":1,
  "array_path":"steps[*]"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 2, column 16: "steps[*]" is not a step; write names and `[]`, as in `data.steps[]`
      fix: for example "steps[]"
    "#);
}

#[test]
fn foreign_array_path_is_reported_with_a_fix() {
    for (path, fix) in [
        ("$.a", r#"write "a""#),
        ("$.steps[*]", r#"write "steps[]""#),
        ("$[*].b", r#"write "[].b""#),
        ("$", "leave array_path out for the payload itself"),
        ("$.steps[0]", r#"for example "steps[]""#),
        ("/data/step", r#"write "data.step""#),
    ] {
        let file = format!(
            r#"[{{"id":"a","tools":["t"],"type":"nested_alias","in_payload":"p","array_path":"{path}","from":"x","to":"y"}}]"#
        );
        let found = mistakes(&file);
        assert!(found.contains("an array_path is names, dots and `[]` from the payload on"), "{found}");
        assert!(found.ends_with(&format!("fix: {fix}")), "{found}");
    }
}

#[test]
fn an_array_path_that_is_no_text_is_reported() {
    let rest = r#""type":"nested_alias","in_payload":"p","array_path":7,"from":"x","to":"y""#;
    mistakes(&format!(r#"[{{"id":"a","tools":["t"],{rest}}}]"#));
}

#[test]
fn a_type_that_values_cannot_be_coerced_to_is_reported() {
    let file = r#"[{"id":"a","tools":["t"],"type":"type_coerce","from":"x","coerce_to":"boolean"},
 {"id":"b","tools":["t"],"type":"type_coerce","from":"x","coerce_to":7}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 70: "boolean" is not a value of "coerce_to"
      fix: use one of bool, int, float, string
    line 2, column 70: 7 is not a value of "coerce_to"
      fix: use one of bool, int, float, string
    "#);
}

#[test]
fn a_style_that_names_cannot_be_converted_to_is_reported() {
    let file = r#"[{"id":"a","tools":["t"],"type":"case_convert","to":"screaming"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 53: "screaming" is not a value of "to"
      fix: use one of camel, snake, kebab, pascal
    "#);
}

#[test]
fn a_case_convert_for_a_name_that_is_no_text_is_reported() {
    mistakes(r#"[{"id":"a","tools":["t"],"type":"case_convert","to":"camel","from":7}]"#);
}

#[test]
fn a_value_map_that_is_no_object_or_empty_is_reported() {
    let file = r#"[{"id":"a","tools":["t"],"type":"value_map","from":"x","value":["a"]},
 {"id":"b","tools":["t"],"type":"value_map","from":"x","value":{}}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 64: "value" of a value_map is an object of old and new values
      fix: write {"old": "new"}
    line 2, column 64: "value" of a value_map is an object of old and new values
      fix: write {"old": "new"}
    "#);
}

#[test]
fn index_in_a_param_default_is_reported() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_default","from":"x","value":"step-{{index}}"}]"#;
    insta::assert_snapshot!(mistakes(file), @"
    line 1, column 68: {{index}} has no meaning outside of a list
      fix: use {{uuid}} for an id, or nested_default with an array_path
    ");
}

#[test]
fn an_unknown_placeholder_is_reported_with_its_place() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_default","from":"x","value":"job-{{guid}}"},
 {"id":"b","tools":["t"],"type":"nested_default","in_payload":"p","array_path":"steps[]","from":"y","value":"{{now}}"}]"#;
    insta::assert_snapshot!(mistakes(file), @"
    line 1, column 68: unknown placeholder {{guid}}
      fix: use {{uuid}} for an id
    line 2, column 109: unknown placeholder {{now}}
      fix: use {{uuid}} for an id or {{index}} for the place in the list
    ");
}

#[test]
fn braces_around_anything_but_one_word_are_text() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_default","from":"x","value":"{{ name }}, {{A}}, {{}}, {{a.b}}"}]"#;
    assert!(toolwright_normalizer::rules::parse_file(file).is_ok());
}

#[test]
fn index_in_a_nested_default_outside_of_a_list_is_reported() {
    for path in ["", r#""array_path":"data","#] {
        let rest = r#""from":"x","value":"step-{{index}}""#;
        mistakes(&format!(
            r#"[{{"id":"a","tools":["t"],"type":"nested_default","in_payload":"p",{path}{rest}}}]"#
        ));
    }
}

// === Several at once, and where they are ===

#[test]
fn all_mistakes_are_reported_at_once() {
    let file = r#"[
  {"id": "one", "tools": ["t"], "type": "param_alias", "from": "a"},
  {"id": "two", "tools": [], "type": "type_coerce", "from": "a", "coerce_to": "bool", "enabled": 1},
  {"id": "three", "tools": ["t"], "type": "nope"},
  {"id": "four", "tools": ["t"], "type": "param_drop", "from": "a"},
  {"id": "four", "tools": ["t"], "type": "param_drop", "from": "b"}
]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 2, column 3: rule "one": param_alias needs "to"
      fix: add "to"
    line 3, column 26: "tools" of rule "two" is a list of at least one name
      fix: for example ["read_file"]
    line 3, column 98: "enabled" must be true or false
      fix: write true or false without quotes
    line 4, column 43: unknown type "nope"
      fix: use one of param_alias, param_default, type_coerce, json_accept_both, nested_alias, nested_default, param_drop, case_convert, value_map
    line 6, column 3: the id "four" is used twice
      fix: give every rule its own id
    "#);
}

#[test]
fn columns_count_characters_rather_than_bytes() {
    let file = r#"[{"id":"é😀","tools":["t"],"type":"x"}]"#;
    assert!(mistakes(file).starts_with("line 1, column 34:"), "{}", mistakes(file));
}

#[test]
fn lines_may_end_in_crlf() {
    let file = "[\r\n{\"id\":\"a\",\"tools\":[\"t\"],\r\n\"type\":\"x\"}]";
    assert!(mistakes(file).starts_with("line 3, column 8:"), "{}", mistakes(file));
}

#[test]
fn mistakes_are_reported_in_file_order() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_drop","from":"x"},
 {"id":"a","tools":["t"],"type":"param_drop","from":"x"},
 {"id":"c","tools":[],"type":"param_drop","from":7},
 {"id":"d","tools":["t"],"type":"x"}]"#;
    let places: Vec<(usize, usize)> = toolwright_normalizer::rules::parse_file(file)
        .unwrap_err()
        .iter()
        .map(|error| (error.line, error.column))
        .collect();
    assert_eq!(places, [(2, 2), (2, 2), (3, 20), (3, 50), (4, 33)]);
}

#[test]
fn byte_order_mark_is_ignored() {
    assert!(rules("\u{feff}[]").is_empty());
    assert!(mistakes("\u{feff}[1]").starts_with("line 1, column 2:"));
}

#[test]
fn parsing_a_file_takes_linear_time() {
    let rule = |at: usize| {
        let tool = at % 100;
        format!(r#"{{"id":"r{at}","tools":["t{tool}"],"type":"param_alias","from":"k{at}","to":"m{at}"}}"#)
    };
    let same = |at: usize| {
        format!(r#"{{"id":"s{at}","tools":["u{at}"],"type":"param_alias","from":"file","to":"path"}}"#)
    };
    assert_grows_linearly(2_000, |count| {
        let many: Vec<String> = (0..count).map(rule).chain((0..count).map(same)).collect();
        assert_eq!(rules(&format!("[{}]", many.join(","))).len(), 2 * count);
    });
}

#[test]
fn one_invalid_rule_rejects_the_file() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_drop","from":"x"}, {"id":"b"}]"#;
    assert!(toolwright_normalizer::rules::parse_file(file).is_err());
}

#[test]
fn value_mapped_onto_itself_is_reported() {
    let found =
        mistakes(r#"[{"id":"m","tools":["t"],"type":"value_map","from":"p","value":{"x":"y","a":"a"}}]"#);
    assert!(found.contains(r#""a" is mapped onto itself"#), "{found}");
    let found = mistakes(r#"[{"id":"m","tools":["t"],"type":"value_map","from":"p","value":{"1":1}}]"#);
    assert!(found.contains("1 is both a new value and an old one"), "{found}");
}

#[test]
fn no_mistake_hides_another() {
    let file = r#"[{"id":"a","tools":["t"],"type":"param_drop","from":"x"},
 {"id":"a","tools":["x/y/z"],"type":"param_alias","from":"","to":7,"extra":1},
 {"id":"edit-old_str","tools":[],"type":"param_dorp","from":" ","note":5,"note":6},
 {"id":"c","tools":["t"],"type":"nested_default","in_payload":"","array_path":"$.x","from":"","value":1},
 {"id":"d","tools":["t"],"type":"value_map","from":"p","value":{"a":"a","b":"c","c":"d","e":"e"}}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 2, column 2: the id "a" is used twice
      fix: give every rule its own id
    line 2, column 21: "x/y/z" in "tools" of rule "a" has more than one slash
      fix: write server/name
    line 2, column 58: "from" is empty
      fix: write a name between the quotes
    line 2, column 66: "to" must be a string
      fix: write it in quotes
    line 2, column 68: unknown key "extra" in a param_alias rule
      fix: param_alias takes from, to, id, tools, type, enabled, note
    line 3, column 2: "edit-old_str" is the id of a built-in rule
      fix: choose another id
    line 3, column 31: "tools" of rule "edit-old_str" is a list of at least one name
      fix: for example ["read_file"]
    line 3, column 41: unknown type "param_dorp"
      fix: did you mean "param_drop"?
    line 3, column 61: "from" is empty
      fix: write a name between the quotes
    line 3, column 72: "note" must be a string
      fix: write it in quotes
    line 3, column 74: "note" is given twice with different values
      fix: keep one of them
    line 4, column 63: "in_payload" is empty
      fix: write a name between the quotes
    line 4, column 79: "$.x" is JSONPath; an array_path is names, dots and `[]` from the payload on
      fix: write "x"
    line 4, column 92: "from" is empty
      fix: write a name between the quotes
    line 5, column 69: "a" is mapped onto itself
      fix: leave the pair out, or give another new value
    line 5, column 77: "c" is both a new value and an old one, so a second pass would change it again
      fix: map every old value to its final one
    line 5, column 93: "e" is mapped onto itself
      fix: leave the pair out, or give another new value
    "#);
}

#[test]
fn entries_of_tools_that_can_hardly_match_are_mistakes() {
    let file = r#"[{"id":"a","tools":["x/y/z","/","[abc","fs/","/read","{a,b}","fs/read","re?d*"],
  "type":"param_drop","from":"x"}]"#;
    insta::assert_snapshot!(mistakes(file), @r#"
    line 1, column 21: "x/y/z" in "tools" of rule "a" has more than one slash
      fix: write server/name
    line 1, column 29: "/" in "tools" of rule "a" names neither a server nor a tool
      fix: list tool names, server/name, patterns, or "*"
    line 1, column 33: "[abc" in "tools" of rule "a" has brackets, which are not wildcards here
      fix: use * for any characters and ? for one, or list the names one by one
    line 1, column 40: "fs/" in "tools" of rule "a" has no tool after the slash
      fix: write "fs/*"
    line 1, column 46: "/read" in "tools" of rule "a" has no server before the slash
      fix: write "read"
    line 1, column 54: "{a,b}" in "tools" of rule "a" has brackets, which are not wildcards here
      fix: use * for any characters and ? for one, or list the names one by one
    "#);
}
