//! Founding document 000, "MCP Tool Parameter Name Normalization": a named test for each of its
//! scenarios, and for the bugs of the original programs.

use crate::support;

use support::*;
use toolwright_model::{BuiltinRules, Code, Outcome};

/// `control_zwave_device` as its server declares it, closed.
fn control_zwave_device() -> toolwright_normalizer::Tool {
    tool("control_zwave_device", &closed(ZWAVE_PROPERTIES, &["deviceName", "action"]))
}

const ZWAVE_PROPERTIES: &str = r#""deviceName":{"type":"string"},
    "action":{"type":"string","enum":["on","off","dim"]},
    "level":{"type":"number","minimum":0,"maximum":100}"#;

/// A tool of a server that uses camelCase and has no mapping table of its own.
fn camel_case_tool() -> toolwright_normalizer::Tool {
    let properties = r#""newParameterName":{"type":"string"},"level":{"type":"integer"},"value":{}"#;
    tool("set_parameter", &closed(properties, &["newParameterName"]))
}

// === Scenario: Snake_case to camelCase conversion for MCP tools ===

#[test]
fn snake_case_parameters_of_an_mcp_tool_reach_the_server_in_camel_case() {
    let tool = tool("rename_device", &closed(r#""deviceName":{"type":"string"}"#, &["deviceName"]));
    assert_repaired(&by_default(), &tool, r#"{"device_name":"Porch"}"#, r#"{"deviceName":"Porch"}"#);
}

#[test]
fn names_are_converted_before_validation() {
    let arguments = r#"{"device_name":"Switch One","command":"on"}"#;
    assert!(!control_zwave_device().accepts(arguments));
    let repaired_text = repaired(&by_default(), &control_zwave_device(), arguments);
    assert!(control_zwave_device().accepts(&repaired_text));
}

#[test]
fn a_server_without_additional_properties_false_gets_camel_case_too() {
    let tool = tool("rename_device", &open(r#""deviceName":{"type":"string"}"#, &["deviceName"]));
    assert_repaired(&by_default(), &tool, r#"{"device_name":"Porch"}"#, r#"{"deviceName":"Porch"}"#);
}

#[test]
fn camel_case_call_keeps_its_bytes() {
    let arguments = r#"{ "deviceName" : "Switch One", "action":"on" }"#;
    assert_unchanged(&by_default(), &control_zwave_device(), arguments);
}

#[test]
fn the_order_of_the_parameters_is_kept() {
    let properties = r#""aB":{"type":"integer"},"cD":{"type":"integer"},"e":{"type":"integer"}"#;
    let tool = tool("ordered", &closed(properties, &["aB", "cD", "e"]));
    assert_repaired(&by_default(), &tool, r#"{"e":1,"c_d":2,"a_b":3}"#, r#"{"e":1,"cD":2,"aB":3}"#);
}

// === Scenario: Built-in tools are not affected ===

const BUILTIN_TOOLS: [(&str, &str); 3] = [
    ("get_current_datetime", r#"{"type":"object","properties":{},"additionalProperties":true}"#),
    ("search_web", r#"{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}"#),
    (
        "control_speaker_volume",
        r#"{"type":"object","properties":{"action":{"enum":["get","set"]},"level":{"type":"number"}},
            "required":["action"]}"#,
    ),
];

#[test]
fn the_parameters_of_datetime_search_and_volume_pass_unchanged() {
    let calls = ["{}", r#"{"query":"news_of_today"}"#, r#"{"action":"set","level":40,"fade_time":2}"#];
    for ((name, schema), arguments) in BUILTIN_TOOLS.into_iter().zip(calls) {
        assert_unchanged(&by_default(), &builtin_tool(name, schema), arguments);
    }
}

#[test]
fn a_built_in_tool_with_camel_case_parameters_is_not_given_converted_names() {
    let tool = builtin_tool("remind", &closed(r#""dueDate":{"type":"string"}"#, &["dueDate"]));
    let outcome = outcome(&by_default(), &tool, r#"{"due_date":"tomorrow"}"#);
    assert!(!matches!(outcome, Outcome::Repaired { .. }), "{outcome:?}");
}

#[test]
fn a_built_in_tool_that_bears_a_mapped_name_is_not_given_the_static_mapping() {
    let schema = closed(ZWAVE_PROPERTIES, &["deviceName", "action"]);
    let tool = builtin_tool("control_zwave_device", &schema);
    let outcome = outcome(&by_default(), &tool, r#"{"device_name":"Switch One","command":"on"}"#);
    assert!(!matches!(outcome, Outcome::Repaired { .. }), "{outcome:?}");
}

#[test]
fn user_rules_do_not_change_built_in_tools() {
    let file = r#"[{"id":"r","tools":["*"],"type":"param_alias","from":"q","to":"query"}]"#;
    let (name, schema) = BUILTIN_TOOLS[1];
    assert_unchanged(&with_rules(file), &builtin_tool(name, schema), r#"{"query":"a","q":"b"}"#);
}

#[test]
fn server_tool_is_repaired_but_built_in_tool_is_not() {
    let schema = closed(r#""dueDate":{"type":"string"}"#, &["dueDate"]);
    let arguments = r#"{"due_date":"tomorrow"}"#;
    assert_repaired(&by_default(), &tool("remind", &schema), arguments, r#"{"dueDate":"tomorrow"}"#);
}

#[test]
fn a_built_in_tool_that_is_called_without_arguments_gets_an_empty_object() {
    let (name, schema) = BUILTIN_TOOLS[0];
    assert_eq!(repaired(&by_default(), &builtin_tool(name, schema), "null"), "{}");
}

// === Scenario: Static parameter mappings for known MCP tools ===

#[test]
fn control_zwave_device_receives_device_name_and_action() {
    let arguments = r#"{"device_name": "Switch One", "command": "on"}"#;
    let expected = r#"{"deviceName":"Switch One","action":"on"}"#;
    assert_repaired(&by_default(), &control_zwave_device(), arguments, expected);
}

#[test]
fn the_static_mapping_names_its_rules() {
    let arguments = r#"{"device_name":"Switch One","command":"on"}"#;
    let rules = fired(&by_default(), &control_zwave_device(), arguments);
    assert_eq!(rules, ["zwave-control-device_name", "zwave-control-command"]);
}

#[test]
fn command_is_a_synonym_and_needs_the_table_rather_than_the_heuristic() {
    let arguments = r#"{"deviceName":"Switch One","command":"on"}"#;
    assert_eq!(fired(&by_default(), &control_zwave_device(), arguments), ["zwave-control-command"]);
}

#[test]
fn brightness_is_the_level_of_control_zwave_device() {
    let arguments = r#"{"device_name":"Lamp","command":"dim","brightness":40}"#;
    let expected = r#"{"deviceName":"Lamp","action":"dim","level":40}"#;
    assert_repaired(&by_default(), &control_zwave_device(), arguments, expected);
}

#[test]
fn brightness_is_the_level_for_a_server_without_additional_properties_false_too() {
    let tool = tool("control_zwave_device", &open(ZWAVE_PROPERTIES, &["deviceName", "action"]));
    let arguments = r#"{"device_name":"Lamp","command":"dim","brightness":40}"#;
    let expected = r#"{"deviceName":"Lamp","action":"dim","level":40}"#;
    assert_repaired(&by_default(), &tool, arguments, expected);
}

#[test]
fn get_device_sensor_data_receives_device_name() {
    let tool = tool("get_device_sensor_data", &closed(r#""deviceName":{"type":"string"}"#, &["deviceName"]));
    let arguments = r#"{"device_name":"Cellar"}"#;
    assert_repaired(&by_default(), &tool, arguments, r#"{"deviceName":"Cellar"}"#);
    assert_eq!(fired(&by_default(), &tool, arguments), ["zwave-sensor-device_name"]);
}

#[test]
fn the_static_mapping_is_for_its_own_tools_only() {
    let tool = tool("run_shell", &closed(r#""action":{"type":"string"},"command":{"type":"string"}"#, &[]));
    assert_unchanged(&by_default(), &tool, r#"{"command":"ls"}"#);
}

#[test]
fn the_static_mapping_is_left_where_the_server_declares_the_old_name() {
    let properties = r#""deviceName":{"type":"string"},"command":{"type":"string"}"#;
    let tool = tool("control_zwave_device", &closed(properties, &["deviceName", "command"]));
    let arguments = r#"{"device_name":"Lamp","command":"on"}"#;
    assert_repaired(&by_default(), &tool, arguments, r#"{"deviceName":"Lamp","command":"on"}"#);
}

// === Scenario: Heuristic conversion for unmapped parameters ===

#[test]
fn a_parameter_that_is_in_no_table_is_converted_by_the_heuristic() {
    let arguments = r#"{"new_parameter_name":"x"}"#;
    assert_repaired(&by_default(), &camel_case_tool(), arguments, r#"{"newParameterName":"x"}"#);
    assert_eq!(fired(&by_default(), &camel_case_tool(), arguments), ["snake-to-camel"]);
}

#[test]
fn a_name_with_several_underscores_becomes_one_camel_case_name() {
    for (sent, declared) in [
        ("a_b_c_d", "aBCD"),
        ("max_retry_count_per_hour", "maxRetryCountPerHour"),
        ("device__name", "deviceName"),
        ("line_2_start", "line2Start"),
    ] {
        let properties = format!(r#""{declared}":{{"type":"integer"}}"#);
        let tool = tool("count", &closed(&properties, &[declared]));
        let expected = format!(r#"{{"{declared}":7}}"#);
        assert_repaired(&by_default(), &tool, &format!(r#"{{"{sent}":7}}"#), &expected);
    }
}

#[test]
fn a_tool_with_a_static_table_gets_the_heuristic_for_its_other_parameters() {
    let properties = format!(r#"{ZWAVE_PROPERTIES},"fadeTime":{{"type":"integer"}}"#);
    let tool = tool("control_zwave_device", &closed(&properties, &["deviceName", "action"]));
    let arguments = r#"{"device_name":"Lamp","command":"dim","level":1,"fade_time":3}"#;
    let expected = r#"{"deviceName":"Lamp","action":"dim","level":1,"fadeTime":3}"#;
    assert_repaired(&by_default(), &tool, arguments, expected);
}

#[test]
fn the_heuristic_runs_after_the_static_table_for_an_open_object_too() {
    let properties = format!(r#"{ZWAVE_PROPERTIES},"fadeTime":{{"type":"integer"}}"#);
    let tool = tool("control_zwave_device", &open(&properties, &["deviceName", "action"]));
    let arguments = r#"{"device_name":"Lamp","command":"dim","fade_time":3}"#;
    let expected = r#"{"deviceName":"Lamp","action":"dim","fadeTime":3}"#;
    assert_repaired(&by_default(), &tool, arguments, expected);
}

#[test]
fn the_spelling_that_the_server_declares_wins_over_the_rule_of_thumb() {
    let tool = tool("open_page", &closed(r#""pageURL":{"type":"string"}"#, &["pageURL"]));
    assert_repaired(&by_default(), &tool, r#"{"page_url":"a"}"#, r#"{"pageURL":"a"}"#);
}

#[test]
fn a_tool_of_a_server_that_declares_nothing_gets_camel_case() {
    let tool = tool_of_server("open", "any_tool", r#"{"type":"object"}"#);
    let arguments = r#"{"new_parameter_name":"x","level":1}"#;
    assert_repaired(&by_default(), &tool, arguments, r#"{"newParameterName":"x","level":1}"#);
    assert_eq!(fired(&by_default(), &tool, arguments), ["snake-to-camel"]);
}

#[test]
fn tool_without_server_keeps_undeclared_names() {
    let tool = tool("anything", r#"{"type":"object"}"#);
    assert_unchanged(&by_default(), &tool, r#"{"new_parameter_name":"x"}"#);
}

#[test]
fn an_optional_name_is_converted_in_a_call_that_was_valid_without_it() {
    let tool = tool_of_server("s", "go_to", &open(r#""roomName":{"type":"string"}"#, &[]));
    assert_repaired(&by_default(), &tool, r#"{"room_name":"Hall"}"#, r#"{"roomName":"Hall"}"#);
    assert_unchanged(&by_default(), &tool, r#"{"room_name":"Hall","roomName":"Porch"}"#);
}

#[test]
fn the_static_mapping_needs_no_declared_names() {
    let partly = open(r#""level":{"type":"integer"}"#, &[]);
    for schema in [r#"{"type":"object"}"#, "{}", &partly] {
        let tool = tool("control_zwave_device", schema);
        let arguments = r#"{"device_name":"Switch One","command":"on"}"#;
        let expected = r#"{"deviceName":"Switch One","action":"on"}"#;
        assert_repaired(&by_default(), &tool, arguments, expected);
        assert_unchanged(&by_default(), &tool, r#"{ "deviceName":"Switch One" ,"action":"on"}"#);
    }
}

#[test]
fn the_static_mapping_follows_a_repair_of_another_parameter() {
    let tool = tool("control_zwave_device", &open(r#""level":{"type":"integer"}"#, &[]));
    let arguments = r#"{"device_name":"Lamp","command":"dim","level":"40"}"#;
    let expected = r#"{"deviceName":"Lamp","action":"dim","level":40}"#;
    assert_repaired(&by_default(), &tool, arguments, expected);
}

#[test]
fn two_devices_in_an_open_call_are_left_to_the_server() {
    let tool = tool("control_zwave_device", r#"{"type":"object"}"#);
    assert_unchanged(&by_default(), &tool, r#"{"device_name":"A","deviceName":"B","action":"on"}"#);
}

// === Look-alikes of names that are converted in an open call ===

#[test]
fn names_that_are_data_keep_their_spelling() {
    let env = tool_of_server("s", "set_variables", r#"{"type":"object"}"#);
    assert_unchanged(&by_default(), &env, r#"{"API_KEY":"x","_meta":1,"step_2":2}"#);
    for further in ["true", "{}", r#"{"type":"string"}"#] {
        let schema = format!(
            r#"{{"type":"object","properties":{{"table":{{"type":"string"}}}},"additionalProperties":{further}}}"#
        );
        let tool = tool_of_server("s", "insert_row", &schema);
        assert_unchanged(&by_default(), &tool, r#"{"table":"people","first_name":"Ann"}"#);
    }
    let patterns = r#"{"type":"object","patternProperties":{"^x_":{}}}"#;
    let tool = tool_of_server("s", "set_headers", patterns);
    assert_unchanged(&by_default(), &tool, r#"{"x_request_id":"1","other_name":"2"}"#);
}

#[test]
fn destructive_tool_keeps_undeclared_names() {
    let tool = tool_of_server("s", "delete_rows", r#"{"type":"object"}"#);
    assert_unchanged(&by_default(), &tool, r#"{"table":"people","older_than":30}"#);
}

#[test]
fn name_with_another_rule_is_not_converted() {
    let tool = tool_of_server("s", "edit_file", r#"{"type":"object"}"#);
    let arguments = r#"{"path":"a","old_str":"x","new_text":"y","dry_run":true}"#;
    let expected = r#"{"path":"a","old_text":"x","new_text":"y","dry_run":true}"#;
    assert_repaired(&by_default(), &tool, arguments, expected);
}

#[test]
fn a_rule_of_the_user_is_never_undone_by_a_built_in_one() {
    let schema = r#"{"type":"object"}"#;
    let with = |file: &str| {
        toolwright_normalizer::Normalizer::new(
            toolwright_normalizer::RuleSet::builtin().with_user_rules(rules(file)),
        )
    };
    let snake = with(r#"[{"id":"snake","tools":["s/*"],"type":"case_convert","to":"snake"}]"#);
    let any = tool_of_server("s", "any_tool", schema);
    assert_repaired(&snake, &any, r#"{"deviceName":"a"}"#, r#"{"device_name":"a"}"#);
    assert_unchanged(&snake, &any, r#"{"device_name":"a"}"#);
    let zwave = tool_of_server("s", "control_zwave_device", schema);
    assert_unchanged(&snake, &zwave, r#"{"device_name":"a"}"#);
    let back = with(
        r#"[{"id":"back","tools":["*"],"type":"param_alias","from":"deviceName","to":"device_name"},
            {"id":"path","tools":["read_file"],"type":"param_alias","from":"path","to":"file_path"}]"#,
    );
    assert_repaired(&back, &any, r#"{"deviceName":"a"}"#, r#"{"device_name":"a"}"#);
    let read = tool_of_server("s", "read_file", schema);
    assert_repaired(&back, &read, r#"{"path":"a"}"#, r#"{"file_path":"a"}"#);
    assert_unchanged(&back, &read, r#"{"file_path":"a"}"#);
}

// === How far the rules go, by the setting of the server ===

fn tool_set_to(setting: BuiltinRules, name: &str, schema: &str) -> toolwright_normalizer::Tool {
    let definition = toolwright_model::ToolDefinition {
        name: name.into(),
        server: Some("s".into()),
        input_schema: schema.into(),
        builtin_rules: setting,
        ..Default::default()
    };
    toolwright_normalizer::Tool::compile(&definition).expect("a schema")
}

#[test]
fn a_server_that_is_set_to_off_gets_schema_driven_repair_only() {
    let zwave = tool_set_to(BuiltinRules::Off, "control_zwave_device", r#"{"type":"object"}"#);
    assert_unchanged(&by_default(), &zwave, r#"{"device_name":"a","command":"on","force":"true"}"#);
    let batch = tool_set_to(BuiltinRules::Off, "batch_operations", r#"{"type":"object"}"#);
    assert_unchanged(&by_default(), &batch, r#"{"pipeline_json":"{\"steps\":[{\"type\":\"read\"}]}"}"#);
    let closed = closed(r#""deviceName":{"type":"string"}"#, &["deviceName"]);
    let tool = tool_set_to(BuiltinRules::Off, "rename_device", &closed);
    assert_repaired(&by_default(), &tool, r#"{"device_name":"a"}"#, r#"{"deviceName":"a"}"#);
    assert!(fired(&by_default(), &tool, r#"{"device_name":"a"}"#).is_empty());
}

#[test]
fn a_server_that_is_set_to_always_gets_the_mappings_whatever_it_declares() {
    let properties =
        r#""deviceName":{"type":"string"},"device_name":{"type":"string"},"command":{"type":"string"}"#;
    let arguments = r#"{"device_name":"a","command":"on","fade_time":2}"#;
    let tool = tool_set_to(BuiltinRules::Always, "control_zwave_device", &open(properties, &[]));
    let expected = r#"{"deviceName":"a","action":"on","fadeTime":2}"#;
    assert_repaired(&by_default(), &tool, arguments, expected);
    let tool = tool_set_to(BuiltinRules::Schema, "control_zwave_device", &open(properties, &[]));
    assert_unchanged(&by_default(), &tool, arguments);
}

#[test]
fn always_makes_no_valid_call_invalid() {
    let properties = r#""device_name":{"type":"string"},"command":{"type":"string"}"#;
    let schema = closed(properties, &["device_name", "command"]);
    let tool = tool_set_to(BuiltinRules::Always, "control_zwave_device", &schema);
    assert_unchanged(&by_default(), &tool, r#"{"device_name":"a","command":"on"}"#);
    let window = r#""path":{"type":"string"},"offset":{"type":"integer"}"#;
    let tool = tool_set_to(BuiltinRules::Always, "read_file", &open(window, &["path"]));
    let normalizer = with_set_switched_on("file-window-drop");
    assert_unchanged(&normalizer, &tool, r#"{"path":"a","offset":1}"#);
}

// === Scenario: Parameters without underscores pass through unchanged ===

#[test]
fn level_and_value_stay_unchanged() {
    let arguments = r#"{"newParameterName":"x","level":3,"value":[1,{"a_b":2}]}"#;
    assert_unchanged(&by_default(), &camel_case_tool(), arguments);
}

#[test]
fn level_and_value_stay_unchanged_next_to_a_converted_name() {
    let arguments = r#"{"new_parameter_name":"x","level":3,"value":{"a_b": 1.0}}"#;
    let expected = r#"{"newParameterName":"x","level":3,"value":{"a_b": 1.0}}"#;
    assert_repaired(&by_default(), &camel_case_tool(), arguments, expected);
}

#[test]
fn leading_underscore_is_not_snake_case() {
    let tool = tool("meta", &open(r#""meta":{"type":"string"},"idOf":{"type":"string"}"#, &["idOf"]));
    let arguments = r#"{"_meta":"x","id_of":"y"}"#;
    assert_repaired(&by_default(), &tool, arguments, r#"{"_meta":"x","idOf":"y"}"#);
}

#[test]
fn empty_arguments_stay_empty() {
    let tool = tool("ping", r#"{"type":"object","properties":{"deviceName":{"type":"string"}}}"#);
    assert_unchanged(&by_default(), &tool, "{}");
}

#[test]
fn values_with_underscores_are_untouched() {
    let arguments = r#"{"new_parameter_name":"keep_this_value","value":["and_this",{"and_that":"too_o"}]}"#;
    let expected = r#"{"newParameterName":"keep_this_value","value":["and_this",{"and_that":"too_o"}]}"#;
    assert_repaired(&by_default(), &camel_case_tool(), arguments, expected);
}

// === Servers that declare snake_case (loom#339: 29 of 29 calls were broken) ===

#[test]
fn a_server_that_declares_snake_case_keeps_snake_case() {
    let properties = r#""device_name":{"type":"string"},"max_count":{"type":"integer"}"#;
    for schema in [closed(properties, &["device_name"]), open(properties, &["device_name"])] {
        let tool = tool("query", &schema);
        assert_unchanged(&by_default(), &tool, r#"{"device_name":"a","max_count":2}"#);
    }
}

#[test]
fn a_server_that_declares_both_styles_keeps_both() {
    let properties = r#""device_name":{"type":"string"},"deviceName":{"type":"string"}"#;
    let tool = tool("query", &closed(properties, &[]));
    assert_unchanged(&by_default(), &tool, r#"{"device_name":"a"}"#);
    assert_unchanged(&by_default(), &tool, r#"{"device_name":"a","deviceName":"b"}"#);
}

#[test]
fn snake_case_name_keeps_its_spelling_next_to_a_mistake() {
    let properties = r#""device_name":{"type":"string"},"max_count":{"type":"integer"}"#;
    let tool = tool("query", &closed(properties, &["device_name"]));
    let arguments = r#"{"device_name":"a","max_count":"2"}"#;
    assert_repaired(&by_default(), &tool, arguments, r#"{"device_name":"a","max_count":2}"#);
}

#[test]
fn an_undeclared_name_of_a_server_that_declares_snake_case_is_left_to_it() {
    let properties = r#""text":{"type":"string"},"page_size":{"type":"integer"}"#;
    let tool = tool_of_server("s", "query", &open(properties, &["text"]));
    assert_unchanged(&by_default(), &tool, r#"{"text":"a","max_count":2}"#);
}

// === Two spellings of one parameter ===

#[test]
fn two_spellings_with_different_values_are_refused() {
    let arguments = r#"{"deviceName":"A","device_name":"B","action":"on"}"#;
    assert_eq!(refused(&by_default(), &control_zwave_device(), arguments), [Code::ConflictingValues]);
}

#[test]
fn two_spellings_with_one_value_are_sent_once() {
    let arguments = r#"{"deviceName":"A","device_name":"A","action":"on"}"#;
    let expected = r#"{"deviceName":"A","action":"on"}"#;
    assert_repaired(&by_default(), &control_zwave_device(), arguments, expected);
}

#[test]
fn synonym_with_another_value_than_its_target_is_refused() {
    let arguments = r#"{"deviceName":"A","action":"on","command":"off"}"#;
    assert_eq!(refused(&by_default(), &control_zwave_device(), arguments), [Code::ConflictingValues]);
}

#[test]
fn two_unknown_spellings_of_one_parameter_are_refused() {
    let arguments = r#"{"new_parameter_name":"a","new__parameter__name":"b"}"#;
    assert!(refused(&by_default(), &camel_case_tool(), arguments).contains(&Code::ConflictingValues));
}

// === The sets can be switched off ===

#[test]
fn without_the_set_zwave_no_rule_of_it_fires() {
    let arguments = r#"{"device_name":"Switch One","command":"on"}"#;
    let outcome = outcome(&with_set_switched_off("zwave"), &control_zwave_device(), arguments);
    assert!(!format!("{outcome:?}").contains("zwave-"), "{outcome:?}");
}

#[test]
fn without_the_set_snake_to_camel_no_rule_of_it_fires() {
    let arguments = r#"{"new_parameter_name":"x"}"#;
    let outcome = outcome(&with_set_switched_off("snake-to-camel"), &camel_case_tool(), arguments);
    assert!(!format!("{outcome:?}").contains("snake-to-camel"), "{outcome:?}");
}

#[test]
fn without_any_rule_a_converted_name_is_found_by_the_schema_and_reported_without_a_rule() {
    let arguments = r#"{"new_parameter_name":"x"}"#;
    let (repaired_text, changes) = repair(&without_rules(), &camel_case_tool(), arguments);
    assert_eq!(repaired_text, r#"{"newParameterName":"x"}"#);
    assert!(changes.iter().all(|change| change.rule.is_none()), "{}", report(&changes));
}

#[test]
fn both_sets_are_on_by_default() {
    assert!(default_sets().contains(&"zwave") && default_sets().contains(&"snake-to-camel"));
}

// === Scenario: Parameter normalization logging ===

#[test]
fn report_has_what_the_log_line_needs() {
    let arguments = r#"{"device_name":"Switch One","command":"on"}"#;
    let (repaired_text, changes) = repair(&by_default(), &control_zwave_device(), arguments);
    let log = format!("{arguments} → {repaired_text}");
    let expected =
        r#"{"device_name":"Switch One","command":"on"} → {"deviceName":"Switch One","action":"on"}"#;
    assert_eq!(log, expected);
    insta::assert_snapshot!(report(&changes), @r#"
    N3 /device_name "device_name" → "deviceName" by zwave-control-device_name: alias
    N3 /command "command" → "action" by zwave-control-command: alias
    "#);
}

#[test]
fn a_conversion_by_the_heuristic_is_reported_under_its_own_code() {
    let changes = changes(&by_default(), &camel_case_tool(), r#"{"new_parameter_name":"x"}"#);
    insta::assert_snapshot!(report(&changes), @r#"N1 /new_parameter_name "new_parameter_name" → "newParameterName" by snake-to-camel: the server's style"#);
}

#[test]
fn nothing_is_reported_when_original_and_normalized_parameters_do_not_differ() {
    let arguments = r#"{"deviceName":"Switch One","action":"on"}"#;
    assert_unchanged(&by_default(), &control_zwave_device(), arguments);
}

// === Scenario: Error handling with invalid parameters after normalization ===

#[test]
fn a_required_parameter_that_is_missing_after_conversion_is_named_and_not_invented() {
    let problems = refusal(&by_default(), &control_zwave_device(), r#"{"device_name":"Switch One"}"#);
    assert_eq!(problems.len(), 1);
    assert_eq!((problems[0].code, problems[0].path.as_str()), (Code::MissingRequired, "/action"));
}

#[test]
fn a_value_that_does_not_fit_after_conversion_is_refused_with_the_allowed_ones() {
    let arguments = r#"{"device_name":"Switch One","command":"explode"}"#;
    let problems = refusal(&by_default(), &control_zwave_device(), arguments);
    assert_eq!(problems[0].code, Code::UnknownEnumValue);
    assert!(problems[0].message.contains(r#""on", "off", "dim""#), "{}", problems[0].message);
}
