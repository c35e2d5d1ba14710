//! A request for an upstream, written.

mod messages;

use toolwright_jsonrpc::{Json, ObjectWriter};

use crate::dialects::offer::{carried, flag, note_members, note_server_tools, offered};
use crate::form::{Effort, Format, Reasoning, Request, Tool, ToolChoice};
use crate::{Dialect, Failure, Notes, ReasoningField, Target};

/// The schema of a tool without arguments.
const NO_ARGUMENTS: &str = r#"{"type":"object","properties":{}}"#;
/// Members of Chat that are options here.
const CHAT_OPTIONS: [&str; 3] = ["seed", "presence_penalty", "frequency_penalty"];

/// Writes a request for an upstream.
pub fn write_request(request: &Request, target: &Target, notes: &mut Notes) -> Result<String, Failure> {
    let mut out = ObjectWriter::with_capacity(4096);
    out.text("model", &target.model);
    out.list("messages", messages::write(request, notes)?);
    write_tools(request, notes, &mut out);
    out.value("stream", &flag(request.is_stream));
    if let Some(reasoning) = &request.reasoning {
        write_think(reasoning, target, notes, &mut out);
    }
    match &request.format {
        None => {}
        Some(Format::Json) => out.text("format", "json"),
        Some(Format::Schema { schema, .. }) => out.value("format", schema),
    }
    let options = options(request, target, notes);
    if !options.is_empty() {
        out.value("options", &options.finish());
    }
    write_extra(request, notes, &mut out);
    Ok(out.finish().as_str().to_owned())
}

fn constant(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|_| Json::empty_object())
}

fn write_tools(request: &Request, notes: &mut Notes, out: &mut ObjectWriter) {
    note_server_tools(request, notes);
    match &request.choice {
        None | Some(ToolChoice::Auto) => {}
        // Without tools none can be called.
        Some(ToolChoice::None) => return,
        Some(ToolChoice::Allowed { is_required: false, .. }) => {}
        Some(ToolChoice::Required | ToolChoice::Tool(_) | ToolChoice::Allowed { .. }) => notes.add(
            "tool_choice_not_sent",
            "Ollama cannot be told that a tool must be called; the model calls one if it likes",
        ),
    }
    let tools: Vec<Json> = offered(request).map(write_tool).collect();
    if tools.is_empty() {
        return;
    }
    if request.parallel_calls == Some(false) {
        notes.add(
            "parallel_calls_not_sent",
            "Ollama cannot be told to call one tool at a time; the model may call several",
        );
    }
    out.list("tools", tools);
}

fn write_tool(tool: &Tool) -> Json {
    let mut function = ObjectWriter::default();
    function.text("name", &tool.name);
    function.text("description", tool.description.as_deref().unwrap_or_default());
    match &tool.schema {
        Some(schema) => function.value("parameters", schema),
        None => function.value("parameters", &constant(NO_ARGUMENTS)),
    }
    let mut out = ObjectWriter::default();
    out.text("type", "function");
    out.value("function", &function.finish());
    out.finish()
}

/// Most models take only on and off; those of the gpt-oss family take only levels.
fn write_think(reasoning: &Reasoning, target: &Target, notes: &mut Notes, out: &mut ObjectWriter) {
    if let Some((Dialect::OllamaChat, raw)) = &reasoning.raw {
        return out.value("think", raw);
    }
    let is_on = reasoning.is_on != Some(false) && reasoning.effort != Some(Effort::None);
    if is_on && target.reasoning == ReasoningField::None {
        return notes.add("reasoning_not_sent", "the model does not think; it was not asked to");
    }
    if !target.model.contains("gpt-oss") {
        return out.value("think", &flag(is_on));
    }
    if !is_on {
        return;
    }
    let effort = reasoning.effort.or(reasoning.budget.map(Effort::of_budget)).unwrap_or(Effort::High);
    out.text("think", effort.clamp(Effort::Low, Effort::High).word());
}

fn options(request: &Request, target: &Target, notes: &mut Notes) -> ObjectWriter {
    let mut out = ObjectWriter::default();
    if let Some(limit) = request.max_tokens {
        out.number("num_predict", limit);
    }
    for (key, code, value, is_taken) in [
        ("temperature", "temperature_not_sent", &request.temperature, target.takes_temperature),
        ("top_p", "top_p_not_sent", &request.top_p, target.takes_temperature),
        ("top_k", "top_k_not_sent", &request.top_k, target.takes_top_k),
    ] {
        match value {
            Some(value) if is_taken => out.value(key, value),
            Some(_) => notes.add(code, format!("the upstream takes no {key}; it was left out")),
            None => {}
        }
    }
    if !request.stop.is_empty() {
        let most = target.most_stop_sequences.unwrap_or(request.stop.len());
        if request.stop.len() > most {
            notes.add(
                "stop_sequences_cut",
                format!("the upstream takes {most} stop sequences; the others were left out"),
            );
        }
        out.value("stop", &Json::texts(&request.stop[..request.stop.len().min(most)]));
    }
    for member in carried(&request.extra, "options").and_then(Json::members).unwrap_or_default() {
        out.member(&member);
    }
    if request.dialect == Some(Dialect::OpenAiChat) {
        for key in CHAT_OPTIONS {
            if let Some(value) = carried(&request.extra, key) {
                out.value(key, value);
            }
        }
    }
    out
}

/// Writes what was carried of this dialect, and tells what of others is left out.
fn write_extra(request: &Request, notes: &mut Notes, out: &mut ObjectWriter) {
    if request.dialect == Some(Dialect::OllamaChat) {
        let extra = request.extra.iter().filter(|(key, _)| key != "options");
        return extra.for_each(|(key, value)| out.value(key, value));
    }
    let is_chat = request.dialect == Some(Dialect::OpenAiChat);
    let mut rest = request.extra.clone();
    rest.retain(|(key, _)| !(is_chat && CHAT_OPTIONS.contains(&key.as_str())) && key != "stream_options");
    note_members(&rest, notes);
}

#[cfg(test)]
mod tests;
