use serde_json::{Value, json as value};

use super::*;
use crate::SchemaRule;
use crate::form::Format;

/// What is sent for a schema, and the notes' codes.
fn sent(rule: SchemaRule, schema: &str) -> (Option<Json>, Vec<&'static str>) {
    let mut request = request(&["t"], vec![]);
    request.tools[0].schema = Some(json(schema));
    let (_, notes) = fitted(&mut request, &Target { schemas: rule, ..chat() });
    (request.tools[0].schema.clone(), notes.as_slice().iter().map(|note| note.code).collect())
}

fn sent_value(rule: SchemaRule, schema: &Value) -> Value {
    let (sent, _) = sent(rule, &schema.to_string());
    serde_json::from_str(sent.unwrap().as_str()).unwrap()
}

/// A tool with one argument of this schema; what is sent for the argument.
fn argument(rule: SchemaRule, schema: Value) -> Value {
    let whole = value!({"type": "object", "properties": {"a": schema}});
    sent_value(rule, &whole)["properties"]["a"].clone()
}

fn gemini(schema: Value) -> Value {
    argument(SchemaRule::Gemini, schema)
}

// === Objects with properties ===

#[test]
fn a_schema_that_fits_keeps_its_bytes() {
    let plain = r#"{ "type" : "object", "properties": {"a" : {"type":"string", "description":"\u00e4"}}, "required":["a"] }"#;
    for rule in [SchemaRule::Any, SchemaRule::ObjectWithProperties, SchemaRule::Gemini, SchemaRule::Ollama] {
        assert_eq!(sent(rule, plain), (Some(json(plain)), vec![]), "{rule:?}");
    }
    let odd = r#"{"$schema":"x","type":"object","properties":{},"additionalProperties":false}"#;
    for rule in [SchemaRule::Any, SchemaRule::ObjectWithProperties] {
        assert_eq!(sent(rule, odd), (Some(json(odd)), vec![]));
    }
    assert_eq!(sent(SchemaRule::Any, "true").0, Some(json("true")));
}

