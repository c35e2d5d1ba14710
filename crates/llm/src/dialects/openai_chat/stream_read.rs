//! Chunks of a Chat stream, read into events.

use std::borrow::Cow;

use toolwright_jsonrpc::raw;

use super::stream_calls::{Calls, Piece};
use crate::form::{Event, Stop, Usage};
use crate::stream::told::{self, number, some_text};
use crate::stream::{Decode, Frame};

/// Reads the chunks of one Chat stream, of OpenAI and of those who do as it does.
#[derive(Debug)]
pub struct Decoder {
    calls: Calls,
    is_started: bool,
    /// Something was said or called.
    has_content: bool,
    /// Why the answer ends, as far as was said. It is told at the end: some say it in every chunk.
    finish: Option<(Stop, Option<String>)>,
    usage: Usage,
    is_over: bool,
}

impl Decoder {
    /// A decoder for one stream. Ids that the upstream does not give are made of `id_seed`.
    pub fn new(id_seed: &str) -> Decoder {
        Decoder {
            calls: Calls::new(id_seed),
            is_started: false,
            has_content: false,
            finish: None,
            usage: Usage::default(),
            is_over: false,
        }
    }
}

impl Decode for Decoder {
    fn frame(&mut self, frame: &Frame<'_>, out: &mut Vec<Event>) {
        let data = frame.data.trim();
        if self.is_over || data.is_empty() {
            return;
        }
        if data == "[DONE]" {
            self.close(out);
        } else if let Err(failure) = self.chunk(frame.event, data, out) {
            self.is_over = true;
            out.push(Event::Error(failure));
        }
    }

    fn end(&mut self, out: &mut Vec<Event>) {
        if self.is_over {
            return;
        }
        if self.finish.is_some() {
            self.close(out);
        } else {
            self.is_over = true;
            out.push(Event::Error(told::cut_off("neither a finish_reason nor [DONE] came")));
        }
    }
}

/// What a chunk has at its top, as text.
#[derive(Default)]
struct Chunk<'a> {
    id: Option<&'a str>,
    model: Option<&'a str>,
    created: Option<&'a str>,
    choices: Option<&'a str>,
    usage: Option<&'a str>,
    is_error: bool,
}

impl Decoder {
    fn chunk(&mut self, event: &str, data: &str, out: &mut Vec<Event>) -> Result<(), crate::Failure> {
        let members = raw::members(data).map_err(|_| told::not_json(data))?;
        let mut chunk = Chunk { is_error: event == "error", ..Chunk::default() };
        let mut has_message = false;
        for member in &members {
            let value = member.value;
            if value == "null" {
                continue;
            }
            match member.key.as_ref() {
                "id" => chunk.id = Some(value),
                "model" => chunk.model = Some(value),
                "created" => chunk.created = Some(value),
                "choices" => chunk.choices = Some(value),
                "usage" => chunk.usage = Some(value),
                "x_groq" => chunk.usage = chunk.usage.or(raw::find(value, "usage")),
                "error" => chunk.is_error = true,
                "object" => chunk.is_error |= value == r#""error""#,
                "message" | "detail" => has_message = true,
                _ => {}
            }
        }
        if chunk.is_error || (has_message && chunk.choices.is_none()) {
            return Err(told::error_of(data));
        }
        if !self.is_started {
            self.is_started = true;
            out.push(Event::Start {
                id: chunk.id.and_then(some_text).map(Cow::into_owned),
                model: chunk.model.and_then(some_text).map(Cow::into_owned),
                created: chunk.created.and_then(number),
                usage: Usage::default(),
            });
        }
        let choices = chunk.choices.map(raw::items).transpose().unwrap_or_default().unwrap_or_default();
        for choice in &choices {
            self.choice(choice, out)?;
        }
        if let Some(usage) = chunk.usage {
            let usage = read_usage(usage);
            if usage != self.usage {
                self.usage = usage;
                out.push(Event::Usage(usage));
            }
            if choices.is_empty() && self.finish.is_some() {
                self.close(out);
            }
        }
        Ok(())
    }

