//! Differences between the drafts of JSON Schema: each schema is validated as its own `$schema` says, and
//! like in the `jsonschema` crate.

use crate::support;

use serde_json::Value;
use support::{outcome, tool, without_rules};
use toolwright_model::Outcome;

const DRAFT_4: &str = "http://json-schema.org/draft-04/schema#";
const DRAFT_6: &str = "http://json-schema.org/draft-06/schema#";
const DRAFT_7: &str = "http://json-schema.org/draft-07/schema#";
const DRAFT_2019: &str = "https://json-schema.org/draft/2019-09/schema";
const DRAFT_2020: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of the parameter `v` under a draft: accepted values keep their bytes, and the oracle
/// agrees.
#[track_caller]
fn assert_validates(draft: &str, about_v: &str, accepted: &[&str], rejected: &[&str]) {
    let schema = format!(r#"{{"$schema":"{draft}","type":"object","properties":{{"v":{about_v}}}}}"#);
    let probe = tool("probe", &schema);
    let schema: Value = serde_json::from_str(&schema).expect("a schema");
    let oracle = jsonschema::validator_for(&schema).expect("a schema that the oracle takes");
    let mut wrong = Vec::new();
    for (values, expected) in [(accepted, true), (rejected, false)] {
        for value in values {
            let arguments = format!(r#"{{"v":{value}}}"#);
            let valid = oracle.is_valid(&serde_json::from_str(&arguments).expect("a call"));
            assert_eq!(valid, expected, "the oracle on {arguments}");
            let unchanged = outcome(&without_rules(), &probe, &arguments) == Outcome::Unchanged;
            if probe.accepts(&arguments) != expected || unchanged != expected {
                wrong.push(format!("{value} should be {}", if expected { "accepted" } else { "rejected" }));
            }
        }
    }
    assert!(wrong.is_empty(), "{about_v}: {}", wrong.join(", "));
}

// === Draft 4 ===

#[test]
fn draft_4_has_exclusive_booleans() {
    assert_validates(DRAFT_4, r#"{"minimum":5,"exclusiveMinimum":true}"#, &["6", "5.5"], &["5", "4"]);
    assert_validates(DRAFT_4, r#"{"maximum":5,"exclusiveMaximum":true}"#, &["4"], &["5", "6"]);
    assert_validates(DRAFT_4, r#"{"minimum":5,"exclusiveMinimum":false}"#, &["5"], &["4"]);
}

#[test]
fn draft_4_exclusive_boolean_may_precede_the_limit() {
    assert_validates(DRAFT_4, r#"{"exclusiveMinimum":true,"minimum":5}"#, &["6"], &["5"]);
    assert_validates(DRAFT_4, r#"{"exclusiveMaximum":true,"maximum":5}"#, &["4"], &["5"]);
}

#[test]
fn draft_4_knows_neither_const_nor_contains_nor_names() {
    assert_validates(DRAFT_4, r#"{"const":1}"#, &["1", "2"], &[]);
    assert_validates(DRAFT_4, r#"{"contains":{"type":"string"}}"#, &["[1]"], &[]);
    assert_validates(DRAFT_4, r#"{"propertyNames":{"maxLength":1}}"#, &[r#"{"ab":1}"#], &[]);
}

#[test]
fn draft_4_reads_tuples_and_dependencies() {
    assert_validates(
        DRAFT_4,
        r#"{"items":[{"type":"string"}],"additionalItems":{"type":"integer"}}"#,
        &[r#"["a",1,2]"#, "[]"],
        &[r#"[1]"#, r#"["a","b"]"#],
    );
    assert_validates(
        DRAFT_4,
        r#"{"dependencies":{"a":["b"]}}"#,
        &[r#"{"a":1,"b":2}"#, "{}"],
        &[r#"{"a":1}"#],
    );
}

#[test]
fn draft_6_has_const_and_limits_of_their_own() {
    assert_validates(DRAFT_6, r#"{"const":1}"#, &["1", "1.0"], &["2"]);
    assert_validates(DRAFT_6, r#"{"exclusiveMinimum":5}"#, &["6"], &["5"]);
    assert_validates(DRAFT_6, r#"{"contains":{"type":"string"}}"#, &[r#"[1,"a"]"#], &["[1]", "[]"]);
}

#[test]
fn draft_6_knows_no_condition() {
    assert_validates(DRAFT_6, r#"{"if":true,"then":false}"#, &["1"], &[]);
}

// === Draft 7 ===

#[test]
fn draft_7_ignores_siblings_of_a_reference() {
    assert_validates(
        DRAFT_7,
        r##"{"$ref":"#/properties/v/definitions/text","minLength":3,"definitions":{"text":{"type":"string"}}}"##,
        &[r#""a""#],
        &["1"],
    );
}

#[test]
fn draft_7_has_additional_items_of_a_tuple() {
    let about = r#"{"items":[{"type":"string"}],"additionalItems":false}"#;
    assert_validates(DRAFT_7, about, &["[]", r#"["a"]"#], &[r#"["a",1]"#, "[1]"]);
    let about = r#"{"additionalItems":{"type":"integer"},"items":[true]}"#;
    assert_validates(DRAFT_7, about, &[r#"["a",1]"#], &[r#"["a","b"]"#]);
}

#[test]
fn draft_7_ignores_additional_items_without_a_tuple() {
    assert_validates(DRAFT_7, r#"{"additionalItems":false}"#, &["[]", "[1]"], &[]);
    assert_validates(
        DRAFT_7,
        r#"{"items":{"type":"string"},"additionalItems":false}"#,
        &[r#"["a"]"#],
        &["[1]"],
    );
    assert_validates(DRAFT_7, r#"{"additionalItems":{"type":"string"},"items":true}"#, &["[1]"], &[]);
    assert_validates(DRAFT_7, r#"{"items":true,"additionalItems":{"type":"string"}}"#, &["[1]"], &[]);
}

#[test]
fn draft_7_knows_no_keyword_of_later_drafts() {
    assert_validates(DRAFT_7, r#"{"prefixItems":[{"type":"string"}]}"#, &["[1]"], &[]);
    assert_validates(DRAFT_7, r#"{"contains":{"type":"string"},"minContains":2}"#, &[r#"["a"]"#], &["[1]"]);
    assert_validates(
        DRAFT_7,
        r#"{"contains":{"type":"string"},"maxContains":1}"#,
        &[r#"["a","b"]"#],
        &["[1]"],
    );
    assert_validates(DRAFT_7, r#"{"dependentRequired":{"a":["b"]}}"#, &[r#"{"a":1}"#], &[]);
    assert_validates(DRAFT_7, r#"{"dependentSchemas":{"a":false}}"#, &[r#"{"a":1}"#], &[]);
    assert_validates(DRAFT_7, r#"{"unevaluatedProperties":false}"#, &[r#"{"a":1}"#], &[]);
    assert_validates(DRAFT_7, r#"{"unevaluatedItems":false}"#, &["[1]"], &[]);
}

#[test]
fn draft_7_finds_schemas_by_an_id_that_is_a_fragment() {
    let about = r##"{"$ref":"#text"}"##;
    let schema = format!(
        r##"{{"$schema":"{DRAFT_7}","properties":{{"v":{about}}},"definitions":{{"t":{{"$id":"#text","type":"string"}}}}}}"##
    );
    let tool = tool("probe", &schema);
    assert!(tool.accepts(r#"{"v":"a"}"#));
    assert!(!tool.accepts(r#"{"v":1}"#));
}

// === 2019-09 ===

#[test]
fn draft_2019_reads_tuples_as_draft_7_does() {
    assert_validates(
        DRAFT_2019,
        r#"{"items":[{"type":"string"}],"additionalItems":false}"#,
        &[r#"["a"]"#, "[]"],
        &[r#"["a",1]"#, "[1]"],
    );
}

#[test]
fn draft_2019_knows_no_prefix_items() {
    assert_validates(DRAFT_2019, r#"{"prefixItems":[{"type":"string"}]}"#, &["[1]"], &[]);
}

#[test]
fn draft_2019_reads_dependencies_in_their_two_keywords() {
    assert_validates(
        DRAFT_2019,
        r#"{"dependentRequired":{"a":["b"]}}"#,
        &[r#"{"a":1,"b":2}"#],
        &[r#"{"a":1}"#],
    );
    assert_validates(DRAFT_2019, r#"{"dependentSchemas":{"a":false}}"#, &["{}"], &[r#"{"a":1}"#]);
}

#[test]
fn draft_2019_recurses_by_its_own_keyword() {
    assert_validates(DRAFT_2019, r##"{"$recursiveRef":"#"}"##, &[r#"{"v":{}}"#], &[r#"{"v":{"v":1}}"#, "1"]);
}

// === 2020-12 ===

#[test]
fn draft_2020_validates_siblings_of_a_reference() {
    assert_validates(
        DRAFT_2020,
        r##"{"$ref":"#/$defs/text","minLength":3,"$defs":{"text":{"type":"string"}}}"##
            .replace("#/$defs", "#/properties/v/$defs")
            .as_str(),
        &[r#""abc""#],
        &["1", r#""a""#],
    );
}

#[test]
fn draft_2020_ignores_additional_items_and_dependencies() {
    assert_validates(DRAFT_2020, r#"{"prefixItems":[true],"additionalItems":false}"#, &["[1,2]"], &[]);
}

#[test]
fn draft_2020_counts_what_a_list_contains() {
    let about = r#"{"contains":{"type":"string"},"minContains":0,"maxContains":1}"#;
    assert_validates(DRAFT_2020, about, &["[]", "[1]", r#"["a"]"#], &[r#"["a","b"]"#]);
    assert_validates(DRAFT_2020, r#"{"minContains":2}"#, &["[]"], &[]);
}

/// Both validators on whole arguments.
#[track_caller]
fn assert_validates_whole(schema: &str, calls: &[(&str, bool)]) {
    let probe = tool("probe", schema);
    let schema: Value = serde_json::from_str(schema).expect("a schema");
    let oracle = jsonschema::validator_for(&schema).expect("a schema that the oracle takes");
    for (arguments, expected) in calls {
        let valid = oracle.is_valid(&serde_json::from_str(arguments).expect("a call"));
        assert_eq!(valid, *expected, "the oracle on {arguments}");
        assert_eq!(probe.accepts(arguments), *expected, "{arguments}");
    }
}

#[test]
fn draft_2020_follows_anchors_ids_and_dynamic_references() {
    let schema = r##"{"$id":"https://example.org/root","type":"object",
        "properties":{"a":{"$ref":"#named"},"b":{"$ref":"item"},"c":{"$ref":"item#/$defs/deep"},
                      "d":{"$dynamicRef":"#node"}},
        "$defs":{"n":{"$anchor":"named","type":"string"},
                 "i":{"$id":"item","type":"integer","$defs":{"deep":{"type":"boolean"}}},
                 "y":{"$dynamicAnchor":"node","type":"null"}}}"##;
    let calls = [
        (r#"{"a":"x","b":1,"c":true,"d":null}"#, true),
        (r#"{"a":1}"#, false),
        (r#"{"b":"x"}"#, false),
        (r#"{"c":1}"#, false),
        (r#"{"d":1}"#, false),
    ];
    assert_validates_whole(schema, &calls);
}

/// The target of such a reference depends on the path of the validation. A valid call is unchanged; an
/// invalid one is forwarded to the server, which decides.
#[test]
fn dynamic_references_with_several_targets_are_not_validated() {
    let nested_2019 = r##"{"$schema":"https://json-schema.org/draft/2019-09/schema","$id":"http://localhost:4242/a.json",
        "$recursiveAnchor":true,
        "$defs":{"inner":{"$id":"inner.json","$recursiveAnchor":true,
                          "anyOf":[{"type":"integer"},{"type":"object","additionalProperties":{"$recursiveRef":"#"}}]}},
        "anyOf":[{"type":"string"},{"$ref":"#/$defs/inner"}]}"##;
    let strings_2020 = r##"{"$id":"https://example.org/strings","$ref":"list","$defs":{
        "strings":{"$dynamicAnchor":"item","type":"string"},
        "list":{"$id":"list","type":"object","additionalProperties":{"$dynamicRef":"#item"},
                "$defs":{"any":{"$dynamicAnchor":"item","type":"integer"}}}}}"##;
    for (schema, valid) in
        [(nested_2019, r#"{"foo":1}"#), (nested_2019, r#"{"foo":"x"}"#), (strings_2020, r#"{"a":"x"}"#)]
    {
        let oracle: Value = serde_json::from_str(schema).expect("a schema");
        let oracle = jsonschema::validator_for(&oracle).expect("a schema that the oracle takes");
        assert!(oracle.is_valid(&serde_json::from_str(valid).expect("a call")), "the oracle on {valid}");
        assert_eq!(outcome(&without_rules(), &tool("probe", schema), valid), Outcome::Unchanged, "{valid}");
    }
}

/// The look-alike: with one target, such references are validated like any other.
#[test]
fn dynamic_references_with_one_target_are_validated() {
    let tree = r##"{"$schema":"https://json-schema.org/draft/2019-09/schema","$id":"https://example.org/tree",
        "$recursiveAnchor":true,"type":"object",
        "properties":{"child":{"$recursiveRef":"#"},"value":{"type":"integer"}},"required":["value"]}"##;
    assert_validates_whole(
        tree,
        &[(r#"{"value":1,"child":{"value":2}}"#, true), (r#"{"value":1,"child":{"value":"x"}}"#, false)],
    );
}

#[test]
fn local_reference_is_relative_to_its_resource() {
    let schema = r##"{"$id":"https://example.org/root","properties":{"c":{"$ref":"item#/$defs/deep"}},
        "$defs":{"flag":{"type":"string"},
                 "i":{"$id":"item","$defs":{"deep":{"$ref":"#/$defs/flag"},"flag":{"type":"boolean"}}}}}"##;
    assert_validates_whole(schema, &[(r#"{"c":true}"#, true), (r#"{"c":"x"}"#, false)]);
}

#[test]
fn references_follow_escaped_pointers() {
    let schema = r##"{"properties":{"a":{"$ref":"#/$defs/x~1y"},"b":{"$ref":"#/$defs/p~0q"},
                      "c":{"$ref":"#/$defs/r%25s"},"d":{"$ref":"#/properties/a"}},
        "$defs":{"x/y":{"type":"string"},"p~q":{"type":"integer"},"r%s":{"type":"null"}}}"##;
    let calls = [
        (r#"{"a":"x","b":1,"c":null,"d":"x"}"#, true),
        (r#"{"a":1}"#, false),
        (r#"{"b":"x"}"#, false),
        (r#"{"c":1}"#, false),
        (r#"{"d":1}"#, false),
    ];
    assert_validates_whole(schema, &calls);
}

#[test]
fn references_follow_percent_escapes_of_any_character() {
    let schema = r##"{"properties":{"a":{"$ref":"#/$defs/with%20space"},"b":{"$ref":"#/$defs/caf%C3%A9"}},
        "$defs":{"with space":{"type":"string"},"café":{"type":"integer"}}}"##;
    let calls = [(r#"{"a":"x","b":1}"#, true), (r#"{"a":1}"#, false), (r#"{"b":"x"}"#, false)];
    assert_validates_whole(schema, &calls);
}

#[test]
fn a_schema_without_a_draft_is_read_as_2020_12() {
    let probe = tool("probe", r#"{"properties":{"v":{"prefixItems":[{"type":"string"}],"items":false}}}"#);
    assert!(probe.accepts(r#"{"v":["a"]}"#));
    assert!(!probe.accepts(r#"{"v":["a",1]}"#));
}

// === Patterns mean what ECMA-262 says ===

/// The pattern, as JSON in the schema, on texts, as JSON in the call.
#[track_caller]
fn assert_pattern(pattern: &str, accepted: &[&str], rejected: &[&str]) {
    let probe = tool("probe", &format!(r#"{{"properties":{{"v":{{"pattern":"{pattern}"}}}}}}"#));
    for (texts, expected) in [(accepted, true), (rejected, false)] {
        for text in texts {
            assert_eq!(probe.accepts(&format!(r#"{{"v":"{text}"}}"#)), expected, "{pattern} on {text}");
        }
    }
}

#[test]
fn character_classes_of_patterns_are_ascii() {
    assert_pattern(r"^\\d+$", &["42"], &["٤٢", "a"]);
    assert_pattern(r"^\\w+$", &["a_1"], &["é"]);
    assert_pattern(r"^[\\w.-]+$", &["a.b-c"], &["a b"]);
    assert_pattern(r"^[\\w-.]+$", &["a.b-c"], &["a b"]);
    assert_pattern(r"^[\\d\\D]$", &["x"], &[]);
    assert_pattern(r"^[^\\D]$", &["1"], &["x"]);
}

#[test]
fn escapes_of_patterns_are_read() {
    assert_pattern(r"^\\/\\-\\#\\@$", &["/-#@"], &["x"]);
    assert_pattern(r"^\\u00e9$", &["é"], &["e"]);
    assert_pattern(r"^\\x41$", &["A"], &["B"]);
    assert_pattern(r"^\\$\\{\\w+\\}$", &["${A}"], &["A"]);
    assert_pattern(r"^\\p{Lu}$", &["É"], &["é"]);
    assert_pattern(r"^\\s$", &[" ", r"\u00a0"], &["x"]);
}

#[test]
fn patterns_match_anywhere_and_anchors_mean_the_whole_text() {
    assert_pattern("b", &["abc"], &["ac"]);
    assert_pattern("a$", &["a"], &[r"a\n"]);
    assert_pattern("^.$", &["x", "😀"], &[r"\n"]);
    assert_pattern("^(?<year>[0-9]{4})$", &["2024"], &["24"]);
    assert_pattern("^a b$", &["a b"], &["ab"]);
    assert_pattern("#", &["#"], &["x"]);
}

#[test]
fn operators_of_other_engines_are_plain_characters_in_a_class() {
    assert_pattern("^[a&&b]+$", &["&", "ab"], &["c"]);
    assert_pattern("^[a~~b]$", &["~", "a"], &["c"]);
    assert_pattern("^[a--]$", &["-", "a"], &["b"]);
    assert_pattern("^[[a]]$", &["a]", "[]"], &["a"]);
}

#[test]
fn boundaries_and_white_space_are_those_of_ecma_262() {
    assert_pattern(r"^caf\\b", &["café"], &["cafe"]);
    assert_pattern(r"^\\s$", &[r"\ufeff"], &[]);
    assert_pattern(r"^\\S$", &["x"], &[r"\ufeff"]);
}
