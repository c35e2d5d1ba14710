//! A request for an upstream, written.

mod items;
mod media;

use sha2::{Digest, Sha256};
use toolwright_jsonrpc::{Json, ObjectWriter};

use super::tools::{self, Strictness, write_extra_members};
use crate::dialects::namespace::is_within;
use crate::dialects::offer::{carried, flag, note_members, note_server_tools};
use crate::dialects::strict::{Rules, note_not_sent, takes_strictly};
use crate::dialects::system;
use crate::form::{Effort, Format, Reasoning, Request, Tool};
use crate::{Dialect, Failure, Notes, Target};

/// The longest name of a user, in characters.
const MOST_USER_CHARS: usize = 64;
/// The smallest length limit that OpenAI takes.
const LEAST_OUTPUT_TOKENS: u64 = 16;
/// Members that mean the same in Chat.
const SHARED_WITH_CHAT: [&str; 9] = [
    "metadata",
    "prompt_cache_key",
    "prompt_cache_retention",
    "prompt_cache_options",
    "safety_identifier",
    "service_tier",
    "store",
    "top_logprobs",
    "moderation",
];
/// Asks for thoughts in a form that can be sent back.
const ENCRYPTED_THOUGHTS: &str = "reasoning.encrypted_content";

/// Writes a request for an upstream.
pub fn write_request(request: &Request, target: &Target, notes: &mut Notes) -> Result<String, Failure> {
    let is_own = request.dialect == Some(Dialect::OpenAiResponses);
    let mut out = ObjectWriter::with_capacity(4096);
    out.text("model", &target.model);
    let instructions = system::system_text(request);
    if !instructions.is_empty() {
        out.text("instructions", &instructions);
    }
    let input = items::write(request, notes)?;
    if !(is_own && input.is_empty()) {
        out.list("input", input);
    }
    write_tools(request, is_own, notes, &mut out);
    if let Some(limit) = request.max_tokens {
        if limit < LEAST_OUTPUT_TOKENS {
            notes.add(
                "max_tokens_raised",
                format!(
                    "the upstream takes no length limit below {LEAST_OUTPUT_TOKENS}; {limit} was raised to it"
                ),
            );
        }
        out.number("max_output_tokens", limit.max(LEAST_OUTPUT_TOKENS));
    }
    write_sampling(request, target, notes, &mut out);
    let thinks = write_reasoning(request, target, &mut out);
    write_text(request, is_own, &mut out);
    if request.is_stream {
        out.value("stream", &Json::yes());
    }
    if let Some(user) = &request.user {
        write_user(user, notes, &mut out);
    }
    if !is_own {
        if carried(&request.extra, "store").is_none() {
            out.value("store", &flag(false));
        }
        if thinks {
            out.value("include", &Json::texts(&[ENCRYPTED_THOUGHTS]));
        }
    }
    write_extra(request, notes, &mut out);
    Ok(out.finish().as_str().to_owned())
}

fn write_tools(request: &Request, is_own: bool, notes: &mut Notes, out: &mut ObjectWriter) {
    let strictness = match request.dialect {
        _ if is_own => Strictness::AsSent,
        Some(Dialect::AnthropicMessages) => Strictness::ToldByOthers,
        _ => Strictness::Told,
    };
    let is_loosened = |tool: &Tool| tool.strict == Some(true) && !takes_strictly(tool, Rules::OpenAi);
    if strictness == Strictness::ToldByOthers && request.tools.iter().any(is_loosened) {
        note_not_sent(notes);
    }
    // Those of namespaces are in them.
    let offered = request.tools.iter().filter(|tool| !is_own || !is_within(tool));
    let mut written: Vec<Json> = offered.map(|tool| tools::write(tool, strictness)).collect();
    match is_own {
        true => written.extend(request.server_tools.iter().cloned()),
        false => note_server_tools(request, notes),
    }
    if written.is_empty() {
        return;
    }
    out.list("tools", written);
    if let Some(choice) = &request.choice {
        out.value("tool_choice", &tools::write_choice(choice, request));
    }
    if let Some(is_parallel) = request.parallel_calls {
        out.value("parallel_tool_calls", &flag(is_parallel));
    }
}

