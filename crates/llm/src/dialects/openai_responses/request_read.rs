//! A client's request, read.

use toolwright_jsonrpc::Json;

use super::{input, tools};
use crate::dialects::fields::{Fields, Path};
use crate::dialects::offer::carried;
use crate::form::{Block, Effort, Format, Members, Reasoning, Request, Text};
use crate::{Dialect, Failure};

/// Reads a client's request.
pub fn read_request(body: &str) -> Result<Request, Failure> {
    let mut fields = Fields::read(body, Path::Body)?;
    let mut request = Request {
        dialect: Some(Dialect::OpenAiResponses),
        model: fields.needed_text("model")?,
        max_tokens: fields.count("max_output_tokens")?,
        temperature: fields.number("temperature")?,
        top_p: fields.number("top_p")?,
        parallel_calls: fields.flag("parallel_tool_calls")?,
        is_stream: fields.flag("stream")?.unwrap_or(false),
        wants_usage: true,
        user: fields.text("user")?,
        ..Request::default()
    };
    if let Some(text) = fields.text("instructions")?.filter(|text| !text.is_empty()) {
        request.system.push(Text { text, extra: Members::new() });
    }
    let is_continued =
        ["previous_response_id", "conversation", "prompt"].into_iter().any(|key| fields.peek(key).is_some());
    match fields.take("input") {
        Some(value) => input::read(value, Path::Body.member("input"), &mut request)?,
        None if is_continued => {}
        None => {
            return Err(Path::Body.member("input").fault("is missing: give a string or a list of items"));
        }
    }
    if let Some(list) = fields.list("tools")? {
        (request.tools, request.server_tools) = tools::read(list, Path::Body.member("tools"))?;
    }
    if let Some(raw) = fields.take("tool_choice") {
        request.choice = tools::read_choice(raw, Path::Body.member("tool_choice"), &request.tools)?;
        if request.choice.is_none() {
            request.extra.extend(Json::parse(raw).ok().map(|raw| ("tool_choice".to_owned(), raw)));
        }
    }
    if let Some(raw) = fields.object("reasoning")? {
        request.reasoning = Some(read_reasoning(raw)?);
    }
    if let Some(text) = fields.object("text")? {
        read_text(&text, &mut request)?;
    }
    request.extra.extend(fields.rest());
    Ok(request)
}

/// Refuses what only OpenAI itself can look up.
pub(super) fn refuse_elsewhere(request: &Request) -> Result<(), Failure> {
    for (key, fix) in [
        ("previous_response_id", "send the whole conversation in input"),
        ("conversation", "send the whole conversation in input"),
        ("prompt", "send the text of the prompt in instructions or input"),
    ] {
        if carried(&request.extra, key).is_some_and(|value| value.as_str() != "null") {
            return Err(Failure::invalid(format!(
                "{key} names something that only OpenAI has stored, and this model is not OpenAI's: {fix} instead."
            ))
            .about(key));
        }
    }
    let mut blocks = request.messages.iter().flat_map(|message| &message.blocks);
    let is_reference = blocks.any(|block| match block {
        Block::Other { dialect: Dialect::OpenAiResponses, raw } => {
            matches!(raw.get_text("type").as_deref(), None | Some("item_reference"))
        }
        _ => false,
    });
    if is_reference {
        return Err(Failure::invalid(
            "input has an item_reference, which names something that only OpenAI has stored, and this model is not \
             OpenAI's: set store to false, so that the client sends its items whole.",
        )
        .about("input"));
    }
    Ok(())
}

fn read_reasoning(raw: Json) -> Result<Reasoning, Failure> {
    let path = Path::Body.member("reasoning");
    let mut fields = Fields::read(raw.as_str(), path)?;
    let word = fields.text("effort")?;
    let effort = word.as_deref().and_then(Effort::of_word);
    let summary = fields.text("summary")?.or(fields.text("generate_summary")?);
    // A word that is new means more or less, but not nothing.
    let is_on = word.is_some().then_some(effort != Some(Effort::None));
    Ok(Reasoning { is_on, effort, budget: None, summary, raw: Some((Dialect::OpenAiResponses, raw)) })
}

/// `text`: the form of the answer, and what else stands there (`verbosity`), which is carried.
fn read_text(text: &Json, request: &mut Request) -> Result<(), Failure> {
    let path = Path::Body.member("text");
    let mut fields = Fields::read(text.as_str(), path)?;
    if let Some(format) = fields.object("format")? {
        let path = path.member("format");
        let mut fields = Fields::read(format.as_str(), path)?;
        request.format = match fields.needed_text("type")?.as_str() {
            "text" => None,
            "json_object" => Some(Format::Json),
            "json_schema" => Some(Format::Schema {
                name: fields.text("name")?,
                schema: fields
                    .object("schema")?
                    .ok_or_else(|| path.member("schema").fault("is missing: it must be a JSON schema"))?,
                strict: fields.flag("strict")?,
            }),
            // What is new is carried with the rest.
            _ => {
                request.extra.push(("text".to_owned(), text.clone()));
                return Ok(());
            }
        };
    }
    request.extra.extend(fields.rest_object().map(|rest| ("text".to_owned(), rest)));
    Ok(())
}

#[cfg(test)]
mod tests;
