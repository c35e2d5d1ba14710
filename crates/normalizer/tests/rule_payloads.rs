//! Payloads of founding document 004: JSON inside a parameter, as text or raw, at every kind of path, with
//! generated ids and everything else unchanged.

use crate::support;

use proptest::prelude::*;
use support::*;
use toolwright_model::Code;
use toolwright_normalizer::{Normalizer, Tool};

fn any_tool() -> Tool {
    tool("any", r#"{"type":"object"}"#)
}

fn alias_at(array_path: &str) -> Normalizer {
    with_rules(&format!(
        r#"[{{"id":"r","tools":["*"],"type":"nested_alias","in_payload":"p","array_path":"{array_path}",
             "from":"type","to":"action"}}]"#
    ))
}

fn ids_at(array_path: &str) -> Normalizer {
    with_rules(&format!(
        r#"[{{"id":"r","tools":["*"],"type":"nested_default","in_payload":"p","array_path":"{array_path}",
             "from":"id","value":"step-{{{{index}}}}"}}]"#
    ))
}

/// The payload raw and as text: both become the expected one, raw stays raw and text stays text.
#[track_caller]
fn assert_payload(normalizer: &Normalizer, payload: &str, expected: &str) {
    let raw = |payload: &str| format!(r#"{{"p":{payload}}}"#);
    let text = |payload: &str| serde_json::json!({ "p": payload }).to_string();
    assert_repaired(normalizer, &any_tool(), &raw(payload), &raw(expected));
    assert_repaired(normalizer, &any_tool(), &text(payload), &text(expected));
}

/// Neither the raw payload nor its text is changed.
#[track_caller]
fn assert_payload_left_alone(normalizer: &Normalizer, payload: &str) {
    assert_unchanged(normalizer, &any_tool(), &format!(r#"{{"p":{payload}}}"#));
    assert_unchanged(normalizer, &any_tool(), &serde_json::json!({ "p": payload }).to_string());
}

// === Paths ===

#[test]
fn an_empty_path_is_the_payload_itself() {
    assert_payload(&alias_at(""), r#"{"type":"a"}"#, r#"{"action":"a"}"#);
}

#[test]
fn a_rule_without_a_path_is_about_the_payload_itself() {
    let file =
        r#"[{"id":"r","tools":["*"],"type":"nested_alias","in_payload":"p","from":"type","to":"action"}]"#;
    assert_payload(&with_rules(file), r#"{"type":"a"}"#, r#"{"action":"a"}"#);
}

#[test]
fn brackets_alone_are_the_items_of_a_payload_that_is_a_list() {
    assert_payload(&alias_at("[]"), r#"[{"type":"a"},{"type":"b"}]"#, r#"[{"action":"a"},{"action":"b"}]"#);
}

#[test]
fn a_name_with_brackets_is_a_list_in_the_payload() {
    assert_payload(&alias_at("steps[]"), r#"{"steps":[{"type":"a"}]}"#, r#"{"steps":[{"action":"a"}]}"#);
}

#[test]
fn dots_lead_through_objects() {
    let expected = r#"{"data":{"in":{"steps":[{"action":"a"}]}}}"#;
    assert_payload(&alias_at("data.in.steps[]"), r#"{"data":{"in":{"steps":[{"type":"a"}]}}}"#, expected);
}

#[test]
fn dots_without_brackets_lead_to_one_object() {
    assert_payload(
        &alias_at("data.step"),
        r#"{"data":{"step":{"type":"a"}}}"#,
        r#"{"data":{"step":{"action":"a"}}}"#,
    );
}

#[test]
fn lists_may_be_nested() {
    let sent = r#"{"groups":[{"steps":[{"type":"a"}]},{"steps":[]},{"steps":[{"type":"b"},{"type":"c"}]}]}"#;
    let expected =
        r#"{"groups":[{"steps":[{"action":"a"}]},{"steps":[]},{"steps":[{"action":"b"},{"action":"c"}]}]}"#;
    assert_payload(&alias_at("groups[].steps[]"), sent, expected);
    assert_payload(
        &alias_at("[][]"),
        r#"[[{"type":"a"}],[{"type":"b"}]]"#,
        r#"[[{"action":"a"}],[{"action":"b"}]]"#,
    );
}

#[test]
fn object_may_be_between_two_lists() {
    let sent = r#"[{"meta":{"step":{"type":"a"}}}]"#;
    assert_payload(&alias_at("[].meta.step"), sent, r#"[{"meta":{"step":{"action":"a"}}}]"#);
}

#[test]
fn payload_of_another_shape_stays_unchanged() {
    for payload in
        [r#"{"type":"a"}"#, r#"{"steps":{"type":"a"}}"#, r#"[{"type":"a"}]"#, "{}", "[]", "5", "null"]
    {
        assert_payload_left_alone(&alias_at("steps[]"), payload);
    }
}

#[test]
fn items_that_are_no_objects_are_skipped() {
    let expected = r#"[1,"type",null,["type"],{"action":"a"}]"#;
    assert_payload(&alias_at("[]"), r#"[1,"type",null,["type"],{"type":"a"}]"#, expected);
}

#[test]
fn a_place_that_the_path_misses_in_one_item_is_edited_in_the_others() {
    let sent = r#"[{"steps":5},{},{"steps":[{"type":"a"}]}]"#;
    assert_payload(&alias_at("[].steps[]"), sent, r#"[{"steps":5},{},{"steps":[{"action":"a"}]}]"#);
}

#[test]
fn text_that_is_not_json_stays_unchanged() {
    for text in ["", "not JSON", r#"{"type":"a""#, r#"{type: 'a'}"#, r#"{"type":"a"} and more"#] {
        let arguments = serde_json::json!({ "p": text }).to_string();
        assert_unchanged(&alias_at(""), &any_tool(), &arguments);
    }
}

// === Raw payloads where the tool takes text ===

#[test]
fn raw_pipeline_is_repaired_and_becomes_text() {
    let tool = tool("batch_operations", &closed(r#""pipeline_json":{"type":"string"}"#, &["pipeline_json"]));
    let arguments = r#"{"pipeline_json":{"steps":[{"type":"search"}]}}"#;
    let expected = r#"{"pipeline_json":"{\"steps\":[{\"action\":\"search\",\"id\":\"step-0\"}]}"}"#;
    assert_repaired(&by_default(), &tool, arguments, expected);
}

#[test]
fn raw_edits_are_repaired_and_become_text() {
    let tool = tool("multi_edit", &closed(r#""edits_json":{"type":"string"}"#, &["edits_json"]));
    let arguments = r#"{"edits_json":[{"old_str":"x","new_str":"y"}]}"#;
    let expected = r#"{"edits_json":"[{\"old_text\":\"x\",\"new_text\":\"y\"}]"}"#;
    assert_repaired(&by_default(), &tool, arguments, expected);
}

#[test]
fn raw_edits_stay_raw_where_the_tool_takes_a_list() {
    let tool = tool("multi_edit", &closed(r#""edits_json":{"type":"array"}"#, &["edits_json"]));
    let arguments = r#"{"edits_json":[{"old_str":"x","new_text":"y"}]}"#;
    let expected = r#"{"edits_json":[{"old_text":"x","new_text":"y"}]}"#;
    assert_repaired(&by_default(), &tool, arguments, expected);
}

#[test]
fn a_built_in_nested_rule_never_decides_between_two_values() {
    let tool = tool("batch_operations", &open(r#""pipeline_json":{"type":"string"}"#, &[]));
    let payload = r#"{"steps":[{"id":"r","action":"c"},{"id":"s","type":"a","action":"b"}]}"#;
    let arguments = serde_json::json!({ "pipeline_json": payload }).to_string();
    let problems = refusal(&by_default(), &tool, &arguments);
    assert_eq!(
        (problems[0].code, problems[0].path.as_str()),
        (Code::ConflictingValues, "/pipeline_json/steps/1/type")
    );
    assert_unchanged(&with_set_switched_off("claude-desktop"), &tool, &arguments);
}

#[test]
fn a_built_in_nested_rule_drops_a_repetition_and_says_so() {
    let tool = tool("batch_operations", &open(r#""pipeline_json":{"type":"string"}"#, &[]));
    let payload = r#"{"steps":[{"id":"s","type":"a","action":"a"}]}"#;
    let arguments = serde_json::json!({ "pipeline_json": payload }).to_string();
    let changes = changes(&by_default(), &tool, &arguments);
    insta::assert_snapshot!(report(&changes), @r#"X1 /pipeline_json/steps/0/type "a" → - by pipeline-type-alias: the same value is given as "action""#);
}

#[test]
fn a_built_in_nested_rule_leaves_a_field_that_the_schema_declares() {
    let steps = r#"{"type":"array","items":{"type":"object","properties":{"type":{"type":"string"}}}}"#;
    let schema =
        open(&format!(r#""pipeline_json":{{"type":"object","properties":{{"steps":{steps}}}}}"#), &[]);
    let tool = tool("batch_operations", &schema);
    assert_unchanged(&by_default(), &tool, r#"{"pipeline_json":{"steps":[{"type":"search"}]}}"#);
}

// === {{index}} and generated ids ===

#[test]
fn index_is_the_place_in_the_list_counted_from_zero() {
    let expected = r#"[{"id":"step-0"},{"id":"mine"},{"id":"step-2"}]"#;
    assert_payload(&ids_at("[]"), r#"[{},{"id":"mine"},{}]"#, expected);
}

#[test]
fn index_counts_items_that_are_no_objects() {
    assert_payload(&ids_at("[]"), r#"[7,{}]"#, r#"[7,{"id":"step-1"}]"#);
}

#[test]
fn index_counts_the_innermost_list() {
    let expected = r#"[[{"id":"step-0"}],[{"id":"step-0"},{"id":"step-1"}]]"#;
    assert_payload(&ids_at("[][]"), r#"[[{}],[{},{}]]"#, expected);
}

#[test]
fn index_may_occur_several_times() {
    let file = r#"[{"id":"r","tools":["*"],"type":"nested_default","in_payload":"p","array_path":"[]",
                    "from":"x","value":{"a":"{{index}}-{{index}}"}}]"#;
    assert_payload(&with_rules(file), "[{},{}]", r#"[{"x":{"a":"0-0"}},{"x":{"a":"1-1"}}]"#);
}

#[test]
fn a_generated_id_moves_on_when_an_explicit_one_has_it() {
    assert_payload(&ids_at("[]"), r#"[{"id":"step-1"},{}]"#, r#"[{"id":"step-1"},{"id":"step-2"}]"#);
    assert_payload(&ids_at("[]"), r#"[{},{"id":"step-0"}]"#, r#"[{"id":"step-1"},{"id":"step-0"}]"#);
}

#[test]
fn a_generated_id_moves_on_when_another_generated_one_has_it() {
    let expected = r#"[{"id":"step-1"},{"id":"step-0"},{"id":"step-2"}]"#;
    assert_payload(&ids_at("[]"), r#"[{},{"id":"step-0"},{}]"#, expected);
}

#[test]
fn generating_ids_takes_linear_time() {
    let normalizer = ids_at("[]");
    assert_grows_linearly(2_000, |count| {
        let explicit = (0..count).map(|at| format!(r#"{{"id":"step-{at}"}}"#));
        let items: Vec<String> = (0..count).map(|_| "{}".to_owned()).chain(explicit).collect();
        let repaired_text = repaired(&normalizer, &any_tool(), &format!(r#"{{"p":[{}]}}"#, items.join(",")));
        assert!(repaired_text.starts_with(&format!(r#"{{"p":[{{"id":"step-{count}"}}"#)));
    });
}

#[test]
fn generating_uuids_takes_linear_time() {
    let file = r#"[{"id":"r","tools":["*"],"type":"nested_default","in_payload":"p","array_path":"[]","from":"id","value":"{{uuid}}"}]"#;
    let normalizer = with_rules(file);
    assert_grows_linearly(2_000, |count| {
        let items = vec!["{}"; count].join(",");
        repaired(&normalizer, &any_tool(), &format!(r#"{{"p":[{items}]}}"#));
    });
}

#[test]
fn explicit_ids_are_preserved_even_when_they_repeat() {
    let payload = r#"[{"id":"step-0"},{"id":"step-0"},{"id":7}]"#;
    assert_payload_left_alone(&ids_at("[]"), payload);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_ids_never_collide(explicit in prop::collection::vec(prop::option::of(0..8usize), 1..8)) {
        let mut seen = Vec::new();
        let unique = |id: &Option<usize>| id.filter(|id| !seen.contains(id)).inspect(|id| seen.push(*id));
        let ids: Vec<Option<usize>> = explicit.iter().map(unique).collect();
        let step = |id: &Option<usize>| match id {
            Some(id) => serde_json::json!({ "id": format!("step-{id}") }),
            None => serde_json::json!({}),
        };
        let payload: Vec<serde_json::Value> = ids.iter().map(step).collect();
        prop_assume!(ids.contains(&None));
        let arguments = serde_json::json!({ "p": payload }).to_string();
        let repaired_text: serde_json::Value =
            serde_json::from_str(&repaired(&ids_at("[]"), &any_tool(), &arguments)).unwrap();
        let items = repaired_text["p"].as_array().unwrap();
        let mut found: Vec<&str> = items.iter().map(|item| item["id"].as_str().unwrap()).collect();
        found.sort_unstable();
        found.dedup();
        prop_assert_eq!(found.len(), ids.len());
        for (item, id) in items.iter().zip(&ids) {
            if let Some(id) = id {
                prop_assert_eq!(item["id"].as_str().unwrap(), format!("step-{id}"));
            }
        }
    }
}

// === What is not touched keeps its bytes ===

#[test]
fn big_integers_and_number_forms_survive_inside_a_payload() {
    for number in ["9007199254740993", "12345678901234567890123", "1.0", "1e400", "-0", "0.10"] {
        let sent = format!(r#"[{{"type":"a","n":{number}}}]"#);
        assert_payload(&alias_at("[]"), &sent, &format!(r#"[{{"action":"a","n":{number}}}]"#));
    }
}

#[test]
fn key_order_survives_inside_a_payload() {
    let expected = r#"[{"z":1,"action":"a","m":{"y":1,"b":2},"a":3}]"#;
    assert_payload(&alias_at("[]"), r#"[{"z":1,"type":"a","m":{"y":1,"b":2},"a":3}]"#, expected);
}

#[test]
fn escapes_and_odd_characters_survive_inside_a_payload() {
    let odd = r#""<&> \u00e9 é \ud83d\ude00 \\s+\\d C:\\Users\\new \/ \u2028""#;
    let expected = format!(r#"[{{"action":"a","s":{odd}}}]"#);
    assert_payload(&alias_at("[]"), &format!(r#"[{{"type":"a","s":{odd}}}]"#), &expected);
}

#[test]
fn white_space_of_untouched_values_survives_inside_a_payload() {
    let expected = r#"[{"action":"a","v":{ "k" : [ 1 , 2 ] }},{ "k" : 1 }]"#;
    assert_payload(&alias_at("[]"), r#"[{"type":"a","v":{ "k" : [ 1 , 2 ] }},{ "k" : 1 }]"#, expected);
}

#[test]
fn a_payload_in_which_nothing_changes_keeps_its_bytes() {
    assert_payload_left_alone(&alias_at("steps[]"), r#"{ "steps" : [ { "action" : "a" } ] , "n" : 1.0 }"#);
}

#[test]
fn the_place_in_a_text_payload_is_reported_as_if_it_were_raw() {
    let text = serde_json::json!({ "p": r#"{"steps":[{"type":"a"},{"type":"b"}]}"# }).to_string();
    let changes = changes(&alias_at("steps[]"), &any_tool(), &text);
    insta::assert_snapshot!(report(&changes), @r#"
    N5 /p/steps/0/type "type" → "action" by r: alias
    N5 /p/steps/1/type "type" → "action" by r: alias
    "#);
    assert!(changes.iter().all(|change| change.code == Code::NestedAliasByRule));
}

#[test]
fn payload_with_lone_surrogate_stays_unchanged() {
    let arguments = r#"{"p":"[{\"type\":\"a\",\"s\":\"\ud83d\"}]"}"#;
    assert_unchanged(&alias_at("[]"), &any_tool(), arguments);
}
