//! Contents of a refusal: the broken constraint, its limit, and what to send instead.

use toolwright_model::{Code, Finish, Outcome, Problem, ToolDefinition};
use toolwright_normalizer::{Normalizer, RawArguments, Tool};

fn tool(schema: &str) -> Tool {
    let definition = ToolDefinition {
        name: "list_notes".into(),
        input_schema: schema.into(),
        ..ToolDefinition::default()
    };
    Tool::compile(&definition).expect("the schema compiles")
}

/// A tool with one parameter `x` of this schema.
fn tool_of(schema: &str) -> Tool {
    tool(&format!(
        r#"{{"type":"object","properties":{{"x":{schema}}},"required":["x"],"additionalProperties":false}}"#
    ))
}

#[track_caller]
fn problems(tool: &Tool, arguments: &str) -> Vec<Problem> {
    match Normalizer::default().normalize(tool, &RawArguments::text(arguments, Finish::Unknown)) {
        Outcome::Refused { problems, .. } => problems,
        other => panic!("{arguments} should be refused, got {other:?}"),
    }
}

#[track_caller]
fn says(tool: &Tool, arguments: &str, code: Code, path: &str, message: &str) {
    let found = problems(tool, arguments);
    let [first] = &found[..] else { panic!("one problem is expected, got {found:?}") };
    assert_eq!((first.code, first.path.as_str(), first.message.as_str()), (code, path, message));
}

