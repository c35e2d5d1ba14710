//! Tools of Anthropic Messages, and whether they may be called.

use toolwright_jsonrpc::{Json, ObjectWriter};

use super::messages_write::Breakpoints;
use crate::dialects::fields::{Fields, Path};
use crate::dialects::offer::{note_server_tools, offered};
use crate::dialects::strict::{Rules, write_strict};
use crate::form::{Request, Tool, ToolChoice};
use crate::{Dialect, Failure, Notes};

/// The schema of a tool without arguments.
const NO_ARGUMENTS: &str = r#"{"type":"object","properties":{}}"#;

/// Reads the tools. One with a type of its own is run by the provider and is carried.
pub(super) fn read_tools(items: Vec<&str>, path: Path<'_>, request: &mut Request) -> Result<(), Failure> {
    for (at, item) in items.into_iter().enumerate() {
        let path = path.item(at);
        let mut fields = Fields::read(item, path)?;
        let kind = fields.peek("type");
        if kind.is_some_and(|kind| kind != r#""custom""#) {
            request.server_tools.extend(Json::parse(item).ok());
            continue;
        }
        let name = fields.needed_text("name")?;
        let description = fields.text("description")?;
        let schema = fields.take("input_schema").and_then(|schema| Json::parse(schema).ok());
        let strict = fields.flag("strict")?;
        request.tools.push(Tool { name, description, schema, strict, extra: fields.rest() });
    }
    Ok(())
}

/// Reads whether tools may be called, and several at once. A choice of another kind is carried.
pub(super) fn read_choice(value: &str, path: Path<'_>, request: &mut Request) -> Result<(), Failure> {
    let mut fields = Fields::read(value, path)?;
    request.parallel_calls = fields.flag("disable_parallel_tool_use")?.map(|is_off| !is_off);
    request.choice = match fields.needed_text("type")?.as_str() {
        "auto" => Some(ToolChoice::Auto),
        "any" => Some(ToolChoice::Required),
        "none" => Some(ToolChoice::None),
        "tool" => Some(ToolChoice::Tool(fields.needed_text("name")?)),
        _ => {
            request.extra.push((
                "tool_choice".to_owned(),
                Json::parse(value).unwrap_or_else(|_| Json::empty_object()),
            ));
            None
        }
    };
    Ok(())
}

/// Writes the tools, those of the provider where they are its own.
pub(super) fn write_tools(request: &Request, breakpoints: &mut Breakpoints, notes: &mut Notes) -> Vec<Json> {
    let is_same = request.dialect == Some(Dialect::AnthropicMessages);
    let mut tools: Vec<Json> = offered(request)
        .map(|tool| {
            let mut out = ObjectWriter::default();
            out.text("name", &tool.name);
            if let Some(description) = &tool.description {
                out.text("description", description);
            }
            match &tool.schema {
                Some(schema) => out.value("input_schema", schema),
                None => out.value(
                    "input_schema",
                    &Json::parse(NO_ARGUMENTS).unwrap_or_else(|_| Json::empty_object()),
                ),
            }
            write_strict(tool, is_same, Rules::Anthropic, &mut out, notes);
            breakpoints.write_extra(&mut out, &tool.extra);
            out.finish()
        })
        .collect();
    if is_same {
        tools.extend(request.server_tools.iter().cloned());
    } else {
        note_server_tools(request, notes);
    }
    tools
}

/// Writes whether tools may be called. Nothing without tools.
pub(super) fn write_choice(request: &Request, has_tools: bool, notes: &mut Notes) -> Option<Json> {
    if !has_tools {
        return None;
    }
    let is_same = request.dialect == Some(Dialect::AnthropicMessages);
    let is_one = request.parallel_calls == Some(false);
    let mut out = ObjectWriter::default();
    match &request.choice {
        None if is_one => out.text("type", "auto"),
        None => return None,
        Some(ToolChoice::Auto | ToolChoice::Allowed { is_required: false, .. }) => out.text("type", "auto"),
        Some(ToolChoice::Required | ToolChoice::Allowed { is_required: true, .. }) => out.text("type", "any"),
        Some(ToolChoice::None) => out.text("type", "none"),
        Some(ToolChoice::Tool(name)) if is_same || request.tools.iter().any(|tool| tool.name == *name) => {
            out.text("type", "tool");
            out.text("name", name);
        }
        Some(ToolChoice::Tool(name)) => {
            notes.add("tool_choice_dropped", format!("the tool {name} has to be called, but it is not sent"));
            return None;
        }
    }
    if is_one && request.choice != Some(ToolChoice::None) {
        out.value("disable_parallel_tool_use", &Json::yes());
    }
    Some(out.finish())
}

/// Whether the choice that was written makes the model call a tool.
pub(super) fn is_forced(choice: Option<&Json>) -> bool {
    choice.is_some_and(|choice| matches!(choice.get_text("type").as_deref(), Some("any" | "tool")))
}
