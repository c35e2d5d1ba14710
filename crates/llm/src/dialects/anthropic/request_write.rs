//! Requests, written for Anthropic.

use toolwright_jsonrpc::{Json, ObjectWriter, raw};

use super::messages_write::{Breakpoints, write_messages};
use super::tools::{is_forced, write_choice, write_tools};
use crate::dialects::history::note_once;
use crate::dialects::offer::{carried, merged, note_members};
use crate::form::{Effort, Format, Request, Text};
use crate::{Dialect, Failure, Notes, Target};

/// The smallest budget for thoughts that Anthropic takes.
const LEAST_BUDGET_TOKENS: u64 = 1024;

/// What is said where the answer has to be JSON of any kind: Anthropic knows schemas only.
const JSON_ONLY: &str = "Answer with one JSON object and nothing else.";

/// Members that are written from what is known; what is carried under these names is a part of them.
const WRITTEN_WITH_OTHERS: [&str; 2] = ["metadata", "output_config"];

/// Writes a request for an upstream.
pub fn write_request(request: &Request, target: &Target, notes: &mut Notes) -> Result<String, Failure> {
    let is_same = request.dialect == Some(Dialect::AnthropicMessages);
    let mut breakpoints = Breakpoints::of(request, notes);
    // In this order: the earliest points of caching are the ones to go.
    let tools = write_tools(request, &mut breakpoints, notes);
    let system = write_system(request, &mut breakpoints, notes);
    let written = write_messages(request, &mut breakpoints, notes)?;
    let has_tools = !tools.is_empty();
    let choice = write_choice(request, has_tools, notes);
    let limits = Limits::of(request, target, is_forced(choice.as_ref()), written.lacks_thought, notes);

    let bytes = |values: &[Json]| values.iter().map(|value| value.as_str().len() + 1).sum::<usize>();
    let mut out =
        ObjectWriter::with_capacity(bytes(&tools) + bytes(&system) + bytes(&written.messages) + 512);
    out.text("model", &target.model);
    out.number("max_tokens", limits.max_tokens);
    if !system.is_empty() {
        out.list("system", system);
    }
    out.list("messages", written.messages);
    if has_tools {
        out.list("tools", tools);
    }
    if let Some(choice) = &choice {
        out.value("tool_choice", choice);
    }
    write_sampling(request, target, limits.thinking.is_some(), &mut out, notes);
    if let Some(thinking) = &limits.thinking {
        out.value("thinking", thinking);
    }
    write_rest(request, is_same, &mut out, notes);
    Ok(out.finish().as_str().to_owned())
}

/// The instructions, as blocks.
fn write_system(request: &Request, breakpoints: &mut Breakpoints, notes: &mut Notes) -> Vec<Json> {
    let mut blocks = Vec::new();
    let mut push = |text: &Text| {
        if !text.text.trim().is_empty() {
            let mut out = ObjectWriter::with_capacity(text.text.len() + 64);
            out.text("type", "text");
            out.text("text", &text.text);
            breakpoints.write_extra(&mut out, &text.extra);
            blocks.push(out.finish());
        }
    };
    request.system.iter().for_each(&mut push);
    if request.format == Some(Format::Json) {
        note_once(
            notes,
            "json_as_instruction",
            "the upstream has no form for JSON of any kind; it is asked for in words",
        );
        push(&Text { text: JSON_ONLY.to_owned(), extra: Vec::new() });
    }
    blocks
}

/// How long the answer may be, and how much of it thoughts.
struct Limits {
    max_tokens: u64,
    thinking: Option<Json>,
}

impl Limits {
    fn of(
        request: &Request,
        target: &Target,
        is_forced: bool,
        lacks_thought: bool,
        notes: &mut Notes,
    ) -> Limits {
        let given = request.max_tokens;
        let mut limits = Limits { max_tokens: given.unwrap_or(target.default_max_tokens), thinking: None };
        let Some(reasoning) = &request.reasoning else { return limits };
        if let Some((Dialect::AnthropicMessages, raw)) = &reasoning.raw {
            let is_enabled = raw.get_text("type").as_deref() == Some("enabled");
            let is_on = reasoning.is_on != Some(false);
            if is_on && is_thinking_off(is_forced, is_enabled && lacks_thought, notes) {
                return limits;
            }
            limits.thinking = Some(raw.clone());
            return limits;
        }
        // Anthropic's own effort goes without thinking.
        if request.dialect == Some(Dialect::AnthropicMessages) {
            return limits;
        }
        // Of another dialect. Only budgets are known to all models that think.
        let effort = reasoning.effort.or((reasoning.is_on == Some(true)).then_some(Effort::Medium));
        let budget = reasoning.budget.or(effort.and_then(Effort::budget));
        let Some(budget) = budget.filter(|_| reasoning.is_on != Some(false)) else { return limits };
        if is_thinking_off(is_forced, lacks_thought, notes) {
            return limits;
        }
        let mut budget = budget.max(LEAST_BUDGET_TOKENS);
        match given {
            None => limits.max_tokens = target.default_max_tokens.saturating_add(budget),
            Some(most) if most <= LEAST_BUDGET_TOKENS => {
                notes.add(
                    "thinking_off",
                    format!("thinking was switched off: max_tokens is {most}, which is too little for it"),
                );
                return limits;
            }
            Some(most) => budget = budget.min(most - 1),
        }
        let mut thinking = ObjectWriter::default();
        thinking.text("type", "enabled");
        thinking.number("budget_tokens", budget);
        limits.thinking = Some(thinking.finish());
        limits
    }
}

