//! Ollama: calls come whole, their arguments are objects. A line of a stream is like a whole answer.

use crate::form::Stop;
use crate::pass::{CallObject, Spot, Walk, top};

pub(super) fn answer(body: &str, spots: &mut Vec<Spot>) -> Option<()> {
    let (mut error, mut is_done, mut has_counts) = (None, false, false);
    let (mut span, mut word) = (None, None);
    let whole = Walk::new(body).span()?;
    Walk::new(body).object(|walk, key| match key {
        "model" => top(walk, spots, Spot::Model),
        "created_at" => top(walk, spots, Spot::Created),
        "message" => message(walk, spots),
        "done" => {
            is_done = walk.peek() == Some(b't');
            walk.skip()
        }
        "done_reason" => walk.worded(&mut span, &mut word),
        "eval_count" | "prompt_eval_count" => {
            has_counts = true;
            walk.skip()
        }
        "error" => walk.present(&mut error),
        _ => walk.skip(),
    })?;
    if has_counts {
        spots.push(Spot::Usage(whole));
    }
    if let Some(word) = word {
        spots.push(Spot::Finish { part: 0, span: None, stop: stop(&word) });
    }
    if is_done {
        spots.push(Spot::Done);
    }
    if error.is_some() {
        spots.push(Spot::Error);
    }
    Some(())
}

pub(super) fn request(body: &str, spots: &mut Vec<Spot>) -> Option<()> {
    Walk::new(body).object(|walk, key| match key {
        "model" => top(walk, spots, Spot::Model),
        "messages" => walk.list(|walk, _| {
            walk.object(|walk, key| match key {
                "tool_calls" => walk.list(|walk, _| call(walk, spots)),
                _ => walk.skip(),
            })
        }),
        _ => walk.skip(),
    })
}

fn message(walk: &mut Walk<'_>, spots: &mut Vec<Spot>) -> Option<()> {
    let (mut text, mut thinking, mut list) = (None, None, None);
    let mut calls = Vec::new();
    walk.object(|walk, key| match key {
        "content" => walk.string(&mut text),
        "thinking" => walk.string(&mut thinking),
        "tool_calls" => {
            let start = walk.at();
            walk.list(|walk, _| call(walk, &mut calls))?;
            list = Some(start..walk.at());
            Some(())
        }
        _ => walk.skip(),
    })?;
    if let Some(span) = list.filter(|_| calls.is_empty()) {
        spots.push(Spot::NoCalls { part: 0, span });
    }
    if thinking.is_some_and(|span| span.len() > 2) {
        spots.push(Spot::Content { part: 0, may_be_call: false });
    }
    if let Some(span) = text.filter(|span| span.len() > 2) {
        spots.push(Spot::Text { part: 0, span, whole: None });
    }
    spots.append(&mut calls);
    Some(())
}

fn call(walk: &mut Walk<'_>, spots: &mut Vec<Spot>) -> Option<()> {
    // Numbers of calls are not told apart by: they are 0 for all of a turn with some.
    let mut call = CallObject::default();
    walk.object(|walk, key| match key {
        "id" => walk.string(&mut call.key.id),
        "function" => call.function(walk),
        _ => walk.skip(),
    })?;
    call.call_id = call.key.id.clone();
    call.tell_whole(spots);
    Some(())
}

fn stop(word: &str) -> Stop {
    match word {
        "stop" => Stop::EndTurn,
        "length" => Stop::MaxTokens,
        other => Stop::Other(other.to_owned()),
    }
}
