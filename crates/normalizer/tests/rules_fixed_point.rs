//! Rules reach a fixed point: their own result stays unchanged, and rules without a fixed point are
//! reported in the file or refused when they run.

use crate::support;

use proptest::prelude::*;
use support::*;
use toolwright_model::{Code, Outcome};
use toolwright_normalizer::rules::{Action, Rule, Scope, parse_file};
use toolwright_normalizer::{Normalizer, RuleSet, Tool};

fn any_tool() -> Tool {
    tool("any", r#"{"type":"object"}"#)
}

/// A rule for the tool `any`; `rest` is the rest of the rule after its type.
fn rule(id: &str, kind: &str, rest: &str) -> String {
    rule_for("any", id, kind, rest)
}

fn rule_for(tools: &str, id: &str, kind: &str, rest: &str) -> String {
    format!(r#"{{"id":"{id}","tools":["{tools}"],"type":"{kind}",{rest}}}"#)
}

fn alias(id: &str, from: &str, to: &str) -> String {
    rule(id, "param_alias", &format!(r#""from":"{from}","to":"{to}""#))
}

fn file(rules: &[String]) -> String {
    format!("[{}]", rules.join(",\n"))
}

/// The messages alone, without positions and fixes.
fn messages(rules: &[String]) -> Vec<String> {
    parse_file(&file(rules)).err().unwrap_or_default().into_iter().map(|error| error.message).collect()
}

// === In the file ===

#[test]
fn alias_cycle_is_reported_where_it_closes() {
    let rules = [alias("a", "x", "y"), alias("b", "y", "z"), alias("c", "z", "x")];
    insta::assert_snapshot!(mistakes(&file(&rules)), @r#"
    line 3, column 1: rule "c" closes a cycle with "a", "b": z → x → y → z
      fix: keep the one that leads to the name the tool declares
    "#);
}

#[test]
fn two_aliases_that_undo_each_other_are_reported() {
    assert_eq!(messages(&[alias("a", "x", "y"), alias("b", "y", "x")]), [r#"rule "b" undoes "a""#]);
}

#[test]
fn nested_alias_cycle_is_reported_per_position() {
    let nested = |id: &str, path: &str, from: &str, to: &str| {
        let rest = format!(r#""in_payload":"p","array_path":"{path}","from":"{from}","to":"{to}""#);
        rule(id, "nested_alias", &rest)
    };
    let found = messages(&[nested("a", "[]", "x", "y"), nested("b", "[]", "y", "x")]);
    assert_eq!(found, [r#"rule "b" undoes "a""#]);
    assert!(messages(&[nested("a", "[]", "x", "y"), nested("b", "s[]", "y", "x")]).is_empty());
}

#[test]
fn default_of_removed_parameter_is_reported_in_both_orders() {
    let default = rule("d", "param_default", r#""from":"x","value":1"#);
    let drop = rule("r", "param_drop", r#""from":"x""#);
    let moved = alias("m", "x", "y");
    let filled = r#"rule "r" removes "x", which "d" fills"#;
    assert_eq!(messages(&[default.clone(), drop.clone()]), [filled]);
    assert_eq!(messages(&[drop, default.clone()]), [r#"rule "d" fills "x", which "r" removes"#]);
    assert_eq!(messages(&[default, moved]), [r#"rule "m" removes "x", which "d" fills"#]);
}

#[test]
fn nested_default_of_renamed_field_is_reported() {
    let alias = rule("a", "nested_alias", r#""in_payload":"p","array_path":"[]","from":"id","to":"key""#);
    let default = rule("d", "nested_default", r#""in_payload":"p","array_path":"[]","from":"id","value":1"#);
    assert_eq!(messages(&[alias, default]), [r#"rule "d" fills "id", which "a" removes"#]);
}

#[test]
fn value_map_cycle_is_reported() {
    let map = |id: &str, pairs: &str| rule(id, "value_map", &format!(r#""from":"x","value":{pairs}"#));
    assert_eq!(messages(&[map("a", r#"{"p":"q"}"#), map("b", r#"{"q":"p"}"#)]), [r#"rule "b" undoes "a""#]);
    let three = [map("a", r#"{"p":"q"}"#), map("b", r#"{"q":2}"#), map("c", r#"{"2":"p"}"#)];
    assert_eq!(messages(&three), [r#"rule "c" closes a cycle with "a", "b": 2 → "p" → "q" → 2"#]);
    assert!(messages(&[map("a", r#"{"p":"q"}"#), map("b", r#"{"q":"r"}"#)]).is_empty());
}

#[test]
fn coercions_to_text_and_from_text_are_reported() {
    let coerce = |id: &str, to: &str| rule(id, "type_coerce", &format!(r#""from":"x","coerce_to":"{to}""#));
    for to in ["int", "float", "bool"] {
        assert_eq!(messages(&[coerce("a", to), coerce("b", "string")]), [r#"rule "b" undoes "a""#]);
        assert_eq!(messages(&[coerce("a", "string"), coerce("b", to)]), [r#"rule "b" undoes "a""#]);
    }
    assert!(messages(&[coerce("a", "bool"), coerce("b", "int")]).is_empty());
}

#[test]
fn map_cycle_through_coercion_is_reported() {
    let coerce = rule("c", "type_coerce", r#""from":"x","coerce_to":"int""#);
    let back = rule("m", "value_map", r#""from":"x","value":{"five":"5"}"#);
    assert!(messages(&[coerce.clone(), back]).is_empty());
    // "5" becomes 5, 5 becomes "five", and "five" becomes "5" again.
    let cycle = [
        coerce,
        rule("m", "value_map", r#""from":"x","value":{"5":"five"}"#),
        rule("n", "value_map", r#""from":"x","value":{"five":"5"}"#),
    ];
    assert_eq!(messages(&cycle), [r#"rule "n" undoes "m""#]);
}

#[test]
fn two_styles_for_all_keys_are_reported() {
    let style = |id: &str, to: &str| rule(id, "case_convert", &format!(r#""to":"{to}""#));
    assert_eq!(messages(&[style("a", "camel"), style("b", "snake")]), [r#"rule "b" undoes "a""#]);
    let one = rule("b", "case_convert", r#""to":"snake","from":"deviceName""#);
    assert_eq!(messages(&[style("a", "camel"), one]), [r#"rule "b" undoes "a""#]);
    let alias = alias("b", "deviceName", "device_name");
    assert_eq!(messages(&[style("a", "camel"), alias]), [r#"rule "b" undoes "a""#]);
}

#[test]
fn rules_without_a_tool_in_common_do_not_contradict_each_other() {
    let drop = |tools: &str| rule_for(tools, "a", "param_drop", r#""from":"x""#);
    let default = |tools: &str| rule_for(tools, "b", "param_default", r#""from":"x","value":1"#);
    for (one, two, meet) in [
        ("t", "u", false),
        ("t", "*", true),
        ("fs/t", "db/t", false),
        ("fs/t", "t", true),
        ("read_*", "*_file", true),
        ("read_*", "write_*", false),
    ] {
        assert_eq!(messages(&[drop(one), default(two)]).len(), usize::from(meet), "{one} {two}");
    }
}

#[test]
fn cycle_needs_a_common_tool() {
    let alias = |id: &str, tools: &str, from: &str, to: &str| {
        rule_for(tools, id, "param_alias", &format!(r#""from":"{from}","to":"{to}""#))
    };
    let pairs = [r#"t","u"#, r#"u","v"#, r#"t","v"#];
    let cycle = |tools: [&str; 3]| {
        [alias("a", tools[0], "x", "y"), alias("b", tools[1], "y", "z"), alias("c", tools[2], "z", "x")]
    };
    assert!(messages(&cycle(pairs)).is_empty());
    assert_eq!(messages(&cycle([r#"t","u"#, "*", "u*"])).len(), 1);
}

#[test]
fn rules_that_are_switched_off_contradict_nothing() {
    let off = rule("a", "param_drop", r#""from":"x","enabled":false"#);
    assert!(messages(&[off, rule("b", "param_default", r#""from":"x","value":1"#)]).is_empty());
}

// === When they run ===

#[test]
fn long_alias_chain_reaches_fixed_point_in_any_order() {
    let chain: Vec<String> =
        (0..40).map(|at| alias(&format!("r{at}"), &format!("k{at}"), &format!("k{}", at + 1))).collect();
    let reversed: Vec<String> = chain.iter().rev().cloned().collect();
    let strict = tool("any", &closed(r#""k40":{"type":"integer"}"#, &["k40"]));
    for rules in [chain, reversed] {
        for tool in [&any_tool(), &strict] {
            assert_repaired(&with_rules(&file(&rules)), tool, r#"{"k0":1}"#, r#"{"k40":1}"#);
        }
    }
}

#[test]
fn chained_maps_reach_fixed_point() {
    let map = |id: &str, pairs: &str| rule(id, "value_map", &format!(r#""from":"x","value":{pairs}"#));
    let rules = [map("one", r#"{"a":"b","c":"d","e":"f"}"#), map("two", r#"{"b":"c","d":"e"}"#)];
    assert_repaired(&with_rules(&file(&rules)), &any_tool(), r#"{"x":"a"}"#, r#"{"x":"f"}"#);
}

#[test]
fn an_empty_nested_default_fills_what_is_missing_once() {
    for value in ["null", r#""""#] {
        let rest = format!(r#""in_payload":"p","array_path":"[]","from":"note","value":{value}"#);
        let normalizer = with_rules(&file(&[rule("d", "nested_default", &rest)]));
        let expected = format!(r#"{{"p":[{{"note":{value}}},{{"note":"x"}}]}}"#);
        assert_repaired(&normalizer, &any_tool(), r#"{"p":[{},{"note":"x"}]}"#, &expected);
    }
}

#[test]
fn rules_without_fixed_point_refuse_the_call() {
    let made = |id: &str, from: &str, to: &str| Rule {
        id: id.to_owned(),
        tools: vec![Scope::Every],
        action: Action::ParamAlias { from: from.to_owned(), to: to.to_owned() },
        enabled: true,
        note: None,
        set: None,
    };
    let rules = vec![made("there", "x", "y"), made("back", "y", "x"), made("other", "a", "b")];
    let normalizer = Normalizer::new(RuleSet::empty().with_user_rules(rules));
    let problems = refusal(&normalizer, &any_tool(), r#"{"a":1,"x":2}"#);
    assert_eq!(problems[0].code, Code::OverLimit);
    assert_eq!(problems[0].message, "rules undo each other without end: back, there; change one of them");
    assert_repaired(&normalizer, &any_tool(), r#"{"a":1}"#, r#"{"b":1}"#);
}

#[test]
fn a_built_in_rule_that_undoes_one_of_the_users_is_switched_off() {
    let place = r#""in_payload":"pipeline_json","array_path":"steps[]""#;
    let mine = [
        rule_for(
            "batch_operations",
            "mine-1",
            "nested_alias",
            &format!(r#"{place},"from":"action","to":"type""#),
        ),
        rule_for("batch_operations", "mine-2", "nested_alias", &format!(r#"{place},"from":"id","to":"key""#)),
    ];
    let set = RuleSet::builtin().with_user_rules(rules(&file(&mine)));
    let off: Vec<&str> =
        set.rules().iter().filter(|rule| !rule.enabled).map(|rule| rule.id.as_str()).collect();
    assert_eq!(off, ["pipeline-type-alias", "pipeline-step-id-default"]);
    let tool = tool("batch_operations", &closed(r#""pipeline_json":{"type":"string"}"#, &["pipeline_json"]));
    let arguments = r#"{"pipeline_json":"{\"steps\":[{\"action\":\"a\",\"id\":\"s\"}]}"}"#;
    let expected = r#"{"pipeline_json":"{\"steps\":[{\"type\":\"a\",\"key\":\"s\"}]}"}"#;
    assert_repaired(&Normalizer::new(set), &tool, arguments, expected);
}

#[test]
fn valid_call_is_not_unwrapped_when_rules_apply() {
    let normalizer = with_rules(&file(&[alias("r", "unrelated", "other")]));
    let schema = open(r#""path":{"type":"string"},"arguments":{"type":"object"}"#, &[]);
    for arguments in [
        r#"{"arguments":{"path":"a"}}"#,
        r#"{"input":{"path":"a"}}"#,
        r#"{"name":"any","arguments":{"path":"a"}}"#,
    ] {
        assert_unchanged(&normalizer, &tool("any", &schema), arguments);
    }
}

// === The law, over files that are made at random ===

fn any_rule() -> impl Strategy<Value = (&'static str, String)> {
    let key = || prop::sample::select(vec!["a", "b", "c", "p", "device_name", "deviceName"]);
    let value =
        || prop::sample::select(vec!["1", r#""1""#, r#""x""#, r#""y""#, "true", "null", r#""""#, "[]", "{}"]);
    let text = || prop::sample::select(vec!["1", "x", "y", "true", "null"]);
    let path = || prop::sample::select(vec!["", "[]", "s[]"]);
    prop_oneof![
        (key(), key()).prop_map(|(from, to)| ("param_alias", format!(r#""from":"{from}","to":"{to}""#))),
        (key(), value()).prop_map(|(from, to)| ("param_default", format!(r#""from":"{from}","value":{to}"#))),
        key().prop_map(|from| ("param_drop", format!(r#""from":"{from}""#))),
        key().prop_map(|from| ("json_accept_both", format!(r#""from":"{from}""#))),
        (key(), prop::sample::select(vec!["bool", "int", "float", "string"]))
            .prop_map(|(from, to)| ("type_coerce", format!(r#""from":"{from}","coerce_to":"{to}""#))),
        (key(), text(), value()).prop_map(|(from, old, new)| (
            "value_map",
            format!(r#""from":"{from}","value":{{"{old}":{new}}}"#)
        )),
        prop::sample::select(vec!["camel", "snake", "kebab", "pascal"])
            .prop_map(|to| ("case_convert", format!(r#""to":"{to}""#))),
        (path(), key(), key()).prop_map(|(path, from, to)| {
            ("nested_alias", format!(r#""in_payload":"p","array_path":"{path}","from":"{from}","to":"{to}""#))
        }),
        (path(), key(), value()).prop_map(|(path, from, to)| {
            let rest = format!(r#""in_payload":"p","array_path":"{path}","from":"{from}","value":{to}"#);
            ("nested_default", rest)
        }),
    ]
}

fn any_call() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec!["a", "b", "c", "p", "device_name", "deviceName", "x"]);
    let value = prop::sample::select(vec![
        "1",
        r#""1""#,
        r#""x""#,
        "true",
        "null",
        r#""""#,
        r#"{"a":1,"b":""}"#,
        r#"[{"a":1},{"b":null}]"#,
        r#"{"s":[{},{"a":"x"}]}"#,
        r#""[{\"a\":1}]""#,
    ]);
    prop::collection::btree_map(key, value, 0..4).prop_map(|members| {
        let members: Vec<String> = members.iter().map(|(key, value)| format!(r#""{key}":{value}"#)).collect();
        format!("{{{}}}", members.join(","))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn normalization_is_idempotent_for_any_rules(
        rules in prop::collection::vec(any_rule(), 1..6),
        call in any_call(),
        kind in 0..4usize,
    ) {
        let rules: Vec<String> =
            rules.iter().enumerate().map(|(at, (kind, rest))| rule(&format!("r{at}"), kind, rest)).collect();
        let Ok(parsed) = parse_file(&file(&rules)) else { return Ok(()) };
        let properties = r#""a":{"type":"integer"},"b":{"type":"string"},"p":{},"deviceName":{"type":"string"}"#;
        let schemas = [
            r#"{"type":"object"}"#.to_owned(),
            open(properties, &["b"]),
            closed(properties, &[]),
            closed(properties, &["a", "b"]),
        ];
        let tool = tool("any", &schemas[kind]);
        let normalizer = Normalizer::new(RuleSet::builtin().with_user_rules(parsed));
        match outcome(&normalizer, &tool, &call) {
            Outcome::Unchanged => prop_assert!(tool.accepts(&call)),
            Outcome::Repaired { arguments, .. } => {
                prop_assert!(tool.accepts(&arguments), "{} → {}", call, arguments);
                prop_assert_eq!(outcome(&normalizer, &tool, &arguments), Outcome::Unchanged, "{}", arguments);
            }
            Outcome::Refused { problems, .. } => {
                // Rules without a fixed point are found in the file, except for some cycles through the style of all
                // keys.
                let is_found_in_file = !rules.iter().any(|rule| rule.contains("case_convert"));
                let is_cyclic = problems.iter().any(|problem| problem.code == Code::OverLimit);
                prop_assert!(!(is_found_in_file && is_cyclic), "{:?}", problems);
            }
        }
    }
}
