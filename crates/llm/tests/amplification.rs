//! What streams of a hostile model cost: work that grows as they do, in every dialect, translated and passed on.
//!
//! No time is compared with a clock: each stream is compared with a shorter one of its kind in the same run.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwright_llm::exchange::Report;
use toolwright_llm::{Dialect, Target};

use crate::support::prepared_for;

/// How many times longer the longer stream is. What grows with the square of the length takes 16 times as long.
const TIMES: usize = 4;
/// How many times the cost may grow, at most.
const MAX_GROWTH: u32 = 9;
/// What may be measured wrongly: the system counts a thread's time in steps of some milliseconds.
const STEP: Duration = Duration::from_millis(25);

const ALL: [Dialect; 4] =
    [Dialect::AnthropicMessages, Dialect::OpenAiChat, Dialect::OpenAiResponses, Dialect::OllamaChat];

/// Something that a model says.
enum Said {
    Text(String),
    /// A call: its id, its name, its arguments in pieces.
    Call(String, String, Vec<String>),
}

fn call(pieces: Vec<String>) -> Said {
    Said::Call("c".to_owned(), "Read".to_owned(), pieces)
}

fn bytes_of(text: &str) -> Vec<String> {
    text.chars().map(String::from).collect()
}

/// A name, how many bytes or things the shorter stream has, and what the model says with so many.
type Attack = (&'static str, usize, fn(usize) -> Vec<Said>);

/// What a model may say to cost much.
const ATTACKS: [Attack; 18] = [
    ("backslashes in a string", 16 << 10, |n| vec![call(vec![r#"{"file_path":""#.into(), "\\".repeat(n)])]),
    ("backslashes byte by byte", 2 << 10, |n| {
        vec![call([vec![r#"{"file_path":""#.to_owned()], bytes_of(&"\\".repeat(n))].concat())]
    }),
    ("braces in arguments", 16 << 10, |n| vec![call(vec!["{".repeat(n)])]),
    ("braces byte by byte", 2 << 10, |n| vec![call(bytes_of(&"{".repeat(n)))]),
    ("closed objects byte by byte", 2 << 10, |n| vec![call(bytes_of(&"{}".repeat(n / 2)))]),
    ("closing braces, with text behind", 2 << 10, |n| {
        let mut said = vec![call(vec![format!("{{\"file_path\":\"{}\"}}}}", "x".repeat(n * 8))])];
        said.extend((0..n).map(|_| Said::Text("y".to_owned())));
        said
    }),
    ("a string that is never closed", 64 << 10, |n| {
        vec![call(vec![format!("{{\"file_path\":\"{}", "x".repeat(n))])]
    }),
    ("a string byte by byte", 2 << 10, |n| {
        vec![call([vec![r#"{"file_path":""#.to_owned()], bytes_of(&"x".repeat(n))].concat())]
    }),
    ("doubtful members", 2 << 10, |n| vec![call((0..n).map(|at| format!("{{'k{at}': True, ")).collect())]),
    ("calls with one id", 256, |n| (0..n).map(|_| call(vec![r#"{"file_path":"/x"}"#.into()])).collect()),
    ("calls of unknown tools", 256, |n| {
        let named = |at| Said::Call(format!("c{at}"), format!("Raed_{at}"), vec!["{}".into()]);
        (0..n).map(named).collect()
    }),
    ("text behind calls that stay open", 256, |n| {
        let open = |at| Said::Call(format!("c{at}"), "Read".to_owned(), vec!["{".into()]);
        (0..n).map(open).chain((0..n * 8).map(|_| Said::Text("y".to_owned()))).collect()
    }),
    ("a long name", 32 << 10, |n| vec![Said::Call("c".into(), "Raed".repeat(n / 4), vec!["{}".into()])]),
    ("text byte by byte", 2 << 10, |n| bytes_of(&"x".repeat(n)).into_iter().map(Said::Text).collect()),
    ("text of braces", 2 << 10, |n| bytes_of(&"{".repeat(n)).into_iter().map(Said::Text).collect()),
    ("text that is half a call", 2 << 10, |n| {
        let text =
            format!("<tool_call>{{\"name\":\"Read\",\"arguments\":{{\"file_path\":\"{}", "x".repeat(n));
        bytes_of(&text).into_iter().map(Said::Text).collect()
    }),
    ("text of parameters", 16 << 10, |n| {
        let text = format!("<function=Read><parameter=a>{}", "</parameter> <".repeat(n / 14));
        text.as_bytes()
            .chunks(64)
            .map(|piece| Said::Text(String::from_utf8_lossy(piece).into_owned()))
            .collect()
    }),
    ("many calls as text", 16 << 10, |n| {
        vec![Said::Text("<tool_call>{\"name\":\"Read\",\"arguments\":{}}</tool_call>".repeat(n / 53))]
    }),
];

/// A stream of this dialect in which a model says it.
fn stream(dialect: Dialect, said: &[Said]) -> String {
    let mut out = String::new();
    let mut event = |data: Value| match dialect {
        Dialect::OllamaChat => out.push_str(&format!("{data}\n")),
        _ => out.push_str(&format!("data: {data}\n\n")),
    };
    let chat = |delta: Value| json!({"id": "1", "choices": [{"index": 0, "delta": delta}]});
    let ollama = |message: Value| json!({"model": "m", "message": message, "done": false});
    for (at, said) in said.iter().enumerate() {
        match (dialect, said) {
            (Dialect::OpenAiChat, Said::Text(text)) => event(chat(json!({"content": text}))),
            (Dialect::OpenAiChat, Said::Call(id, name, pieces)) => {
                event(chat(json!({"tool_calls": [{"index": at, "id": id, "function": {"name": name}}]})));
                for piece in pieces {
                    event(chat(json!({"tool_calls": [{"index": at, "function": {"arguments": piece}}]})));
                }
            }
            (Dialect::OllamaChat, Said::Text(text)) => {
                event(ollama(json!({"role": "assistant", "content": text})))
            }
            (Dialect::OllamaChat, Said::Call(id, name, pieces)) => {
                let arguments = pieces.concat();
                event(ollama(
                    json!({"role": "assistant", "content": "", "tool_calls": [{"id": id, "function": {"name": name, "arguments": arguments}}]}),
                ));
            }
            (Dialect::AnthropicMessages, Said::Text(text)) => {
                event(
                    json!({"type": "content_block_delta", "index": at, "delta": {"type": "text_delta", "text": text}}),
                );
            }
            (Dialect::AnthropicMessages, Said::Call(id, name, pieces)) => {
                event(
                    json!({"type": "content_block_start", "index": at, "content_block": {"type": "tool_use", "id": id, "name": name, "input": {}}}),
                );
                for piece in pieces {
                    event(
                        json!({"type": "content_block_delta", "index": at, "delta": {"type": "input_json_delta", "partial_json": piece}}),
                    );
                }
                event(json!({"type": "content_block_stop", "index": at}));
            }
            (Dialect::OpenAiResponses, Said::Text(text)) => {
                event(
                    json!({"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0, "delta": text}),
                );
            }
            (Dialect::OpenAiResponses, Said::Call(id, name, pieces)) => {
                let (item_id, arguments) = (format!("fc_{at}"), pieces.concat());
                let item = |arguments: &str| json!({"type": "function_call", "id": item_id, "call_id": id, "name": name, "arguments": arguments});
                event(json!({"type": "response.output_item.added", "output_index": at, "item": item("")}));
                for piece in pieces {
                    event(
                        json!({"type": "response.function_call_arguments.delta", "output_index": at, "item_id": item_id, "delta": piece}),
                    );
                }
                event(
                    json!({"type": "response.output_item.done", "output_index": at, "item": item(&arguments)}),
                );
            }
        }
    }
    match dialect {
        Dialect::OpenAiChat => {
            event(json!({"id": "1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
        }
        Dialect::OllamaChat => event(json!({"model": "m", "message": {"content": ""}, "done": true})),
        Dialect::AnthropicMessages => event(json!({"type": "message_stop"})),
        Dialect::OpenAiResponses => {
            event(
                json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": []}}),
            );
        }
    }
    out
}

fn request(front: Dialect) -> String {
    let schema =
        json!({"type": "object", "properties": {"file_path": {"type": "string"}}, "required": ["file_path"]});
    let messages = json!([{"role": "user", "content": "x"}]);
    match front {
        Dialect::AnthropicMessages => json!({"model": "m", "max_tokens": 9, "stream": true, "messages": messages, "tools": [{"name": "Read", "input_schema": schema}]}),
        Dialect::OpenAiResponses => json!({"model": "m", "stream": true, "input": messages, "tools": [{"type": "function", "name": "Read", "parameters": schema}]}),
        _ => json!({"model": "m", "stream": true, "messages": messages, "tools": [{"type": "function", "function": {"name": "Read", "parameters": schema}}]}),
    }
    .to_string()
}

/// How long this thread worked, and not how long it waited for others.
fn worked() -> Duration {
    let nanos = std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|stat| stat.split(' ').next()?.parse().ok());
    static BEGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    nanos.map_or_else(|| BEGIN.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

/// What one stream costs, and how many bytes a client gets of it.
fn cost(front: Dialect, upstream: Dialect, said: &[Said]) -> (Duration, usize) {
    let mut target = Target::new(upstream, "m");
    target.reads_text_calls = true;
    let prepared = prepared_for(front, &target, &request(front));
    let sent = stream(upstream, said);
    let mut stream = prepared.stream();
    let mut out = Vec::new();
    let mut seen = Report::default();
    let begin = worked();
    // Pieces come as an upstream sends them, and each is reported.
    for piece in sent.split_inclusive("\n") {
        stream.push(piece.as_bytes(), &mut out);
        seen.follow(stream.report());
    }
    stream.end(None, &mut out);
    seen.follow(stream.report());
    let cost = worked() - begin;
    (cost, out.len() / sent.len().max(1))
}

#[test]
fn a_hostile_stream_costs_what_its_length_costs() {
    let mut wrong = Vec::new();
    for (at, upstream) in ALL.into_iter().enumerate() {
        // Each is passed on in its own dialect and translated into another.
        for front in [upstream, ALL[(at + 1) % ALL.len()]] {
            for (name, size, attack) in ATTACKS {
                let least = |size: usize| {
                    let said = attack(size);
                    let tries = [cost(front, upstream, &said), cost(front, upstream, &said)];
                    (tries[0].0.min(tries[1].0), tries[0].1)
                };
                let ((short, _), (long, times)) = (least(size), least(size * TIMES));
                if long > short * MAX_GROWTH + STEP {
                    wrong.push(format!(
                        "{upstream:?} to {front:?}, {name}: {short:?}, {long:?} for {TIMES} times as much"
                    ));
                }
                // Events have heads, and a call of Responses has four events.
                if times > 24 {
                    wrong.push(format!("{upstream:?} to {front:?}, {name}: {times} times as many bytes"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_report_that_follows_another_is_the_same_in_the_end() {
    let call =
        |at: usize| Said::Call(format!("c{at}"), "Read".to_owned(), vec![r#"{"file_path": 1"#.to_owned()]);
    let said: Vec<Said> = (0..20).map(call).collect();
    for upstream in ALL {
        for front in ALL {
            let prepared = prepared_for(front, &Target::new(upstream, "m"), &request(front));
            let (mut stream_out, mut out) = (prepared.stream(), Vec::new());
            let mut seen = Report::default();
            for piece in stream(upstream, &said).as_bytes().chunks(100) {
                stream_out.push(piece, &mut out);
                seen.follow(stream_out.report());
            }
            stream_out.end(None, &mut out);
            seen.follow(stream_out.report());
            let whole = stream_out.report();
            assert_eq!(seen.calls, whole.calls, "{upstream:?} to {front:?}");
            assert_eq!((&seen.stop, &seen.model), (&whole.stop, &whole.model));
            assert_eq!((seen.usage, seen.has_content), (whole.usage, whole.has_content));
            assert_eq!(seen.calls.len(), said.len());
        }
    }
}

#[test]
fn more_calls_than_any_model_makes_are_an_error() {
    let call =
        |at: usize| Said::Call(format!("c{at}"), "Read".to_owned(), vec![r#"{"file_path":"/x"}"#.to_owned()]);
    let said: Vec<Said> = (0..5000).map(call).collect();
    for (upstream, front) in [
        (Dialect::OpenAiChat, Dialect::OpenAiChat),
        (Dialect::OpenAiChat, Dialect::AnthropicMessages),
        (Dialect::OpenAiResponses, Dialect::OpenAiResponses),
        (Dialect::OpenAiResponses, Dialect::OpenAiChat),
        (Dialect::AnthropicMessages, Dialect::AnthropicMessages),
    ] {
        let prepared = prepared_for(front, &Target::new(upstream, "m"), &request(front));
        let mut stream_out = prepared.stream();
        let mut out = Vec::new();
        for piece in stream(upstream, &said).as_bytes().chunks(4096) {
            stream_out.push(piece, &mut out);
        }
        stream_out.end(None, &mut out);
        let failure = stream_out.report().failure.clone();
        assert!(failure.is_some_and(|failure| failure.message.contains("4096")), "{upstream:?} to {front:?}");
    }
}
