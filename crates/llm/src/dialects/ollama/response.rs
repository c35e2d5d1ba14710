//! Whole answers, read and written.

use toolwright_jsonrpc::{Json, ObjectWriter, raw};

use crate::dialects::error_shapes;
use crate::dialects::fields::{Fields, arguments, count, decoded};
use crate::dialects::offer::flag;
use crate::dialects::time;
use crate::form::{Arguments, Block, Call, Members, Response, Stop, Text, Thinking, Usage};
use crate::{Dialect, Failure, FailureKind, Reply};

/// Reads an upstream's whole answer.
pub fn read_response(body: &str) -> Result<Response, Failure> {
    let Ok(members) = raw::members(body) else {
        return Err(Failure::new(
            FailureKind::Api,
            "The upstream answered with something that is no JSON object.",
        ));
    };
    if members.is_empty() || error_shapes::is_error(&Fields::lenient(body)) {
        return Err(error_shapes::read(200, body));
    }
    let mut line = Line::read(body);
    let Some(message) = line.message.take() else {
        return Err(Failure::new(FailureKind::Api, "The upstream's answer has no \"message\"."));
    };
    let mut blocks = Vec::new();
    if let Some(text) = message.thinking.and_then(decoded) {
        blocks.push(Block::Thinking(Thinking { text, ..Thinking::default() }));
    }
    if let Some(text) = message.content.and_then(decoded) {
        blocks.push(Block::Text(Text { text, extra: Members::new() }));
    }
    blocks.extend(message.calls.into_iter().map(Block::Call));
    Ok(Response {
        dialect: Some(Dialect::OllamaChat),
        model: line.model,
        created: line.created,
        blocks,
        stop: line.stop,
        usage: line.usage,
        extra: line.extra,
        ..Response::default()
    })
}

/// One object of an answer: all of it, or a line of its stream.
pub(super) struct Line<'a> {
    pub(super) model: Option<String>,
    pub(super) created: Option<u64>,
    pub(super) message: Option<Said<'a>>,
    pub(super) is_done: bool,
    pub(super) stop: Option<Stop>,
    pub(super) usage: Usage,
    extra: Members,
}

/// What an object says.
pub(super) struct Said<'a> {
    /// As JSON, where it says something.
    pub(super) thinking: Option<&'a str>,
    /// The same.
    pub(super) content: Option<&'a str>,
    pub(super) calls: Vec<Call>,
}

