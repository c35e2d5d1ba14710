//! Tools and their choice, read and written.

use toolwright_jsonrpc::{Json, ObjectWriter};

use super::item::{CUSTOM, is_custom};
use super::output::takes_text;
use crate::Failure;
use crate::dialects::fields::{Fields, Path};
use crate::dialects::offer::flag;
use crate::form::{Request, Tool, ToolChoice};

/// The schema of a tool that takes text, for those who only know JSON.
const CUSTOM_SCHEMA: &str = r#"{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}"#;

/// The schema of a tool without arguments.
const NO_ARGUMENTS: &str = r#"{"type":"object","properties":{}}"#;

/// Tools of a request: those that the client runs, and those that the provider runs.
pub(super) fn read(list: Vec<&str>, path: Path<'_>) -> Result<(Vec<Tool>, Vec<Json>), Failure> {
    let (mut tools, mut server_tools) = (Vec::new(), Vec::new());
    for (at, raw) in list.into_iter().enumerate() {
        let path = path.item(at);
        let mut fields = Fields::read(raw, path)?;
        let kind = fields.needed_text("type")?;
        match kind.as_str() {
            "function" => tools.push(Tool {
                name: fields.needed_text("name")?,
                description: fields.text("description")?,
                schema: fields.object("parameters")?,
                strict: fields.flag("strict")?,
                extra: fields.rest(),
            }),
            CUSTOM => tools.push(Tool {
                name: fields.needed_text("name")?,
                description: fields.text("description")?,
                schema: Json::parse(CUSTOM_SCHEMA).ok(),
                strict: None,
                extra: [("type".to_owned(), Json::text(CUSTOM))].into_iter().chain(fields.rest()).collect(),
            }),
            _ => server_tools.extend(Json::parse(raw).ok()),
        }
    }
    Ok((tools, server_tools))
}

/// The choice; nothing where it names a tool of the provider.
pub(super) fn read_choice(raw: &str, path: Path<'_>) -> Result<Option<ToolChoice>, Failure> {
    match raw {
        "\"auto\"" => return Ok(Some(ToolChoice::Auto)),
        "\"none\"" => return Ok(Some(ToolChoice::None)),
        "\"required\"" => return Ok(Some(ToolChoice::Required)),
        _ if raw.starts_with('"') => {
            return Err(path.fault("must be \"auto\", \"none\", \"required\" or an object"));
        }
        _ => {}
    }
    let mut fields = Fields::read(raw, path)?;
    match fields.needed_text("type")?.as_str() {
        "function" | CUSTOM => Ok(Some(ToolChoice::Tool(fields.needed_text("name")?))),
        "allowed_tools" => {
            let is_required = fields.text("mode")?.as_deref() == Some("required");
            let list_path = path.member("tools");
            let mut names = Vec::new();
            for (at, tool) in fields.list("tools")?.unwrap_or_default().into_iter().enumerate() {
                names.extend(Fields::read(tool, list_path.item(at))?.text("name")?);
            }
            Ok(Some(ToolChoice::Allowed { is_required, names }))
        }
        _ => Ok(None),
    }
}

/// Whether `strict` is written where the client did not say: OpenAI holds models to schemas unless told not to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strictness {
    /// The request is OpenAI's own: what is absent stays absent.
    AsSent,
    /// The request comes from a dialect in which nobody is strict unless told to be.
    Told,
}

/// One tool that the client runs.
pub(super) fn write(tool: &Tool, strictness: Strictness) -> Json {
    let is_custom = strictness == Strictness::AsSent && is_custom(&tool.extra);
    let mut out = ObjectWriter::default();
    out.text("type", if is_custom { CUSTOM } else { "function" });
    out.text("name", &tool.name);
    if let Some(description) = &tool.description {
        out.text("description", description);
    }
    if !is_custom {
        match &tool.schema {
            Some(schema) => out.value("parameters", schema),
            None => out.value("parameters", &no_arguments()),
        }
        match (tool.strict, strictness) {
            (Some(is_strict), _) => out.value("strict", &flag(is_strict)),
            (None, Strictness::Told) => out.value("strict", &flag(false)),
            (None, Strictness::AsSent) => {}
        }
    }
    if strictness == Strictness::AsSent {
        write_extra_members(&mut out, tool.extra.iter().filter(|(key, _)| key != "type"));
    }
    out.finish()
}

/// The choice.
pub(super) fn write_choice(choice: &ToolChoice, request: &Request) -> Json {
    let named = |name: &str| {
        let is_custom = takes_text(request, name);
        let mut out = ObjectWriter::default();
        out.text("type", if is_custom { CUSTOM } else { "function" });
        out.text("name", name);
        out.finish()
    };
    match choice {
        ToolChoice::Auto => Json::text("auto"),
        ToolChoice::None => Json::text("none"),
        ToolChoice::Required => Json::text("required"),
        ToolChoice::Tool(name) => named(name),
        ToolChoice::Allowed { is_required, names } => {
            let mut out = ObjectWriter::default();
            out.text("type", "allowed_tools");
            out.text("mode", if *is_required { "required" } else { "auto" });
            out.list("tools", names.iter().map(|name| named(name)));
            out.finish()
        }
    }
}

/// `null`
pub(super) fn null() -> Json {
    constant("null")
}

fn no_arguments() -> Json {
    constant(NO_ARGUMENTS)
}

fn constant(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|_| Json::empty_object())
}

/// Writes some of the members that were carried.
pub(super) fn write_extra_members<'m>(
    out: &mut ObjectWriter,
    members: impl IntoIterator<Item = &'m (String, Json)>,
) {
    members.into_iter().for_each(|(key, value)| out.value(key, value));
}