/// Whether thinking cannot be on in this request, which is told.
fn is_thinking_off(is_forced: bool, lacks_thought: bool, notes: &mut Notes) -> bool {
    let why = match (is_forced, lacks_thought) {
        (true, _) => "a tool has to be called, which Anthropic does not allow together with thinking",
        (false, true) => "the turn that goes on does not begin with a thought that Anthropic signed",
        (false, false) => return false,
    };
    notes.add("thinking_off", format!("thinking was switched off: {why}"));
    true
}

fn write_sampling(
    request: &Request,
    target: &Target,
    thinks: bool,
    out: &mut ObjectWriter,
    notes: &mut Notes,
) {
    if let Some(temperature) = &request.temperature {
        match clamped(temperature) {
            _ if !target.takes_temperature => {
                notes.add("temperature_not_sent", "the model takes no temperature");
            }
            _ if thinks && raw::Number::parse(temperature.as_str()) != raw::Number::parse("1") => {
                notes.add("temperature_not_sent", "the model takes no temperature while it thinks");
            }
            None => out.value("temperature", temperature),
            Some(most) => {
                notes.add(
                    "temperature_clamped",
                    format!("the temperature {temperature} is over the most that is taken, {most}"),
                );
                out.value("temperature", &most);
            }
        }
    }
    if let Some(top_p) = &request.top_p {
        match target.takes_temperature {
            true => out.value("top_p", top_p),
            false => notes.add("top_p_not_sent", "the model takes no top_p"),
        }
    }
    if let Some(top_k) = &request.top_k {
        match target.takes_top_k && !thinks {
            true => out.value("top_k", top_k),
            false => notes.add("top_k_not_sent", "the model takes no top_k here"),
        }
    }
    // Anthropic refuses those that are nothing but white space.
    let (mut stop, empty): (Vec<&String>, Vec<&String>) =
        request.stop.iter().partition(|text| !text.trim().is_empty());
    if !empty.is_empty() {
        notes.add("stop_sequences_cut", "stop sequences of nothing but white space were left out");
    }
    if let Some(most) = target.most_stop_sequences.filter(|most| stop.len() > *most) {
        notes
            .add("stop_sequences_cut", format!("of {} stop sequences the first {most} are sent", stop.len()));
        stop.truncate(most);
    }
    if !stop.is_empty() {
        out.value("stop_sequences", &Json::texts(&stop));
    }
}

/// The highest temperature there is, for one that is higher.
fn clamped(temperature: &Json) -> Option<Json> {
    let most = raw::Number::parse("1")?;
    let is_over = raw::Number::parse(temperature.as_str()).is_some_and(|number| number > most);
    is_over.then(|| Json::parse("1").ok()).flatten()
}

fn write_rest(request: &Request, is_same: bool, out: &mut ObjectWriter, notes: &mut Notes) {
    let mine = |key: &str| carried(&request.extra, key).filter(|_| is_same);
    let mut metadata = ObjectWriter::default();
    if let Some(user) = &request.user {
        metadata.text("user_id", user);
    }
    let metadata = merged(metadata.finish(), mine("metadata"));
    if metadata != Json::empty_object() {
        out.value("metadata", &metadata);
    }
    let mut config = ObjectWriter::default();
    if let Some(effort) =
        request.reasoning.as_ref().and_then(|reasoning| reasoning.effort).filter(|_| is_same)
    {
        config.text("effort", effort.word());
    }
    if let Some(Format::Schema { schema, .. }) = &request.format {
        let mut format = ObjectWriter::default();
        format.text("type", "json_schema");
        format.value("schema", schema);
        config.value("format", &format.finish());
    }
    let config = merged(config.finish(), mine("output_config"));
    if config != Json::empty_object() {
        out.value("output_config", &config);
    }
    if request.is_stream {
        out.value("stream", &Json::yes());
    }
    if is_same {
        for (key, value) in &request.extra {
            if !WRITTEN_WITH_OTHERS.contains(&key.as_str()) {
                out.value(key, value);
            }
        }
    } else {
        note_members(&request.extra, notes);
    }
}
