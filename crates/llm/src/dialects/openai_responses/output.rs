//! The answer around what was said, and the items in it: the same in whole answers and in streams.

use toolwright_jsonrpc::{Json, ObjectWriter};

use super::item::custom_input;
use super::tools::{self, Strictness, null};
use crate::dialects::namespace::{NAMESPACE, is_within};
use crate::dialects::offer::{carried, flag};
use crate::form::{Format, Request, Stop, Usage};
use crate::{Dialect, Failure, FailureKind, Reply};

/// What is known of an answer at one moment.
pub(super) struct Answer<'a> {
    pub(super) id: &'a str,
    pub(super) created: u64,
    pub(super) state: State<'a>,
    pub(super) output: &'a [Json],
    pub(super) usage: Option<&'a Usage>,
}

/// How far an answer is.
#[derive(Clone, Copy)]
pub(super) enum State<'a> {
    InProgress,
    Ended(&'a Stop),
    Failed(&'a Failure),
}

impl State<'_> {
    /// Its name, and why it is not complete.
    fn words(self) -> (&'static str, Option<&'static str>) {
        match self {
            State::InProgress => ("in_progress", None),
            State::Failed(_) => ("failed", None),
            State::Ended(Stop::MaxTokens | Stop::ContextWindow) => ("incomplete", Some("max_output_tokens")),
            State::Ended(Stop::Refusal) => ("incomplete", Some("content_filter")),
            State::Ended(_) => ("completed", None),
        }
    }
}

/// The id that a client is told: the upstream's where it is one of this dialect.
pub(super) fn response_id(given: Option<&str>, reply: &Reply) -> String {
    match given {
        Some(id) if id.starts_with("resp_") => id.to_owned(),
        _ => format!("resp_{}", reply.id),
    }
}

/// The id of an item: `msg_…`, `rs_…`, `fc_…`.
pub(super) fn item_id(prefix: &str, reply: &Reply, at: usize) -> String {
    format!("{prefix}_{}_{at}", reply.id)
}

/// Whether the id of an item is one that [`item_id`] made, and not a provider's: `rs_`, 24 letters and digits, `_`, a number.
pub(crate) fn is_made_id(id: &str) -> bool {
    let mut parts = id.split('_');
    let is_long = |part: &str| part.len() == 24 && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.next().is_some()
        && parts.next().is_some_and(is_long)
        && parts.next().is_some_and(is_number)
        && parts.next().is_none()
}

/// Writes the answer with everything that the official clients want to see, the request's own values among it.
pub(super) fn write(answer: &Answer<'_>, reply: &Reply) -> Json {
    let request = &*reply.request;
    let (status, incomplete) = answer.state.words();
    let mut out = ObjectWriter::with_capacity(1024);
    out.text("id", answer.id);
    out.text("object", "response");
    out.number("created_at", answer.created);
    out.text("status", status);
    out.value("background", &flag(false));
    out.value("error", &error(answer.state));
    out.value("incomplete_details", &incomplete.map_or_else(null, reason));
    let instructions: Vec<&str> = request.system.iter().map(|text| text.text.as_str()).collect();
    optional_text(&mut out, "instructions", (!instructions.is_empty()).then(|| instructions.join("\n\n")));
    out.value("max_output_tokens", &request.max_tokens.map_or_else(null, number));
    out.value("max_tool_calls", carried(&request.extra, "max_tool_calls").unwrap_or(&null()));
    out.text("model", &request.model);
    out.list("output", answer.output.iter().cloned());
    out.value("parallel_tool_calls", &flag(request.parallel_calls.unwrap_or(true)));
    out.value("previous_response_id", carried(&request.extra, "previous_response_id").unwrap_or(&null()));
    out.value("reasoning", &reasoning(request));
    // What passes through here is not kept.
    out.value("store", &flag(false));
    out.value("temperature", request.temperature.as_ref().unwrap_or(&null()));
    out.value("text", &text(request));
    out.value("tool_choice", &choice(request));
    let own = request
        .tools
        .iter()
        .filter(|tool| !is_within(tool))
        .map(|tool| tools::write(tool, Strictness::AsSent));
    out.list("tools", own.chain(request.server_tools.iter().cloned()));
    out.value("top_p", request.top_p.as_ref().unwrap_or(&null()));
    match carried(&request.extra, "truncation") {
        Some(truncation) => out.value("truncation", truncation),
        None => out.text("truncation", "disabled"),
    }
    out.value("usage", &answer.usage.map_or_else(null, usage));
    optional_text(&mut out, "user", request.user.clone());
    for key in ["prompt_cache_key", "safety_identifier"] {
        if let Some(value) = carried(&request.extra, key) {
            out.value(key, value);
        }
    }
    out.value("metadata", carried(&request.extra, "metadata").unwrap_or(&Json::empty_object()));
    out.finish()
}

fn optional_text(out: &mut ObjectWriter, key: &str, text: Option<String>) {
    match text {
        Some(text) => out.text(key, &text),
        None => out.value(key, &null()),
    }
}

fn number(number: u64) -> Json {
    Json::parse(&number.to_string()).unwrap_or_else(|_| null())
}

fn reason(word: &str) -> Json {
    let mut out = ObjectWriter::default();
    out.text("reason", word);
    out.finish()
}

fn error(state: State<'_>) -> Json {
    let State::Failed(failure) = state else { return null() };
    let mut out = ObjectWriter::default();
    out.text("code", error_code(failure.kind));
    out.text("message", &failure.message);
    out.finish()
}