impl<'a> Line<'a> {
    pub(super) fn read(object: &'a str) -> Line<'a> {
        let mut fields = Fields::lenient(object);
        let mut text = |key: &str| fields.take(key).and_then(decoded);
        let (model, created) = (text("model"), text("created_at").as_deref().and_then(time::read));
        let stop = text("done_reason").map(|word| match word.as_str() {
            "stop" => Stop::EndTurn,
            "length" => Stop::MaxTokens,
            "tool_calls" => Stop::ToolUse,
            "content_filter" => Stop::Refusal,
            _ => Stop::Other(word),
        });
        Line {
            model,
            created,
            stop,
            message: fields.take("message").map(Said::read),
            is_done: fields.take("done") == Some("true"),
            usage: Usage {
                input: fields.take("prompt_eval_count").and_then(count),
                output: fields.take("eval_count").and_then(count),
                ..Usage::default()
            },
            extra: fields.rest(),
        }
    }
}

impl<'a> Said<'a> {
    fn read(message: &'a str) -> Said<'a> {
        let mut fields = Fields::lenient(message);
        let mut text = |key: &str| fields.take(key).filter(|text| text.starts_with('"') && text.len() > 2);
        let (thinking, content) = (text("thinking"), text("content"));
        let calls = fields.take("tool_calls").and_then(|calls| raw::items(calls).ok()).unwrap_or_default();
        Said { thinking, content, calls: calls.into_iter().filter_map(read_call).collect() }
    }
}

fn read_call(raw: &str) -> Option<Call> {
    let mut fields = Fields::lenient(raw);
    let mut function = Fields::lenient(fields.take("function")?);
    let name = function.take("name").and_then(decoded).unwrap_or_default();
    let id = fields.take("id").and_then(decoded).filter(|id| !id.is_empty());
    Some(Call { id, name, arguments: arguments(function.take("arguments")), extra: Members::new() })
}

/// Writes an answer for a client.
pub fn write_response(response: &Response, reply: &Reply) -> String {
    let stop = response.stop.as_ref().unwrap_or(&Stop::EndTurn);
    let (mut words, mut thoughts, mut calls) = (String::new(), String::new(), Vec::new());
    for block in &response.blocks {
        match block {
            Block::Text(text) => words.push_str(&text.text),
            Block::Refusal(text) => words.push_str(text),
            Block::Thinking(thinking) => {
                if !thoughts.is_empty() && !thinking.text.is_empty() {
                    thoughts.push_str("\n\n");
                }
                thoughts.push_str(&thinking.text);
            }
            Block::Call(call) => match &call.arguments {
                Arguments::Text(text) if *stop == Stop::MaxTokens => {
                    words.push_str(&cut_call(&call.name, text))
                }
                _ => {
                    let made = format!("call_{}_{}", reply.id, calls.len());
                    let id = call.id.as_deref().unwrap_or(&made);
                    calls.push(write_call(id, &call.name, &call.arguments, calls.len()));
                }
            },
            // A model gives no media or results, and what only others know has no place here.
            Block::Media(_) | Block::Result(_) | Block::Other { .. } => {}
        }
    }
    let message = write_message(&words, &thoughts, calls);
    let created = response.created.unwrap_or(reply.created);
    write_line(&reply.request.model, created, &message, Some((stop, &response.usage))).as_str().to_owned()
}

/// What a message says.
pub(super) fn write_message(words: &str, thoughts: &str, calls: Vec<Json>) -> Json {
    let mut message = ObjectWriter::with_capacity(words.len() + thoughts.len() + 60);
    message.text("role", "assistant");
    message.text("content", words);
    if !thoughts.is_empty() {
        message.text("thinking", thoughts);
    }
    if !calls.is_empty() {
        message.list("tool_calls", calls);
    }
    message.finish()
}

/// A call. Its arguments are an object in any case: clients take nothing else.
pub(super) fn write_call(id: &str, name: &str, arguments: &Arguments, at: usize) -> Json {
    let mut function = ObjectWriter::default();
    function.number("index", at as u64);
    function.text("name", name);
    function.value("arguments", &arguments.to_object());
    let mut out = ObjectWriter::default();
    out.text("id", id);
    out.value("function", &function.finish());
    out.finish()
}

/// What is said instead of a call that the length limit cut: clients would run it.
pub(super) fn cut_call(name: &str, arguments: &str) -> String {
    format!("[A call of {name} was cut off by the length limit and was not made: {arguments}]")
}

/// One object of an answer. Durations are not known here.
pub(super) fn write_line(model: &str, created: u64, message: &Json, end: Option<(&Stop, &Usage)>) -> Json {
    let mut out = ObjectWriter::with_capacity(message.as_str().len() + 120);
    out.text("model", model);
    out.text("created_at", &time::write(created));
    out.value("message", message);
    let Some((stop, usage)) = end else {
        out.value("done", &flag(false));
        return out.finish();
    };
    out.text("done_reason", stop_word(stop));
    out.value("done", &Json::yes());
    out.number("total_duration", 0);
    out.number("load_duration", 0);
    if usage.input.or(usage.cache_read).or(usage.cache_write).is_some() {
        out.number("prompt_eval_count", usage.all_input());
    }
    out.number("prompt_eval_duration", 0);
    if let Some(tokens) = usage.output {
        out.number("eval_count", tokens);
    }
    out.number("eval_duration", 0);
    out.finish()
}

/// After a call, too, Ollama says `stop`.
fn stop_word(stop: &Stop) -> &str {
    match stop {
        Stop::EndTurn | Stop::ToolUse | Stop::StopSequence | Stop::PauseTurn => "stop",
        Stop::MaxTokens | Stop::ContextWindow => "length",
        Stop::Refusal => "content_filter",
        Stop::Other(word) => word,
    }
}

#[cfg(test)]
mod tests;
