use proptest::prelude::*;

use super::*;
use crate::form::Stop;

const TOOLS: [&str; 3] = ["get_weather", "get_time", "run"];

fn calls(text: &str) -> Option<Vec<(String, String)>> {
    calls_in_text(text, &TOOLS)
}

fn finish() -> Event {
    Event::Finish { stop: Stop::EndTurn, stop_sequence: None }
}

fn through(pieces: &[&str]) -> Vec<Event> {
    let mut stage = TextCalls::new(&TOOLS, "s");
    let mut out = Vec::new();
    for piece in pieces {
        stage.push(Event::Text((*piece).to_owned()), &mut out);
    }
    stage.push(finish(), &mut out);
    stage.push(Event::Done, &mut out);
    out
}

/// Events with the pieces of text put together.
fn joined(events: Vec<Event>) -> Vec<Event> {
    let mut out: Vec<Event> = Vec::new();
    for event in events {
        match (out.last_mut(), event) {
            (Some(Event::Text(before)), Event::Text(text)) => before.push_str(&text),
            (_, event) => out.push(event),
        }
    }
    out
}

const CALLS: [(&str, &[(&str, &str)]); 17] = [
    (r#"<tool_call>{"name": "run", "arguments": {"a": 1.0}}</tool_call>"#, &[("run", r#"{"a": 1.0}"#)]),
    ("\n<tool_call>\n{\"name\": \"run\", \"arguments\": {}}\n</tool_call>\n", &[("run", "{}")]),
    (
        "<tool_call>{\"name\":\"run\",\"arguments\":{}}</tool_call>\n<tool_call>{\"name\":\"get_time\"}</tool_call>",
        &[("run", "{}"), ("get_time", "{}")],
    ),
    (
        r#"<tool_call>{"arguments": {"x": "</tool_call>"}, "name": "run"}</tool_call>"#,
        &[("run", r#"{"x": "</tool_call>"}"#)],
    ),
    (
        "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>",
        &[("get_weather", r#"{"city":"Paris","days":"3"}"#)],
    ),
    (
        "<function=run>\n<parameter=code>\na </parameter> b\n\n</parameter></function>",
        &[("run", "{\"code\":\"a </parameter> b\\n\"}")],
    ),
    ("<tool_call><function=get_time></function></tool_call>", &[("get_time", "{}")]),
    (r#"<function_call>{"name":"run","arguments":"{\"a\":1}"}</function_call>"#, &[("run", r#"{"a":1}"#)]),
    ("```json\n{\"name\": \"run\", \"parameters\": {\"a\": \"`\"}}\n```", &[("run", "{\"a\": \"`\"}")]),
    ("```\n{\"name\": \"run\", \"arguments\": {}}\n```\n", &[("run", "{}")]),
    ("```tool_call\n{\"name\": \"run\", \"arguments\": {}}```", &[("run", "{}")]),
    (r#"{"name":"run","arguments":{"a":[1]}}"#, &[("run", r#"{"a":[1]}"#)]),
    (r#"{"type":"function","name":"run","parameters":{}}"#, &[("run", "{}")]),
    (
        "{\"name\":\"run\",\"arguments\":{}}\n{\"name\":\"get_time\",\"arguments\":{}}",
        &[("run", "{}"), ("get_time", "{}")],
    ),
    (
        r#"[TOOL_CALLS] [{"name": "run", "arguments": {"a": 1}}, {"name": "get_time", "arguments": {}}]"#,
        &[("run", r#"{"a": 1}"#), ("get_time", "{}")],
    ),
    (r#"[TOOL_CALLS][{"name":"run","arguments":{},"id":"a12345678"}]"#, &[("run", "{}")]),
    (r#"<tool_call>{"id":"1","type":"function","name":"run","arguments":{}}</tool_call>"#, &[("run", "{}")]),
];

const TEXTS: [&str; 30] = [
    "",
    "  \n",
    "Hello",
    "I would call <tool_call>{\"name\":\"run\",\"arguments\":{}}</tool_call>",
    "`<tool_call>{\"name\":\"run\",\"arguments\":{}}</tool_call>`",
    "<tool_call>{\"name\":\"run\",\"arguments\":{}}</tool_call> That runs it.",
    "<tool_call>{\"name\":\"run\",\"arguments\":{}} and more</tool_call>",
    "<tool_call>{\"name\":\"rm\",\"arguments\":{}}</tool_call>",
    "<tool_call>{\"name\":\"run\",\"arguments\":{}}",
    "<tool_call>{\"name\":\"run\",\"arguments\":{\"a\":",
    "<tool_call>{\"name\":\"run\",\"arguments\":[1]}</tool_call>",
    "<tool_call>{'name':'run'}</tool_call>",
    "<tool_call> is how a call begins",
    "<tool_call>",
    "<tool_calls>",
    "<tool_call><function=rm></function></tool_call>",
    "<tool_call><function=run><parameter=a>1</tool_call>",
    "<function=run>(x)</function>",
    "{\"name\":\"Bob\",\"arguments\":{}}",
    "{\"name\":\"run\"}",
    "{\"name\":\"run\",\"arguments\":{},\"comment\":\"\"}",
    "{\"name\":\"run\",\"arguments\":{},\"parameters\":{}}",
    "{\"answer\":42}",
    "{\"name\":\"run\",\"arguments\":{}} is what I would send",
    "```python\n{\"name\":\"run\",\"arguments\":{}}\n```",
    "```json\n{\"name\":\"run\",\"arguments\":{}}\n```\nThis is an example.",
    "```json\n[1]\n```",
    "[TOOL_CALLS] none",
    "[TOOL_CALLS] []",
    "[1, 2]",
];

#[test]
fn a_text_that_is_nothing_but_calls_is_calls() {
    for (text, expected) in CALLS {
        let found = calls(text).unwrap_or_else(|| panic!("{text}"));
        let found: Vec<(&str, &str)> =
            found.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn any_other_text_stays_text() {
    for text in TEXTS {
        assert_eq!(calls(text), None, "{text}");
        let mut expected = vec![finish(), Event::Done];
        if !text.is_empty() {
            expected.insert(0, Event::Text(text.to_owned()));
        }
        let pieces: Vec<String> = text.chars().map(String::from).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        assert_eq!(joined(through(&pieces)), expected, "{text}");
    }
}

#[test]
fn the_calls_of_a_stream_do_not_depend_on_its_pieces() {
    for (text, expected) in CALLS {
        let whole = through(&[text]);
        let names: Vec<&str> = whole
            .iter()
            .filter_map(|event| match event {
                Event::CallStart { name, .. } => Some(name.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(names, expected.iter().map(|(name, _)| *name).collect::<Vec<_>>(), "{text}");
        for (at, _) in text.char_indices() {
            assert_eq!(through(&[&text[..at], &text[at..]]), whole, "{text}");
        }
        let pieces: Vec<String> = text.chars().map(String::from).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        assert_eq!(through(&pieces), whole, "{text}");
    }
}

#[test]
fn text_that_is_no_call_leaves_at_once() {
    for (text, rest) in [
        ("He", "llo"),
        ("{\"na", "mes\": []}"),
        ("{\"name\": \"Bo", "b\", \"age\": 3}"),
        ("{\"answer", "\":1}"),
        ("```p", "ython\n"),
        ("<to", "pic>"),
        ("<tool_call>{\"name\":\"rm", "\",\"arguments\""),
    ] {
        let mut stage = TextCalls::new(&TOOLS, "s");
        let mut out = Vec::new();
        stage.push(Event::Text(text.into()), &mut out);
        stage.push(Event::Text(rest.into()), &mut out);
        assert_eq!(joined(out), [Event::Text(format!("{text}{rest}"))]);
    }
}

#[test]
fn an_answer_to_a_request_without_tools_passes() {
    let mut out = Vec::new();
    let text = Event::Text(CALLS[0].0.into());
    TextCalls::new::<&str>(&[], "s").push(text.clone(), &mut out);
    assert_eq!(out, [text]);
}

#[test]
fn a_call_of_the_upstream_itself_ends_the_wait() {
    let mut stage = TextCalls::new(&TOOLS, "s");
    let mut out = Vec::new();
    let start = Event::CallStart { call: 0, id: "a".into(), name: "run".into() };
    let events = [Event::Thinking("hm".into()), Event::Text("<tool".into()), start];
    for event in &events {
        stage.push(event.clone(), &mut out);
    }
    assert_eq!(out, events);
}

#[test]
fn an_error_gives_what_was_held() {
    let mut stage = TextCalls::new(&TOOLS, "s");
    let mut out = Vec::new();
    let events = [Event::Text("<tool_call>".into()), Event::Error(crate::Failure::invalid("x"))];
    for event in &events {
        stage.push(event.clone(), &mut out);
    }
    assert_eq!(out, events);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn what_cannot_be_a_call_never_becomes_one(words in prop::collection::vec(prop::sample::select(vec![
        "<tool_call>", "</tool_call>", "<function=run>", "</function>", "<parameter=a>", "</parameter>",
        "<function_call>", "</function_call>", "```json\n", "```", "[TOOL_CALLS]", "[", "]", ",", " ", "\n", "x",
        "{\"name\":\"run\"", ",\"arguments\":{}}", "{\"name\":\"rm\",", "\"arguments\":{}", "}", "{", "tru", "e", "\"",
    ]), 0..12)) {
        let text = words.concat();
        let result = calls(&text);
        for (at, _) in text.char_indices() {
            if !may_be_calls(&text[..at], &TOOLS) {
                prop_assert_eq!(&result, &None, "{} at {}", text, at);
            }
        }
        let whole = joined(through(&[&text]));
        prop_assert_eq!(joined(through(&words)), whole);
    }
}
