//! Which tool is meant when its identifier is not whole, or its name has another form.
//!
//! Nothing is guessed: a tool is taken when it is the only one that can be meant, and what can destroy
//! something has to be named in full.

use toolwright_jsonrpc::Json;
use toolwright_model::{Code, ToolDefinition};
use toolwright_normalizer::{NamedTool, Tool, match_tool, starts_with_place};

use super::reading::{Reading, is_string};
use super::responses::identifier;
use super::{Identifier, Known};
use crate::naming::{CLIENT_PREFIX, FlatNames, Style};

/// What stands between the parts of a name that somebody has put together.
pub(super) const SEPARATORS: [&str; 5] = ["/", "__", ".", ":", "::"];

/// T2: `"tool": "dev/filesystem/read_file"`, `"filesystem/read_file"` or `"read_file"`, when that is exactly one tool.
/// What can destroy something has to be named in full.
pub(super) fn read_string(reading: &mut Reading, known: &dyn Known) {
    let Some(sent) = reading.get("tool").filter(is_string) else { return };
    let Some(text) = sent.to_text() else { return };
    let written = |tool: &Identifier| {
        let Identifier { toolbox, server, name } = tool;
        SEPARATORS.iter().any(|between| text == format!("{toolbox}{between}{server}{between}{name}"))
    };
    let all = all_tools(known);
    let mut found = all.iter().filter(|tool| written(tool));
    let tool = match (found.next(), found.next()) {
        (Some(tool), None) => tool,
        (None, _) => match only_short_form(&text, &all, known) {
            Some(tool) => tool,
            None => return,
        },
        _ => return,
    };
    let object = identifier(tool);
    reading.value = reading.value.with("tool", &object);
    reading.note(
        Code::StringToContainer,
        "/tool",
        Some(&sent),
        Some(&object),
        "the only tool that is written so",
    );
}

/// The only tool that is written with its server before it, or by its name alone. None as long as a server that may
/// have another one of the name was never asked.
fn only_short_form<'t>(text: &str, all: &'t [Identifier], known: &dyn Known) -> Option<&'t Identifier> {
    let is_written = |tool: &&Identifier| {
        let joined = |between: &str| text == format!("{}{between}{}", tool.server, tool.name);
        text == tool.name || SEPARATORS.iter().any(|between| joined(between))
    };
    let mut found = all.iter().filter(is_written);
    let (only, None) = (found.next()?, found.next()) else { return None };
    let names_server = text != only.name;
    let may_have_another = known.toolboxes().iter().any(|toolbox| {
        let servers = known.servers(toolbox);
        let asked = |server: &String| !known.tools(toolbox, server).is_empty();
        servers.iter().any(|server| (!names_server || *server == only.server) && !asked(server))
    });
    let server = names_server.then_some(only.server.as_str());
    (!may_have_another && !known.is_destructive(only) && !names_another(only, server, known)).then_some(only)
}

/// Whether an identifier without its toolbox may be of another server than the one tool that the client can see: the
/// tool's name starts with another server or toolbox, or `server`, as it was sent, is configured in a toolbox that
/// the client may not use.
fn names_another(tool: &Identifier, server: Option<&str>, known: &dyn Known) -> bool {
    known.configured().iter().any(|(other_toolbox, other_server)| {
        let is_visible = known.servers(other_toolbox).contains(other_server);
        let is_hidden_twin = !is_visible && server == Some(other_server.as_str());
        let starts_with_another = |place: &String| {
            ![&tool.server, &tool.toolbox].contains(&place) && starts_with_place(&tool.name, place)
        };
        is_hidden_twin || starts_with_another(other_toolbox) || starts_with_another(other_server)
    })
}