    fn choice(&mut self, choice: &str, out: &mut Vec<Event>) -> Result<(), crate::Failure> {
        let mut delta = None;
        let mut message = None;
        let mut finish = None;
        let mut stop_text = None;
        for member in raw::first_members(choice) {
            match member.key.as_ref() {
                // One answer was asked for.
                "index" if member.value != "0" && member.value != "null" => return Ok(()),
                "delta" if member.value.starts_with('{') => delta = Some(member.value),
                "message" if member.value.starts_with('{') => message = Some(member.value),
                "finish_reason" => finish = some_text(member.value),
                // vLLM: the stop sequence that came.
                "stop_reason" => stop_text = some_text(member.value),
                _ => {}
            }
        }
        // Some say everything at once, and not as a delta.
        let delta = delta.or(message.filter(|_| !self.has_content));
        if let Some(delta) = delta {
            self.delta(delta, out)?;
        }
        match finish.as_deref() {
            None => {}
            Some("error") => {
                let message = "The upstream ended the answer with finish_reason \"error\".";
                return Err(crate::Failure::new(crate::FailureKind::Api, message).with_status(502));
            }
            Some(word) => {
                let stop = stop_of(word);
                let stop_text = stop_text.filter(|_| stop == Stop::EndTurn).map(Cow::into_owned);
                let stop = if stop_text.is_some() { Stop::StopSequence } else { stop };
                self.finish = Some((stop, stop_text));
            }
        }
        Ok(())
    }

    /// What a delta says, in this order: thoughts, words, calls.
    fn delta(&mut self, delta: &str, out: &mut Vec<Event>) -> Result<(), crate::Failure> {
        let mut content = None;
        let mut thinking = None;
        let mut details = None;
        let mut refusal = None;
        let mut calls = None;
        let mut function = None;
        for member in raw::first_members(delta) {
            let value = member.value;
            match member.key.as_ref() {
                "content" => content = Some(value),
                "reasoning_content" | "reasoning" | "thinking" => {
                    thinking = thinking.or_else(|| some_text(value));
                }
                "reasoning_details" => details = Some(value),
                "refusal" => refusal = some_text(value),
                "tool_calls" => calls = Some(value),
                "function_call" if value.starts_with('{') => function = Some(value),
                _ => {}
            }
        }
        let has_thinking = thinking.is_some();
        if let Some(thinking) = thinking {
            self.say(Event::Thinking(thinking.into_owned()), out);
        }
        for detail in details.and_then(|details| raw::items(details).ok()).into_iter().flatten() {
            self.detail(detail, has_thinking, out);
        }
        match content {
            Some(parts) if parts.starts_with('[') => self.parts(parts, out),
            Some(text) => {
                if let Some(text) = some_text(text) {
                    self.say(Event::Text(text.into_owned()), out);
                }
            }
            None => {}
        }
        if let Some(refusal) = refusal {
            self.say(Event::Refusal(refusal.into_owned()), out);
        }
        for call in calls.and_then(|calls| raw::items(calls).ok()).into_iter().flatten() {
            self.call(call, out)?;
        }
        if let Some(function) = function {
            self.function(None, None, function, out)?;
        }
        Ok(())
    }

    fn say(&mut self, event: Event, out: &mut Vec<Event>) {
        self.has_content = true;
        self.calls.end_complete(out);
        out.push(event);
    }

    /// A part of the thoughts as some routers tell it: words, a signature, or what is encrypted.
    fn detail(&mut self, detail: &str, has_thinking: bool, out: &mut Vec<Event>) {
        for member in raw::first_members(detail) {
            let Some(text) = some_text(member.value) else { continue };
            match member.key.as_ref() {
                // The same words mostly stand in the delta itself.
                "text" | "summary" if !has_thinking => self.say(Event::Thinking(text.into_owned()), out),
                "signature" => self.say(Event::Signature(text.into_owned()), out),
                "data" => self.say(Event::RedactedThinking(text.into_owned()), out),
                _ => {}
            }
        }
    }