#[test]
fn what_an_object_lacks_is_said_and_the_rest_stays() {
    let said = |schema| sent(SchemaRule::ObjectWithProperties, schema).0.unwrap().to_string();
    assert_eq!(said(r#"{"type":"object"}"#), r#"{"type":"object","properties":{}}"#);
    assert_eq!(said("{}"), r#"{"type":"object","properties":{}}"#);
    assert_eq!(
        said(r#"{"properties":{"a":{"type" : "string"}}}"#),
        r#"{"properties":{"a":{"type" : "string"}},"type":"object"}"#
    );
    let mut request = request(&["t"], vec![]);
    request.tools[0].schema = None;
    fitted(&mut request, &chat());
    assert!(request.tools[0].schema.is_some());
}

#[test]
fn a_choice_at_the_root_becomes_one_object() {
    let choice = value!({"$defs": {"B": {"type": "object", "required": ["kind", "y"],
            "properties": {"kind": {"const": "b"}, "y": {"type": "integer"}}}},
        "description": "d",
        "oneOf": [{"type": "object", "required": ["kind", "x"],
            "properties": {"kind": {"const": "a"}, "x": {"type": "string"}, "y": {"type": "string"}}},
            {"$ref": "#/$defs/B"}]});
    let (_, notes) = sent(SchemaRule::ObjectWithProperties, &choice.to_string());
    assert_eq!(notes, ["schema_root_changed"]);
    let one = sent_value(SchemaRule::ObjectWithProperties, &choice);
    assert_eq!(one["type"], "object");
    assert_eq!(one["required"], value!(["kind"]));
    assert_eq!(one["properties"]["kind"], value!({"enum": ["a", "b"]}));
    assert_eq!(one["properties"]["y"], value!({"anyOf": [{"type": "string"}, {"type": "integer"}]}));
    assert_eq!((&one["description"], one.get("oneOf")), (&value!("d"), None));
    let either = value!({"type": "object", "properties": {"a": {}, "b": {}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
    let one = sent_value(SchemaRule::ObjectWithProperties, &either);
    assert_eq!(one, value!({"type": "object", "properties": {"a": {}, "b": {}}}));
}

#[test]
fn a_root_that_is_no_object_is_wrapped() {
    for rule in [SchemaRule::ObjectWithProperties, SchemaRule::Gemini, SchemaRule::Ollama] {
        let wrapped = sent_value(rule, &value!({"type": "array", "items": {"type": "string"}}));
        let expected = value!({"type": "array", "items": {"type": "string"}});
        assert_eq!(
            (&wrapped["type"], &wrapped["properties"]["value"]),
            (&value!("object"), &expected),
            "{rule:?}"
        );
        assert_eq!(wrapped["required"], value!(["value"]));
    }
    assert_eq!(sent(SchemaRule::ObjectWithProperties, "false").1, ["schema_root_changed"]);
    let nullable = sent_value(
        SchemaRule::ObjectWithProperties,
        &value!({"type": ["object", "null"], "properties": {"a": {}}}),
    );
    assert_eq!(nullable, value!({"type": "object", "properties": {"a": {}}}));
    let itself = value!({"$ref": "#"});
    assert_eq!(sent_value(SchemaRule::ObjectWithProperties, &itself)["type"], "object");
}

// === Gemini ===

#[test]
fn gemini_is_not_sent_what_it_refuses() {
    let schema = value!({"$schema": "x", "type": "object", "additionalProperties": false, "title": "T",
        "properties": {"a": {"type": "string", "default": "x", "examples": ["y"], "format": "uri", "pattern": "^a",
            "description": "d"}}, "required": ["a", "ghost"]});
    assert_eq!(
        sent_value(SchemaRule::Gemini, &schema),
        value!({"type": "object", "title": "T",
            "properties": {"a": {"type": "string", "pattern": "^a", "description": "d"}}, "required": ["a"]})
    );
    assert_eq!(gemini(value!({"type": "string", "format": "date-time"}))["format"], "date-time");
}

#[test]
fn a_property_that_has_the_name_of_a_keyword_stays() {
    let names = [
        "default",
        "const",
        "$schema",
        "additionalProperties",
        "not",
        "if",
        "format",
        "type",
        "items",
        "enum",
        "properties",
        "required",
        "$ref",
        "anyOf",
        "examples",
    ];
    for rule in [SchemaRule::Gemini, SchemaRule::Ollama, SchemaRule::ObjectWithProperties] {
        let properties: serde_json::Map<String, Value> = names
            .iter()
            .map(|name| ((*name).to_owned(), value!({"type": "string", "minLength": 1, "x-y": 1})))
            .collect();
        let schema = value!({"type": "object", "properties": properties, "required": names});
        let sent = sent_value(rule, &schema);
        for name in names {
            assert_eq!(sent["properties"][name]["type"], "string", "{rule:?} {name}");
        }
        assert_eq!(sent["required"].as_array().unwrap().len(), names.len());
    }
}

#[test]
fn gemini_has_one_type_and_says_null_beside_it() {
    assert_eq!(gemini(value!({"type": ["string", "null"]})), value!({"type": "string", "nullable": true}));
    assert_eq!(gemini(value!({"type": ["integer", "string"]})), value!({"type": "integer"}));
    assert_eq!(
        gemini(value!({"type": ["string", "array"], "items": {"type": "string"}})),
        value!({"type": "array", "items": {"type": "string"}})
    );
    assert_eq!(
        gemini(
            value!({"anyOf": [{"type": "string"}, {"type": "null"}], "description": "d", "default": null})
        ),
        value!({"type": "string", "nullable": true, "description": "d"})
    );
    assert_eq!(gemini(value!({"type": "null"})), value!({"type": "string", "nullable": true}));
}

#[test]
fn a_choice_for_gemini_stands_alone() {
    assert_eq!(
        gemini(value!({"description": "d", "oneOf": [{"type": "string"}, {"type": "integer"}]})),
        value!({"anyOf": [{"type": "string", "description": "d"}, {"type": "integer"}]})
    );
    assert_eq!(
        gemini(
            value!({"type": "object", "properties": {"x": {"type": "string"}}, "anyOf": [{"required": ["x"]}]})
        ),
        value!({"type": "object", "properties": {"x": {"type": "string"}}})
    );
}

#[test]
fn values_for_gemini_are_strings() {
    assert_eq!(gemini(value!({"const": "x"})), value!({"type": "string", "enum": ["x"]}));
    assert_eq!(
        gemini(value!({"enum": ["a", null, ""]})),
        value!({"type": "string", "enum": ["a"], "nullable": true})
    );
    assert_eq!(gemini(value!({"type": "integer", "enum": [1, 2]})), value!({"type": "integer"}));
    assert_eq!(gemini(value!({"const": 1.5})), value!({"type": "number"}));
    assert_eq!(gemini(value!({"const": true})), value!({"type": "boolean"}));
}

#[test]
fn bounds_that_exclude_become_bounds_that_include() {
    assert_eq!(
        gemini(value!({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10})),
        value!({"type": "integer", "minimum": 1, "maximum": 9})
    );
    assert_eq!(
        gemini(value!({"type": "number", "exclusiveMinimum": 0.5, "multipleOf": 2})),
        value!({"type": "number", "minimum": 0.5})
    );
    assert_eq!(
        gemini(value!({"type": "integer", "minimum": 3, "exclusiveMinimum": true})),
        value!({"type": "integer", "minimum": 3})
    );
    let most = gemini(value!({"type": "integer", "exclusiveMinimum": i64::MAX}));
    assert_eq!(most["minimum"], i64::MAX);
}

#[test]
fn what_gemini_wants_said_is_said() {
    assert_eq!(gemini(value!({})), value!({"type": "string"}));
    assert_eq!(gemini(value!(true)), value!({"type": "string"}));
    assert_eq!(gemini(value!({"type": "array"})), value!({"type": "array", "items": {"type": "string"}}));
    assert_eq!(
        gemini(value!({"prefixItems": [{"type": "integer"}]})),
        value!({"type": "array", "items": {"type": "integer"}})
    );
    assert_eq!(gemini(value!({"type": "object", "properties": {}})), value!({"type": "object"}));
}

#[test]
fn a_tool_without_arguments_has_no_schema_for_gemini() {
    for schema in [r#"{"type":"object","properties":{}}"#, r#"{"type":"object"}"#, "{}"] {
        assert_eq!(sent(SchemaRule::Gemini, schema), (None, vec![]), "{schema}");
    }
    let free = r#"{"type":"object","additionalProperties":{"type":"string"}}"#;
    assert_eq!(sent(SchemaRule::Gemini, free), (None, vec!["schema_keywords_left_out"]));
}

#[test]
fn the_schema_of_an_answer_is_reduced_for_gemini_only() {
    for (rule, is_kept) in [(SchemaRule::Gemini, false), (SchemaRule::Ollama, true)] {
        let mut request = request(&[], vec![]);
        let schema = json(r#"{"type":"array","items":{"const":"x"},"$schema":"y"}"#);
        request.format = Some(Format::Schema { name: None, schema: schema.clone(), strict: None });
        fitted(&mut request, &Target { schemas: rule, ..chat() });
        let Some(Format::Schema { schema: sent, .. }) = request.format else { panic!() };
        assert_eq!(sent == schema, is_kept);
        assert!(
            is_kept || sent.as_str() == r#"{"type":"array","items":{"type":"string","enum":["x"]}}"#,
            "{sent}"
        );
    }
}

// === References ===

#[test]
fn references_are_put_in() {
    let schema = value!({"type": "object", "properties": {"p": {"$ref": "#/$defs/a~1b", "description": "own"}},
        "$defs": {"a/b": {"type": "object", "description": "its", "properties": {"x": {"$ref": "#/$defs/c"}}},
            "c": {"type": "integer"}}});
    for rule in [SchemaRule::Ollama, SchemaRule::Gemini] {
        let sent = sent_value(rule, &schema);
        assert_eq!(
            sent,
            value!({"type": "object", "properties": {"p": {"type": "object", "description": "own",
                "properties": {"x": {"type": "integer"}}}}}),
            "{rule:?}"
        );
    }
}

#[test]
fn a_schema_within_itself_is_cut_with_a_note() {
    let schema = value!({"type": "object", "properties": {"tree": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"type": "object", "properties": {"left": {"$ref": "#/$defs/node"},
            "v": {"type": "string"}}}}});
    for rule in [SchemaRule::Ollama, SchemaRule::Gemini] {
        let (_, notes) = sent(rule, &schema.to_string());
        assert!(notes.contains(&"schema_cut"), "{rule:?} {notes:?}");
        let node = &sent_value(rule, &schema)["properties"]["tree"]["properties"];
        assert_eq!((&node["left"], &node["v"]["type"]), (&value!({"type": "object"}), &value!("string")));
    }
    let loops =
        r##"{"type":"object","properties":{"a":{"$ref":"#/properties/b"},"b":{"$ref":"#/properties/a"}}}"##;
    assert!(sent(SchemaRule::Ollama, loops).1.contains(&"schema_cut"));
    let nowhere = r##"{"type":"object","properties":{"a":{"$ref":"https://example.com/x"}}}"##;
    assert!(sent(SchemaRule::Gemini, nowhere).1.contains(&"schema_reference_unknown"));
}

#[test]
fn references_that_multiply_are_bounded() {
    let mut definitions = serde_json::Map::new();
    for at in 0..40 {
        let next = value!({"$ref": format!("#/$defs/d{}", at + 1)});
        let double = value!({"type": "object", "properties": {"l": next, "r": next}});
        definitions.insert(format!("d{at}"), double);
    }
    definitions.insert("d40".to_owned(), value!({"type": "string"}));
    let bomb = value!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
    for rule in [SchemaRule::Ollama, SchemaRule::Gemini] {
        let (sent, notes) = sent(rule, &bomb.to_string());
        assert!(sent.unwrap().as_str().len() < 1_000_000 && notes.contains(&"schema_cut"), "{rule:?}");
    }
}

#[test]
fn parts_that_all_hold_become_one() {
    let schema = value!({"allOf": [{"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]},
        {"properties": {"y": {"type": "string"}}, "required": ["y"]}]});
    for rule in [SchemaRule::Ollama, SchemaRule::Gemini] {
        let one = argument(rule, schema.clone());
        assert_eq!(one["required"], value!(["x", "y"]), "{rule:?}");
        assert_eq!(one["properties"].as_object().unwrap().len(), 2);
    }
}

// === Ollama ===

#[test]
fn ollama_is_sent_what_it_hands_on() {
    assert_eq!(
        argument(
            SchemaRule::Ollama,
            value!({"type": ["string", "null"], "description": "d", "minLength": 2, "oneOf": [{"const": 1}], "title": "T"})
        ),
        value!({"type": ["string", "null"], "description": "d", "anyOf": [{"enum": [1]}]})
    );
    assert_eq!(
        argument(SchemaRule::Ollama, value!({"type": "array", "items": {"type": "string", "format": "uri"}})),
        value!({"type": "array", "items": {"type": "string"}})
    );
}

// === All ===

#[test]
fn a_reduction_is_noted_once_for_all_tools() {
    let mut request = request(&["a", "b", "c"], vec![]);
    for tool in &mut request.tools {
        tool.schema =
            Some(json(r#"{"type":"object","additionalProperties":false,"properties":{"x":{"const":"y"}}}"#));
    }
    let (_, notes) = fitted(&mut request, &Target { schemas: SchemaRule::Gemini, ..chat() });
    let codes: Vec<&str> = notes.as_slice().iter().map(|note| note.code).collect();
    assert_eq!(codes, ["schema_keywords_left_out", "schema_rewritten"]);
    let message = &notes.as_slice()[0].message;
    assert!(message.contains("additionalProperties") && message.contains("a, b, c"), "{message}");
}

/// Schemas such as people and programs write them, sense or not.
fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(value!({})),
        Just(value!(true)),
        Just(value!(null)),
        Just(value!({"$ref": "#/properties/a"})),
        Just(value!({"$ref": "#/$defs/d"})),
        Just(value!({"type": "null"})),
        Just(value!({"const": 3})),
        Just(value!({"enum": ["a", 1, null]})),
        Just(value!({"type": ["integer", "null"], "exclusiveMinimum": 3, "multipleOf": 2})),
        Just(value!({"type": "string", "format": "email", "default": "x", "x-own": {"type": "object"}})),
        "[a-z]{1,4}".prop_map(|kind| value!({"type": kind})),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let key = prop_oneof![
            Just("items"),
            Just("not"),
            Just("if"),
            Just("additionalProperties"),
            Just("propertyNames"),
            Just("const"),
            Just("enum"),
            Just("type"),
            Just("required"),
            Just("properties"),
            Just("allOf")
        ];
        let list =
            prop_oneof![Just("anyOf"), Just("oneOf"), Just("allOf"), Just("items"), Just("prefixItems")];
        let name = prop_oneof![Just("a"), Just("b"), Just("const"), Just("$ref"), Just("not")];
        let properties = proptest::collection::hash_map(name, inner.clone(), 0..4);
        let plain = proptest::collection::hash_map(key, inner.clone(), 0..3);
        let lists =
            proptest::collection::hash_map(list, proptest::collection::vec(inner.clone(), 0..3), 0..2);
        (proptest::option::of(properties), plain, lists, any::<bool>(), inner).prop_map(
            |(properties, plain, lists, is_typed, definition)| {
                let mut schema = serde_json::Map::new();
                if is_typed {
                    schema.insert("type".to_owned(), value!("object"));
                }
                for (key, item) in plain {
                    schema.insert(key.to_owned(), item);
                }
                for (key, items) in lists {
                    schema.insert(key.to_owned(), Value::Array(items));
                }
                if let Some(properties) = properties {
                    let properties = properties.into_iter().map(|(name, item)| (name.to_owned(), item));
                    schema.insert("properties".to_owned(), Value::Object(properties.collect()));
                }
                schema.insert("$defs".to_owned(), value!({"d": definition}));
                Value::Object(schema)
            },
        )
    })
}

/// Checks every schema in a schema.
fn each(schema: &Value, check: &mut impl FnMut(&serde_json::Map<String, Value>)) {
    let Some(members) = schema.as_object() else { panic!("{schema} is no schema") };
    check(members);
    for property in
        members.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.values())
    {
        each(property, check);
    }
    for branch in members.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        each(branch, check);
    }
    if let Some(items) = members.get("items") {
        each(items, check);
    }
}

proptest! {
    #[test]
    fn no_reduced_schema_has_what_is_refused(schema in any_schema()) {
        const GEMINI: [&str; 20] = ["type", "title", "description", "nullable", "enum", "format", "items", "minItems",
            "maxItems", "properties", "required", "propertyOrdering", "minProperties", "maxProperties", "minimum",
            "maximum", "minLength", "maxLength", "pattern", "anyOf"];
        const OLLAMA: [&str; 7] = ["type", "items", "description", "enum", "properties", "required", "anyOf"];
        let text = schema.to_string();
        for (rule, allowed) in [(SchemaRule::Gemini, &GEMINI[..]), (SchemaRule::Ollama, &OLLAMA)] {
            let Some(first) = sent(rule, &text).0 else { continue };
            let value: Value = serde_json::from_str(first.as_str()).unwrap();
            prop_assert_eq!(&value["type"], "object");
            prop_assert!(value["properties"].is_object());
            each(&value, &mut |members| {
                for key in members.keys() {
                    assert!(allowed.contains(&key.as_str()), "{rule:?} {key} in {value}");
                }
                if rule == SchemaRule::Gemini {
                    assert!(members.contains_key("anyOf") || members["type"].is_string(), "{value}");
                    assert!(!members.contains_key("anyOf") || members.len() == 1, "{value}");
                    assert!(members.get("properties").is_none_or(|all| !all.as_object().unwrap().is_empty()), "{value}");
                }
            });
            // What fits stays, to the byte.
            prop_assert_eq!(sent(rule, first.as_str()), (Some(first), vec![]));
        }
        let root = sent_value(SchemaRule::ObjectWithProperties, &schema);
        prop_assert!(root["type"] == "object" && root["properties"].is_object());
        for key in ["anyOf", "oneOf", "allOf", "not", "enum"] {
            prop_assert!(root.get(key).is_none());
        }
    }
}
