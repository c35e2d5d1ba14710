//! Ollama's chat, as an upstream says it.

use serde_json::{Value, json};

use super::answer::{Answer, FAILED, Question};
use super::scenario::{Finish, Habit, Part, TOKENS, pieces};

/// The answer of this dialect.
pub fn answer(question: &Question<'_>) -> Answer {
    match question.wants_stream(true) {
        true => streamed(question),
        false => Answer::json(200, &whole(question)),
    }
}

/// Arguments that are no JSON are a text here.
fn call(question: &Question<'_>, number: usize, name: &str, arguments: &str) -> Value {
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
    let mut function = json!({"name": name, "arguments": arguments});
    let mut call = json!({});
    match question.scenario.habit {
        Habit::NoId => {}
        Habit::SameIndex => function["index"] = json!(0),
        _ => {
            call["id"] = json!(format!("call_{number:04}"));
            function["index"] = json!(number);
        }
    }
    call["function"] = function;
    call
}

fn line(question: &Question<'_>, message: Value) -> Value {
    json!({"model": question.model, "created_at": "2026-01-01T00:00:00.123456789Z", "message": message, "done": false})
}

fn last(question: &Question<'_>, message: Value) -> Value {
    let mut last = line(question, message);
    last["done"] = json!(true);
    // It says `stop` after a call, too.
    let reason = if question.scenario.finish == Finish::Length { "length" } else { "stop" };
    last["done_reason"] = json!(reason);
    last["total_duration"] = json!(5_000_000_000_u64);
    last["load_duration"] = json!(1_000_000);
    last["prompt_eval_count"] = json!(TOKENS.0);
    last["prompt_eval_duration"] = json!(1_000_000_000);
    last["eval_count"] = json!(TOKENS.2);
    last["eval_duration"] = json!(4_000_000_000_u64);
    last
}

fn whole(question: &Question<'_>) -> Value {
    let mut message = json!({"role": "assistant", "content": ""});
    let (mut text, mut calls) = (String::new(), Vec::new());
    for part in &question.scenario.parts {
        match part {
            Part::Text(said) | Part::Refusal(said) => text.push_str(said),
            Part::Thinking(thought) => message["thinking"] = json!(thought),
            Part::Call { name, arguments } => calls.push(call(question, calls.len(), name, arguments)),
        }
    }
    message["content"] = json!(text);
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    last(question, message)
}

fn streamed(question: &Question<'_>) -> Answer {
    let mut out: Vec<Vec<u8>> = Vec::new();
    let mut calls = 0;
    let mut together = Vec::new();
    let mut say = |message: Value| {
        let end = if question.order.crlf { "\r\n" } else { "\n" };
        out.push(format!("{}{end}", line(question, message)).into_bytes());
    };
    for part in &question.scenario.parts {
        match part {
            Part::Text(text) | Part::Refusal(text) => {
                let size = if text.len() > 4096 { 1024 } else { 9 };
                for piece in pieces(text, size) {
                    say(json!({"role": "assistant", "content": piece}));
                }
            }
            Part::Thinking(thought) => {
                for piece in pieces(thought, 9) {
                    say(json!({"role": "assistant", "content": "", "thinking": piece}));
                }
            }
            Part::Call { name, arguments } => {
                let call = call(question, calls, name, arguments);
                calls += 1;
                match question.scenario.habit {
                    Habit::Together => together.push(call),
                    _ => say(json!({"role": "assistant", "content": "", "tool_calls": [call]})),
                }
            }
        }
    }
    if !together.is_empty() {
        say(json!({"role": "assistant", "content": "", "tool_calls": together}));
    }
    let mut answer = Answer::stream("application/x-ndjson", Vec::new());
    match question.scenario.finish {
        Finish::Dies => {
            // In the middle of the line with the call.
            if let Some(line) = out.last_mut() {
                line.truncate(line.len() - 20);
            }
            answer.dies = true;
        }
        Finish::Fails => {
            out.pop();
            out.push(format!("{}\n", json!({"error": FAILED})).into_bytes());
        }
        _ if question.order.bare => {}
        _ => {
            let last = last(question, json!({"role": "assistant", "content": ""}));
            out.push(format!("{last}\n").into_bytes());
        }
    }
    Answer { pieces: out, ..answer }
}
