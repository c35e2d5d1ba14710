//! What one request, one answer and one piece of a stream cost, without any network.
//!
//! Run with `cargo bench -p toolwright-bench --bench exchange`; a word as argument runs only the rows that have it in their
//! names, and a number says how often.

#![allow(clippy::print_stdout, reason = "a benchmark's results are its output")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwright_llm::exchange::{Asked, Fresh, Mending, Prepared};
use toolwright_llm::{Dialect, Target};
use toolwright_normalizer::Normalizer;

const ANTHROPIC: Dialect = Dialect::AnthropicMessages;
const CHAT: Dialect = Dialect::OpenAiChat;

/// How many pieces a stream has.
const PIECES: usize = 2000;
/// How large a large request is, and how many tools it has.
const LARGE_BYTES: usize = 150_000;
const TOOLS: usize = 40;
/// How long a row is measured, where no number was given.
const MEASURED: Duration = Duration::from_millis(600);

fn main() {
    // `cargo bench` adds a flag of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let times: Option<usize> = words.iter().find_map(|word| word.parse().ok());
    let only = words.iter().find(|word| word.parse::<usize>().is_err());
    let bench = Bench { times, only: only.cloned() };
    let mending = Mending { normalizer: Arc::new(Normalizer::default()), cache: Arc::default() };
    let fresh = Fresh { id: "abcdefghijklmnopqrstuvwx".to_owned(), created: 1_790_000_000 };
    for (from, to) in [(ANTHROPIC, CHAT), (CHAT, ANTHROPIC), (ANTHROPIC, ANTHROPIC), (CHAT, CHAT)] {
        let way = format!("{} → {}", name(from), name(to));
        let target = Target::new(to, "bench");
        for (size, body) in [("small", small(from)), ("150 KB", large(from))] {
            bench.row(&format!("read, {way}, {size}"), 1, || black_box(read(from, &body)));
            let asked = read(from, &body);
            bench.row(&format!("prepare, {way}, {size}"), 1, || {
                black_box(asked.prepare(&target, &mending, &fresh).is_ok())
            });
        }
        let large = read(from, &large(from));
        let prepared =
            large.prepare(&target, &mending, &fresh).ok().unwrap_or_else(|| panic!("{way} is prepared"));
        let answer = answer(to);
        bench.row(&format!("answer, {way}"), 1, || {
            black_box(prepared.whole(200, answer.as_bytes()).body.len())
        });
        for piece in [Piece::Text, Piece::Arguments] {
            let events = stream(to, piece);
            let row = format!("{piece:?} in pieces, {way}");
            bench.row(&row, PIECES, || black_box(told(&prepared, &events)));
        }
    }
}

struct Bench {
    times: Option<usize>,
    only: Option<String>,
}

impl Bench {
    /// Does it again and again, and says what one of its parts took when it took least.
    fn row<T>(&self, name: &str, parts: usize, work: impl Fn() -> T) {
        if self.only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            return;
        }
        let begin = Instant::now();
        let (mut least, mut done) = (Duration::MAX, 0);
        while self.times.map_or(done < 5 || begin.elapsed() < MEASURED, |times| done < times) {
            let start = Instant::now();
            work();
            least = least.min(start.elapsed());
            done += 1;
        }
        println!("{name:<55} {:>10.2} µs", least.as_nanos() as f64 / 1000.0 / parts as f64);
    }
}

fn name(dialect: Dialect) -> &'static str {
    if dialect == CHAT { "Chat" } else { "Anthropic" }
}

fn read(dialect: Dialect, body: &str) -> Asked {
    Asked::read(dialect, body.as_bytes()).ok().unwrap_or_else(|| panic!("the request is read"))
}

/// Every piece comes by itself, as from a network.
fn told(prepared: &Prepared, events: &[String]) -> usize {
    let mut stream = prepared.stream();
    let (mut out, mut length) = (Vec::new(), 0);
    for event in events {
        stream.push(event.as_bytes(), &mut out);
        length += out.len();
        out.clear();
    }
    stream.end(None, &mut out);
    assert!(stream.report().failure.is_none(), "{:?}", stream.report().failure);
    length
}

fn base(dialect: Dialect) -> Value {
    let question = json!({"role": "user", "content": "Is the lamp in the hall on?"});
    let system = "You are the voice of a house. Be brief.";
    match dialect {
        CHAT => json!({"model": "bench", "stream": true,
            "messages": [{"role": "system", "content": system}, question]}),
        _ => {
            json!({"model": "bench", "max_tokens": 1024, "stream": true, "system": system, "messages": [question]})
        }
    }
}

fn small(dialect: Dialect) -> String {
    base(dialect).to_string()
}

