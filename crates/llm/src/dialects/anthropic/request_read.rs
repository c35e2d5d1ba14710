//! Requests of Anthropic Messages, read.

use toolwright_jsonrpc::Json;

use super::blocks::read_content;
use super::tools::{read_choice, read_tools};
use crate::dialects::fields::{Fields, Path, decoded, texts};
use crate::form::{Block, Effort, Format, Message, Reasoning, Request, Role, Text};
use crate::{Dialect, Failure};

/// Reads a client's request.
pub fn read_request(body: &str) -> Result<Request, Failure> {
    let root = Path::Body;
    let mut fields = Fields::read(body, root)?;
    let mut request = Request {
        dialect: Some(Dialect::AnthropicMessages),
        model: fields.needed_text("model")?,
        max_tokens: fields.count("max_tokens")?,
        temperature: fields.number("temperature")?,
        top_p: fields.number("top_p")?,
        top_k: fields.number("top_k")?,
        is_stream: fields.flag("stream")?.unwrap_or(false),
        ..Request::default()
    };
    if let Some(value) = fields.take("system") {
        request.system = read_system(value, root.member("system"))?;
    }
    let path = root.member("messages");
    let items = fields.list("messages")?.ok_or_else(|| path.wrong("a list of messages", ""))?;
    for (at, item) in items.into_iter().enumerate() {
        request.messages.push(read_message(item, path.item(at))?);
    }
    if let Some(items) = fields.list("tools")? {
        read_tools(items, root.member("tools"), &mut request)?;
    }
    if let Some(value) = fields.take("tool_choice") {
        read_choice(value, root.member("tool_choice"), &mut request)?;
    }
    if let Some(value) = fields.take("stop_sequences") {
        request.stop = texts(value, &root.member("stop_sequences"))?;
    }
    let mut carried = Vec::new();
    if let Some(value) = fields.take("metadata") {
        let mut metadata = Fields::read(value, root.member("metadata"))?;
        request.user = metadata.text("user_id")?;
        carried.extend(metadata.rest_object().map(|rest| ("metadata".to_owned(), rest)));
    }
    let thinking = fields.take("thinking");
    let mut effort = None;
    let old_format = fields.take("output_format");
    if let Some(value) = fields.take("output_config") {
        let mut config = Fields::read(value, root.member("output_config"))?;
        let word = config.text("effort")?;
        effort = word.as_deref().and_then(Effort::of_word);
        request.format = config.take("format").and_then(read_format);
        carried.extend(config.rest_object().map(|rest| ("output_config".to_owned(), rest)));
    }
    request.format = request.format.or_else(|| old_format.and_then(read_format));
    request.reasoning = read_reasoning(thinking, effort);
    request.extra.extend(carried);
    request.extra.extend(fields.rest());
    Ok(request)
}

fn read_system(value: &str, path: Path<'_>) -> Result<Vec<Text>, Failure> {
    let texts = read_content(value, path)?.into_iter().filter_map(|block| match block {
        Block::Text(text) => Some(text),
        _ => None,
    });
    Ok(texts.collect())
}

fn read_message(item: &str, path: Path<'_>) -> Result<Message, Failure> {
    let mut fields = Fields::read(item, path)?;
    let role = match fields.needed_text("role")?.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" | "developer" => Role::System,
        other => {
            let place = path.member("role");
            let words = format!("{place} is \"{other}\"; it has to be \"user\", \"assistant\" or \"system\"");
            return Err(Failure::invalid(words).about(place.to_string()));
        }
    };
    let place = path.member("content");
    let content = fields.take("content").ok_or_else(|| place.wrong("a string or a list of blocks", ""))?;
    Ok(Message { role, blocks: read_content(content, place)?, extra: fields.rest() })
}

/// Reads the form of the answer. One of another kind is none.
fn read_format(value: &str) -> Option<Format> {
    let mut fields = Fields::lenient(value);
    match fields.take("type").and_then(decoded)?.as_str() {
        "json_schema" => Some(Format::Schema {
            name: fields.take("name").and_then(decoded),
            schema: Json::parse(fields.take("schema")?).ok()?,
            strict: None,
        }),
        _ => None,
    }
}

/// What `thinking` and the effort say together.
fn read_reasoning(thinking: Option<&str>, effort: Option<Effort>) -> Option<Reasoning> {
    let Some(value) = thinking else {
        return effort.map(|effort| Reasoning { effort: Some(effort), ..Reasoning::default() });
    };
    let mut fields = Fields::lenient(value);
    let mut reasoning = Reasoning { effort, ..Reasoning::default() };
    match fields.take("type").and_then(decoded).as_deref() {
        Some("disabled") => reasoning.is_on = Some(false),
        Some("enabled") => {
            reasoning.is_on = Some(true);
            reasoning.budget = fields.count("budget_tokens").ok().flatten();
        }
        _ => reasoning.is_on = Some(true),
    }
    reasoning.summary = fields.take("display").and_then(decoded);
    reasoning.raw = Json::parse(value).ok().map(|raw| (Dialect::AnthropicMessages, raw));
    Some(reasoning)
}
