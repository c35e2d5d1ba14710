//! Anthropic Messages, as an upstream says it.

use serde_json::{Value, json};

use super::answer::{Answer, FAILED, Question};
use super::scenario::{Finish, Habit, Part, TOKENS, pieces};

/// The answer of this dialect.
pub fn answer(question: &Question<'_>) -> Answer {
    let mut answer = match question.wants_stream(false) {
        true => streamed(question),
        false => Answer::json(200, &whole(question)),
    };
    answer.headers.push(("request-id", "req_upstream_0001".into()));
    answer
}

/// An error of this dialect.
pub fn error(status: u16, text: &str) -> Value {
    let kind = match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_upstream_0001"})
}

fn stop_reason(question: &Question<'_>) -> &'static str {
    match question.scenario.finish {
        Finish::Calls => "tool_use",
        Finish::Length => "max_tokens",
        Finish::Filter => "refusal",
        _ => "end_turn",
    }
}

fn usage(said: u32) -> Value {
    let (asked, cached, _) = TOKENS;
    json!({
        "input_tokens": asked - cached, "cache_creation_input_tokens": 0, "cache_read_input_tokens": cached,
        "output_tokens": said,
    })
}

fn id(number: usize) -> String {
    format!("toolu_{number:04}scenario")
}

fn message(question: &Question<'_>, content: Vec<Value>, stop: Value, usage: Value) -> Value {
    json!({
        "id": "msg_scenario", "type": "message", "role": "assistant", "model": question.model, "content": content,
        "stop_reason": stop, "stop_sequence": null, "usage": usage,
    })
}

/// Arguments that are no JSON are a text here.
fn input(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments))
}

fn whole(question: &Question<'_>) -> Value {
    let mut calls = 0;
    let content = question.scenario.parts.iter().map(|part| match part {
        Part::Text(text) | Part::Refusal(text) => json!({"type": "text", "text": text}),
        Part::Thinking(thought) => {
            json!({"type": "thinking", "thinking": thought, "signature": "c2lnbmVk"})
        }
        Part::Call { name, arguments } => {
            calls += 1;
            json!({"type": "tool_use", "id": id(calls - 1), "name": name, "input": input(arguments)})
        }
    });
    message(question, content.collect(), json!(stop_reason(question)), usage(TOKENS.2))
}

struct Blocks<'a, 'b> {
    question: &'a Question<'b>,
    out: Vec<Vec<u8>>,
    next: usize,
}

impl Blocks<'_, '_> {
    fn event(&mut self, name: &str, event: &Value) {
        self.out.push(self.question.event(Some(name), &event.to_string()));
    }

    fn block(&mut self, start: Value, deltas: impl IntoIterator<Item = Value>) {
        let index = self.next;
        self.next += 1;
        let event = json!({"type": "content_block_start", "index": index, "content_block": start});
        self.event("content_block_start", &event);
        for delta in deltas {
            let event = json!({"type": "content_block_delta", "index": index, "delta": delta});
            self.event("content_block_delta", &event);
        }
        self.event("content_block_stop", &json!({"type": "content_block_stop", "index": index}));
    }
}

fn streamed(question: &Question<'_>) -> Answer {
    let mut blocks = Blocks { question, out: Vec::new(), next: 0 };
    let begin = message(question, Vec::new(), Value::Null, usage(1));
    blocks.event("message_start", &json!({"type": "message_start", "message": begin}));
    blocks.event("ping", &json!({"type": "ping"}));
    let mut calls = 0;
    for part in &question.scenario.parts {
        match part {
            Part::Text(text) | Part::Refusal(text) => {
                let size = if text.len() > 4096 { 1024 } else { 9 };
                let deltas = pieces(text, size).into_iter();
                let deltas = deltas.map(|piece| json!({"type": "text_delta", "text": piece}));
                blocks.block(json!({"type": "text", "text": ""}), deltas);
            }
            Part::Thinking(thought) => {
                let deltas = pieces(thought, 9).into_iter();
                let deltas = deltas
                    .map(|piece| json!({"type": "thinking_delta", "thinking": piece}))
                    .chain([json!({"type": "signature_delta", "signature": "c2lnbmVk"})]);
                blocks.block(json!({"type": "thinking", "thinking": "", "signature": ""}), deltas);
            }
            Part::Call { name, arguments } => {
                let start = json!({"type": "tool_use", "id": id(calls), "name": name, "input": {}});
                calls += 1;
                let size = if question.scenario.habit == Habit::Together { usize::MAX } else { 5 };
                // The first piece of the real server is empty.
                let deltas = [""].into_iter().chain(pieces(arguments, size));
                let deltas = deltas.map(|piece| json!({"type": "input_json_delta", "partial_json": piece}));
                blocks.block(start, deltas);
            }
        }
    }
    let mut answer = Answer::stream("text/event-stream; charset=utf-8", Vec::new());
    match question.scenario.finish {
        Finish::Dies => {
            blocks.out.truncate(blocks.out.len() - 3);
            answer.dies = true;
        }
        Finish::Fails => {
            blocks.out.truncate(blocks.out.len() - 3);
            let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": FAILED}});
            blocks.event("error", &error);
        }
        _ => {
            let delta = json!({"stop_reason": stop_reason(question), "stop_sequence": null});
            let end = json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": TOKENS.2}});
            blocks.event("message_delta", &end);
            if !question.order.bare {
                blocks.event("message_stop", &json!({"type": "message_stop"}));
            }
        }
    }
    let mut out = blocks.out;
    if question.scenario.habit == Habit::Together {
        out = vec![out.concat()];
    }
    Answer { pieces: out, ..answer }
}