    /// Content as a list, in its order: texts, and thoughts, which are lists themselves.
    fn parts(&mut self, parts: &str, out: &mut Vec<Event>) {
        for part in raw::items(parts).into_iter().flatten() {
            for member in raw::first_members(part) {
                let thoughts = match member.key.as_ref() {
                    "text" => {
                        if let Some(text) = some_text(member.value) {
                            self.say(Event::Text(text.into_owned()), out);
                        }
                        continue;
                    }
                    "thinking" => member.value,
                    _ => continue,
                };
                let listed = raw::items(thoughts).into_iter().flatten();
                for thought in listed
                    .filter_map(|thought| raw::find(thought, "text"))
                    .chain([thoughts])
                    .filter_map(some_text)
                {
                    self.say(Event::Thinking(thought.into_owned()), out);
                }
            }
        }
    }

    fn call(&mut self, call: &str, out: &mut Vec<Event>) -> Result<(), crate::Failure> {
        let mut index = None;
        let mut id = None;
        let mut function = None;
        for member in raw::first_members(call) {
            match member.key.as_ref() {
                "index" => index = number(member.value),
                "id" => id = some_text(member.value),
                "function" => function = Some(member.value),
                _ => {}
            }
        }
        self.function(index, id.as_deref(), function.unwrap_or("{}"), out)
    }

    fn function(
        &mut self,
        index: Option<u64>,
        id: Option<&str>,
        function: &str,
        out: &mut Vec<Event>,
    ) -> Result<(), crate::Failure> {
        let mut name = None;
        let mut arguments = Cow::Borrowed("");
        for member in raw::first_members(function) {
            match (member.key.as_ref(), member.value) {
                ("name", value) => name = some_text(value),
                ("arguments", "null") => {}
                // Some send an object, where a text is asked for.
                ("arguments", value) => arguments = told::text(value).unwrap_or(Cow::Borrowed(value)),
                _ => {}
            }
        }
        self.has_content = true;
        let piece = Piece { index, id, name: name.as_deref(), arguments: &arguments };
        self.calls.piece(&piece, out)
    }

    fn close(&mut self, out: &mut Vec<Event>) {
        self.is_over = true;
        self.calls.end_all(out);
        // Some forget to say why.
        let inferred = if self.calls.is_empty() { Stop::EndTurn } else { Stop::ToolUse };
        let (stop, stop_sequence) = self.finish.take().unwrap_or((inferred, None));
        out.push(Event::Finish { stop, stop_sequence });
        out.push(Event::Done);
    }
}

/// What a `finish_reason` means.
fn stop_of(word: &str) -> Stop {
    match word {
        "stop" | "eos" | "end_turn" => Stop::EndTurn,
        "length" | "max_tokens" | "model_length" => Stop::MaxTokens,
        "tool_calls" | "function_call" | "tool_use" => Stop::ToolUse,
        "content_filter" | "refusal" => Stop::Refusal,
        "model_context_window_exceeded" => Stop::ContextWindow,
        other => Stop::Other(other.to_owned()),
    }
}

/// Counts of a chunk. What was read from a cache or written to one is a part of `prompt_tokens` there.
fn read_usage(usage: &str) -> Usage {
    let mut prompt = None;
    let mut found = Usage::default();
    for member in raw::first_members(usage) {
        let value = member.value;
        match member.key.as_ref() {
            "prompt_tokens" => prompt = number(value),
            "completion_tokens" => found.output = number(value),
            "prompt_tokens_details" => {
                for detail in raw::first_members(value) {
                    match detail.key.as_ref() {
                        "cached_tokens" => found.cache_read = number(detail.value),
                        "cache_write_tokens" | "cache_creation_tokens" => {
                            found.cache_write = number(detail.value).or(found.cache_write);
                        }
                        _ => {}
                    }
                }
            }
            "prompt_cache_hit_tokens" | "cache_read_input_tokens" => {
                found.cache_read = found.cache_read.or(number(value));
            }
            "cache_creation_input_tokens" => found.cache_write = found.cache_write.or(number(value)),
            "completion_tokens_details" => {
                found.reasoning = raw::find(value, "reasoning_tokens").and_then(number);
            }
            _ => {}
        }
    }
    let cached = found.cache_read.unwrap_or(0).saturating_add(found.cache_write.unwrap_or(0));
    found.input = prompt.map(|prompt| prompt.saturating_sub(cached));
    found
}
