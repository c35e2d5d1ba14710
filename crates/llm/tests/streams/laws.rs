//! What holds for any stream.

use proptest::prelude::*;
use toolwright_llm::form::{Event, Stop, Usage, signature};
use toolwright_llm::{Dialect, Failure, FailureKind};

use super::{DIALECTS, check, events, written};

/// A stream of events as encoders take it, cut into pieces anyhow.
pub fn told() -> impl Strategy<Value = Vec<Event>> {
    let words = prop::collection::vec("[a-zäß€🙂\"\\\\\n{}]{1,6}", 1..4);
    let item = prop_oneof![
        words.clone().prop_map(|pieces| pieces.into_iter().map(Event::Text).collect::<Vec<_>>()),
        (words, prop::option::of("[A-Za-z0-9+/]{4,12}")).prop_map(|(pieces, signature)| {
            let thought = pieces.into_iter().map(Event::Thinking);
            thought.chain(signature.map(Event::Signature)).collect()
        }),
        "[A-Za-z0-9+/]{4,12}".prop_map(|data| vec![Event::RedactedThinking(data)]),
        (
            prop::sample::select(vec!["get_weather", "get_time", "run"]),
            prop::sample::select(vec![
                "",
                "{}",
                r#"{"a":1.0}"#,
                r#"{"a":"}\"ä🙂","b":[{}]}"#,
                "{'a': 1,}",
                "{\"a\": \"cut"
            ]),
            1_usize..9,
        )
            .prop_map(|(name, text, length)| {
                let mut events = vec![Event::CallStart { call: 0, id: String::new(), name: name.to_owned() }];
                let letters: Vec<char> = text.chars().collect();
                for piece in letters.chunks(length) {
                    events.push(Event::CallArguments { call: 0, text: piece.iter().collect() });
                }
                events.push(Event::CallEnd { call: 0 });
                events
            }),
    ];
    let end = prop_oneof![
        4 => prop::sample::select(vec![
            (Stop::EndTurn, None), (Stop::MaxTokens, None), (Stop::ToolUse, None), (Stop::Refusal, None),
            (Stop::StopSequence, Some("\n\n".to_owned())),
        ]).prop_map(|(stop, stop_sequence)| vec![Event::Finish { stop, stop_sequence }, Event::Done]),
        1 => Just(vec![Event::Error(Failure::new(FailureKind::Overloaded, "busy"))]),
    ];
    let counts = (0_u64..1000, prop::option::of(0_u64..1000), prop::option::of(0_u64..1000), 0_u64..1000);
    let usage = counts.prop_map(|(input, cache_read, cache_write, output)| Usage {
        input: Some(input),
        cache_read,
        cache_write,
        output: Some(output),
        reasoning: None,
    });
    (prop::collection::vec(item, 0..6), usage, end, any::<bool>()).prop_map(
        |(items, usage, end, has_start)| {
            let mut told = Vec::new();
            if has_start {
                told.push(Event::Start { id: None, model: None, created: None, usage: Usage::default() });
            }
            for (call, mut item) in items.into_iter().enumerate() {
                for event in &mut item {
                    match event {
                        Event::CallStart { call: number, id, .. } => {
                            *number = call;
                            *id = format!("id_{call}");
                        }
                        Event::CallArguments { call: number, .. } | Event::CallEnd { call: number } => {
                            *number = call
                        }
                        _ => {}
                    }
                }
                told.append(&mut item);
            }
            told.push(Event::Usage(usage));
            told.extend(end);
            told
        },
    )
}