#[test]
fn broken_constraint_is_reported_with_its_limit() {
    for (schema, value, path, message) in [
        (
            r#"{"type":"integer","maximum":100}"#,
            "500",
            "/x",
            r#""x" is 500, but at most 100 is allowed (maximum)"#,
        ),
        (
            r#"{"type":"integer","maximum":100}"#,
            r#""500""#,
            "/x",
            r#""x" is 500, but at most 100 is allowed (maximum)"#,
        ),
        (
            r#"{"type":"number","minimum":-0.5}"#,
            "-1",
            "/x",
            r#""x" is -1, but at least -0.5 is expected (minimum)"#,
        ),
        (
            r#"{"type":"number","exclusiveMinimum":0}"#,
            "0",
            "/x",
            r#""x" is 0, but more than 0 is expected (exclusiveMinimum)"#,
        ),
        (
            r#"{"type":"number","exclusiveMaximum":1}"#,
            "1",
            "/x",
            r#""x" is 1, but less than 1 is expected (exclusiveMaximum)"#,
        ),
        (
            r#"{"type":"integer","multipleOf":5}"#,
            "7",
            "/x",
            r#""x" is 7, but a multiple of 5 is expected (multipleOf)"#,
        ),
        (
            r#"{"type":"string","maxLength":3}"#,
            r#""äbcd""#,
            "/x",
            r#""x" has 4 characters, but at most 3 are allowed (maxLength)"#,
        ),
        (
            r#"{"type":"string","minLength":1}"#,
            r#""""#,
            "/x",
            r#""x" has 0 characters, but at least 1 is expected (minLength)"#,
        ),
        (
            r#"{"type":"string","pattern":"^\\d+$"}"#,
            r#""a1""#,
            "/x",
            r#""x" is "a1", but text that matches ^\d+$ is expected (pattern)"#,
        ),
        (
            r#"{"type":"array","maxItems":1}"#,
            "[1,2]",
            "/x",
            r#""x" has 2 items, but at most 1 is allowed (maxItems)"#,
        ),
        (
            r#"{"type":"array","minItems":2}"#,
            "[1]",
            "/x",
            r#""x" has 1 item, but at least 2 are expected (minItems)"#,
        ),
        (
            r#"{"type":"array","uniqueItems":true}"#,
            r#"["a","b","a"]"#,
            "/x",
            r#""x" has "a" at 0 and at 2, but every item may occur only once (uniqueItems)"#,
        ),
        (
            r#"{"type":"array","contains":{"type":"string"}}"#,
            "[1]",
            "/x",
            r#""x" has 0 items that fit a string, but at least 1 is expected (contains)"#,
        ),
        (
            r#"{"type":"array","items":{"type":"integer","minimum":1}}"#,
            "[3,0]",
            "/x/1",
            r#""x/1" is 0, but at least 1 is expected (minimum)"#,
        ),
        (
            r#"{"type":"object","maxProperties":1}"#,
            r#"{"a":1,"b":2}"#,
            "/x",
            r#""x" has 2 members, but at most 1 is allowed (maxProperties)"#,
        ),
        (
            r#"{"type":"object","minProperties":1}"#,
            "{}",
            "/x",
            r#""x" has 0 members, but at least 1 is expected (minProperties)"#,
        ),
        (
            r#"{"type":"object","propertyNames":{"pattern":"^[a-z]+$"}}"#,
            r#"{"A b":1}"#,
            "/x/A b",
            r#"the key "A b" is not allowed (propertyNames): "A b" is "A b", but text that matches ^[a-z]+$ is expected (pattern)"#,
        ),
        (
            r#"{"type":"object","dependentRequired":{"card":["address"]}}"#,
            r#"{"card":1}"#,
            "/x/address",
            r#""card" needs "address" as well (dependentRequired)"#,
        ),
        (
            r#"{"type":"object","dependentSchemas":{"card":{"maxProperties":1}}}"#,
            r#"{"card":1,"b":2}"#,
            "/x",
            r#""x" has 2 members, but at most 1 is allowed (maxProperties) (because "card" is there: dependentSchemas)"#,
        ),
        (
            r#"{"type":"object","properties":{"a":{}},"unevaluatedProperties":{"type":"string"}}"#,
            r#"{"a":1,"q":2}"#,
            "/x/q",
            r#""q" is not allowed here (unevaluatedProperties)"#,
        ),
        (
            r#"{"type":"string","not":{"const":"root"}}"#,
            r#""root""#,
            "/x",
            r#""x" is "root", but "root" is not allowed (not)"#,
        ),
        (
            r#"{"type":"object","not":{"required":["a","b"]}}"#,
            r#"{"a":1,"b":2}"#,
            "/x",
            r#""x" is {"a":1,"b":2}, but "a" and "b" may not be used together (not)"#,
        ),
        (
            r#"{"type":"integer","oneOf":[{"minimum":1},{"maximum":5}]}"#,
            "3",
            "/x",
            r#""x" is 3, which fits 2 of the 2 allowed forms, but must fit exactly one (oneOf)"#,
        ),
        (
            r#"{"type":"integer","anyOf":[{"type":"integer","minimum":5},{"type":"string"}]}"#,
            "3",
            "/x",
            r#""x" is 3, but at least 5 is expected (minimum)"#,
        ),
        (
            r#"{"anyOf":[{"type":"integer","minimum":9},{"type":"integer","maximum":1}]}"#,
            "3",
            "/x",
            r#""x" is 3, which fits none of the 2 allowed forms (anyOf): an integer of at least 9 or an integer of at most 1"#,
        ),
        (
            r#"{"type":"integer","if":{"minimum":10},"then":{"multipleOf":10}}"#,
            "15",
            "/x",
            r#""x" is 15, but a multiple of 10 is expected (multipleOf)"#,
        ),
        (r#"{"type":"boolean"}"#, r#""maybe""#, "/x", r#""maybe" is a string, but a boolean is expected"#),
        (
            r#"{"type":"integer","minimum":1,"maximum":9}"#,
            "[1,2]",
            "/x",
            r#"[1,2] is an array, but an integer from 1 to 9 is expected"#,
        ),
    ] {
        says(&tool_of(schema), &format!(r#"{{"x":{value}}}"#), Code::ValueMismatch, path, message);
    }
    says(
        &tool_of(r#"{"const":"b"}"#),
        r#"{"x":"a"}"#,
        Code::UnknownEnumValue,
        "/x",
        r#""a" is not allowed; only "b" is (const)"#,
    );
    says(
        &tool_of(r#"{"type":"integer"}"#),
        r#"{"x":-2.5}"#,
        Code::LossyNumber,
        "/x",
        "-2.5 is not a whole number; an integer is expected and rounding would lose a part; send -3 or -2",
    );
}

#[test]
fn constraints_of_whole_arguments_are_reported() {
    let schema = r#"{"type":"object","properties":{"a":{},"b":{}},"maxProperties":1}"#;
    says(
        &tool(schema),
        r#"{"a":1,"b":2}"#,
        Code::ValueMismatch,
        "",
        "the arguments have 2 members, but at most 1 is allowed (maxProperties)",
    );
}

const READ: &str = r#"{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer","maximum":100}},"required":["path"],"additionalProperties":false}"#;

#[test]
fn unreadable_text_reports_what_was_found() {
    for (arguments, code, start) in [
        (
            r#"{"path":"a", ...}"#,
            Code::Expression,
            r#""..." leaves something out; send every parameter (at byte 10)"#,
        ),
        (
            r#"{"path":"a")"#,
            Code::UnreadableText,
            r#"a string is followed by ")", where a comma or "}" should be; send strict JSON"#,
        ),
        (
            r#"{"path":"a";}"#,
            Code::UnreadableText,
            r#"a string is followed by ";}", where a comma or "}" should be"#,
        ),
        (r#"{"path":"a", ;}"#, Code::UnreadableText, r#"after a comma comes ";}", where a key should be"#),
        (
            r#"{"limit":5;"path":"a"}"#,
            Code::UnreadableText,
            r#"found ";\"path\":\"a\"}" where a comma or "}" should be"#,
        ),
        (r#"{"path" "a"}"#, Code::UnreadableText, r#"found "\"a\"}" where a colon after the key should be"#),
        (
            r#"{"path":"a","limit" 5}"#,
            Code::UnreadableText,
            r#"the key "limit" is not followed by a colon; send "limit": and its value"#,
        ),
        (
            r#"{"path":"say "hi"}"#,
            Code::AmbiguousReading,
            r#"it is unclear where a string ends: "}" follows a quote in it; escape the quotes"#,
        ),
    ] {
        let found = problems(&tool(READ), arguments);
        assert_eq!(found[0].code, code, "{arguments}: {found:?}");
        assert!(found[0].message.starts_with(start), "{arguments}: {}", found[0].message);
    }
}

#[test]
fn repeated_key_is_reported_with_its_path() {
    says(
        &tool(READ),
        r#"{"path":"a","path":"b"}"#,
        Code::ConflictingValues,
        "/path",
        r#""path" is given twice with different values ("a" and "b"); send it once"#,
    );
    let nested = r#"{'list':[{'a':1},{'a':1,'a':2}]}"#;
    says(
        &tool(r#"{"type":"object"}"#),
        nested,
        Code::ConflictingValues,
        "/list/1/a",
        r#""a" is given twice with different values (1 and 2); send it once"#,
    );
}

#[test]
fn a_required_null_is_called_null_and_a_missing_parameter_missing() {
    says(
        &tool(READ),
        r#"{"path":null}"#,
        Code::MissingRequired,
        "/path",
        r#"required parameter "path" is null; send a string"#,
    );
    says(
        &tool(READ),
        "{}",
        Code::MissingRequired,
        "/path",
        r#"required parameter "path" is missing; send a string"#,
    );
}

#[test]
fn nesting_too_deeply_is_r12_however_it_is_sent() {
    let strict = format!(r#"{{"path":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
    let in_objects = format!("{}1{}", r#"{"path":"#.repeat(129), "}".repeat(129));
    for text in [
        strict.clone(),
        in_objects.clone(),
        strict.replace('"', "'"),
        in_objects.replace('"', "'"),
        format!("Here you are: {strict}"),
        format!("```json\n{in_objects}\n```"),
        serde_json::to_string(&strict).expect("JSON"),
        "[".repeat(100_000),
    ] {
        let found = problems(&tool(READ), &text);
        assert_eq!(found[0].code, Code::OverLimit, "{:.60}: {:?}", text, found[0]);
    }
}

#[test]
fn the_hint_is_the_nearest_valid_form() {
    let hint = |arguments: &str| match Normalizer::default()
        .normalize(&tool(READ), &RawArguments::text(arguments, Finish::Unknown))
    {
        Outcome::Refused { hint, .. } => hint,
        other => panic!("{arguments} should be refused, got {other:?}"),
    };
    assert_eq!(
        hint(r#"{"file_path":"a","limit":"500"}"#),
        r#"send {"path": "a", "limit": <an integer of at most 100>}"#
    );
    assert_eq!(hint(r#"{"arguments":{"limit":"5"}}"#), r#"send {"limit": 5, "path": <a string>}"#);
    assert_eq!(hint(r#"{"path":"a"#), r#"send {"path": <a string>} and, if wanted, "limit""#);
}

#[test]
fn a_guess_that_is_too_risky_is_offered_as_the_form_to_send() {
    let definition =
        ToolDefinition { name: "delete_note".into(), input_schema: READ.into(), ..ToolDefinition::default() };
    let tool = Tool::compile(&definition).expect("the schema compiles");
    let found = problems(&tool, r#"{"pth":"a"}"#);
    assert_eq!(found[0].code, Code::OverRiskBudget);
    assert!(
        found[0].message.ends_with(r#"send {"path":"a"} if that is what you mean"#),
        "{}",
        found[0].message
    );
}

#[track_caller]
fn hint_of(name: &str, schema: &str, arguments: &str) -> String {
    let definition =
        ToolDefinition { name: name.into(), input_schema: schema.into(), ..ToolDefinition::default() };
    let tool = Tool::compile(&definition).expect("the schema compiles");
    match Normalizer::default().normalize(&tool, &RawArguments::text(arguments, Finish::Unknown)) {
        Outcome::Refused { hint, .. } => hint,
        other => panic!("{arguments} should be refused, got {other:?}"),
    }
}

#[test]
fn hint_omits_nothing_and_decides_nothing() {
    const ALONE: &str = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}"#;
    const SEARCH: &str = r#"{"type":"object","properties":{"q":{"type":"string"},"limit":{"type":"integer"}},"required":["q"],"additionalProperties":false}"#;
    const LIST: &str = r#"{"type":"object","properties":{"path":{"type":"string"},"exclude":{"type":"string"}},"required":["path"],"additionalProperties":false}"#;
    const STATUS: &str =
        r#"{"type":"object","properties":{"status":{"enum":["open","done"]}},"additionalProperties":false}"#;
    assert_eq!(
        hint_of("delete_note", ALONE, r#"{"path":"a","simulate":true}"#),
        "unknown parameter \"simulate\"; leave the unknown parameter out only if the call does not need it"
    );
    for (name, schema, arguments) in [
        ("list_files", LIST, r#"{"path":"a","exclude_owner":"b"}"#),
        ("search", SEARCH, r#"{"q":"x","max_results":5,"max":10}"#),
        ("search", SEARCH, r#"{"q":"x","limit":5,"max_results":10}"#),
        ("search", SEARCH, r#"{"q":"x","limit":"many","max_results":10}"#),
        ("read_note", ALONE, r#"{"arguments":{"path":"a"},"path":"b"}"#),
        ("delete_note", ALONE, r#"{"dry_run":{"path":"a"}}"#),
        ("delete_note", ALONE, r#"{"simulate":{"path":"a"}}"#),
        ("delete_note", ALONE, r#"{"simulate":{"path":5,"more":1}}"#),
        ("list_tasks", STATUS, r#"{"except":"open"}"#),
        ("list_tasks", STATUS, r#"{"status":"shut","except":"open"}"#),
        ("delete_note", ALONE, r#"{"pth":"a"}"#),
    ] {
        let hint = hint_of(name, schema, arguments);
        assert!(!hint.starts_with("send "), "{arguments}: {hint}");
    }
    // A guess without any evidence in words is not even offered.
    let required = STATUS.replace("\"additional", "\"required\":[\"status\"],\"additional");
    for (name, schema, arguments) in [
        ("delete_tasks", required.as_str(), r#"{"except":"open"}"#),
        ("delete_note", ALONE, r#"{"simulate":{"path":"a"}}"#),
    ] {
        let hint = hint_of(name, schema, arguments);
        assert!(!hint.contains("send {"), "{arguments}: {hint}");
    }
    assert!(hint_of("delete_note", ALONE, r#"{"pth":"a"}"#).contains(r#"send {"path":"a"} if"#));
    // The caller sent something, so an empty object is not a useful hint.
    const NOTHING: &str = r#"{"type":"object","properties":{},"additionalProperties":false}"#;
    for arguments in [r#"{"path": "a"#, "[1, 2]", "{\"path\" \"a\"}"] {
        let hint = hint_of("ping", NOTHING, arguments);
        assert!(!hint.contains("send {}"), "{arguments}: {hint}");
    }
    // An empty value may be dropped, and a placeholder is not a decision.
    assert_eq!(
        hint_of("search", SEARCH, r#"{"q":"x","limit":"many","note":null}"#),
        r#"send {"q": "x", "limit": <an integer>}"#
    );
}

#[test]
fn messages_are_sentences() {
    let x = |schema: &str, value: &str, path: &str, message: &str| {
        says(&tool_of(schema), &format!(r#"{{"x":{value}}}"#), Code::ValueMismatch, path, message);
    };
    let texts = r#"{"type":"array","items":{"type":"string"}}"#;
    x(texts, "[null]", "/x/0", r#""x/0" is null, but a string is expected"#);
    x(
        texts,
        r#"{"a":true}"#,
        "/x",
        r#"{"a":true} is an object, but an array (each item a string) is expected"#,
    );
    x(
        r#"{"type":"array","items":{"type":"object"}}"#,
        r#""y""#,
        "/x",
        r#""y" is a string, but an array (each item an object) is expected"#,
    );
    // A problem inside of a list or text is reported at its position.
    x(texts, r#""[{}]""#, "/x/0", "{} is an object, but a string is expected");
    says(
        &tool(r#"{"type":"object","not":{"maxProperties":3}}"#),
        "{}",
        Code::ValueMismatch,
        "",
        "the arguments are {}, but that is not allowed (not)",
    );
}

#[test]
fn a_schema_that_is_at_fault_is_named() {
    for schema in [
        r##"{"$ref":"#"}"##,
        r##"{"type":"object","allOf":[{"anyOf":[{"$ref":"#"}]}]}"##,
        r##"{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
    ] {
        let found = problems(&tool(schema), r#"{"a":1}"#);
        assert_eq!(found[0].code, Code::OverLimit);
        assert!(found[0].message.starts_with("the tool's schema refers to itself"), "{}", found[0].message);
    }
    // A schema may describe the contents of its values.
    let tree = r##"{"type":"object","properties":{"name":{"type":"string"},"next":{"$ref":"#"}},"required":["name"]}"##;
    let found = problems(&tool(tree), r#"{"name":"a","next":{"name":{}}}"#);
    assert_eq!(found[0].code, Code::ValueMismatch, "{found:?}");
}

#[test]
fn a_byte_order_mark_is_called_one() {
    for rest in [r#"{"path":"a"}"#, "{'path': 'a'}"] {
        let sent = format!("\u{feff}{rest}");
        match Normalizer::default().normalize(&tool(READ), &RawArguments::text(&sent, Finish::Unknown)) {
            Outcome::Repaired { arguments, changes } => {
                assert_eq!(arguments.replace(' ', ""), r#"{"path":"a"}"#);
                assert_eq!(changes[0].why, "a byte order mark before the value");
                assert!(changes.iter().all(|change| change.why != "words around the value"), "{changes:?}");
            }
            other => panic!("{rest} should be mended, got {other:?}"),
        }
    }
}

#[test]
fn integers_next_to_a_fraction_are_suggested() {
    let whole = tool_of(r#"{"type":"integer"}"#);
    for (sent, reported) in [
        ("2.5", "; send 2 or 3"),
        ("-2.5", "; send -3 or -2"),
        ("-0.5", "; send -1 or 0"),
        ("1.0000000000000000000001", "; send 1 or 2"),
        ("0.9999999999999999999999", "; send 0 or 1"),
        ("1e-999999999", "; send 0 or 1"),
        ("-1e-999999999", "; send -1 or 0"),
        ("999999999999999999.5", ""),
    ] {
        let found = problems(&whole, &format!(r#"{{"x":{sent}}}"#));
        assert_eq!(found[0].code, Code::LossyNumber, "{sent}");
        let words = "rounding would lose a part";
        let (_, rest) = found[0].message.split_once(words).expect("a lossy number");
        assert_eq!(rest, reported, "{sent}");
    }
}

#[test]
fn an_enum_of_one_value_is_called_an_enum() {
    let message = |keyword: &str| format!(r#""b" is not allowed; only "a" is ({keyword})"#);
    says(&tool_of(r#"{"enum":["a"]}"#), r#"{"x":"b"}"#, Code::UnknownEnumValue, "/x", &message("enum"));
    says(&tool_of(r#"{"const":"a"}"#), r#"{"x":"b"}"#, Code::UnknownEnumValue, "/x", &message("const"));
    let in_not = r#"{"allOf":[{"enum":["a"]},{"not":{"const":"c"}}]}"#;
    says(&tool_of(in_not), r#"{"x":"b"}"#, Code::UnknownEnumValue, "/x", &message("enum"));
}

#[test]
fn characters_are_shown_as_themselves_and_not_as_escapes() {
    let info = tool_of(r#"{"enum":["info","warning"]}"#);
    let message = "\"ınfo\" is none of the allowed values: \"info\", \"warning\"";
    says(&info, r#"{"x":"\u0131nfo"}"#, Code::UnknownEnumValue, "/x", message);
}

#[test]
fn key_in_another_unicode_form_is_explained() {
    let menu =
        tool(r#"{"type":"object","properties":{"café":{"type":"string"}},"additionalProperties":false}"#);
    let found = problems(&menu, "{\"cafe\u{301}\":\"Mokka\"}");
    assert_eq!(found[0].code, Code::MeaningfulUnknown);
    assert!(found[0].message.contains("did you mean \"café\"? It looks the same"), "{}", found[0].message);
    let found = problems(&menu, r#"{"cofe":"Mokka"}"#);
    assert!(!found[0].message.contains("looks the same"), "{}", found[0].message);
}

#[test]
fn name_patterns_are_listed() {
    let patterns = r#""patternProperties":{"^x-":{"type":"string"},"^y-":{"type":"string"}}"#;
    let only = tool(&format!(r#"{{"type":"object",{patterns},"additionalProperties":false}}"#));
    let message = r#"unknown parameter "a"; the tool has parameters whose names match ^x- or ^y-"#;
    says(&only, r#"{"a":"b"}"#, Code::MeaningfulUnknown, "/a", message);
    let both = tool(&format!(
        r#"{{"type":"object","properties":{{"path":{{"type":"string"}}}},{patterns},"additionalProperties":false}}"#
    ));
    let message = r#"unknown parameter "a"; the tool has path, and parameters whose names match ^x- or ^y-"#;
    says(&both, r#"{"a":"b"}"#, Code::MeaningfulUnknown, "/a", message);
    let none = tool(r#"{"type":"object","additionalProperties":false}"#);
    says(
        &none,
        r#"{"a":"b"}"#,
        Code::MeaningfulUnknown,
        "/a",
        r#"unknown parameter "a"; the tool has no parameters"#,
    );
}

#[test]
fn the_hint_for_an_unknown_parameter_does_not_repeat_what_the_tool_has() {
    let properties =
        r#"{"type":"object","properties":{"project":{"type":"string"}},"additionalProperties":false}"#;
    assert_eq!(
        hint_of("list_tasks", properties, r#"{"project":"home","status":"open"}"#),
        r#"unknown parameter "status"; leave the unknown parameter out only if the call does not need it"#
    );
}

#[test]
fn null_schema_error_has_a_fix() {
    let definition =
        ToolDefinition { name: "t".into(), input_schema: "null".into(), ..ToolDefinition::default() };
    let error = Tool::compile(&definition).expect_err("null is no schema");
    assert_eq!(
        error.to_string(),
        "the input schema must be an object, but it is null; write {} where anything is allowed"
    );
}

#[test]
fn unknown_kind_lists_all_kinds() {
    let branch = |kind: &str| {
        format!(
            r#"{{"type":"object","properties":{{"kind":{{"const":"{kind}"}},"size":{{"type":"integer"}}}},"required":["kind","size"],"additionalProperties":false}}"#
        )
    };
    let shape =
        tool_of(&format!(r#"{{"oneOf":[{},{},{}]}}"#, branch("circle"), branch("square"), branch("line")));
    let message = r#""sqare" is none of the allowed values: "square", "line", "circle""#;
    says(&shape, r#"{"x":{"kind":"sqare","size":5}}"#, Code::UnknownEnumValue, "/x/kind", message);
    says(&shape, r#"{"x":{"kind":"sqare","size":"5"}}"#, Code::UnknownEnumValue, "/x/kind", message);
}
