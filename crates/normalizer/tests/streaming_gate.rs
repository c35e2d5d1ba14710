//! Arguments that arrive in pieces: forwarded text is never contradicted.
//!
//! `PROPTEST_CASES` sets the number of cases per law.

use crate::generator;

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use bumpalo::Bump;
use generator::{any_text, mangled_call, tool_and_valid_call};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;
use toolwright_jsonrpc::raw::{ParseErrorKind, parse, same_value};
use toolwright_model::{Finish, Outcome, ToolDefinition};
use toolwright_normalizer::{Growing, Normalizer, RawArguments, RuleSet, Tool, continuation};

const CASES: u32 = 20_000;

static NORMALIZER: LazyLock<Arc<Normalizer>> = LazyLock::new(Arc::default);

fn config() -> Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    Config { cases, failure_persistence: None, max_shrink_iters: 5_000, ..Config::default() }
}

fn compile(name: &str, schema: &str) -> Arc<Tool> {
    let definition =
        ToolDefinition { name: name.into(), input_schema: schema.to_owned(), ..ToolDefinition::default() };
    Arc::new(Tool::compile(&definition).expect("a schema"))
}

/// A tool with open or closed arguments.
fn note_tool() -> Arc<Tool> {
    compile(
        "write_note",
        r#"{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},
            "mode":{"enum":["new","append"]},"lines":{"type":"integer"},"name":{"type":"string"},
            "tags":{"type":"array","items":{"type":"string"}},
            "edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string"},"new":{"type":"string"}},
                     "required":["old","new"],"additionalProperties":false}},
            "meta":{"type":"object","properties":{"by":{"type":"string"},"at":{"type":"string"}}}},
            "required":["path"],"additionalProperties":false}"#,
    )
}

fn safe_part(tool: &Arc<Tool>, text: &str) -> String {
    let mut gate = Growing::new(NORMALIZER.clone(), tool.clone());
    gate.push(text);
    text[..gate.safe()].to_owned()
}

/// Pushes a text in pieces that end at these offsets, and returns the number of safe bytes at the end.
fn push_in_pieces(
    tool: &Arc<Tool>,
    text: &str,
    cuts: &[prop::sample::Index],
) -> Result<usize, TestCaseError> {
    let mut places: Vec<usize> =
        cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
    places.push(text.len());
    places.sort_unstable();
    let mut gate = Growing::new(NORMALIZER.clone(), tool.clone());
    let (mut from, mut before) = (0, 0);
    for to in places {
        gate.push(&text[from..to]);
        from = to;
        let safe = gate.safe();
        prop_assert!(
            safe >= before && safe <= to && text.is_char_boundary(safe),
            "{} after {}",
            safe,
            before
        );
        prop_assert_eq!(&text[..safe], &safe_part(tool, &text[..to]), "the pieces made a difference");
        before = safe;
    }
    prop_assert_eq!(gate.text(), text);
    Ok(before)
}

/// Every repair of the whole text starts with the forwarded part.
fn assert_nothing_is_contradicted(tool: &Arc<Tool>, text: &str, safe: usize) -> Result<(), TestCaseError> {
    let sent = &text[..safe];
    let arena = Bump::new();
    let begins_json =
        safe == 0 || parse(sent, &arena).is_err_and(|error| error.kind == ParseErrorKind::EndOfText);
    prop_assert!(begins_json, "{} is no beginning of JSON", sent);
    for finish in [Finish::Unknown, Finish::Stop] {
        let outcome = NORMALIZER.normalize(tool, &RawArguments::text(text, finish));
        let Outcome::Repaired { arguments, .. } = outcome else { continue };
        let Some(rest) = continuation(sent, &arguments) else {
            return Err(TestCaseError::fail(format!("{sent} left, and then it was {arguments}")));
        };
        let whole = format!("{sent}{rest}");
        let parsed =
            parse(&whole, &arena).map_err(|error| TestCaseError::fail(format!("{whole}: {error}")))?;
        let expected = parse(&arguments, &arena).expect("results are strict JSON");
        prop_assert!(same_value(&parsed.root, &expected.root), "{} instead of {}", whole, arguments);
    }
    Ok(())
}