/// What has to survive any way through any dialect: words, thoughts, calls, their order, usage and the end.
pub fn meaning(events: &[Event]) -> Vec<String> {
    let mut out: Vec<(&str, String)> = Vec::new();
    let mut usage = Usage::default();
    let mut is_signed = false;
    for event in events {
        let (kind, text) = match event {
            Event::Start { usage: known, .. } => {
                usage.update(known);
                continue;
            }
            Event::Usage(newer) => {
                usage.update(newer);
                continue;
            }
            // In what form a signature travels differs; where it stands does not.
            Event::Signature(text) if signature::opened("", text).is_some_and(|held| held.raw.is_none()) => {
                continue;
            }
            Event::Signature(_) => ("signature", String::new()),
            Event::RedactedThinking(_) => ("redacted", String::new()),
            Event::Text(text) | Event::Refusal(text) => ("text", text.clone()),
            Event::Thinking(text) => ("thinking", text.clone()),
            Event::CallStart { id, name, .. } => ("call", format!("{id} {name}")),
            Event::CallArguments { text, .. } => ("arguments", text.clone()),
            Event::CallEnd { .. } => ("end", String::new()),
            Event::Finish { stop, stop_sequence } => ("finish", format!("{stop:?} {stop_sequence:?}")),
            Event::Done => ("done", String::new()),
            Event::Error(failure) => ("error", failure.message.clone()),
        };
        if kind == "end" && out.last().is_some_and(|(last, _)| *last == "call") {
            out.push(("arguments", "{}".to_owned()));
        }
        match out.last_mut() {
            Some((last, before))
                if *last == kind && !is_signed && ["text", "thinking", "arguments"].contains(&kind) =>
            {
                before.push_str(&text);
            }
            _ => out.push((kind, text)),
        }
        is_signed = kind == "signature";
    }
    let is_good = events.last() == Some(&Event::Done);
    let counts = (usage.input, usage.cache_read.unwrap_or(0), usage.cache_write.unwrap_or(0), usage.output);
    let mut told: Vec<String> = out.into_iter().map(|(kind, text)| format!("{kind} {text}")).collect();
    if is_good {
        told.push(format!("{counts:?}"));
    } else {
        // Chat does not say when a call is complete, so what stands behind it may wait when the error comes.
        told.drain(..told.len().saturating_sub(1));
    }
    told
}

