//! Whole answers of Chat.

use toolwright_jsonrpc::{Json, ObjectWriter, raw};

use super::message_read::take_assistant;
use super::reasoning;
use crate::dialects::error_shapes;
use crate::dialects::fields::{Fields, Path, count, decoded};
use crate::dialects::offer::{carried, words_of};
use crate::form::{Block, Call, Response, Stop, Thinking, Usage, signature};
use crate::{Dialect, Failure, FailureKind, Reply};

/// Reads an upstream's answer: the first of its choices.
pub fn read_response(body: &str) -> Result<Response, Failure> {
    let root = Path::Body;
    let mut fields = Fields::read(body, root).map_err(upstream_fault)?;
    let choices = fields.list("choices").map_err(upstream_fault)?.unwrap_or_default();
    let Some(choice) = choices.first() else {
        if error_shapes::is_error(&fields) {
            return Err(error_shapes::read(200, body));
        }
        return Err(upstream_fault(Failure::invalid("it has no choices")));
    };
    let place = root.member("choices");
    let place = place.item(0);
    let mut choice = Fields::read(choice, place).map_err(upstream_fault)?;
    // OpenRouter: an error of the provider behind it.
    if choice.peek("error").is_some() {
        return Err(error_shapes::read(200, choices.first().copied().unwrap_or_default()));
    }
    let mut message = Fields::read(choice.take("message").unwrap_or("{}"), place.member("message"))
        .map_err(upstream_fault)?;
    let mut blocks = take_assistant(&mut message).map_err(upstream_fault)?;
    let annotations = message.take("annotations").filter(|value| *value != "[]");
    if let Some(raw) = annotations.and_then(|value| Json::parse(value).ok())
        && let Some(Block::Text(text)) = blocks.iter_mut().find(|block| matches!(block, Block::Text(_)))
    {
        text.extra.push(("annotations".to_owned(), raw));
    }
    let finish = choice.take("finish_reason").and_then(decoded);
    // vLLM: the text that ended it.
    let matched = choice.take("stop_reason").and_then(decoded);
    let (stop, stop_sequence) = match finish.as_deref().map(read_stop) {
        Some(Stop::EndTurn) if matched.is_some() => (Some(Stop::StopSequence), matched),
        other => (other, None),
    };
    let usage = fields.take("usage").map(read_usage).unwrap_or_default();
    let (id, model) = (fields.take("id").and_then(decoded), fields.take("model").and_then(decoded));
    let created = fields.take("created").and_then(count);
    fields.take("object");
    let mut extra = fields.rest();
    let logprobs = choice.take("logprobs").and_then(|value| Json::parse(value).ok());
    extra.extend(logprobs.map(|value| ("logprobs".to_owned(), value)));
    Ok(Response {
        dialect: Some(Dialect::OpenAiChat),
        id,
        model,
        created,
        blocks,
        stop,
        stop_sequence,
        usage,
        extra,
    })
}

/// The failure of an answer that cannot be read: the upstream's fault, not the client's.
fn upstream_fault(failure: Failure) -> Failure {
    Failure::new(FailureKind::Api, format!("the upstream's answer cannot be read: {failure}"))
        .with_status(502)
}

/// What a finish reason means.
pub(crate) fn read_stop(word: &str) -> Stop {
    match word {
        "stop" => Stop::EndTurn,
        "length" => Stop::MaxTokens,
        "tool_calls" | "function_call" => Stop::ToolUse,
        "content_filter" => Stop::Refusal,
        "model_length" => Stop::ContextWindow,
        other => Stop::Other(other.to_owned()),
    }
}

/// The word for a stop. Clients know no others than OpenAI's: another's own word is a plain end.
pub(crate) fn finish_word(stop: &Stop, dialect: Option<Dialect>) -> &str {
    match stop {
        Stop::EndTurn | Stop::StopSequence | Stop::PauseTurn => "stop",
        Stop::MaxTokens | Stop::ContextWindow => "length",
        Stop::ToolUse => "tool_calls",
        Stop::Refusal => "content_filter",
        Stop::Other(word) if dialect == Some(Dialect::OpenAiChat) => word,
        Stop::Other(_) => "stop",
    }
}

/// Reads counts: what was cached is a part of the prompt there, and is none here.
pub(crate) fn read_usage(value: &str) -> Usage {
    let fields = Fields::lenient(value);
    let inner = |key: &str| Fields::lenient(fields.peek(key).unwrap_or("{}"));
    let (prompt_details, answer_details) =
        (inner("prompt_tokens_details"), inner("completion_tokens_details"));
    let first = |of: &Fields<'_, '_>, keys: &[&str]| keys.iter().find_map(|key| of.peek(key).and_then(count));
    let cache_read = first(&prompt_details, &["cached_tokens"])
        .or_else(|| first(&fields, &["cache_read_input_tokens", "prompt_cache_hit_tokens", "cached_tokens"]));
    let cache_write = first(&prompt_details, &["cache_write_tokens", "cache_creation_tokens"])
        .or_else(|| first(&fields, &["cache_creation_input_tokens"]));
    let prompt = first(&fields, &["prompt_tokens"]);
    Usage {
        input: prompt
            .map(|all| all.saturating_sub(cache_read.unwrap_or(0)).saturating_sub(cache_write.unwrap_or(0))),
        cache_read,
        cache_write,
        output: first(&fields, &["completion_tokens"]),
        reasoning: first(&answer_details, &["reasoning_tokens"]),
    }
}

