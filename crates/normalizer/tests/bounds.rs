//! Calls and schemas that are made to be slow: each is refused with `R12`, or the slow part is skipped.
//! Next to each is a call of ordinary size that is handled as usual.

use crate::support;

use support::{assert_grows_linearly, by_default, closed, open, outcome, repaired, tool, with_rules};
use toolwright_model::{Code, Outcome};
use toolwright_normalizer::{RawArguments, Tool};

#[track_caller]
fn codes(tool: &Tool, arguments: &str) -> Vec<Code> {
    match outcome(&by_default(), tool, arguments) {
        Outcome::Refused { problems, .. } => problems.iter().map(|problem| problem.code).collect(),
        other => panic!("{} should be refused, but: {}", shown(arguments), shown(&format!("{other:?}"))),
    }
}

#[track_caller]
fn too_much(tool: &Tool, arguments: &str) {
    assert_eq!(codes(tool, arguments), [Code::OverLimit], "{}", shown(arguments));
}

fn shown(text: &str) -> String {
    text.chars().take(200).collect()
}

/// `{"k0":…,"k1":…}`
fn object(count: usize, member: impl Fn(usize) -> String) -> String {
    format!("{{{}}}", list(count, member))
}

fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(",")
}

#[test]
fn overlong_key_is_not_compared() {
    let words = |count: usize| vec!["word"; count].join("_");
    let named = |name: &str| tool("store", &closed(&format!(r#""{name}":{{"type":"string"}}"#), &[name]));
    let sent = |key: &str| format!(r#"{{"{key}":"x"}}"#);
    let short = words(50);
    let repaired_text = repaired(&by_default(), &named(&short), &sent(&short.to_uppercase()));
    assert_eq!(repaired_text, sent(&short));
    for count in [60, 10_000] {
        let long = words(count);
        assert_eq!(
            codes(&named(&long), &sent(&long.to_uppercase())),
            [Code::MeaningfulUnknown, Code::MissingRequired]
        );
        assert_eq!(codes(&named("word"), &sent(&long)), [Code::MeaningfulUnknown, Code::MissingRequired]);
        assert_eq!(outcome(&by_default(), &named(&long), &sent(&long)), Outcome::Unchanged);
    }
}

#[test]
fn huge_object_is_validated_but_not_repaired() {
    let map = tool("store", r#"{"type":"object","additionalProperties":{"type":"integer"}}"#);
    let numbers = |count: usize, value: &str| object(count, |at| format!(r#""k{at}":{value}"#));
    assert_eq!(outcome(&by_default(), &map, &numbers(200_000, "5")), Outcome::Unchanged);
    assert_eq!(repaired(&by_default(), &map, &numbers(5_000, "\"5\"")), numbers(5_000, "5"));
    too_much(&map, &numbers(200_000, "\"5\""));
    for schema in [closed(r#""path":{"type":"string"}"#, &["path"]), closed("", &[])] {
        too_much(&tool("store", &schema), &numbers(200_000, "null"));
    }
    too_much(&tool("store", &open(r#""path":{"type":"string"}"#, &["path"])), &numbers(200_000, "5"));
}

#[test]
fn a_long_enum_is_searched_for_values_and_for_their_forms() {
    let options = list(5_000, |at| format!(r#""value-{at}""#));
    let schema = closed(&format!(r#""xs":{{"type":"array","items":{{"enum":[{options}]}}}}"#), &["xs"]);
    let pick = tool("pick", &schema);
    let sent = |count: usize, word: &str| {
        format!(r#"{{"xs":[{}]}}"#, list(count, |at| format!(r#""{word}-{}""#, at % 5_000)))
    };
    assert_eq!(outcome(&by_default(), &pick, &sent(20_000, "value")), Outcome::Unchanged);
    assert!(repaired(&by_default(), &pick, &sent(20_000, "VALUE")) == sent(20_000, "value"));
    assert_eq!(codes(&pick, &sent(20_000, "other")), [Code::UnknownEnumValue; 64]);
}

#[test]
fn one_unknown_key_among_thousands_of_names_is_not_guessed() {
    let schema = |count: usize| {
        closed(&list(count, |at| format!(r#""start_property_{at}":{{"type":"string"}}"#)), &[])
    };
    assert_eq!(codes(&tool("store", &schema(60)), r#"{"property_x":"a"}"#), [Code::MeaningfulUnknown]);
    let many = tool("store", &schema(9_000));
    too_much(&many, r#"{"property_x":"a"}"#);
    let valid = r#"{"start_property_8999":"a"}"#;
    assert_eq!(outcome(&by_default(), &many, valid), Outcome::Unchanged);
    assert_eq!(repaired(&by_default(), &many, &format!(r#"{{"arguments":{valid}}}"#)), valid);
}

#[test]
fn many_patterns_are_matched_with_some_keys_but_not_with_all() {
    let patterns = list(2_000, |at| format!(r#""^k{at}[a-z]+$":{{"type":"integer"}}"#));
    let schema =
        format!(r#"{{"type":"object","patternProperties":{{{patterns}}},"additionalProperties":false}}"#);
    let store = tool("store", &schema);
    let sent = |count: usize, value: &str| object(count, |at| format!(r#""k{at}ab":{value}"#));
    assert_eq!(outcome(&by_default(), &store, &sent(200, "5")), Outcome::Unchanged);
    assert_eq!(repaired(&by_default(), &store, &sent(20, "\"5\"")), sent(20, "5"));
    too_much(&store, &sent(2_000, "\"5\""));
}

#[test]
fn deeply_nested_unions_reach_the_limit() {
    let branch = |name: &str| {
        format!(
            r##"{{"type":"object","properties":{{"c":{{"$ref":"#/$defs/n"}},"{name}":{{"type":"integer"}}}},"required":["{name}"],"additionalProperties":false}}"##
        )
    };
    let schema = format!(
        r##"{{"type":"object","properties":{{"x":{{"$ref":"#/$defs/n"}}}},"required":["x"],"$defs":{{"n":{{"anyOf":[{},{}]}}}}}}"##,
        branch("a"),
        branch("b"),
    );
    let store = tool("store", &schema);
    let sent = |depth: usize, value: &str| {
        let inner = (0..depth)
            .fold(format!(r#"{{"a":{value}}}"#), |inner, _| format!(r#"{{"a":{value},"c":{inner}}}"#));
        format!(r#"{{"x":{inner}}}"#)
    };
    assert_eq!(repaired(&by_default(), &store, &sent(3, "\"5\"")), sent(3, "5"));
    too_much(&store, &sent(60, "\"5\""));
}

#[test]
fn brackets_and_endless_comments_reach_the_limit() {
    let read = tool("read_note", &closed(r#""path":{"type":"string"}"#, &["path"]));
    let value = r#"{"path": "a.md"}"#;
    assert_eq!(repaired(&by_default(), &read, &format!("a {{ b {value} c {{ d }}")), value);
    too_much(&read, &format!("{}{value}", "x { y ".repeat(1_000)));
    too_much(&read, &format!("{value}{}", " { x }".repeat(1_000)));
    let comment = |bytes: usize| format!("{{/*{}*/'path': 'a.md'}}", "x".repeat(bytes));
    assert_eq!(repaired(&by_default(), &read, &comment(5_000)), r#"{"path":"a.md"}"#);
    too_much(&read, &comment(100_000));
}

#[test]
fn refusal_lists_a_bounded_number_of_problems() {
    let names = list(2_000, |at| format!(r#""p{at}":{{"type":"string"}}"#));
    let required = list(2_000, |at| format!(r#""p{at}""#));
    let schema = format!(r#"{{"type":"object","properties":{{{names}}},"required":[{required}]}}"#);
    assert_eq!(codes(&tool("store", &schema), "{}"), [Code::MissingRequired; 64]);
}

#[test]
fn keys_in_another_case_are_found_at_any_count() {
    let declared = |count: usize, kind: &str| {
        tool("store", &closed(&list(count, |at| format!(r#""room_{at}":{{"type":"{kind}"}}"#)), &[]))
    };
    let sent = |count: usize, name: &str, value: &str| object(count, |at| format!(r#""{name}{at}":{value}"#));
    for count in [100, 1_000] {
        let repaired_text =
            repaired(&by_default(), &declared(count, "string"), &sent(count, "ROOM_", "\"x\""));
        assert_eq!(repaired_text, sent(count, "room_", "\"x\""), "{count}");
        let repaired_text =
            repaired(&by_default(), &declared(count, "integer"), &sent(count, "room", "\"5\""));
        assert_eq!(repaired_text, sent(count, "room_", "5"), "{count}");
    }
    let many = declared(3_000, "string");
    assert_eq!(repaired(&by_default(), &many, r#"{"Room_2999":"x"}"#), r#"{"room_2999":"x"}"#);
    too_much(&many, r#"{"chamber_2999":"x"}"#);
    let pairs = object(10, |at| format!(r#""ROOM_{at}":"a","room{at}":"b""#));
    let clash = codes(&declared(20, "string"), &pairs);
    assert!(
        clash.iter().all(|code| *code == Code::ConflictingValues || *code == Code::MeaningfulUnknown),
        "{clash:?}"
    );
}

#[test]
fn payload_rules_are_bounded_by_the_step_limit() {
    let run = tool("run", r#"{"type":"object","properties":{"plan":{"type":"string"}}}"#);
    let rule = |at: usize| {
        format!(
            r#"{{"id":"r{at}","tools":["run"],"type":"nested_default","in_payload":"plan","array_path":"steps[]","from":"field_{at}","value":"v"}}"#
        )
    };
    let with = |rules: usize| with_rules(&format!("[{}]", list(rules, rule)));
    let sent = |items: usize| {
        let steps = list(items, |at| format!(r#"{{"n":{at}}}"#));
        format!(
            r#"{{"plan":{}}}"#,
            serde_json::to_string(&format!(r#"{{"steps":[{steps}]}}"#)).expect("JSON")
        )
    };
    for (rules, items) in [(20, 2_000), (200, 20)] {
        let Outcome::Repaired { changes, .. } = outcome(&with(rules), &run, &sent(items)) else {
            panic!("{rules} rules for {items} items should run");
        };
        assert_eq!(changes.len(), rules * items);
    }
    match outcome(&with(500), &run, &sent(2_000)) {
        Outcome::Refused { problems, .. } => {
            assert_eq!(problems[0].code, Code::OverLimit, "{:?}", problems[0])
        }
        _ => panic!("500 rules for 2,000 items take too many steps"),
    }
}

#[test]
fn message_for_long_enum_is_bounded() {
    assert_grows_linearly(4_000, |count| {
        let options = list(count, |at| format!(r#""value-{at}""#));
        let items = format!(r#""xs":{{"type":"array","items":{{"enum":[{options}]}}}}"#);
        let pick = tool("pick", &closed(&items, &["xs"]));
        let sent = format!(r#"{{"xs":[{}]}}"#, list(count / 16, |at| format!(r#""other-{at}""#)));
        let explained = by_default().explain(&pick, &RawArguments::json(&sent));
        let Outcome::Refused { problems, hint } = explained.outcome else { panic!("refused") };
        assert_eq!(problems.len(), 64);
        assert!(hint.contains(&format!("or {} more", count - 12)), "{hint}");
    });
}

#[test]
fn very_long_keys_and_names_are_shortened_in_messages() {
    let long = "k".repeat(100_000);
    let one = tool("store", &closed(r#""path":{"type":"string"}"#, &["path"]));
    let many = tool("store", &closed(&format!(r#""{long}":{{"type":"string"}}"#), &[&long]));
    let named = tool(&format!("delete_{long}"), &closed(r#""path":{"type":"string"}"#, &["path"]));
    for (tool, arguments) in [
        (&one, format!(r#"{{"path":"a","{long}":1}}"#)),
        (&one, format!(r#"{{"path":{{"{long}":1}}}}"#)),
        (&one, format!(r#"{{"{long}":{{"path":"a"}}}}"#)),
        (&many, "{}".to_owned()),
        (&many, format!(r#"{{"{long}":5.5,"x":1}}"#)),
        (&named, r#"{"pth":"a"}"#.to_owned()),
        (&named, r#"{"name":"other","arguments":{"path":"a"}}"#.to_owned()),
        (&named, "read_other({\"path\":\"a\"})".to_owned()),
    ] {
        let explained = by_default().explain(tool, &RawArguments::json(&arguments));
        let Outcome::Refused { problems, hint } = explained.outcome else {
            panic!("{} should be refused", shown(&arguments))
        };
        for problem in &problems {
            assert!(problem.path.len() < 1_000 && problem.message.len() < 3_000, "{}", shown(&arguments));
        }
        assert!(hint.len() < 20_000, "{} bytes: {}", hint.len(), shown(&hint));
        for step in &explained.steps {
            assert!(step.path.len() < 1_000 && step.text.len() < 3_000, "{}", shown(&step.text));
        }
    }
}

#[test]
fn hundred_thousand_equal_mistakes_are_repaired() {
    let numbers = tool("store", &closed(r#""xs":{"type":"array","items":{"type":"integer"}}"#, &["xs"]));
    let quoted = |count: usize, value: &str| format!(r#"{{"xs":[{}]}}"#, list(count, |_| value.to_owned()));
    assert_grows_linearly(25_000, |count| {
        assert!(repaired(&by_default(), &numbers, &quoted(count, "\"5\"")) == quoted(count, "5"));
    });
    let item = closed(r#""path":{"type":"string"},"line":{"type":"integer"}"#, &["path"]);
    let places = tool("store", &closed(&format!(r#""xs":{{"type":"array","items":{item}}}"#), &["xs"]));
    let objects = |count: usize, key: &str, line: &str| {
        format!(r#"{{"xs":[{}]}}"#, list(count, |_| format!(r#"{{"{key}":"a","line":{line}}}"#)))
    };
    assert_grows_linearly(25_000, |count| {
        let expected = objects(count, "path", "5");
        assert!(repaired(&by_default(), &places, &objects(count, "file_path", "5")) == expected);
        assert!(repaired(&by_default(), &places, &objects(count, "Path", "\"5\"")) == expected);
    });
}

#[test]
fn repair_limit_is_half_a_million_values() {
    let numbers = tool("store", &closed(r#""xs":{"type":"array","items":{"type":"integer"}}"#, &["xs"]));
    let sent = |count: usize, value: &str| format!(r#"{{"xs":[{}]}}"#, list(count, |_| value.to_owned()));
    assert!(repaired(&by_default(), &numbers, &sent(499_998, "\"5\"")) == sent(499_998, "5"));
    too_much(&numbers, &sent(499_999, "\"5\""));
}

#[test]
fn patterns_are_compiled_lazily_and_bounded() {
    let schema = |count: usize, pattern: &str| {
        open(
            &list(count, |at| format!(r#""a{at}":{{"type":"string","pattern":"^({pattern}|x{at})$"}}"#)),
            &[],
        )
    };
    let started = std::time::Instant::now();
    let huge = tool("store", &schema(3_000, r"(\\p{L}{1,60}){1,10}"));
    assert_eq!(outcome(&by_default(), &huge, r#"{"a0":"5"}"#), Outcome::Unchanged);
    assert_eq!(huge.schema().notes().len(), 3_000);
    assert!(huge.schema().notes()[0].contains("too large to compile"), "{}", huge.schema().notes()[0]);
    let large = tool("store", &schema(500, r"\\p{L}{1,40}"));
    let is_validated = |at: usize| !large.accepts(&format!(r#"{{"a{at}":"5"}}"#));
    let validated = (0..500).filter(|at| is_validated(*at)).count();
    assert!((8..64).contains(&validated) && (0..validated).all(is_validated), "{validated} are judged");
    assert_eq!(large.schema().notes().len(), 500 - validated);
    assert!(large.schema().notes()[0].contains("together with"), "{}", large.schema().notes()[0]);
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}

#[test]
fn equal_patterns_count_once() {
    let one = r#"{"type":"string","pattern":"^[\\p{L} ]{1,40}$"}"#;
    let many = tool("store", &open(&list(500, |at| format!(r#""a{at}":{one}"#)), &[]));
    assert!(many.schema().notes().is_empty(), "{:?}", many.schema().notes());
    assert!(!many.accepts(r#"{"a499":"5"}"#) && many.accepts(r#"{"a499":"é"}"#));
}

#[test]
fn unknown_kind_of_large_union_lists_closest_kinds() {
    let kinds = list(200, |at| {
        format!(
            r#"{{"type":"object","properties":{{"kind":{{"const":"shape-{at}"}},"size":{{"type":"integer"}}}},"required":["kind"],"additionalProperties":false}}"#
        )
    });
    let draw = tool("draw", &closed(&format!(r#""shape":{{"oneOf":[{kinds}]}}"#), &["shape"]));
    let problems = support::refusal(&by_default(), &draw, r#"{"shape":{"kind":"shepe-17","size":5}}"#);
    let reported: Vec<_> = problems.iter().map(|problem| (problem.code, problem.path.as_str())).collect();
    assert_eq!(reported, [(Code::UnknownEnumValue, "/shape/kind")]);
    let message = &problems[0].message;
    let expected = r#""shepe-17" is none of the 200 allowed values; the nearest are "shape-17", "shape-1""#;
    assert!(message.starts_with(expected), "{message}");
    too_much(&draw, r#"{"shape":{"size":"5"}}"#);
}