/// A call that continues differently from its start.
fn derailed_call() -> impl Strategy<Value = (String, String)> {
    let words = select(
        &[
            "\"",
            "'",
            "}",
            "{",
            "]",
            "[",
            ",",
            ":",
            "\\",
            "\n",
            " ",
            "null",
            "0",
            "\"path\":",
            "\"x\": ",
            "\"query\"",
            "\"a\"",
            "<|\"|>",
            "<|",
            ">",
            "C:\\new",
            "\\d",
            "\\n",
            "\\u0041",
            "\\ud83d",
            " and ",
            "say \"hi\" ",
            "}}",
            "\"},",
            "\",\"body\":\"",
            "\", \"id\": ",
            "\"name\":\"probe\"",
            "\"arguments\":{",
            "\"config.x\":\"1\"",
            "```",
            "</tool_call>",
            "// no",
            "True",
            "\",\"unknown\":\"v\"}",
            "\"}",
            "5 * 3",
            "...",
            "\"config\":{\"x\":1}",
        ][..],
    );
    let tail = prop::collection::vec(words, 0..7).prop_map(|words| words.concat());
    (tool_and_valid_call(), any::<prop::sample::Index>(), tail, any::<bool>()).prop_map(
        |((schema, call), at, tail, goes_on)| {
            let at = call.floor_char_boundary(at.index(call.len() + 1));
            let rest = if goes_on { &call[at..] } else { "" };
            (schema, format!("{}{tail}{rest}", &call[..at]))
        },
    )
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn valid_call_is_complete_and_safe(
        (schema, call) in tool_and_valid_call(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let tool = compile("probe", &schema);
        let safe = push_in_pieces(&tool, &call, &cuts)?;
        prop_assert!(safe < call.len());
        let mut gate = Growing::new(NORMALIZER.clone(), tool);
        gate.push(&call);
        prop_assert!(gate.is_whole());
    }

    #[test]
    fn safe_part_of_mangled_call_starts_its_repair(
        (schema, call) in mangled_call(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let tool = compile("probe", &schema);
        let safe = push_in_pieces(&tool, &call, &cuts)?;
        assert_nothing_is_contradicted(&tool, &call, safe)?;
    }

    #[test]
    fn safe_part_of_derailed_call_starts_its_repair((schema, call) in derailed_call()) {
        let tool = compile("probe", &schema);
        let safe = safe_part(&tool, &call).len();
        assert_nothing_is_contradicted(&tool, &call, safe)?;
    }

    #[test]
    fn any_text_neither_panics_nor_contradicts((schema, call) in any_text()) {
        let definition = ToolDefinition { name: "probe".into(), input_schema: schema, ..ToolDefinition::default() };
        if let Ok(tool) = Tool::compile(&definition) {
            let tool = Arc::new(tool);
            let safe = safe_part(&tool, &call).len();
            assert_nothing_is_contradicted(&tool, &call, safe)?;
        }
    }
}

#[test]
fn string_is_forwarded_as_it_arrives() {
    let tool = note_tool();
    for (text, safe) in [
        (r#"{"#, ""),
        (r#"{"path"#, ""),
        (r#"{"path":"#, ""),
        (r#"{"path": "a/b"#, r#"{"path": "a/b"#),
        (r#"{"path":"a""#, r#"{"path":"a"#),
        (r#"{"path":"a","content":"#, r#"{"path":"a""#),
        (r#"{"path":"a","content":"x\n\u00e4y"#, r#"{"path":"a","content":"x\n\u00e4y"#),
        (r#"{"path":"a","content":"x\"#, r#"{"path":"a","content":"x"#),
        (r#"{"path":"a","content":"\ud83d"#, r#"{"path":"a","content":""#),
        (r#"{"path":"a","content":"\ud83d\ude00"#, r#"{"path":"a","content":"\ud83d\ude00"#),
        (r#"{"path":"a"}"#, r#"{"path":"a""#),
    ] {
        assert_eq!(safe_part(&tool, text), safe, "{text}");
    }
}

#[test]
fn other_values_are_forwarded_when_complete_and_valid() {
    let tool = note_tool();
    for (text, safe) in [
        (r#"{"path":"a","mode":"new""#, r#"{"path":"a""#),
        (r#"{"path":"a","mode":"new","lines":"#, r#"{"path":"a","mode":"new""#),
        (r#"{"path":"a","mode":"other","lines":1,"content":"x"#, r#"{"path":"a""#),
        (r#"{"path":"a","lines":12,"content":"x"#, r#"{"path":"a","lines":12,"content":"x"#),
        (r#"{"path":"a","lines":"12","content":"x"#, r#"{"path":"a""#),
        (r#"{"path":"a","tags":["x", "y"#, r#"{"path":"a","tags":["x", "y"#),
        (r#"{"path":"a","tags":["x"],"content":"y"#, r#"{"path":"a","tags":["x"],"content":"y"#),
        (
            r#"{"path":"a","edits":[{"old":"x","new":"y"},{"old":"z"#,
            r#"{"path":"a","edits":[{"old":"x","new":"y"},{"old":"z"#,
        ),
        (r#"{"path":"a","meta":{"by":"x"#, r#"{"path":"a","meta":{"by":"x"#),
    ] {
        assert_eq!(safe_part(&tool, text), safe, "{text}");
    }
}

#[test]
fn repairable_text_is_held_back() {
    let tool = note_tool();
    for (text, safe) in [
        // A key that is not a parameter, or is present twice.
        (r#"{"file":"a","content":"x"#, ""),
        (r#"{"path":"a","file":"b"#, r#"{"path":"a"#),
        (r#"{"path":"a","path":"a"#, r#"{"path":"a"#),
        // A whole call around the arguments.
        (r#"{"arguments":{"path":"a"#, ""),
        (r#"{"name":"write_note"#, ""),
        (r#"{"name":"x","path":"a"#, r#"{"name":"x","path":"a"#),
        // A quote that does not close.
        (r#"{"content":"he said "hi" to me","path":"a"}"#, r#"{"content":"he said "#),
        // Members may be moved into an object.
        (r#"{"path":"a","meta":{"by":"x"},"content":"y"#, r#"{"path":"a","meta":{"by":"x""#),
        // Backslashes after a drive, and a leaked quote.
        (r#"{"path":"C:\new\docs"#, r#"{"path":"C:"#),
        (r#"{"path":"a <|b"#, r#"{"path":"a "#),
        (r#"{"path":"a <b"#, r#"{"path":"a <b"#),
        // Not JSON.
        (r#"{'path': 'a'"#, ""),
        ("\u{feff}{\"path\":\"a", ""),
        ("```json\n{\"path\":\"a", ""),
        ("{\"path\":\"a\nb", "{\"path\":\"a"),
    ] {
        assert_eq!(safe_part(&tool, text), safe, "{text}");
    }
}

#[test]
fn nothing_is_forwarded_early_with_rules_or_complex_schema() {
    let rules = toolwright_normalizer::rules::parse_file(
        r#"[{"id":"r","tools":["write_note"],"type":"value_map","from":"path","value":{"a":"b"}}]"#,
    )
    .expect("rules");
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"}}}"#;
    let normalizer = Arc::new(Normalizer::new(RuleSet::builtin().with_user_rules(rules)));
    let mut gate = Growing::new(normalizer, compile("write_note", schema));
    gate.push(r#"{"path":"a"#);
    assert_eq!(gate.safe(), 0);
    assert_eq!(safe_part(&compile("write_note", schema), r#"{"path":"a"#), r#"{"path":"a"#);
    for schema in [
        r#"{"anyOf":[{"type":"object","properties":{"path":{"type":"string"}}}]}"#,
        r#"{"type":"object","properties":{"path":{"type":"string","maxLength":5}}}"#,
        r#"{"type":"object","properties":{"path":{"type":"string"}},"maxProperties":1}"#,
        r#"{"type":"object"}"#,
    ] {
        assert_eq!(safe_part(&compile("write_note", schema), r#"{"path":"a"#), "", "{schema}");
    }
    let by_reference = r##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"path":{"$ref":"#/$defs/p"}}},"p":{"type":"string"}}}"##;
    assert_eq!(safe_part(&compile("write_note", by_reference), r#"{"path":"a"#), r#"{"path":"a"#);
}

#[test]
fn many_pieces_take_linear_time() {
    let tool = note_tool();
    let mut gate = Growing::new(NORMALIZER.clone(), tool);
    let started = Instant::now();
    gate.push(r#"{"path":"a","content":""#);
    for _ in 0..100_000 {
        gate.push("abcdefgh\\n");
    }
    gate.push(r#"","tags":["#);
    for _ in 0..50_000 {
        gate.push("\"a\"");
        gate.push(",");
    }
    gate.push("\"b");
    assert_eq!(gate.safe(), gate.text().len());
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}