/// Writes counts: all of the input is the prompt.
pub(crate) fn write_usage(usage: &Usage) -> Json {
    let (prompt, answer) = (usage.all_input(), usage.output.unwrap_or(0));
    let mut out = ObjectWriter::default();
    out.number("prompt_tokens", prompt);
    out.number("completion_tokens", answer);
    out.number("total_tokens", prompt.saturating_add(answer));
    let mut details = ObjectWriter::default();
    if let Some(read) = usage.cache_read {
        details.number("cached_tokens", read);
    }
    if let Some(write) = usage.cache_write {
        details.number("cache_write_tokens", write);
    }
    if !details.is_empty() {
        out.value("prompt_tokens_details", &details.finish());
    }
    if let Some(thoughts) = usage.reasoning {
        let mut details = ObjectWriter::default();
        details.number("reasoning_tokens", thoughts);
        out.value("completion_tokens_details", &details.finish());
    }
    out.finish()
}

/// Writes an answer for a client.
pub fn write_response(response: &Response, reply: &Reply) -> String {
    let is_same = response.dialect == Some(Dialect::OpenAiChat);
    let message = write_message(response, is_same, reply);
    let null = Json::parse("null").unwrap_or_else(|_| Json::text(""));
    let mut choice = ObjectWriter::with_capacity(message.as_str().len() + 64);
    choice.number("index", 0);
    choice.value("message", &message);
    choice.value("logprobs", carried(&response.extra, "logprobs").filter(|_| is_same).unwrap_or(&null));
    let has_call = response.blocks.iter().any(|block| matches!(block, Block::Call(_)));
    choice.text(
        "finish_reason",
        match &response.stop {
            Some(stop) => finish_word(stop, response.dialect),
            None if has_call => "tool_calls",
            None => "stop",
        },
    );
    let mut out = ObjectWriter::with_capacity(message.as_str().len() + 512);
    match response.id.as_deref().filter(|id| id.starts_with("chatcmpl")) {
        Some(id) => out.text("id", id),
        None => out.text("id", &format!("chatcmpl-{}", reply.id)),
    }
    out.text("object", "chat.completion");
    out.number("created", response.created.unwrap_or(reply.created));
    out.text("model", &reply.request.model);
    out.list("choices", [choice.finish()]);
    if response.usage != Usage::default() {
        out.value("usage", &write_usage(&response.usage));
    }
    if is_same {
        for (key, value) in response.extra.iter().filter(|(key, _)| key != "logprobs") {
            out.value(key, value);
        }
    }
    out.finish().as_str().to_owned()
}

fn write_message(response: &Response, is_same: bool, reply: &Reply) -> Json {
    let mut content = String::new();
    let mut refusal = String::new();
    let mut thoughts: Vec<&Thinking> = Vec::new();
    let mut calls = Vec::new();
    let mut annotations = Vec::new();
    for block in &response.blocks {
        match block {
            Block::Text(text) => {
                content.push_str(&text.text);
                let of_text = carried(&text.extra, "annotations").filter(|_| is_same);
                annotations
                    .extend(of_text.and_then(|list| raw::items(list.as_str()).ok()).into_iter().flatten());
            }
            Block::Refusal(text) => refusal.push_str(text),
            Block::Thinking(thinking) => thoughts.push(thinking),
            Block::Call(call) => calls.push(write_call(call, is_same, calls.len(), reply)),
            Block::Other { dialect: Dialect::OpenAiChat, raw } => calls.push(raw.clone()),
            Block::Other { raw, .. } => content.push_str(&words_of(raw).unwrap_or_default()),
            Block::Media(_) | Block::Result(_) => {}
        }
    }
    let null = Json::parse("null").unwrap_or_else(|_| Json::text(""));
    let mut out = ObjectWriter::with_capacity(content.len() + 128);
    out.text("role", "assistant");
    match content.is_empty() && (!calls.is_empty() || !refusal.is_empty()) {
        true => out.value("content", &null),
        false => out.text("content", &content),
    }
    match refusal.is_empty() {
        true => out.value("refusal", &null),
        false => out.text("refusal", &refusal),
    }
    reasoning::write_for_client(&thoughts, &mut out);
    if !annotations.is_empty() {
        out.list("annotations", annotations.into_iter().filter_map(|item| Json::parse(item).ok()));
    }
    if !calls.is_empty() {
        out.list("tool_calls", calls);
    }
    out.finish()
}

fn write_call(call: &Call, is_same: bool, number: usize, reply: &Reply) -> Json {
    let mut function = ObjectWriter::with_capacity(call.arguments.as_str().len() + 64);
    function.text("name", &call.name);
    function.text("arguments", call.arguments.as_str());
    let mut out = ObjectWriter::default();
    match &call.id {
        Some(id) => out.text("id", id),
        None => out.text("id", &format!("call_{}{number}", reply.id)),
    }
    out.text("type", "function");
    out.value("function", &function.finish());
    for (key, value) in &call.extra {
        if is_same || key == signature::BESIDE_CALL {
            out.value(key, value);
        }
    }
    out.finish()
}
