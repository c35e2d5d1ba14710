//! Properties that hold for any text and any definition.

use proptest::prelude::*;
use serde_json::{Map, Value};
use toolwright_security::{Context, Definition, compare, diff, scan, scan_tool};

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i32>().prop_map(|number| Value::from(f64::from(number) / 64.0)),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let key = prop_oneof!["[a-c]", Just("required".to_owned()), Just("properties".to_owned()), ".{0,4}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..5)
                .prop_map(|pairs| pairs.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

fn tool(schema: Value, other: Value) -> Value {
    serde_json::json!({"name": "a", "inputSchema": schema, "annotations": other})
}

/// The same value with the keys of every object in reverse order.
fn reverse_keys(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .rev()
            .map(|(key, value)| (key.clone(), reverse_keys(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(reverse_keys).collect(),
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn canonical_form_does_not_depend_on_key_order(schema in json(), other in json()) {
        let tool = tool(schema, other);
        let one = Definition::read(&tool.to_string()).expect("a tool");
        let two = Definition::read(&serde_json::to_string_pretty(&reverse_keys(&tool)).expect("JSON")).expect("a tool");
        prop_assert_eq!(one.canonical(), two.canonical());
        prop_assert!(compare(&one, &two).is_nothing());
        let again = Definition::read(&one.canonical()).expect("a tool");
        prop_assert_eq!(one.canonical(), again.canonical());
    }

    #[test]
    fn different_definitions_differ(one in json(), two in json()) {
        let old = Definition::read(&tool(one, Value::Null).to_string()).expect("a tool");
        let new = Definition::read(&tool(two, Value::Null).to_string()).expect("a tool");
        if old.canonical() != new.canonical() && old != new {
            prop_assert!(!compare(&old, &new).is_nothing());
            prop_assert_ne!(old.fingerprint(""), new.fingerprint(""));
        }
        prop_assert!(compare(&old, &old).is_nothing());
    }

    #[test]
    fn any_text_can_be_scanned(text in any::<String>(), place in any::<String>()) {
        scan([(place.as_str(), text.as_str())], &Context::new([text.as_str(), "a_b"]));
        scan_tool(&text, &Context::default());
    }

    #[test]
    fn any_tool_can_be_scanned(schema in json(), other in json()) {
        scan_tool(&tool(schema, other).to_string(), &Context::default());
    }

    #[test]
    fn unusual_characters_can_be_scanned(text in "[\u{200b}-\u{200f}\u{202a}-\u{202e}\u{e0000}-\u{e01ef}\u{fe00}-\u{fe0f}🏴👩a<!\\-A-F0-9=]{0,80}") {
        scan([("/properties/context/description", text.as_str())], &Context::default());
    }

    #[test]
    fn diff_accounts_for_every_line(old in "([ab]\n){0,12}", new in "([ab]\n){0,12}") {
        use toolwright_security::Line::{Added, Removed};
        let lines = diff(&old, &new);
        let removed = lines.iter().filter(|line| matches!(line, Removed(_))).count();
        let added = lines.iter().filter(|line| matches!(line, Added(_))).count();
        prop_assert_eq!(old.lines().count() + added, new.lines().count() + removed);
        prop_assert_eq!(lines.is_empty(), old == new);
    }
}
