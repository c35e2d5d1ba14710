//! Requests of Chat, read.

use toolwright_jsonrpc::Json;

use super::message_read::{read_content, take_assistant};
use super::tools::{read_choice, read_functions, read_tools};
use crate::dialects::fields::{Fields, Path, decoded, texts};
use crate::form::{Block, Effort, Format, Message, Reasoning, Request, Role, ToolResult};
use crate::{Dialect, Failure};

/// Reads a client's request.
pub fn read_request(body: &str) -> Result<Request, Failure> {
    let root = Path::Body;
    let mut fields = Fields::read(body, root)?;
    let old_limit = fields.count("max_tokens")?;
    let mut request = Request {
        dialect: Some(Dialect::OpenAiChat),
        model: fields.needed_text("model")?,
        max_tokens: fields.count("max_completion_tokens")?.or(old_limit),
        temperature: fields.number("temperature")?,
        top_p: fields.number("top_p")?,
        top_k: fields.number("top_k")?,
        is_stream: fields.flag("stream")?.unwrap_or(false),
        parallel_calls: fields.flag("parallel_tool_calls")?,
        ..Request::default()
    };
    request.user = match fields.text("user")? {
        Some(user) => Some(user),
        None => fields.text("safety_identifier")?,
    };
    let path = root.member("messages");
    let items = fields.list("messages")?.ok_or_else(|| path.wrong("a list of messages", ""))?;
    for (at, item) in items.into_iter().enumerate() {
        read_message(item, path.item(at), &mut request)?;
    }
    if let Some(items) = fields.list("tools")? {
        read_tools(items, root.member("tools"), &mut request)?;
    }
    if let Some(items) = fields.list("functions")? {
        read_functions(items, root.member("functions"), &mut request)?;
    }
    for key in ["function_call", "tool_choice"] {
        if let Some(value) = fields.take(key) {
            read_choice(key, value, &mut request);
        }
    }
    if let Some(value) = fields.take("stop") {
        request.stop = texts(value, &root.member("stop"))?;
    }
    if let Some(value) = fields.take("stream_options") {
        let mut options = Fields::read(value, root.member("stream_options"))?;
        request.wants_usage = options.flag("include_usage")?.unwrap_or(false);
        request.extra.extend(options.rest_object().map(|rest| ("stream_options".to_owned(), rest)));
    }
    if let Some(value) = fields.take("response_format") {
        read_format(value, &mut request);
    }
    request.reasoning = read_reasoning(&mut fields)?;
    request.extra.extend(fields.rest());
    Ok(request)
}

fn read_message(item: &str, path: Path<'_>, request: &mut Request) -> Result<(), Failure> {
    let mut fields = Fields::read(item, path)?;
    let role = fields.needed_text("role")?;
    let place = path.member("content");
    let (role, blocks) = match role.as_str() {
        "system" | "developer" => {
            let blocks = read_content(fields.take("content"), place)?;
            // Before anything else was said they are the instructions, later they stand between messages.
            if request.messages.is_empty() {
                request.system.extend(blocks.into_iter().filter_map(|block| match block {
                    Block::Text(text) => Some(text),
                    _ => None,
                }));
                return Ok(());
            }
            (Role::System, blocks)
        }
        "user" => (Role::User, read_content(fields.take("content"), place)?),
        "assistant" => (Role::Assistant, take_assistant(&mut fields)?),
        "tool" | "function" => {
            let result = read_result(&mut fields, place)?;
            // Results that follow each other are one message of the user.
            if let Some(before) = request.messages.last_mut().filter(|message| is_results(message)) {
                before.blocks.push(result);
                return Ok(());
            }
            (Role::User, vec![result])
        }
        other => {
            let place = path.member("role");
            let words = format!(
                "{place} is \"{other}\"; it has to be \"system\", \"developer\", \"user\", \"assistant\" or \"tool\""
            );
            return Err(Failure::invalid(words).about(place.to_string()));
        }
    };
    request.messages.push(Message { role, blocks, extra: fields.rest() });
    Ok(())
}

fn is_results(message: &Message) -> bool {
    !message.blocks.is_empty() && message.blocks.iter().all(|block| matches!(block, Block::Result(_)))
}

/// Reads what a tool answered. Chat cannot say that a tool failed: a text that begins with "Error: " may be ours or
/// the tool's own, so it stays a text. Only clients that say `is_error` beside it are believed.
fn read_result(fields: &mut Fields<'_, '_>, place: Path<'_>) -> Result<Block, Failure> {
    let blocks = read_content(fields.take("content"), place)?;
    let call_id = fields.text("tool_call_id")?.filter(|id| !id.is_empty());
    let name = fields.text("name")?;
    let is_error = fields.take("is_error") == Some("true");
    let extra = match fields.take("cache_control").and_then(|value| Json::parse(value).ok()) {
        Some(value) => vec![("cache_control".to_owned(), value)],
        None => Vec::new(),
    };
    Ok(Block::Result(ToolResult { call_id, name, blocks, is_error, extra }))
}

/// Reads the form of the answer. Plain text is none, another kind is carried.
fn read_format(value: &str, request: &mut Request) {
    let mut fields = Fields::lenient(value);
    let kind = fields.take("type").and_then(decoded).unwrap_or_default();
    request.format = match kind.as_str() {
        "json_object" => Some(Format::Json),
        "json_schema" => fields.take("json_schema").and_then(|value| {
            let mut inner = Fields::lenient(value);
            Some(Format::Schema {
                name: inner.take("name").and_then(decoded),
                schema: Json::parse(inner.take("schema")?).ok()?,
                strict: inner.flag("strict").ok().flatten(),
            })
        }),
        _ => None,
    };
    if request.format.is_none() && kind != "text" {
        request.extra.extend(Json::parse(value).ok().map(|raw| ("response_format".to_owned(), raw)));
    }
}

/// What `reasoning_effort` says, or OpenRouter's `reasoning`.
fn read_reasoning(fields: &mut Fields<'_, '_>) -> Result<Option<Reasoning>, Failure> {
    let effort = fields.text("reasoning_effort")?;
    let more = fields.take("reasoning");
    if effort.is_none() && more.is_none() {
        return Ok(None);
    }
    let mut inner = Fields::lenient(more.unwrap_or("{}"));
    let word = inner.take("effort").and_then(decoded);
    let effort = effort.or(word).as_deref().and_then(Effort::of_word);
    let is_off = effort == Some(Effort::None) || inner.peek("enabled") == Some("false");
    Ok(Some(Reasoning {
        is_on: if is_off { Some(false) } else { (inner.peek("enabled") == Some("true")).then_some(true) },
        effort,
        budget: inner.count("max_tokens").ok().flatten(),
        summary: None,
        raw: more.and_then(|value| Json::parse(value).ok()).map(|raw| (Dialect::OpenAiChat, raw)),
    }))
}