/// Chunks of Chat that nobody would send, and some that somebody does.
fn wild_chat() -> impl Strategy<Value = String> {
    let call = (
        prop::sample::select(vec!["", r#""index":0,"#, r#""index":1,"#, r#""index":null,"#]),
        prop::sample::select(vec!["", r#""id":"a","#, r#""id":"b","#, r#""id":"","#, r#""id":null,"#]),
        prop::sample::select(vec!["", r#""name":"x","#, r#""name":"y","#, r#""name":null,"#]),
        prop::sample::select(vec!["", "{", "{}", "{\\\"a\\\":1", "}", " ", "{\\\"a\\\":1}"]),
    )
        .prop_map(|(index, id, name, text)| {
            format!(r#"{{{index}{id}"function":{{{name}"arguments":"{text}"}}}}"#)
        });
    let delta = prop_oneof![
        3 => prop::collection::vec(call, 0..3).prop_map(|calls| format!(r#"{{"tool_calls":[{}]}}"#, calls.join(","))),
        2 => prop::sample::select(vec![
            r#"{"content":"t"}"#, r#"{"content":""}"#, r#"{"reasoning":"r"}"#, r#"{"refusal":"no"}"#,
            r#"{"content":[{"type":"text","text":"p"}]}"#, r#"{"function_call":{"name":"x","arguments":"{"}}"#,
            r#"{"reasoning_details":[{"type":"reasoning.encrypted","data":"d"},{"signature":"s"}]}"#,
            r#"{"content":5,"tool_calls":{},"reasoning":[]}"#, "{}", "null", "7",
        ]).prop_map(str::to_owned),
    ];
    let frame = prop_oneof![
        8 => (delta, prop::sample::select(vec!["null", "\"stop\"", "\"tool_calls\"", "1"])).prop_map(|(delta, finish)| {
            format!("data: {{\"choices\":[{{\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n")
        }),
        1 => prop::sample::select(vec![
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":18446744073709551615}}\n\n",
            "data: {\"choices\":null,\"usage\":{\"prompt_tokens\":1,\"prompt_tokens_details\":{\"cached_tokens\":9}}}\n\n",
            ": ping\n\n", "data: {}\n\n", "data: []\n\n", "data: [DONE]\n\n", "data: {\"error\":null}\n\n",
            "data: {\"error\":{}}\n\n",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(frame, 0..12).prop_map(|frames| frames.concat())
}

fn wild_anthropic() -> impl Strategy<Value = String> {
    let index = 0..3_u8;
    let block = prop::sample::select(vec![
        r#"{"type":"text","text":""}"#,
        r#"{"type":"text","text":"x"}"#,
        r#"{"type":"thinking","thinking":""}"#,
        r#"{"type":"tool_use","id":"a","name":"x","input":{}}"#,
        r#"{"type":"tool_use","input":{"a":1}}"#,
        r#"{"type":"server_tool_use","id":"s","name":"x","input":{}}"#,
        r#"{"type":"redacted_thinking","data":"d"}"#,
        "{}",
        "null",
    ]);
    let delta = prop::sample::select(vec![
        r#"{"type":"text_delta","text":"t"}"#,
        r#"{"type":"thinking_delta","thinking":"t"}"#,
        r#"{"type":"signature_delta","signature":"s"}"#,
        r#"{"type":"input_json_delta","partial_json":"{"}"#,
        r#"{"type":"input_json_delta","partial_json":""}"#,
        "{}",
        "[]",
    ]);
    let frame = prop_oneof![
        (index.clone(), block).prop_map(|(index, block)| {
            format!(r#"{{"type":"content_block_start","index":{index},"content_block":{block}}}"#)
        }),
        (index.clone(), delta).prop_map(|(index, delta)| {
            format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#)
        }),
        index.prop_map(|index| format!(r#"{{"type":"content_block_stop","index":{index}}}"#)),
        prop::sample::select(vec![
            r#"{"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":3}}}"#,
            r#"{"type":"message_start"}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}"#,
            r#"{"type":"message_delta","delta":null,"usage":null}"#,
            r#"{"type":"message_stop"}"#,
            r#"{"type":"ping"}"#,
            r#"{"type":"error"}"#,
            r#"{"type":7}"#,
            "5",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(frame.prop_map(|data| format!("data: {data}\n\n")), 0..16)
        .prop_map(|frames| frames.concat())
}

/// Whether the answer ran into a limit.
pub fn is_cut(events: &[Event]) -> bool {
    let cut =
        |event: &Event| matches!(event, Event::Finish { stop: Stop::MaxTokens | Stop::ContextWindow, .. });
    events.iter().any(cut)
}

/// Any split means the same, the end is the end, and every encoder makes a right stream of it.
pub fn holds(from: Dialect, bytes: &[u8], at: usize) -> Result<(), TestCaseError> {
    let whole = events(from, &[bytes]);
    let (left, right) = bytes.split_at(at.min(bytes.len()));
    prop_assert_eq!(&events(from, &[left, right]), &whole);
    let ends = whole.iter().filter(|event| matches!(event, Event::Done | Event::Error(_))).count();
    prop_assert_eq!(ends, 1, "{:?}", whole);
    prop_assert!(matches!(whole.last(), Some(Event::Done | Event::Error(_))));
    let calls = check::calls(&whole);
    for to in DIALECTS {
        let out = written(to, &whole);
        if let Err(wrong) = check::stream(to, &out) {
            return Err(TestCaseError::fail(format!("for {}: {wrong}\n{whole:?}", to.name())));
        }
        let again = events(to, &[&out]);
        // Ollama's calls are whole: one that the length limit cut off is told as text there.
        let may_lose = to == Dialect::OllamaChat && is_cut(&whole);
        if whole.last() == Some(&Event::Done) && !may_lose {
            prop_assert_eq!(check::calls(&again).len(), calls.len(), "{:?}", whole);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn every_way_through_the_dialects_keeps_what_was_meant(told in told()) {
        let expected = meaning(&told);
        let mut events_now = told;
        for to in [
            Dialect::AnthropicMessages, Dialect::OpenAiChat, Dialect::AnthropicMessages, Dialect::OpenAiChat,
            Dialect::OpenAiChat,
        ] {
            let out = written(to, &events_now);
            prop_assert_eq!(check::stream(to, &out), Ok(()));
            events_now = events(to, &[&out]);
            prop_assert_eq!(meaning(&events_now), expected.clone(), "{}", String::from_utf8_lossy(&out));
        }
    }

    #[test]
    fn whatever_chat_sends_is_taken(bytes in wild_chat(), at in any::<prop::sample::Index>()) {
        holds(Dialect::OpenAiChat, bytes.as_bytes(), at.index(bytes.len() + 1))?;
    }

    #[test]
    fn whatever_anthropic_sends_is_taken(bytes in wild_anthropic(), at in any::<prop::sample::Index>()) {
        holds(Dialect::AnthropicMessages, bytes.as_bytes(), at.index(bytes.len() + 1))?;
    }
}
