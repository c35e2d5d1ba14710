//! Object cases in the manner of the public test suite of JSON Schema: a valid call keeps its bytes, an
//! invalid one is never forwarded unchanged, and the `jsonschema` crate agrees.

use crate::support;

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
fn valid_call_keeps_its_bytes() {
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
fn valid_call_keeps_its_bytes_with_rules() {
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
fn invalid_call_is_never_forwarded_unchanged() {
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
fn cases_agree_with_the_oracle() {
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
fn look_around_patterns_are_not_validated() {
    let tool = about(r#"{"type":"string","pattern":"^(?!x).*$"}"#);
    assert_unchanged(&by_default(), &tool, r#"{"v":"xyz"}"#);
    assert!(!tool.schema().notes().is_empty());
}

#[test]
fn external_references_are_not_validated_or_fetched() {
    let tool = about(r#"{"$ref":"https://example.invalid/schema.json"}"#);
    assert_unchanged(&by_default(), &tool, r#"{"v":[1,"x"]}"#);
    assert!(!tool.schema().notes().is_empty());
}

#[test]
fn unknown_type_names_are_not_validated() {
    let tool = about(r#"{"type":"file"}"#);
    assert_unchanged(&by_default(), &tool, r#"{"v":7}"#);
    assert!(!tool.schema().notes().is_empty());
}

#[test]
fn invalid_keywords_are_noted() {
    for (keyword, note) in [
        (r#""enum":"x""#, r#""enum" is "x" where a list of values is expected: not validated"#),
        (r#""required":true"#, r#""required" is true where a list of names is expected: not validated"#),
        (
            r#""required":["a",5]"#,
            r#""required" is ["a",5] where a list of names is expected: not validated"#,
        ),
        (
            r#""properties":["a"]"#,
            r#""properties" is ["a"] where an object of schemas is expected: not validated"#,
        ),
        (r#""properties":{"a":"string"}"#, r#""string" is not a schema, so it is not validated"#),
        (r#""items":5"#, "5 is not a schema, so it is not validated"),
        (r#""anyOf":[]"#, r#""anyOf" is [] where a list of schemas is expected: not validated"#),
        (r#""type":"INTEGER""#, r#"the type "INTEGER" is not a type of JSON Schema and is not validated"#),
        (r#""type":[]"#, "the type [] is not a type of JSON Schema and is not validated"),
        (
            r#""minLength":"5""#,
            r#""minLength" is "5" where a whole number of at least 0 is expected: not validated"#,
        ),
        (
            r#""maxLength":-1"#,
            r#""maxLength" is -1 where a whole number of at least 0 is expected: not validated"#,
        ),
        (
            r#""minItems":2.5"#,
            r#""minItems" is 2.5 where a whole number of at least 0 is expected: not validated"#,
        ),
        (r#""minimum":"5""#, r#""minimum" is "5" where a number is expected: not validated"#),
        (r#""multipleOf":0"#, r#""multipleOf" is 0 where a number above 0 is expected: not validated"#),
        (
            r#""uniqueItems":"true""#,
            r#""uniqueItems" is "true" where true or false is expected: not validated"#,
        ),
        (r#""pattern":5"#, r#""pattern" is 5 where a text is expected: not validated"#),
        (r#""$ref":5"#, r#""$ref" is 5 where a text is expected: not validated"#),
        (
            r#""dependencies":{"a":["b"]}"#,
            r#""dependencies" is not a keyword of the schema's draft and is not validated"#,
        ),
        (
            r#""dependentRequired":{"a":"b"}"#,
            r#""dependentRequired" is {"a":"b"} where an object with lists of names is expected: not validated"#,
        ),
    ] {
        let tool = about(&format!("{{{keyword}}}"));
        assert_eq!(tool.schema().notes(), [note], "{keyword}");
        for value in ["5", r#""x""#, r#"["x","x"]"#, r#"{"a":1}"#] {
            assert_unchanged(&by_default(), &tool, &format!(r#"{{"v":{value}}}"#));
        }
    }
    let beside = r##"{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"v":{"$ref":"#/definitions/a","minimum":5,"description":"b"}},"definitions":{"a":{"type":"integer"}}}"##;
    assert_eq!(
        tool("probe", beside).schema().notes(),
        [r#""minimum" next to a "$ref" is not validated in this draft"#]
    );
}

#[test]
fn fully_supported_schema_has_no_notes() {
    let whole = r#"{"title":"a","description":"b","default":1,"examples":[2],"x-order":3,"format":"date","enum":[1],"minLength":1.0,"exclusiveMinimum":true,"minimum":0,"uniqueItems":true,"nullable":false,"deprecated":true,"$comment":"c"}"#;
    assert!(about(whole).schema().notes().is_empty(), "{:?}", about(whole).schema().notes());
}

#[test]
fn formats_are_not_validated() {
    for format in ["date-time", "email", "uri", "uuid", "int32", "made-up"] {
        let tool = about(&format!(r#"{{"type":"string","format":"{format}"}}"#));
        assert_unchanged(&by_default(), &tool, r#"{"v":"anything"}"#);
    }
}

#[test]
fn self_reference_is_refused_without_endless_loop() {
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
        if let Outcome::Repaired { arguments: repaired_text, .. } =
            outcome(&by_default(), &about(schema), &arguments)
        {
            wrapped.push(format!("{schema}: {arguments} → {repaired_text}"));
        }
    }
    assert!(wrapped.is_empty(), "{}", wrapped.join("\n"));
}