fn large(dialect: Dialect) -> String {
    let mut request = base(dialect);
    request["tools"] = (0..TOOLS).map(|number| tool(number, dialect)).collect();
    let line = "12:03:44 hall: lamp 1 is \"on\", 40 %; the door is closed\n\tand nobody has been there since 11:58.\n";
    let result = line.repeat(40);
    let mut length = request.to_string().len();
    let mut turn = 0;
    while length < LARGE_BYTES {
        turn += 1;
        let id = format!("call_{turn:06}");
        let arguments = json!({"path": format!("/srv/notes/{turn}.md"), "count": turn, "deep": false});
        let turns = match dialect {
            CHAT => [
                json!({"role": "assistant", "content": "I look.", "tool_calls": [{"id": id, "type": "function",
                    "function": {"name": "tool_7", "arguments": arguments.to_string()}}]}),
                json!({"role": "tool", "tool_call_id": id, "content": result}),
            ],
            _ => [
                json!({"role": "assistant", "content": [{"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": id, "name": "tool_7", "input": arguments}]}),
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": result}]}),
            ],
        };
        length += turns.iter().map(|turn| turn.to_string().len()).sum::<usize>();
        if let Some(messages) = request["messages"].as_array_mut() {
            messages.extend(turns);
        }
    }
    request.to_string()
}

fn tool(number: usize, dialect: Dialect) -> Value {
    let (name, described) =
        (format!("tool_{number}"), "Reads what is asked for and tells it line by line. ".repeat(10));
    let field =
        |kind: &str| json!({"type": kind, "description": "What is meant, as precisely as it can be said."});
    let schema = json!({"type": "object", "properties": {"path": field("string"), "count": field("integer"),
        "deep": field("boolean"), "mode": {"type": "string", "enum": ["read", "write"]},
        "range": {"type": "object", "properties": {"from": field("integer"), "to": field("integer")}}},
        "required": ["path"], "additionalProperties": false});
    match dialect {
        CHAT => {
            json!({"type": "function", "function": {"name": name, "description": described, "parameters": schema}})
        }
        _ => json!({"name": name, "description": described, "input_schema": schema}),
    }
}

/// A whole answer with a text and a call.
fn answer(dialect: Dialect) -> String {
    let input = json!({"path": "/srv/notes/today.md", "count": 3});
    let text = "The lamp is on.";
    let answer = match dialect {
        CHAT => {
            json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "bench", "choices": [
            {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": text, "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "tool_7", "arguments": input.to_string()}}]}}],
            "usage": {"prompt_tokens": 40, "completion_tokens": 20, "total_tokens": 60}})
        }
        _ => json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "bench", "content": [
            {"type": "text", "text": text}, {"type": "tool_use", "id": "toolu_1", "name": "tool_7", "input": input}],
            "stop_reason": "tool_use", "stop_sequence": null, "usage": {"input_tokens": 40, "output_tokens": 20}}),
    };
    answer.to_string()
}

/// What comes in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Text,
    Arguments,
}

/// The events of a stream.
fn stream(dialect: Dialect, piece: Piece) -> Vec<String> {
    let is_text = piece == Piece::Text;
    let middle = (0..PIECES).map(|number| format!("word{number} "));
    let texts: Vec<String> = match is_text {
        true => middle.collect(),
        false => ["{\"path\":\"".to_owned()].into_iter().chain(middle).chain(["\"}".to_owned()]).collect(),
    };
    let mut events = Vec::new();
    match dialect {
        CHAT => {
            let mut event = |delta: Value, finish: Value| {
                let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
                let chunk = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "bench",
                    "choices": [choice]});
                events.push(format!("data: {chunk}\n\n"));
            };
            event(json!({"role": "assistant", "content": ""}), Value::Null);
            if !is_text {
                event(
                    json!({"tool_calls": [{"index": 0, "id": "call_1", "type": "function",
                    "function": {"name": "tool_7", "arguments": ""}}]}),
                    Value::Null,
                );
            }
            for text in texts {
                let delta = match is_text {
                    true => json!({"content": text}),
                    false => json!({"tool_calls": [{"index": 0, "function": {"arguments": text}}]}),
                };
                event(delta, Value::Null);
            }
            event(json!({}), json!(if is_text { "stop" } else { "tool_calls" }));
            events.push("data: [DONE]\n\n".to_owned());
        }
        _ => {
            let mut event = |value: Value| {
                events.push(format!(
                    "event: {}\ndata: {value}\n\n",
                    value["type"].as_str().unwrap_or_default()
                ));
            };
            event(
                json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant",
                "model": "bench", "content": [], "stop_reason": null, "stop_sequence": null,
                "usage": {"input_tokens": 40, "output_tokens": 1}}}),
            );
            let block = match is_text {
                true => json!({"type": "text", "text": ""}),
                false => json!({"type": "tool_use", "id": "toolu_1", "name": "tool_7", "input": {}}),
            };
            event(json!({"type": "content_block_start", "index": 0, "content_block": block}));
            for text in texts {
                let delta = match is_text {
                    true => json!({"type": "text_delta", "text": text}),
                    false => json!({"type": "input_json_delta", "partial_json": text}),
                };
                event(json!({"type": "content_block_delta", "index": 0, "delta": delta}));
            }
            event(json!({"type": "content_block_stop", "index": 0}));
            let stop = if is_text { "end_turn" } else { "tool_use" };
            event(json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null},
                "usage": {"output_tokens": 20}}));
            event(json!({"type": "message_stop"}));
        }
    }
    events
}
