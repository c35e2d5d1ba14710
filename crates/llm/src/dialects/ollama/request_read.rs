//! A client's request, read.

use toolwright_jsonrpc::Json;

use super::pairing::Pairing;
use crate::dialects::data_url;
use crate::dialects::fields::{Fields, Path, arguments, count, decoded, texts};
use crate::form::{
    Block, Call, Effort, Format, Media, MediaKind, MediaSource, Members, Message, Reasoning, Request, Role,
    Text, Thinking, Tool, ToolResult,
};
use crate::{Dialect, Failure};

/// Reads a client's request. It is streamed unless it says that it is not.
pub fn read_request(body: &str) -> Result<Request, Failure> {
    let mut fields = Fields::read(body, Path::Body)?;
    let mut request = Request {
        dialect: Some(Dialect::OllamaChat),
        model: fields.needed_text("model")?,
        is_stream: fields.flag("stream")?.unwrap_or(true),
        wants_usage: true,
        ..Request::default()
    };
    let path = Path::Body.member("messages");
    let mut pairing = Pairing::default();
    for (at, raw) in fields.list("messages")?.unwrap_or_default().into_iter().enumerate() {
        read_message(raw, at, path.item(at), &mut pairing, &mut request)?;
    }
    if let Some(list) = fields.list("tools")? {
        read_tools(list, &mut request)?;
    }
    if let Some(options) = fields.object("options")? {
        read_options(&options, &mut request)?;
    }
    if let Some(raw) = fields.take("think") {
        request.reasoning = read_think(raw);
    }
    match fields.take("format") {
        None | Some("\"\"") => {}
        Some("\"json\"") => request.format = Some(Format::Json),
        Some(schema) if schema.starts_with('{') => {
            let schema = Json::parse(schema)
                .map_err(|_| fields.path().member("format").wrong("a JSON schema", schema))?;
            request.format = Some(Format::Schema { name: None, schema, strict: None });
        }
        Some(other) => return Err(fields.path().member("format").wrong("\"json\" or a JSON schema", other)),
    }
    request.extra.extend(fields.rest());
    Ok(request)
}

fn read_message(
    raw: &str,
    at: usize,
    path: Path<'_>,
    pairing: &mut Pairing,
    request: &mut Request,
) -> Result<(), Failure> {
    let mut fields = Fields::read(raw, path)?;
    let role = fields.needed_text("role")?;
    let text = fields.text("content")?.unwrap_or_default();
    let mut said = read_images(&mut fields, path)?;
    if !text.is_empty() {
        said.push(Block::Text(Text { text, extra: Members::new() }));
    }
    match role.as_str() {
        "system" | "developer" if request.messages.is_empty() => {
            request.system.extend(said.into_iter().filter_map(|block| match block {
                Block::Text(text) => Some(text),
                _ => None,
            }));
        }
        "system" | "developer" => push(request, Role::System, said, fields.rest()),
        "user" => push(request, Role::User, said, fields.rest()),
        "assistant" => {
            pairing.begin(at);
            let blocks = read_answer(&mut fields, said, path, pairing)?;
            push(request, Role::Assistant, blocks, fields.rest());
        }
        "tool" => {
            let name = fields.text("tool_name")?.or(fields.text("name")?).filter(|name| !name.is_empty());
            let id = fields.text("tool_call_id")?.filter(|id| !id.is_empty());
            let (id, name) = pairing.result(id, name, at);
            let result =
                ToolResult { call_id: Some(id), name, blocks: said, is_error: false, extra: fields.rest() };
            let goes_on = request.messages.last().is_some_and(|message| {
                matches!(message.blocks.last(), Some(Block::Result(_))) && message.role == Role::User
            });
            match request.messages.last_mut() {
                Some(message) if goes_on => message.blocks.push(Block::Result(result)),
                _ => push(request, Role::User, vec![Block::Result(result)], Members::new()),
            }
        }
        other => {
            return Err(path.member("role").fault(format!(
                "is \"{other}\", but must be \"system\", \"user\", \"assistant\" or \"tool\""
            )));
        }
    }
    Ok(())
}

fn push(request: &mut Request, role: Role, blocks: Vec<Block>, extra: Members) {
    request.messages.push(Message { role, blocks, extra });
}

