//! OpenAI Responses, as an upstream says it.

use serde_json::{Value, json};

use super::answer::{Answer, FAILED, Question};
use super::scenario::{Finish, Habit, Part, TOKENS, pieces};

const CREATED: u64 = 1_767_225_600;

/// The answer of this dialect.
pub fn answer(question: &Question<'_>) -> Answer {
    match question.wants_stream(false) {
        true => streamed(question),
        false => {
            let output = items(question, "completed");
            Answer::json(200, &response(question, output, ended(question)))
        }
    }
}

/// How it ended: the status, and why it is incomplete.
fn ended(question: &Question<'_>) -> (&'static str, Value) {
    match question.scenario.finish {
        Finish::Length => ("incomplete", json!({"reason": "max_output_tokens"})),
        Finish::Filter => ("incomplete", json!({"reason": "content_filter"})),
        _ => ("completed", Value::Null),
    }
}

fn response(question: &Question<'_>, output: Vec<Value>, (status, why): (&str, Value)) -> Value {
    let (asked, cached, said) = TOKENS;
    let usage = match status {
        "in_progress" => Value::Null,
        _ => json!({
            "input_tokens": asked, "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 0},
            "output_tokens": said, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": asked + said,
        }),
    };
    let asked_for = |name: &str, default: Value| match &question.body[name] {
        Value::Null => default,
        given => given.clone(),
    };
    json!({
        "id": "resp_scenario", "object": "response", "created_at": CREATED, "status": status, "error": null,
        "incomplete_details": why, "instructions": question.body["instructions"], "metadata": {},
        "model": question.model, "output": output, "parallel_tool_calls": asked_for("parallel_tool_calls", json!(true)),
        "temperature": 1.0, "tool_choice": asked_for("tool_choice", json!("auto")),
        "tools": asked_for("tools", json!([])), "top_p": 1.0, "usage": usage,
    })
}

fn item_id(number: usize) -> String {
    format!("item_{number:04}")
}

fn call_id(number: usize) -> String {
    format!("call_{number:04}scenario")
}

fn item(part: &Part, number: usize, calls: usize, status: &str) -> Value {
    match part {
        Part::Text(text) => json!({
            "id": item_id(number), "type": "message", "status": status, "role": "assistant",
            "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}],
        }),
        Part::Refusal(text) => json!({
            "id": item_id(number), "type": "message", "status": status, "role": "assistant",
            "content": [{"type": "refusal", "refusal": text}],
        }),
        Part::Thinking(thought) => json!({
            "id": item_id(number), "type": "reasoning", "summary": [{"type": "summary_text", "text": thought}],
            "encrypted_content": "c2VhbGVk",
        }),
        Part::Call { name, arguments } => json!({
            "id": item_id(number), "type": "function_call", "status": status, "call_id": call_id(calls), "name": name,
            "arguments": arguments,
        }),
    }
}

/// All items; the last of an incomplete answer is incomplete.
fn items(question: &Question<'_>, status: &str) -> Vec<Value> {
    let parts = &question.scenario.parts;
    let is_cut = question.scenario.finish == Finish::Length;
    let mut calls = 0;
    let item = |(number, part): (usize, &Part)| {
        let status = if is_cut && number + 1 == parts.len() { "incomplete" } else { status };
        let item = item(part, number, calls, status);
        calls += usize::from(matches!(part, Part::Call { .. }));
        item
    };
    parts.iter().enumerate().map(item).collect()
}

struct Stream<'a, 'b> {
    question: &'a Question<'b>,
    out: Vec<Vec<u8>>,
    number: u32,
}

impl Stream<'_, '_> {
    fn say(&mut self, kind: &str, more: Value) {
        let mut event = json!({"type": kind, "sequence_number": self.number});
        if let (Some(event), Value::Object(more)) = (event.as_object_mut(), more) {
            event.extend(more);
        }
        self.number += 1;
        self.out.push(self.question.event(Some(kind), &event.to_string()));
    }

    /// An item with text in it, of whichever kind.
    fn text(&mut self, at: usize, whole: &Value, kind: &str, member: &str, text: &str) {
        let id = item_id(at);
        let mut empty = whole.clone();
        empty["status"] = json!("in_progress");
        empty["content"] = json!([]);
        self.say("response.output_item.added", json!({"output_index": at, "item": empty}));
        let place = json!({"item_id": id, "output_index": at, "content_index": 0});
        let with = |more: Value| {
            let mut all = place.clone();
            if let (Some(all), Value::Object(more)) = (all.as_object_mut(), more) {
                all.extend(more);
            }
            all
        };
        let mut part = whole["content"][0].clone();
        part[member] = json!("");
        self.say("response.content_part.added", with(json!({"part": part})));
        let size = if text.len() > 4096 { 1024 } else { 9 };
        let is_text = kind == "output_text";
        for piece in pieces(text, size) {
            let mut delta = json!({"delta": piece});
            if is_text {
                delta["logprobs"] = json!([]);
            }
            self.say(&format!("response.{kind}.delta"), with(delta));
        }
        let mut done = json!({});
        done[member] = json!(text);
        if is_text {
            done["logprobs"] = json!([]);
        }
        self.say(&format!("response.{kind}.done"), with(done));
        self.say("response.content_part.done", with(json!({"part": whole["content"][0]})));
        self.say("response.output_item.done", json!({"output_index": at, "item": whole}));
    }

