//! Calls in a stream: what fits leaves while it is written, what does not is held back and mended, nothing is taken back.

#[path = "../../normalizer/tests/generator/mod.rs"]
mod generator;
use crate::support;

use std::time::Instant;

use generator::{any_text, mangled_call, tool_and_valid_call};
use proptest::prelude::*;
use support::*;
use toolwright_llm::form::{Event, Stop, Tool, Usage};
use toolwright_llm::{Failure, FailureKind};
use toolwright_model::Outcome;

fn usual(events: Vec<Event>) -> Vec<Event> {
    all_staged(mender(&usual_tools(), true), events)
}

fn one(name: &str, arguments: &str) -> Vec<(String, String, bool)> {
    vec![(name.to_owned(), arguments.to_owned(), true)]
}

#[test]
fn a_call_that_fits_leaves_while_it_is_written() {
    let mut events =
        call(0, "write_note", &[r#"{"pa"#, r#"th":"a"#, r#".md","#, r#""content":"one "#, "two", "\"}"]);
    events.push(finish(Stop::ToolUse));
    let (out, reports) = staged(mender(&usual_tools(), true), events);
    let pieces: Vec<Vec<String>> = out
        .iter()
        .map(|events| {
            let texts = events.iter().filter_map(|event| match event {
                Event::CallArguments { text, .. } => Some(text.clone()),
                _ => None,
            });
            texts.collect()
        })
        .collect();
    let expected: [&[&str]; 9] =
        [&[], &[], &[r#"{"path":"a"#], &[".md"], &[r#"","content":"one "#], &["two"], &["\""], &["}"], &[]];
    assert_eq!(pieces, expected);
    assert!(
        matches!(&out[2][0], Event::CallStart { id, name, .. } if id == "call_0" && name == "write_note")
    );
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].outcome, Outcome::Unchanged);
}

#[test]
fn a_name_is_mended_before_anything_of_the_call_leaves() {
    let out = usual(call(0, "functions.ReadNote:0", &[r#"{"path":"a"#, "\"}"]));
    assert_eq!(calls_of(&out), one("read_note", r#"{"path":"a"}"#));
}

#[test]
fn a_call_that_does_not_fit_is_held_and_mended() {
    for (sent, expected) in [
        ("{'path': 'a'}", r#"{"path":"a"}"#),
        (r#"{"path":"a","limit":"5"}"#, r#"{"path":"a","limit":5}"#),
        (r#"{"path":"a","mode":"Full",}"#, r#"{"path":"a","mode":"full"}"#),
        (r#"{"name":"read_note","arguments":{"path":"a"}}"#, r#"{"path":"a"}"#),
        (r#"{"path":"say "hi" now"}"#, r#"{"path":"say \"hi\" now"}"#),
        ("{\"path\":\"a\nb\"}", r#"{"path":"a\nb"}"#),
        (r#"{"path":"a""#, r#"{"path":"a"}"#),
    ] {
        for size in [1, 3, 1000] {
            let chars: Vec<char> = sent.chars().collect();
            let pieces: Vec<String> = chars.chunks(size).map(String::from_iter).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let mut events = call(0, "read_note", &pieces);
            events.extend([finish(Stop::EndTurn), Event::Done]);
            let out = usual(events);
            assert_eq!(calls_of(&out), one("read_note", expected), "{sent}");
            assert_eq!(stop_of(&out), Some(Stop::ToolUse));
        }
    }
}

#[test]
fn a_call_without_arguments_gets_an_empty_object() {
    let out = usual([call(0, "list_notes", &[]), vec![finish(Stop::ToolUse)]].concat());
    assert_eq!(calls_of(&out), one("list_notes", "{}"));
}

#[test]
fn calls_follow_each_other_and_text_may_follow_them() {
    let events = [
        vec![Event::Text("so".into())],
        call(0, "read_note", &[r#"{"path":"a"}"#]),
        call(1, "read_note", &["{'path':", " 'b'"]),
        call(2, "unheard_of", &["{'a': 'x'"]),
        vec![Event::Text("done".into()), finish(Stop::ToolUse), Event::Usage(Usage::default()), Event::Done],
    ]
    .concat();
    let out = usual(events);
    assert_eq!(
        calls_of(&out),
        [
            ("read_note".to_owned(), r#"{"path":"a"}"#.to_owned(), true),
            ("read_note".to_owned(), r#"{"path":"b"}"#.to_owned(), true),
            ("unheard_of".to_owned(), r#"{"a":"x"}"#.to_owned(), true),
        ]
    );
    let texts: Vec<&Event> = out.iter().filter(|event| matches!(event, Event::Text(_))).collect();
    assert_eq!(texts, [&Event::Text("so".into()), &Event::Text("done".into())]);
    assert!(matches!(&out[out.len() - 3..], [Event::Finish { .. }, Event::Usage(_), Event::Done]));
}

#[test]
fn a_call_that_the_length_limit_cut_is_not_told_when_nothing_of_it_left() {
    let events =
        [call(0, "read_note", &[r#"{"file_path":"/a/b"#]), vec![finish(Stop::MaxTokens), Event::Done]];
    let (out, reports) = staged(mender(&usual_tools(), true), events.concat());
    assert_eq!(out.concat(), [finish(Stop::MaxTokens), Event::Done]);
    assert!(reports[0].is_cut);
}

#[test]
fn of_a_call_that_the_length_limit_cut_nothing_more_leaves() {
    let events = [
        call(0, "write_note", &[r#"{"path":"a","content":"half a "#, "file", "\" , "]),
        vec![Event::Usage(Usage::default()), finish(Stop::MaxTokens)],
    ];
    let out = usual(events.concat());
    assert_eq!(calls_of(&out), one("write_note", r#"{"path":"a","content":"half a file"#));
    assert_eq!(stop_of(&out), Some(Stop::MaxTokens));
    // The same text, when the model has ended by itself, is no call either: a string is open.
    let events =
        [call(0, "write_note", &[r#"{"path":"a","content":"half"#]), vec![finish(Stop::ToolUse)]].concat();
    let out = usual(events);
    assert!(is_marked(&calls_of(&out)[0].1, r#"{"path":"a","content":"half"#), "{out:?}");
}

#[test]
fn a_call_before_the_one_that_was_cut_is_delivered() {
    let events = [
        call(0, "read_note", &["{'path': 'a'"]),
        call(1, "read_note", &["{'path': 'b'"]),
        vec![finish(Stop::MaxTokens)],
    ];
    let out = usual(events.concat());
    assert_eq!(calls_of(&out), one("read_note", r#"{"path":"a"}"#));
    assert_eq!(stop_of(&out), Some(Stop::MaxTokens));
}

#[test]
fn an_error_ends_everything_and_what_was_held_is_dropped() {
    let error = Event::Error(Failure::new(FailureKind::Api, "the upstream went away"));
    let out = usual([call(0, "read_note", &["{'path': 'a'}"]), vec![error.clone()]].concat());
    assert_eq!(out, [error]);
}

#[test]
fn the_end_of_a_stream_agrees_with_its_calls() {
    let whole = || call(0, "read_note", &[r#"{"path":"a"}"#]);
    for (calls, stop, settled) in [
        (vec![], Stop::ToolUse, Stop::EndTurn),
        (whole(), Stop::EndTurn, Stop::ToolUse),
        (whole(), Stop::ToolUse, Stop::ToolUse),
        (whole(), Stop::StopSequence, Stop::StopSequence),
        (whole(), Stop::MaxTokens, Stop::MaxTokens),
        (call(0, "read_note", &["{"]), Stop::ContextWindow, Stop::ContextWindow),
        (whole(), Stop::Other("odd".into()), Stop::Other("odd".into())),
    ] {
        let out = usual([calls, vec![finish(stop), Event::Done]].concat());
        assert_eq!(stop_of(&out), Some(settled));
    }
    // Some never say why they end.
    assert_eq!(stop_of(&usual([whole(), vec![Event::Done]].concat())), Some(Stop::ToolUse));
    assert_eq!(stop_of(&usual(vec![Event::Text("a".into()), Event::Done])), Some(Stop::EndTurn));
}

#[test]
fn a_stop_sequence_or_a_filter_does_not_close_brackets() {
    for stop in [Stop::StopSequence, Stop::Refusal, Stop::Other("x".into())] {
        let out = usual([call(0, "list_notes", &[r#"{'folder':"a""#]), vec![finish(stop)]].concat());
        assert!(calls_of(&out)[0].1.starts_with(r#"{"unreadable_arguments":"#));
    }
}

#[test]
fn a_long_call_in_many_pieces_takes_time_for_its_length() {
    let mut events = call(0, "write_note", &[r#"{"path":"a","content":""#]);
    events.pop();
    events.extend((0..100_000).map(|_| Event::CallArguments { call: 0, text: "0123456\\n ".into() }));
    events.push(Event::CallArguments { call: 0, text: "\"}".into() });
    events.push(Event::CallEnd { call: 0 });
    let started = Instant::now();
    let out = usual(events);
    let elapsed = started.elapsed();
    assert_eq!(calls_of(&out)[0].1.len(), 1_000_000 + 25);
    assert!(elapsed.as_secs() < 5, "{elapsed:?}");
}

// === Laws ===

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(4_000);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 2_000, ..ProptestConfig::default() }
}

fn cut(text: &str, cuts: &[prop::sample::Index]) -> Vec<String> {
    let mut places: Vec<usize> =
        cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
    places.extend([0, text.len()]);
    places.sort_unstable();
    places.dedup();
    places.windows(2).map(|pair| text[pair[0]..pair[1]].to_owned()).collect()
}

fn run(tool: &Tool, needs_objects: bool, text: &str, cuts: &[prop::sample::Index], stop: Stop) -> Vec<Event> {
    let pieces = cut(text, cuts);
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let events = [call(0, "probe", &pieces), vec![finish(stop), Event::Done]].concat();
    all_staged(mender(std::slice::from_ref(tool), needs_objects), events)
}

fn cuts() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..8)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_valid_call_keeps_its_bytes_however_it_is_cut((schema, text) in tool_and_valid_call(), cuts in cuts()) {
        let out = run(&tool("probe", &schema), true, &text, &cuts, Stop::ToolUse);
        prop_assert_eq!(calls_of(&out), one("probe", &text));
    }

    #[test]
    fn a_call_in_pieces_comes_to_what_the_whole_call_comes_to(
        (schema, text) in mangled_call(), cuts in cuts(), needs_objects in any::<bool>(),
    ) {
        let tool = tool("probe", &schema);
        let mender = mender(std::slice::from_ref(&tool), needs_objects);
        let whole = mender.arguments(&mender.name("probe"), &text, toolwright_model::Finish::Stop);
        let out = run(&tool, needs_objects, &text, &cuts, Stop::EndTurn);
        let [(name, arguments, true)] = &calls_of(&out)[..] else { panic!("one call: {out:?}") };
        prop_assert_eq!(name, "probe");
        prop_assert_eq!(stop_of(&out), Some(Stop::ToolUse));
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text);
        match (&whole.report.outcome, &whole.report.instead) {
            (Outcome::Repaired { .. }, Some(instead)) => {
                prop_assert_eq!(value(arguments).expect("JSON"), value(instead).expect("JSON"));
            }
            // What was refused goes on in its best form; where a part had left, marked or as it was sent.
            (_, Some(instead)) => {
                let is_instead = value(arguments).is_ok_and(|arguments| Some(arguments) == value(instead).ok());
                let is_told = *arguments == text || (needs_objects && is_marked(arguments, &text));
                prop_assert!(is_instead || is_told, "{}", arguments);
            }
            (_, None) => prop_assert_eq!(arguments, &text),
        }
    }

    #[test]
    fn a_call_that_was_cut_is_never_executable((schema, text) in tool_and_valid_call(), at in any::<prop::sample::Index>(), cuts in cuts()) {
        let text = &text[..text.floor_char_boundary(at.index(text.len()))];
        let out = run(&tool("probe", &schema), true, text, &cuts, Stop::MaxTokens);
        prop_assert_eq!(stop_of(&out), Some(Stop::MaxTokens));
        for (_, arguments, _) in calls_of(&out) {
            prop_assert!(text.starts_with(&arguments));
            prop_assert!(serde_json::from_str::<serde_json::Value>(&arguments).is_err(), "{}", arguments);
        }
    }

    #[test]
    fn no_text_panics((schema, text) in any_text(), cuts in cuts(), needs_objects in any::<bool>()) {
        let Ok(schema) = toolwright_jsonrpc::Json::parse(&schema) else { return Ok(()) };
        let out = run(&tool("probe", schema.as_str()), needs_objects, &text, &cuts, Stop::EndTurn);
        prop_assert_eq!(calls_of(&out).len(), 1);
    }
}