/// What the model said: thoughts, words, calls.
fn read_answer(
    fields: &mut Fields<'_, '_>,
    mut said: Vec<Block>,
    path: Path<'_>,
    pairing: &mut Pairing,
) -> Result<Vec<Block>, Failure> {
    if let Some(text) = fields.text("thinking")?.filter(|text| !text.is_empty()) {
        said.insert(0, Block::Thinking(Thinking { text, ..Thinking::default() }));
    }
    let list = path.member("tool_calls");
    for (at, raw) in fields.list("tool_calls")?.unwrap_or_default().into_iter().enumerate() {
        let path = list.item(at);
        let mut fields = Fields::read(raw, path)?;
        let Some(function) = fields.object("function")? else {
            return Err(path.member("function").fault("is missing: it must have a name and arguments"));
        };
        let mut function = Fields::read(function.as_str(), path.member("function"))?;
        let name = function.needed_text("name")?;
        let arguments = arguments(function.take("arguments"));
        let id = fields.text("id")?.filter(|id| !id.is_empty());
        let mut call = Call { id, name, arguments, extra: Members::new() };
        pairing.call(&mut call);
        said.push(Block::Call(call));
    }
    Ok(said)
}

fn read_images(fields: &mut Fields<'_, '_>, path: Path<'_>) -> Result<Vec<Block>, Failure> {
    let list = path.member("images");
    let mut blocks = Vec::new();
    for (at, raw) in fields.list("images")?.unwrap_or_default().into_iter().enumerate() {
        let Some(data) = decoded(raw) else {
            return Err(list.item(at).wrong("an image in base64", raw));
        };
        let source = match data_url::split(&data) {
            Some((media_type, data)) => {
                MediaSource::Base64 { media_type: media_type.to_owned(), data: data.to_owned() }
            }
            None => MediaSource::Base64 { media_type: data_url::image_type(&data).to_owned(), data },
        };
        blocks.push(Block::Media(Media {
            kind: MediaKind::Image,
            source,
            name: None,
            extra: Members::new(),
        }));
    }
    Ok(blocks)
}

fn read_tools(list: Vec<&str>, request: &mut Request) -> Result<(), Failure> {
    let tools = Path::Body.member("tools");
    for (at, raw) in list.into_iter().enumerate() {
        let path = tools.item(at);
        let mut fields = Fields::read(raw, path)?;
        let Some(function) = fields.object("function")? else {
            // Nothing that Ollama knows; who knows it may have it.
            request.server_tools.extend(Json::parse(raw).ok());
            continue;
        };
        let mut function = Fields::read(function.as_str(), path.member("function"))?;
        request.tools.push(Tool {
            name: function.needed_text("name")?,
            description: function.text("description")?,
            schema: function.object("parameters")?,
            strict: None,
            extra: function.rest(),
        });
    }
    Ok(())
}

/// Options: those that all dialects have, and the rest, which is carried.
fn read_options(options: &Json, request: &mut Request) -> Result<(), Failure> {
    let path = Path::Body.member("options");
    let mut fields = Fields::read(options.as_str(), path)?;
    request.temperature = fields.number("temperature")?;
    request.top_p = fields.number("top_p")?;
    request.top_k = fields.number("top_k")?;
    // Less than one means without a limit, in several ways, and is carried with the rest.
    if let Some(limit) = fields.peek("num_predict").and_then(count).filter(|limit| *limit > 0) {
        fields.take("num_predict");
        request.max_tokens = Some(limit);
    }
    if let Some(raw) = fields.take("stop") {
        request.stop = texts(raw, &path.member("stop"))?;
        request.stop.retain(|text| !text.is_empty());
    }
    request.extra.extend(fields.rest_object().map(|rest| ("options".to_owned(), rest)));
    Ok(())
}

fn read_think(raw: &str) -> Option<Reasoning> {
    let effort = decoded(raw).as_deref().and_then(Effort::of_word);
    let is_on = match raw {
        "false" => false,
        _ => effort != Some(Effort::None),
    };
    let raw = Json::parse(raw).ok().map(|raw| (Dialect::OllamaChat, raw));
    Some(Reasoning { is_on: Some(is_on), effort, budget: None, summary: None, raw })
}

#[cfg(test)]
mod tests;
