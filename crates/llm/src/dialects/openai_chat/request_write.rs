//! Requests, written for upstreams that speak Chat.

use toolwright_jsonrpc::{Json, ObjectWriter};

use super::messages_write::write_messages;
use super::tools::{write_choice, write_tools};
use crate::dialects::history::note_once;
use crate::dialects::offer::{carried, flag, merged, note_members};
use crate::form::{Block, Effort, Format, Members, Reasoning, Request};
use crate::{Dialect, Failure, Notes, Target};

/// The name of a schema that has none: Chat wants one.
const SCHEMA_NAME: &str = "answer";

/// Writes a request for an upstream.
pub fn write_request(request: &Request, target: &Target, notes: &mut Notes) -> Result<String, Failure> {
    let is_same = request.dialect == Some(Dialect::OpenAiChat);
    let messages = write_messages(request, target, notes)?;
    let tools = write_tools(request, notes);
    let bytes = |values: &[Json]| values.iter().map(|value| value.as_str().len() + 1).sum::<usize>();
    let mut out = ObjectWriter::with_capacity(bytes(&messages) + bytes(&tools) + 512);
    out.text("model", &target.model);
    out.list("messages", messages);
    if !tools.is_empty() {
        out.list("tools", tools);
        write_choice(request, &mut out, notes);
    }
    if let Some(most) = request.max_tokens {
        out.number(if target.max_completion_tokens { "max_completion_tokens" } else { "max_tokens" }, most);
    }
    write_sampling(request, target, &mut out, notes);
    if let Some(user) = &request.user {
        out.text("user", user);
    }
    if let Some(reasoning) = &request.reasoning {
        write_reasoning(reasoning, &mut out, notes);
    }
    if let Some(format) = &request.format {
        out.value("response_format", &write_format(format));
    }
    if request.is_stream {
        out.value("stream", &Json::yes());
        // Without it most servers tell no usage at all.
        let mut options = ObjectWriter::default();
        options.value("include_usage", &Json::yes());
        let more = carried(&request.extra, "stream_options").filter(|_| is_same);
        out.value("stream_options", &merged(options.finish(), more));
    }
    if is_same {
        for (key, value) in request.extra.iter().filter(|(key, _)| key != "stream_options") {
            out.value(key, value);
        }
    } else {
        note_members(&request.extra, notes);
        note_cache_control(request, notes);
    }
    Ok(out.finish().as_str().to_owned())
}

fn write_sampling(request: &Request, target: &Target, out: &mut ObjectWriter, notes: &mut Notes) {
    for (key, value) in [("temperature", &request.temperature), ("top_p", &request.top_p)] {
        match value {
            Some(value) if target.takes_temperature => out.value(key, value),
            Some(value) => {
                notes.add("sampling_not_sent", format!("the model takes no {key}; {value} was left out"))
            }
            None => {}
        }
    }
    match &request.top_k {
        Some(top_k) if target.takes_top_k => out.value("top_k", top_k),
        Some(_) => notes.add("top_k_not_sent", "the upstream knows no top_k"),
        None => {}
    }
    let most = target.most_stop_sequences.unwrap_or(usize::MAX);
    let stop = &request.stop[..request.stop.len().min(most)];
    if stop.len() < request.stop.len() {
        notes.add(
            "stop_sequences_cut",
            format!("of {} stop sequences the first {most} are sent", request.stop.len()),
        );
    }
    if !stop.is_empty() {
        out.value("stop", &Json::texts(stop));
    }
}

/// How hard is thought. That nothing is to be thought is said only where the client said it in these words: models
/// that cannot think refuse the word.
fn write_reasoning(reasoning: &Reasoning, out: &mut ObjectWriter, notes: &mut Notes) {
    if let Some((Dialect::OpenAiChat, raw)) = &reasoning.raw {
        out.value("reasoning", raw);
        return;
    }
    let effort = match (reasoning.is_on, reasoning.effort, reasoning.budget) {
        (_, Some(Effort::None), _) => Effort::None,
        (Some(false), ..) => {
            note_once(
                notes,
                "thinking_off_not_said",
                "the upstream is not told that nothing is to be thought: not all models know the word",
            );
            return;
        }
        (_, Some(effort), _) => effort,
        (_, None, Some(budget)) => Effort::of_budget(budget),
        (Some(true), None, None) => Effort::High,
        (None, None, None) => return,
    };
    out.text("reasoning_effort", effort.word());
}

fn write_format(format: &Format) -> Json {
    let mut out = ObjectWriter::default();
    match format {
        Format::Json => out.text("type", "json_object"),
        Format::Schema { name, schema, strict } => {
            let mut inner = ObjectWriter::default();
            inner.text("name", name.as_deref().unwrap_or(SCHEMA_NAME));
            inner.value("schema", schema);
            if let Some(strict) = strict {
                inner.value("strict", &flag(*strict));
            }
            out.text("type", "json_schema");
            out.value("json_schema", &inner.finish());
        }
    }
    out.finish()
}

/// Tells once that points of caching are left out: Chat caches by itself.
fn note_cache_control(request: &Request, notes: &mut Notes) {
    let has = |extra: &Members| carried(extra, "cache_control").is_some();
    let in_block = |block: &Block| match block {
        Block::Text(text) => has(&text.extra),
        Block::Media(media) => has(&media.extra),
        Block::Call(call) => has(&call.extra),
        Block::Result(result) => has(&result.extra),
        _ => false,
    };
    let is_there = request.system.iter().any(|text| has(&text.extra))
        || request.tools.iter().any(|tool| has(&tool.extra))
        || request.messages.iter().flat_map(|message| &message.blocks).any(in_block);
    if is_there {
        note_once(notes, "cache_control_dropped", "the upstream's dialect has no points of caching");
    }
}
