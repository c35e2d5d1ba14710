//! Where the drafts of JSON Schema differ: each schema is judged as its own `$schema` says, and as
//! the `jsonschema` crate judges it.

mod support;

use serde_json::Value;
use support::{outcome, tool, without_rules};
use toolwright_model::Outcome;

const DRAFT_4: &str = "http://json-schema.org/draft-04/schema#";
const DRAFT_6: &str = "http://json-schema.org/draft-06/schema#";
const DRAFT_7: &str = "http://json-schema.org/draft-07/schema#";
const DRAFT_2019: &str = "https://json-schema.org/draft/2019-09/schema";
const DRAFT_2020: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of the parameter `v` under a draft: what is accepted goes on with its bytes, and the
/// oracle says the same.
#[track_caller]
fn assert_judged(draft: &str, about_v: &str, accepted: &[&str], rejected: &[&str]) {
    let schema = format!(r#"{{"$schema":"{draft}","type":"object","properties":{{"v":{about_v}}}}}"#);
    let judge = tool("probe", &schema);
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let oracle = jsonschema::validator_for(&schema).unwrap();
    let mut wrong = Vec::new();
    for (values, expected) in [(accepted, true), (rejected, false)] {
        for value in values {
            let arguments = format!(r#"{{"v":{value}}}"#);
            let valid = oracle.is_valid(&serde_json::from_str(&arguments).unwrap());
            assert_eq!(valid, expected, "the oracle on {arguments}");
            let unchanged = outcome(&without_rules(), &judge, &arguments) == Outcome::Unchanged;
            if judge.accepts(&arguments) != expected || unchanged != expected {
                wrong.push(format!("{value} should be {}", if expected { "accepted" } else { "rejected" }));
            }
        }
    }
    assert!(wrong.is_empty(), "{about_v}: {}", wrong.join(", "));
}

// === Draft 4 ===

#[test]
fn draft_4_sharpens_a_limit_by_a_boolean() {
    assert_judged(DRAFT_4, r#"{"minimum":5,"exclusiveMinimum":true}"#, &["6", "5.5"], &["5", "4"]);
    assert_judged(DRAFT_4, r#"{"maximum":5,"exclusiveMaximum":true}"#, &["4"], &["5", "6"]);
    assert_judged(DRAFT_4, r#"{"minimum":5,"exclusiveMinimum":false}"#, &["5"], &["4"]);
}

#[test]
fn draft_4_sharpens_a_limit_by_a_boolean_that_stands_before_it() {
    assert_judged(DRAFT_4, r#"{"exclusiveMinimum":true,"minimum":5}"#, &["6"], &["5"]);
    assert_judged(DRAFT_4, r#"{"exclusiveMaximum":true,"maximum":5}"#, &["4"], &["5"]);
}

#[test]
fn draft_4_knows_neither_const_nor_contains_nor_names() {
    assert_judged(DRAFT_4, r#"{"const":1}"#, &["1", "2"], &[]);
    assert_judged(DRAFT_4, r#"{"contains":{"type":"string"}}"#, &["[1]"], &[]);
    assert_judged(DRAFT_4, r#"{"propertyNames":{"maxLength":1}}"#, &[r#"{"ab":1}"#], &[]);
}

#[test]
fn draft_4_reads_tuples_and_dependencies() {
    assert_judged(
        DRAFT_4,
        r#"{"items":[{"type":"string"}],"additionalItems":{"type":"integer"}}"#,
        &[r#"["a",1,2]"#, "[]"],
        &[r#"[1]"#, r#"["a","b"]"#],
    );
    assert_judged(DRAFT_4, r#"{"dependencies":{"a":["b"]}}"#, &[r#"{"a":1,"b":2}"#, "{}"], &[r#"{"a":1}"#]);
}

#[test]
fn draft_6_knows_no_condition() {
    assert_judged(DRAFT_6, r#"{"if":true,"then":false}"#, &["1"], &[]);
    assert_judged(DRAFT_6, r#"{"const":1}"#, &["1", "1.0"], &["2"]);
    assert_judged(DRAFT_6, r#"{"exclusiveMinimum":5}"#, &["6"], &["5"]);
}

// === Draft 7 ===

#[test]
fn draft_7_ignores_what_stands_beside_a_reference() {
    assert_judged(
        DRAFT_7,
        r##"{"$ref":"#/properties/v/definitions/text","minLength":3,"definitions":{"text":{"type":"string"}}}"##,
        &[r#""a""#],
        &["1"],
    );
}

#[test]
fn draft_7_reads_additional_items_only_beside_a_tuple() {
    assert_judged(
        DRAFT_7,
        r#"{"items":[{"type":"string"}],"additionalItems":false}"#,
        &[r#"["a"]"#],
        &[r#"["a",1]"#],
    );
    assert_judged(DRAFT_7, r#"{"additionalItems":false}"#, &["[]", "[1]"], &[]);
    assert_judged(DRAFT_7, r#"{"items":{"type":"string"},"additionalItems":false}"#, &[r#"["a"]"#], &["[1]"]);
    assert_judged(DRAFT_7, r#"{"items":true,"additionalItems":{"type":"string"}}"#, &["[1]"], &[]);
}

#[test]
fn draft_7_knows_no_keyword_of_later_drafts() {
    assert_judged(DRAFT_7, r#"{"prefixItems":[{"type":"string"}]}"#, &["[1]"], &[]);
    assert_judged(DRAFT_7, r#"{"contains":{"type":"string"},"minContains":2}"#, &[r#"["a"]"#], &["[1]"]);
    assert_judged(DRAFT_7, r#"{"contains":{"type":"string"},"maxContains":1}"#, &[r#"["a","b"]"#], &["[1]"]);
    assert_judged(DRAFT_7, r#"{"dependentRequired":{"a":["b"]}}"#, &[r#"{"a":1}"#], &[]);
    assert_judged(DRAFT_7, r#"{"dependentSchemas":{"a":false}}"#, &[r#"{"a":1}"#], &[]);
    assert_judged(DRAFT_7, r#"{"unevaluatedProperties":false}"#, &[r#"{"a":1}"#], &[]);
    assert_judged(DRAFT_7, r#"{"unevaluatedItems":false}"#, &["[1]"], &[]);
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
    assert_judged(
        DRAFT_2019,
        r#"{"items":[{"type":"string"}],"additionalItems":false}"#,
        &[r#"["a"]"#, "[]"],
        &[r#"["a",1]"#, "[1]"],
    );
}

#[test]
fn draft_2019_knows_no_prefix_items() {
    assert_judged(DRAFT_2019, r#"{"prefixItems":[{"type":"string"}]}"#, &["[1]"], &[]);
}

#[test]
fn draft_2019_reads_dependencies_in_their_two_keywords() {
    assert_judged(DRAFT_2019, r#"{"dependentRequired":{"a":["b"]}}"#, &[r#"{"a":1,"b":2}"#], &[r#"{"a":1}"#]);
    assert_judged(DRAFT_2019, r#"{"dependentSchemas":{"a":false}}"#, &["{}"], &[r#"{"a":1}"#]);
}

#[test]
fn draft_2019_recurses_by_its_own_keyword() {
    assert_judged(DRAFT_2019, r##"{"$recursiveRef":"#"}"##, &[r#"{"v":{}}"#], &[r#"{"v":{"v":1}}"#, "1"]);
}

// === 2020-12 ===

#[test]
fn draft_2020_reads_what_stands_beside_a_reference() {
    assert_judged(
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
    assert_judged(DRAFT_2020, r#"{"prefixItems":[true],"additionalItems":false}"#, &["[1,2]"], &[]);
}

#[test]
fn draft_2020_counts_what_a_list_contains() {
    let about = r#"{"contains":{"type":"string"},"minContains":0,"maxContains":1}"#;
    assert_judged(DRAFT_2020, about, &["[]", "[1]", r#"["a"]"#], &[r#"["a","b"]"#]);
    assert_judged(DRAFT_2020, r#"{"minContains":2}"#, &["[]"], &[]);
}

#[test]
fn draft_2020_follows_anchors_ids_and_dynamic_references() {
    let schema = format!(
        r##"{{"$schema":"{DRAFT_2020}","$id":"https://example.org/root","type":"object",
            "properties":{{"a":{{"$ref":"#named"}},"b":{{"$ref":"item"}},"c":{{"$ref":"item#/$defs/deep"}},"d":{{"$dynamicRef":"#node"}}}},
            "$defs":{{"n":{{"$anchor":"named","type":"string"}},
                      "i":{{"$id":"item","type":"integer","$defs":{{"deep":{{"$ref":"#/$defs/flag"}},"flag":{{"type":"boolean"}}}}}},
                      "y":{{"$dynamicAnchor":"node","type":"null"}}}}}}"##
    );
    let judge = tool("probe", &schema);
    let oracle = jsonschema::validator_for(&serde_json::from_str::<Value>(&schema).unwrap()).unwrap();
    for (arguments, expected) in [
        (r#"{"a":"x","b":1,"c":true,"d":null}"#, true),
        (r#"{"a":1}"#, false),
        (r#"{"b":"x"}"#, false),
        (r#"{"c":1}"#, false),
        (r#"{"d":1}"#, false),
    ] {
        assert_eq!(
            oracle.is_valid(&serde_json::from_str(arguments).unwrap()),
            expected,
            "oracle {arguments}"
        );
        assert_eq!(judge.accepts(arguments), expected, "{arguments}");
    }
}

#[test]
fn a_schema_without_a_draft_is_read_as_2020_12() {
    let judge = tool("probe", r#"{"properties":{"v":{"prefixItems":[{"type":"string"}],"items":false}}}"#);
    assert!(judge.accepts(r#"{"v":["a"]}"#));
    assert!(!judge.accepts(r#"{"v":["a",1]}"#));
}

// === Patterns mean what ECMA-262 says ===

#[test]
fn patterns_are_judged_as_ecma_262_reads_them() {
    for (pattern, accepted, rejected) in [
        (r"^\\d+$", &[r#""42""#][..], &[r#""٤٢""#, r#""a""#][..]),
        (r"^\\w+$", &[r#""a_1""#], &[r#""é""#]),
        (r"^[\\w.-]+$", &[r#""a.b-c""#], &[r#""a b""#]),
        (r"^[\\w-.]+$", &[r#""a.b-c""#], &[r#""a b""#]),
        (r"^[a&&b]+$", &[r#""&""#, r#""ab""#], &[r#""c""#]),
        (r"^[a~~b]$", &[r#""~""#, r#""a""#], &[]),
        (r"^[a--]$", &[r#""-""#, r#""a""#], &[]),
        (r"^[[a]$", &[r#""[""#, r#""a""#], &[]),
        (r"^\\/\\-\\#\\@$", &[r##""/-#@""##], &[r#""x""#]),
        (r"^\\u00e9$", &[r#""é""#], &[r#""e""#]),
        (r"^\\x41$", &[r#""A""#], &[r#""B""#]),
        (r"^\\cJ$", &[r#""\n""#], &[r#""J""#]),
        (r"^(?<year>\\d{4})$", &[r#""2024""#], &[r#""24""#]),
        (r"^\\$\\{\\w+\\}$", &[r#""${A}""#], &[r#""A""#]),
        (r"^a{2,}$", &[r#""aaa""#], &[r#""a""#]),
        (r"a$", &[r#""a""#], &[r#""a\n""#]),
        (r"^\\s$", &[r#"" ""#, r#""\ufeff""#, r#""\u00a0""#], &[r#""x""#]),
        (r"^\\S$", &[r#""x""#], &[r#""\ufeff""#]),
        (r"^.$", &[r#""x""#, r#""😀""#], &[r#""\n""#]),
        (r"^\\bé\\b$", &[], &[r#""é""#]),
        (r"^[\\d\\D]$", &[r#""x""#], &[]),
        (r"^[^\\D]$", &[r#""1""#], &[r#""x""#]),
        (r"^[]$", &[], &[r#""x""#, r#""""#]),
        (r"^[^]$", &[r#""x""#], &[]),
        (r"^\\p{Lu}$", &[r#""É""#], &[r#""é""#]),
        (r"#", &[r##""#""##], &[r#""x""#]),
        (r"^a b$", &[r#""a b""#], &[r#""ab""#]),
    ] {
        let about = format!(r#"{{"pattern":"{pattern}"}}"#);
        let schema = format!(r#"{{"properties":{{"v":{about}}}}}"#);
        let oracle = jsonschema::validator_for(&serde_json::from_str::<Value>(&schema).unwrap());
        let judge = tool("probe", &schema);
        for (values, expected) in [(accepted, true), (rejected, false)] {
            for value in values {
                let arguments = format!(r#"{{"v":{value}}}"#);
                let by_oracle = oracle
                    .as_ref()
                    .map(|oracle| oracle.is_valid(&serde_json::from_str(&arguments).unwrap()))
                    .map_err(|_| ());
                let ours = judge.accepts(&arguments);
                if ours != expected || by_oracle != Ok(expected) {
                    eprintln!("{pattern} on {value}: expected {expected}, oracle {by_oracle:?}, ours {ours}");
                }
            }
        }
    }
}
