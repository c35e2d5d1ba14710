//! OpenAI Chat Completions, as an upstream says it.

use serde_json::{Value, json};

use super::answer::{Answer, FAILED, Question};
use super::scenario::{Finish, Habit, Part, TOKENS, pieces};

const CREATED: u64 = 1_767_225_600;

/// The answer of this dialect.
pub fn answer(question: &Question<'_>) -> Answer {
    match question.wants_stream(false) {
        true => streamed(question),
        false => Answer::json(200, &whole(question)),
    }
}

/// An error of this dialect.
pub fn error(status: u16, text: &str) -> Value {
    let (kind, code) = match status {
        400 => ("invalid_request_error", Value::Null),
        401 => ("invalid_request_error", json!("invalid_api_key")),
        429 => ("rate_limit_error", json!("rate_limit_exceeded")),
        _ => ("server_error", Value::Null),
    };
    json!({"error": {"message": text, "type": kind, "param": null, "code": code}})
}

fn finish(question: &Question<'_>) -> &'static str {
    match question.scenario.finish {
        Finish::Calls => "tool_calls",
        Finish::Length => "length",
        Finish::Filter => "content_filter",
        _ => "stop",
    }
}

fn usage() -> Value {
    let (asked, cached, said) = TOKENS;
    json!({
        "prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said,
        "prompt_tokens_details": {"cached_tokens": cached},
    })
}

fn id(number: usize) -> String {
    format!("call_{number:04}scenario")
}

fn whole(question: &Question<'_>) -> Value {
    let mut message = json!({"role": "assistant", "content": null});
    let (mut text, mut calls) = (String::new(), Vec::new());
    for part in &question.scenario.parts {
        match part {
            Part::Text(said) => text.push_str(said),
            Part::Thinking(thought) => message["reasoning_content"] = json!(thought),
            Part::Refusal(refusal) => message["refusal"] = json!(refusal),
            Part::Call { name, arguments } => {
                let mut call = json!({"id": id(calls.len()), "type": "function"});
                if question.scenario.habit == Habit::NoId {
                    call = json!({"type": "function"});
                }
                call["function"] = json!({"name": name, "arguments": arguments});
                calls.push(call);
            }
        }
    }
    if !text.is_empty() {
        message["content"] = json!(text);
    }
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    json!({
        "id": "chatcmpl-scenario", "object": "chat.completion", "created": CREATED, "model": question.model,
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish(question)}],
        "usage": usage(),
    })
}

fn chunk(question: &Question<'_>, delta: Value, finish: Option<&str>) -> Vec<u8> {
    let chunk = json!({
        "id": "chatcmpl-scenario", "object": "chat.completion.chunk", "created": CREATED, "model": question.model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    });
    question.event(None, &chunk.to_string())
}

fn streamed(question: &Question<'_>) -> Answer {
    let mut out = vec![chunk(question, json!({"role": "assistant", "content": ""}), None)];
    let mut calls = Vec::new();
    for part in &question.scenario.parts {
        match part {
            Part::Text(text) => {
                send_calls(question, &mut calls, &mut out);
                let size = if text.len() > 4096 { 1024 } else { 9 };
                for piece in pieces(text, size) {
                    out.push(chunk(question, json!({"content": piece}), None));
                }
            }
            Part::Thinking(thought) => {
                for piece in pieces(thought, 9) {
                    out.push(chunk(question, json!({"reasoning_content": piece}), None));
                }
            }
            Part::Refusal(refusal) => {
                for piece in pieces(refusal, 9) {
                    out.push(chunk(question, json!({"refusal": piece}), None));
                }
            }
            Part::Call { name, arguments } => calls.push((name.as_str(), arguments.as_str())),
        }
    }
    send_calls(question, &mut calls, &mut out);
    let mut answer = Answer::stream("text/event-stream; charset=utf-8", Vec::new());
    match question.scenario.finish {
        Finish::Dies => {
            // In the middle of the arguments: the last two pieces never come.
            out.truncate(out.len() - 2);
            answer.dies = true;
        }
        Finish::Fails => {
            out.truncate(out.len() - 2);
            let error = error(500, FAILED);
            out.push(question.event(None, &error.to_string()));
            out.push(question.event(None, "[DONE]"));
        }
        _ => {
            out.push(chunk(question, json!({}), Some(finish(question))));
            if question.body["stream_options"]["include_usage"] == true {
                let last = json!({
                    "id": "chatcmpl-scenario", "object": "chat.completion.chunk", "created": CREATED,
                    "model": question.model, "choices": [], "usage": usage(),
                });
                out.push(question.event(None, &last.to_string()));
            }
            if !question.order.bare {
                out.push(question.event(None, "[DONE]"));
            }
        }
    }
    Answer { pieces: out, ..answer }
}

/// Sends the calls that are waiting, in the way of the scenario.
fn send_calls(question: &Question<'_>, waiting: &mut Vec<(&str, &str)>, out: &mut Vec<Vec<u8>>) {
    let calls = std::mem::take(waiting);
    if calls.is_empty() {
        return;
    }
    let habit = question.scenario.habit;
    let index = |number: usize| if habit == Habit::SameIndex { 0 } else { number };
    let first = |number: usize, name: &str, arguments: &str| {
        let mut call = json!({"index": index(number), "id": id(number), "type": "function"});
        if habit == Habit::NoId {
            call = json!({"index": index(number), "type": "function"});
        }
        call["function"] = json!({"name": name, "arguments": arguments});
        call
    };
    let more = |number: usize, name: &str, piece: &str| match habit {
        Habit::Repeats => first(number, name, piece),
        _ => json!({"index": index(number), "function": {"arguments": piece}}),
    };
    let mut send = |calls: Vec<Value>| out.push(chunk(question, json!({"tool_calls": calls}), None));
    match habit {
        Habit::Together => {
            let whole = calls.iter().enumerate().map(|(number, (name, text))| first(number, name, text));
            send(whole.collect());
        }
        Habit::Interleaves => {
            for (number, (name, _)) in calls.iter().enumerate() {
                send(vec![first(number, name, "")]);
            }
            let pieces: Vec<Vec<&str>> = calls.iter().map(|(_, arguments)| pieces(arguments, 5)).collect();
            let longest = pieces.iter().map(Vec::len).max().unwrap_or(0);
            for round in 0..longest {
                for (number, (name, _)) in calls.iter().enumerate() {
                    if let Some(piece) = pieces[number].get(round) {
                        send(vec![more(number, name, piece)]);
                    }
                }
            }
        }
        _ => {
            for (number, (name, arguments)) in calls.iter().enumerate() {
                send(vec![first(number, name, "")]);
                for piece in pieces(arguments, 5) {
                    send(vec![more(number, name, piece)]);
                }
            }
        }
    }
}
