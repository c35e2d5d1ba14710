//! A request for an upstream, written.

pub(super) mod messages;

use toolwright_jsonrpc::{Json, ObjectWriter};

use crate::dialects::openai_responses;
use crate::form::{Effort, Format, Reasoning, Request, Tool, ToolChoice};
use crate::{Dialect, Failure, Notes, ReasoningField, Target};

/// The schema of a tool without arguments.
const NO_ARGUMENTS: &str = r#"{"type":"object","properties":{}}"#;
/// Budgets of thinking up to this many tokens are a little effort.
const LOW_BUDGET_TOKENS: u64 = 1024;
/// Budgets of thinking up to this many tokens are some effort.
const MEDIUM_BUDGET_TOKENS: u64 = 8192;
/// Members that mean the same wherever they come from.
const SHARED: [&str; 5] = ["keep_alive", "logprobs", "top_logprobs", "truncate", "shift"];

/// Writes a request for an upstream.
pub fn write_request(request: &Request, target: &Target, notes: &mut Notes) -> Result<String, Failure> {
    openai_responses::check_for_others(request)?;
    let mut out = ObjectWriter::with_capacity(4096);
    out.text("model", &target.model);
    out.list("messages", messages::write(request, target, notes)?);
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

fn flag(is_so: bool) -> Json {
    if is_so { Json::yes() } else { constant("false") }
}

fn constant(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|_| Json::empty_object())
}

fn write_tools(request: &Request, notes: &mut Notes, out: &mut ObjectWriter) {
    for tool in &request.server_tools {
        let name = tool.get_text("name").or_else(|| tool.get_text("type")).unwrap_or_default();
        notes.add(
            "server_tool_left_out",
            format!(
                "The tool \"{name}\", which its provider runs itself, was left out: Ollama has none such."
            ),
        );
    }
    match &request.choice {
        None | Some(ToolChoice::Auto) => {}
        // Without tools none can be called.
        Some(ToolChoice::None) => return,
        Some(ToolChoice::Required | ToolChoice::Tool(_) | ToolChoice::Allowed { .. }) => notes.add(
            "tool_choice_left_out",
            "That a tool must be called was left out: Ollama cannot be told so. The model calls one if it likes.",
        ),
    }
    if request.tools.is_empty() {
        return;
    }
    if request.parallel_calls == Some(false) {
        notes.add(
            "parallel_calls_left_out",
            "That only one tool may be called at once was left out: Ollama cannot be told so.",
        );
    }
    out.list("tools", request.tools.iter().map(write_tool));
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
        return notes.add("thinking_left_out", "Thinking was left out: the model does not think.");
    }
    if !target.model.contains("gpt-oss") {
        return out.value("think", &flag(is_on));
    }
    let level = match (reasoning.effort, reasoning.budget) {
        _ if !is_on => return,
        (Some(Effort::None | Effort::Minimal | Effort::Low), _) | (None, Some(..=LOW_BUDGET_TOKENS)) => "low",
        (Some(Effort::Medium), _) | (None, Some(..=MEDIUM_BUDGET_TOKENS)) => "medium",
        (Some(Effort::High | Effort::XHigh | Effort::Max), _) | (None, _) => "high",
    };
    out.text("think", level);
}

fn options(request: &Request, target: &Target, notes: &mut Notes) -> ObjectWriter {
    let mut out = ObjectWriter::default();
    if let Some(limit) = request.max_tokens {
        out.number("num_predict", limit);
    }
    for (key, value, is_taken) in [
        ("temperature", &request.temperature, target.takes_temperature),
        ("top_p", &request.top_p, target.takes_temperature),
        ("top_k", &request.top_k, target.takes_top_k),
    ] {
        match value {
            Some(value) if is_taken => out.value(key, value),
            Some(_) => notes.add("sampling_left_out", format!("{key} was left out: the model takes none.")),
            None => {}
        }
    }
    if !request.stop.is_empty() {
        let most = target.most_stop_sequences.unwrap_or(request.stop.len());
        if request.stop.len() > most {
            notes.add("stop_sequences_cut", format!("Only the first {most} stop sequences were sent."));
        }
        out.value("stop", &Json::texts(&request.stop[..request.stop.len().min(most)]));
    }
    let carried = request.extra.iter().find(|(key, _)| key == "options").map(|(_, options)| options);
    for member in carried.and_then(Json::members).unwrap_or_default() {
        out.member(&member);
    }
    // Chat has these at the top.
    for key in ["seed", "presence_penalty", "frequency_penalty"] {
        let value = request
            .extra
            .iter()
            .find(|(name, _)| name == key && request.dialect != Some(Dialect::OllamaChat));
        if let Some((_, value)) = value {
            out.value(key, value);
        }
    }
    out
}

/// Writes what was carried: everything of this dialect, and of others what means the same here.
fn write_extra(request: &Request, notes: &mut Notes, out: &mut ObjectWriter) {
    let is_own = request.dialect == Some(Dialect::OllamaChat);
    for (key, value) in &request.extra {
        match key.as_str() {
            "options" => {}
            _ if is_own || SHARED.contains(&key.as_str()) => out.value(key, value),
            "seed" | "presence_penalty" | "frequency_penalty" => {}
            // What is stored or billed elsewhere changes no answer.
            "store" | "metadata" | "include" | "stream_options" | "prompt_cache_key" => {}
            _ => notes.add("member_left_out", format!("\"{key}\" was left out: Ollama has nothing like it.")),
        }
    }
}

#[cfg(test)]
mod tests;
