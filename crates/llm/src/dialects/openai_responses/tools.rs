//! Tools and their choice, read and written.

use toolwright_jsonrpc::{Json, ObjectWriter};

use super::item::{CUSTOM, is_custom};
use super::output::takes_text;
use crate::Failure;
use crate::dialects::fields::{Fields, Path, decoded};
use crate::dialects::namespace::{self, NAMESPACE, full_name, is_namespace};
use crate::dialects::offer::flag;
use crate::dialects::strict::{Rules, takes_strictly};
use crate::form::{Request, Tool, ToolChoice};

/// The schema of a tool that takes text, for those who only know JSON.
const CUSTOM_SCHEMA: &str = r#"{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}"#;

/// The schema of a tool without arguments.
const NO_ARGUMENTS: &str = r#"{"type":"object","properties":{}}"#;

/// Tools of a request: those that the client runs, and those that the provider runs. Tools in a namespace are among the
/// first, and the namespace among the others.
pub(super) fn read(list: Vec<&str>, path: Path<'_>) -> Result<(Vec<Tool>, Vec<Json>), Failure> {
    let (mut tools, mut server_tools) = (Vec::new(), Vec::new());
    for (at, raw) in list.into_iter().enumerate() {
        let path = path.item(at);
        if let Some(tool) = read_one(raw, path)? {
            tools.push(tool);
            continue;
        }
        let Ok(other) = Json::parse(raw) else { continue };
        if is_namespace(&other) {
            read_namespace(&other, path, &mut tools)?;
        }
        server_tools.push(other);
    }
    Ok((tools, server_tools))
}

/// A tool that the client runs; nothing where it is another.
fn read_one(raw: &str, path: Path<'_>) -> Result<Option<Tool>, Failure> {
    let mut fields = Fields::read(raw, path)?;
    Ok(match fields.needed_text("type")?.as_str() {
        "function" => Some(Tool {
            name: fields.needed_text("name")?,
            description: fields.text("description")?,
            schema: fields.object("parameters")?,
            strict: fields.flag("strict")?,
            extra: fields.rest(),
        }),
        CUSTOM => Some(Tool {
            name: fields.needed_text("name")?,
            description: fields.text("description")?,
            schema: Json::parse(CUSTOM_SCHEMA).ok(),
            strict: None,
            extra: [("type".to_owned(), Json::text(CUSTOM))].into_iter().chain(fields.rest()).collect(),
        }),
        _ => None,
    })
}

fn read_namespace(raw: &Json, path: Path<'_>, tools: &mut Vec<Tool>) -> Result<(), Failure> {
    let Some((namespace, inner)) = namespace::read(raw) else { return Ok(()) };
    let list_path = path.member("tools");
    for (at, tool) in inner.iter().enumerate() {
        if let Some(mut tool) = read_one(tool.as_str(), list_path.item(at))? {
            tool.name = full_name(&namespace, &tool.name);
            tool.extra.push((NAMESPACE.to_owned(), Json::text(&namespace)));
            tools.push(tool);
        }
    }
    Ok(())
}

/// The choice; nothing where it names a tool of the provider.
pub(super) fn read_choice(raw: &str, path: Path<'_>, tools: &[Tool]) -> Result<Option<ToolChoice>, Failure> {
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
        "function" | CUSTOM => Ok(Some(ToolChoice::Tool(chosen(&mut fields)?))),
        "allowed_tools" => {
            let is_required = fields.text("mode")?.as_deref() == Some("required");
            let list_path = path.member("tools");
            let mut names = Vec::new();
            for (at, tool) in fields.list("tools")?.unwrap_or_default().into_iter().enumerate() {
                let mut fields = Fields::read(tool, list_path.item(at))?;
                let kind = fields.text("type")?;
                match fields.peek("name").and_then(decoded) {
                    // All that are in it.
                    Some(name) if kind.as_deref() == Some(NAMESPACE) => {
                        let is_in = |tool: &&Tool| {
                            namespace::parts(&tool.extra, &tool.name).is_some_and(|(of, _)| of == name)
                        };
                        names.extend(tools.iter().filter(is_in).map(|tool| tool.name.clone()));
                    }
                    Some(_) => names.push(chosen(&mut fields)?),
                    None => {}
                }
            }
            Ok(Some(ToolChoice::Allowed { is_required, names }))
        }
        _ => Ok(None),
    }
}

/// The tool that is named, in its namespace where it has one.
fn chosen(fields: &mut Fields<'_, '_>) -> Result<String, Failure> {
    let name = fields.needed_text("name")?;
    Ok(match fields.text(NAMESPACE)? {
        Some(namespace) => full_name(&namespace, &name),
        None => name,
    })
}

/// Whether `strict` is written where the client did not say: OpenAI holds models to schemas unless told not to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strictness {
    /// The request is OpenAI's own: what is absent stays absent.
    AsSent,
    /// The request comes from a dialect in which nobody is strict unless told to be.
    Told,
    /// The same, and being strict has other rules there.
    ToldByOthers,
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
            (Some(true), Strictness::ToldByOthers) => {
                out.value("strict", &flag(takes_strictly(tool, Rules::OpenAi)));
            }
            (Some(is_strict), _) => out.value("strict", &flag(is_strict)),
            (None, Strictness::Told | Strictness::ToldByOthers) => out.value("strict", &flag(false)),
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
        match namespace::of_tool(request, name) {
            Some((namespace, tool)) => {
                out.text("name", tool);
                out.text(NAMESPACE, namespace);
            }
            None => out.text("name", name),
        }
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
