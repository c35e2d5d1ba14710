//! Written-down object cases in the manner of the public test suite of JSON Schema: what is valid
//! keeps its bytes, what is not is never passed on as it is, and the `jsonschema` crate agrees.

mod support;

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;
use support::{assert_unchanged, by_default, open, outcome, tool, tool_of_server, without_rules};
use toolwright_model::Outcome;
use toolwright_normalizer::Tool;

const CASES: &str = include_str!("fixtures/object-cases.json");

/// A schema with calls as they are written in the file.
struct Group {
    about: String,
    schema: String,
    valid: Vec<Box<RawValue>>,
    invalid: Vec<Box<RawValue>>,
}

fn groups() -> Vec<Group> {
    let groups: Vec<BTreeMap<String, Box<RawValue>>> = serde_json::from_str(CASES).expect("a list of groups");
    let calls = |text: &RawValue| serde_json::from_str(text.get()).expect("a list of calls");
    let group = |group: BTreeMap<String, Box<RawValue>>| Group {
        about: serde_json::from_str(group["about"].get()).expect("a text"),
        schema: group["schema"].get().to_owned(),
        valid: calls(&group["valid"]),
        invalid: calls(&group["invalid"]),
    };
    groups.into_iter().map(group).collect()
}

#[test]
fn what_is_valid_keeps_its_bytes() {
    for group in groups() {
        let tool = tool("probe", &group.schema);
        for call in &group.valid {
            assert!(tool.accepts(call.get()), "{}: {call}", group.about);
            assert_eq!(
                outcome(&by_default(), &tool, call.get()),
                Outcome::Unchanged,
                "{}: {call}",
                group.about
            );
            assert_eq!(
                outcome(&without_rules(), &tool, call.get()),
                Outcome::Unchanged,
                "{}: {call}",
                group.about
            );
        }
    }
}

#[test]
fn what_is_valid_keeps_its_bytes_in_a_tool_that_rules_name() {
    for name in ["edit_file", "multi_edit", "read_file", "batch_operations", "control_zwave_device"] {
        for group in groups() {
            let tool = tool_of_server("fs", name, &group.schema);
            for call in &group.valid {
                assert_unchanged(&by_default(), &tool, call.get());
            }
        }
    }
}

#[test]
fn what_is_not_valid_is_never_passed_on_as_it_is() {
    for group in groups() {
        let tool = tool("probe", &group.schema);
        for call in &group.invalid {
            assert!(!tool.accepts(call.get()), "{}: {call}", group.about);
            let outcome = outcome(&by_default(), &tool, call.get());
            assert_ne!(outcome, Outcome::Unchanged, "{}: {call}", group.about);
            if let Outcome::Repaired { arguments, .. } = outcome {
                assert!(tool.accepts(&arguments), "{}: {call} → {arguments}", group.about);
            }
        }
    }
}

#[test]
fn the_cases_are_written_down_as_the_oracle_sees_them() {
    for group in groups() {
        let schema: Value = serde_json::from_str(&group.schema).expect("a schema");
        let oracle = jsonschema::validator_for(&schema).expect("a schema that the oracle takes");
        for (calls, expected) in [(&group.valid, true), (&group.invalid, false)] {
            for call in calls {
                let value: Value = serde_json::from_str(call.get()).expect("a call");
                assert_eq!(oracle.is_valid(&value), expected, "{}: {call}", group.about);
            }
        }
    }
}

#[test]
fn there_are_more_than_a_hundred_valid_calls() {
    assert!(groups().iter().map(|group| group.valid.len()).sum::<usize>() > 100);
}

// === Deliberate differences from the oracle: the tool's own server decides ===

/// A tool with one parameter `v`.
fn about(schema: &str) -> Tool {
    tool("probe", &open(&format!(r#""v":{schema}"#), &[]))
}

#[test]
fn nullable_accepts_null() {
    let tool = about(r#"{"type":"string","nullable":true}"#);
    assert_unchanged(&by_default(), &tool, r#"{"v":null}"#);
    assert!(!about(r#"{"type":"string","nullable":false}"#).accepts(r#"{"v":null}"#));
}

#[test]
fn patterns_with_look_around_are_not_judged() {
    let tool = about(r#"{"type":"string","pattern":"^(?!x).*$"}"#);
    assert_unchanged(&by_default(), &tool, r#"{"v":"xyz"}"#);
    assert!(!tool.schema().notes().is_empty());
}

#[test]
fn references_out_of_the_schema_are_not_judged_and_not_fetched() {
    let tool = about(r#"{"$ref":"https://example.invalid/schema.json"}"#);
    assert_unchanged(&by_default(), &tool, r#"{"v":[1,"x"]}"#);
    assert!(!tool.schema().notes().is_empty());
}

#[test]
fn unknown_type_names_are_not_judged() {
    let tool = about(r#"{"type":"file"}"#);
    assert_unchanged(&by_default(), &tool, r#"{"v":7}"#);
    assert!(!tool.schema().notes().is_empty());
}

#[test]
fn formats_are_not_judged() {
    for format in ["date-time", "email", "uri", "uuid", "int32", "made-up"] {
        let tool = about(&format!(r#"{{"type":"string","format":"{format}"}}"#));
        assert_unchanged(&by_default(), &tool, r#"{"v":"anything"}"#);
    }
}

#[test]
fn a_reference_that_only_leads_to_itself_is_refused_without_an_endless_loop() {
    let defs = r##""$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}"##;
    let tool = tool("probe", &format!(r##"{{"$ref":"#/$defs/a",{defs}}}"##));
    assert!(matches!(outcome(&by_default(), &tool, "{}"), Outcome::Refused { .. }));
}

// === A value that breaks a keyword of its own type is not hidden in another type ===

#[test]
fn a_value_is_not_wrapped_to_escape_a_keyword_where_no_type_is_declared() {
    let mut wrapped = Vec::new();
    for (schema, value) in [
        (r#"{"properties":{"b":{"type":"string"}},"required":["b"]}"#, r#"{"a":1}"#),
        (r#"{"properties":{"a":{"type":"string"}},"additionalProperties":false}"#, r#"{"z":1}"#),
        (r#"{"dependentRequired":{"a":["b"]}}"#, r#"{"a":1}"#),
        (r#"{"propertyNames":{"maxLength":1}}"#, r#"{"ab":1}"#),
        (r#"{"maxProperties":0}"#, r#"{"ab":1}"#),
        (r#"{"minimum":5}"#, "3"),
        (r#"{"multipleOf":2}"#, "3"),
        (r#"{"maxLength":2}"#, r#""abc""#),
        (r#"{"pattern":"^a"}"#, r#""xyz""#),
        (r#"{"minItems":2}"#, "[1]"),
        (r#"{"items":{"type":"integer"}}"#, r#"["x"]"#),
        (r#"{"uniqueItems":true}"#, "[1,1]"),
    ] {
        let arguments = format!(r#"{{"v":{value}}}"#);
        if let Outcome::Repaired { arguments: mended, .. } =
            outcome(&by_default(), &about(schema), &arguments)
        {
            wrapped.push(format!("{schema}: {arguments} → {mended}"));
        }
    }
    assert!(wrapped.is_empty(), "{}", wrapped.join("\n"));
}