fn write_sampling(request: &Request, target: &Target, notes: &mut Notes, out: &mut ObjectWriter) {
    let is_taken = target.takes_temperature;
    for (key, code, value, is_taken) in [
        ("temperature", "temperature_not_sent", &request.temperature, is_taken),
        ("top_p", "top_p_not_sent", &request.top_p, is_taken),
        ("top_k", "top_k_not_sent", &request.top_k, target.takes_top_k),
    ] {
        match value {
            Some(value) if is_taken => out.value(key, value),
            Some(_) => notes.add(code, format!("the upstream takes no {key}; it was left out")),
            None => {}
        }
    }
    if !request.stop.is_empty() {
        notes.add("stop_not_sent", "the Responses API knows no stop sequences; they were left out");
    }
}

/// Writes how much is to be thought. Gives whether thoughts are to be expected.
fn write_reasoning(request: &Request, target: &Target, out: &mut ObjectWriter) -> bool {
    let Some(reasoning) = &request.reasoning else { return !target.takes_temperature };
    if let Some((Dialect::OpenAiResponses, raw)) = &reasoning.raw {
        out.value("reasoning", raw);
        return true;
    }
    let effort = effort_word(reasoning);
    let mut written = ObjectWriter::default();
    if let Some(effort) = effort {
        written.text("effort", effort);
    }
    if let Some(summary) = reasoning.summary.as_deref().filter(|_| reasoning.is_on != Some(false)) {
        let is_known = matches!(summary, "auto" | "concise" | "detailed");
        written.text("summary", if is_known { summary } else { "auto" });
    }
    if !written.is_empty() {
        out.value("reasoning", &written.finish());
    }
    reasoning.is_on != Some(false) && effort != Some("none")
}

fn effort_word(reasoning: &Reasoning) -> Option<&'static str> {
    if let Some(effort) = reasoning.effort {
        return Some(effort.word());
    }
    // Not every model takes "none": who switches thinking off without a word for it leaves it to the model.
    match (reasoning.is_on, reasoning.budget) {
        (Some(false), _) | (None, None) => None,
        (_, Some(budget)) => Some(Effort::of_budget(budget).word()),
        (Some(true), None) => Some(Effort::High.word()),
    }
}

fn write_text(request: &Request, is_own: bool, out: &mut ObjectWriter) {
    let mut text = ObjectWriter::default();
    match &request.format {
        None => {}
        Some(Format::Json) => {
            let mut format = ObjectWriter::default();
            format.text("type", "json_object");
            text.value("format", &format.finish());
        }
        Some(Format::Schema { name, schema, strict }) => {
            let mut format = ObjectWriter::default();
            format.text("type", "json_schema");
            format.text("name", name.as_deref().unwrap_or("answer"));
            format.value("schema", schema);
            if let Some(is_strict) = strict {
                format.value("strict", &flag(*is_strict));
            }
            text.value("format", &format.finish());
        }
    }
    let beside = carried(&request.extra, "text").filter(|_| is_own);
    for member in beside.and_then(Json::members).unwrap_or_default() {
        text.member(&member);
    }
    if let Some(verbosity) = carried(&request.extra, "verbosity").filter(|_| !is_own) {
        text.value("verbosity", verbosity);
    }
    if !text.is_empty() {
        out.value("text", &text.finish());
    }
}

fn write_user(user: &str, notes: &mut Notes, out: &mut ObjectWriter) {
    if user.chars().count() <= MOST_USER_CHARS {
        return out.text("user", user);
    }
    let digest = Sha256::digest(user.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    out.text("user", &hex);
    notes.add(
        "user_hashed",
        format!(
            "the name of the user has more than {MOST_USER_CHARS} characters; its SHA-256 was sent instead"
        ),
    );
}

/// Writes what was carried: everything of this dialect, and of Chat what means the same here.
fn write_extra(request: &Request, notes: &mut Notes, out: &mut ObjectWriter) {
    let is_own = request.dialect == Some(Dialect::OpenAiResponses);
    let is_sent = |key: &str| match request.dialect {
        Some(Dialect::OpenAiResponses) => key != "text",
        Some(Dialect::OpenAiChat) => SHARED_WITH_CHAT.contains(&key),
        _ => false,
    };
    write_extra_members(out, request.extra.iter().filter(|(key, _)| is_sent(key)));
    if !is_own {
        let mut rest = request.extra.clone();
        rest.retain(|(key, _)| !is_sent(key) && key != "verbosity" && key != "stream_options");
        note_members(&rest, notes);
    }
}

#[cfg(test)]
mod tests;