/// The code of a failed answer: the clients know only some.
pub(crate) fn error_code(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::RateLimit => "rate_limit_exceeded",
        FailureKind::InvalidRequest | FailureKind::TooLarge => "invalid_prompt",
        _ => "server_error",
    }
}

fn reasoning(request: &Request) -> Json {
    if let Some((_, raw)) = request.reasoning.as_ref().and_then(|reasoning| reasoning.raw.as_ref()) {
        return raw.clone();
    }
    let mut out = ObjectWriter::default();
    out.value("effort", &null());
    out.value("summary", &null());
    out.finish()
}

fn choice(request: &Request) -> Json {
    match (&request.choice, carried(&request.extra, "tool_choice")) {
        (Some(choice), _) => tools::write_choice(choice, request),
        (None, Some(raw)) => raw.clone(),
        (None, None) => Json::text("auto"),
    }
}

fn text(request: &Request) -> Json {
    let mut out = ObjectWriter::default();
    let beside = carried(&request.extra, "text");
    if beside.is_none_or(|beside| beside.get("format").is_none()) {
        let mut format = ObjectWriter::default();
        match &request.format {
            None => format.text("type", "text"),
            Some(Format::Json) => format.text("type", "json_object"),
            Some(Format::Schema { name, schema, strict }) => {
                format.text("type", "json_schema");
                format.text("name", name.as_deref().unwrap_or("answer"));
                format.value("schema", schema);
                format.value("strict", &strict.map_or_else(null, flag));
            }
        }
        out.value("format", &format.finish());
    }
    for member in beside.and_then(Json::members).unwrap_or_default() {
        out.member(&member);
    }
    out.finish()
}

fn usage(usage: &Usage) -> Json {
    let (input, output) = (usage.all_input(), usage.output.unwrap_or(0));
    let mut out = ObjectWriter::default();
    out.number("input_tokens", input);
    let mut details = ObjectWriter::default();
    details.number("cached_tokens", usage.cache_read.unwrap_or(0));
    details.number("cache_write_tokens", usage.cache_write.unwrap_or(0));
    out.value("input_tokens_details", &details.finish());
    out.number("output_tokens", output);
    let mut details = ObjectWriter::default();
    details.number("reasoning_tokens", usage.reasoning.unwrap_or(0));
    out.value("output_tokens_details", &details.finish());
    out.number("total_tokens", input.saturating_add(output));
    out.finish()
}

// === Items ===

/// How far an item is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemState {
    InProgress,
    Completed,
    Incomplete,
}

impl ItemState {
    fn word(self) -> &'static str {
        match self {
            ItemState::InProgress => "in_progress",
            ItemState::Completed => "completed",
            ItemState::Incomplete => "incomplete",
        }
    }
}

/// What the model said.
pub(super) fn message(id: &str, state: ItemState, parts: &[Json]) -> Json {
    let mut out = ObjectWriter::default();
    out.text("id", id);
    out.text("type", "message");
    out.text("status", state.word());
    out.list("content", parts.iter().cloned());
    out.text("role", "assistant");
    out.finish()
}

/// A part of what the model said.
pub(super) fn text_part(text: &str) -> Json {
    let mut out = ObjectWriter::with_capacity(text.len() + 70);
    out.text("type", "output_text");
    out.list("annotations", []);
    out.list("logprobs", []);
    out.text("text", text);
    out.finish()
}

/// Words by which the model refuses.
pub(super) fn refusal_part(text: &str) -> Json {
    let mut out = ObjectWriter::with_capacity(text.len() + 40);
    out.text("type", "refusal");
    out.text("refusal", text);
    out.finish()
}

/// A part of a summary of thoughts.
pub(super) fn summary_part(text: &str) -> Json {
    let mut out = ObjectWriter::with_capacity(text.len() + 40);
    out.text("type", "summary_text");
    out.text("text", text);
    out.finish()
}

/// A thought.
pub(super) fn reasoning_item(id: &str, text: &str, encrypted: Option<&str>) -> Json {
    let mut out = ObjectWriter::default();
    out.text("id", id);
    out.text("type", "reasoning");
    out.list("summary", (!text.is_empty()).then(|| summary_part(text)));
    if let Some(encrypted) = encrypted {
        out.text("encrypted_content", encrypted);
    }
    out.finish()
}

/// A call.
pub(super) struct CallItem<'a> {
    pub(super) id: &'a str,
    pub(super) call_id: &'a str,
    pub(super) name: &'a str,
    /// The namespace of the tool, where it is in one.
    pub(super) namespace: Option<&'a str>,
    pub(super) arguments: &'a str,
    /// Whether the tool takes text.
    pub(super) is_custom: bool,
}

impl CallItem<'_> {
    /// Writes it.
    pub(super) fn write(&self, state: ItemState) -> Json {
        let mut out = ObjectWriter::with_capacity(self.arguments.len() + 160);
        out.text("id", self.id);
        out.text("type", if self.is_custom { "custom_tool_call" } else { "function_call" });
        out.text("status", state.word());
        if self.is_custom {
            let is_begun = state != ItemState::InProgress;
            out.text("input", &if is_begun { custom_input(self.arguments) } else { String::new() });
        } else {
            out.text("arguments", self.arguments);
        }
        out.text("call_id", self.call_id);
        out.text("name", self.name);
        if let Some(namespace) = self.namespace {
            out.text(NAMESPACE, namespace);
        }
        out.finish()
    }
}

/// Whether a tool of the request takes text.
pub(super) fn takes_text(request: &Request, name: &str) -> bool {
    request.dialect == Some(Dialect::OpenAiResponses)
        && request.tools.iter().any(|tool| tool.name == name && super::item::is_custom(&tool.extra))
}