    fn thinking(&mut self, at: usize, whole: &Value, thought: &str) {
        let mut empty = whole.clone();
        empty["summary"] = json!([]);
        self.say("response.output_item.added", json!({"output_index": at, "item": empty}));
        let place = |more: (&str, Value)| {
            let mut place = json!({"item_id": item_id(at), "output_index": at, "summary_index": 0});
            place[more.0] = more.1;
            place
        };
        let empty = json!({"type": "summary_text", "text": ""});
        self.say("response.reasoning_summary_part.added", place(("part", empty)));
        for piece in pieces(thought, 9) {
            self.say("response.reasoning_summary_text.delta", place(("delta", json!(piece))));
        }
        self.say("response.reasoning_summary_text.done", place(("text", json!(thought))));
        self.say("response.reasoning_summary_part.done", place(("part", whole["summary"][0].clone())));
        self.say("response.output_item.done", json!({"output_index": at, "item": whole}));
    }

    fn call_begins(&mut self, at: usize, whole: &Value) {
        let mut empty = whole.clone();
        empty["arguments"] = json!("");
        empty["status"] = json!("in_progress");
        self.say("response.output_item.added", json!({"output_index": at, "item": empty}));
    }

    fn call_goes_on(&mut self, at: usize, piece: &str) {
        let delta = json!({"item_id": item_id(at), "output_index": at, "delta": piece});
        self.say("response.function_call_arguments.delta", delta);
    }

    fn call_ends(&mut self, at: usize, whole: &Value) {
        let done = json!({
            "item_id": item_id(at), "output_index": at, "name": whole["name"], "arguments": whole["arguments"],
        });
        self.say("response.function_call_arguments.done", done);
        self.say("response.output_item.done", json!({"output_index": at, "item": whole}));
    }
}

fn streamed(question: &Question<'_>) -> Answer {
    let mut stream = Stream { question, out: Vec::new(), number: 0 };
    let begin = response(question, Vec::new(), ("in_progress", Value::Null));
    stream.say("response.created", json!({"response": begin}));
    stream.say("response.in_progress", json!({"response": begin}));
    let items = items(question, "completed");
    let mut calls: Vec<(usize, &str)> = Vec::new();
    for (at, part) in question.scenario.parts.iter().enumerate() {
        let whole = &items[at];
        match part {
            Part::Text(text) => stream.text(at, whole, "output_text", "text", text),
            Part::Refusal(text) => stream.text(at, whole, "refusal", "refusal", text),
            Part::Thinking(thought) => stream.thinking(at, whole, thought),
            Part::Call { arguments, .. } if question.scenario.habit == Habit::Interleaves => {
                stream.call_begins(at, whole);
                calls.push((at, arguments));
            }
            Part::Call { arguments, .. } => {
                stream.call_begins(at, whole);
                // A whole call may come without deltas.
                if question.scenario.habit != Habit::Together {
                    for piece in pieces(arguments, 5) {
                        stream.call_goes_on(at, piece);
                    }
                }
                stream.call_ends(at, whole);
            }
        }
    }
    let waiting: Vec<(usize, Vec<&str>)> =
        calls.into_iter().map(|(at, arguments)| (at, pieces(arguments, 5))).collect();
    for round in 0..waiting.iter().map(|(_, pieces)| pieces.len()).max().unwrap_or(0) {
        for (at, pieces) in &waiting {
            if let Some(piece) = pieces.get(round) {
                stream.call_goes_on(*at, piece);
            }
        }
    }
    for (at, _) in &waiting {
        stream.call_ends(*at, &items[*at]);
    }
    let mut answer = Answer::stream("text/event-stream; charset=utf-8", Vec::new());
    match question.scenario.finish {
        Finish::Dies => {
            stream.out.truncate(stream.out.len() - 4);
            answer.dies = true;
        }
        Finish::Fails => {
            stream.out.truncate(stream.out.len() - 4);
            stream.number -= 4;
            let mut failed = response(question, Vec::new(), ("failed", Value::Null));
            failed["error"] = json!({"code": "server_error", "message": FAILED});
            failed["usage"] = Value::Null;
            stream.say("response.failed", json!({"response": failed}));
        }
        _ if question.order.bare => {}
        _ => {
            let (status, why) = ended(question);
            let kind = format!("response.{status}");
            let whole = response(question, items.clone(), (status, why));
            stream.say(&kind, json!({"response": whole}));
        }
    }
    Answer { pieces: stream.out, ..answer }
}