/// F2: an identifier without its toolbox or its server, when only one tool can be meant.
pub(super) fn complete(reading: &mut Reading, known: &dyn Known) {
    let Some(tool) = reading.object("tool") else { return };
    let (toolbox, server) = (tool.get("toolbox"), tool.get("server"));
    let Some(name) = tool.get_text("name").filter(|name| !name.is_empty()) else { return };
    if toolbox.is_some() && server.is_some() || is_destructive(&name) {
        return;
    }
    let is_wanted = |wanted: &Option<Json>, name: &str| match wanted {
        Some(wanted) => wanted.to_text().as_deref() == Some(name),
        None => true,
    };
    let mut places = Vec::new();
    for in_toolbox in known.toolboxes().into_iter().filter(|name| is_wanted(&toolbox, name)) {
        let servers = known.servers(&in_toolbox).into_iter().filter(|name| is_wanted(&server, name));
        places.extend(servers.map(|server| (in_toolbox.clone(), server)));
    }
    let mut found = Vec::new();
    let is_only = places.len() == 1;
    for (toolbox, server) in places {
        let tools = known.tools(&toolbox, &server);
        if tools.is_empty() && !is_only {
            // It may have one of the name as well.
            return;
        }
        if tools.contains(&name) || tools.is_empty() {
            found.push(Identifier { toolbox, server, name: name.clone() });
        }
    }
    // What may destroy something has to be named in full, and of a server that was never asked nobody knows.
    let [only] = &found[..] else { return };
    let sent_server = toolbox.is_none().then(|| server.as_ref()?.to_text()).flatten();
    if names_another(only, sent_server.as_deref(), known) {
        return;
    }
    if known.is_destructive(only) || !known.tools(&only.toolbox, &only.server).contains(&only.name) {
        return;
    }
    let mut whole = tool.clone();
    for (key, value, was) in [("toolbox", &only.toolbox, toolbox), ("server", &only.server, server)] {
        if was.is_none() {
            let value = Json::text(value);
            whole = whole.with(key, &value);
            let why = format!("the only {key} that can be meant");
            reading.note(Code::ToolNameAffix, &format!("/tool/{key}"), None, Some(&value), &why);
        }
    }
    reading.value = reading.value.with("tool", &whole);
}

/// F1, F2: the name of a known tool in another form, or with where it is before it.
pub(super) fn known_form(tool: &Identifier, known: &dyn Known) -> Option<(Identifier, Code)> {
    let tools = known.tools(&tool.toolbox, &tool.server);
    if tools.is_empty() || tools.contains(&tool.name) {
        return None;
    }
    let found = |name: &String, code| (Identifier { name: name.clone(), ..tool.clone() }, code);
    if let Some(name) = without_place(tool, &tools).filter(|name| !is_destructive(name)) {
        return Some(found(name, Code::ToolNameAffix));
    }
    let server = Some(tool.server.as_str());
    let candidates: Vec<NamedTool<'_>> = tools.iter().map(|name| NamedTool::new(name, server)).collect();
    let by_form = match_tool(&tool.name, &candidates, &[])
        .ok()
        .filter(|found| found.code == Some(Code::ToolNameForm))?;
    Some(found(tools.get(by_form.index)?, Code::ToolNameForm))
}

/// The tool whose name is written with its server, with toolbox and server, or as a flat name.
fn without_place<'t>(tool: &Identifier, tools: &'t [String]) -> Option<&'t String> {
    let sent = tool.name.strip_prefix(CLIENT_PREFIX).unwrap_or(&tool.name);
    let of_server = |name: &String| Identifier { name: name.clone(), ..tool.clone() };
    let flat = [Style::all(), Style::one_toolbox()]
        .map(|style| FlatNames::build(tools.iter().map(of_server), style));
    let is_written = |name: &String| {
        let Identifier { toolbox, server, .. } = tool;
        let is_joined = SEPARATORS.iter().any(|between| {
            sent == format!("{server}{between}{name}")
                || sent == format!("{toolbox}{between}{server}{between}{name}")
        });
        let identifier = of_server(name);
        is_joined || flat.iter().any(|names| names.name_of(&identifier) == Some(sent))
    };
    let mut found = tools.iter().filter(|name| is_written(name));
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

pub(super) fn all_tools(known: &dyn Known) -> Vec<Identifier> {
    let mut all = Vec::new();
    for toolbox in known.toolboxes() {
        for server in known.servers(&toolbox) {
            let tools = known.tools(&toolbox, &server);
            all.extend(tools.into_iter().map(|name| Identifier::new(toolbox.clone(), server.clone(), name)));
        }
    }
    all
}

/// Whether a tool of this name can destroy something.
pub(super) fn is_destructive(name: &str) -> bool {
    let definition = ToolDefinition { name: name.to_owned(), ..ToolDefinition::default() };
    Tool::compile(&definition).map_or(true, |tool| tool.is_destructive())
}
