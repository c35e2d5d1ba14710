//! What of a request an upstream is offered, and what is told of the rest.

use toolwright_jsonrpc::{Json, ObjectWriter, raw};

use super::fields::Fields;
use super::namespace::{is_namespace, kinds_of_others};
use crate::Notes;
use crate::form::{Members, Request, Tool, ToolChoice};

/// The tools that may be called: all, or those that the choice allows.
pub(crate) fn offered(request: &Request) -> impl Iterator<Item = &Tool> {
    let allowed = match &request.choice {
        Some(ToolChoice::Allowed { names, .. }) => Some(names),
        _ => None,
    };
    request.tools.iter().filter(move |tool| allowed.is_none_or(|names| names.contains(&tool.name)))
}

/// Tells that tools of another provider are left out.
pub(crate) fn note_server_tools(request: &Request, notes: &mut Notes) {
    for tool in &request.server_tools {
        let kinds = match is_namespace(tool) {
            // Its functions are among the tools.
            true => kinds_of_others(tool),
            false => vec![tool.get_text("type").unwrap_or_else(|| "without a type".to_owned())],
        };
        for kind in kinds {
            notes.add(
                "server_tool_dropped",
                format!("only its own provider knows the tool {kind}; it was left out"),
            );
        }
    }
}

/// Tells what of a request only its own dialect knows.
pub(crate) fn note_members(members: &Members, notes: &mut Notes) {
    // These say what is so without them.
    let is_said = |(key, value): &&(String, Json)| {
        !matches!((key.as_str(), value.as_str()), ("n", "1") | ("logprobs", "false"))
    };
    let names: Vec<&str> = members.iter().filter(is_said).map(|(key, _)| key.as_str()).collect();
    if !names.is_empty() {
        notes.add("members_not_sent", format!("the upstream's dialect does not know: {}", names.join(", ")));
    }
}

/// An object with more members. Those that it has stay as they are.
pub(crate) fn merged(object: Json, more: Option<&Json>) -> Json {
    let Some(more) = more else { return object };
    let (Some(mine), Ok(theirs)) = (object.members(), raw::members(more.as_str())) else { return object };
    let mut out = ObjectWriter::with_capacity(object.as_str().len() + more.as_str().len());
    mine.iter().for_each(|member| out.member(member));
    theirs
        .iter()
        .filter(|new| mine.iter().all(|old| old.key != new.key))
        .for_each(|member| out.member(member));
    out.finish()
}

/// What was carried under a name.
pub(crate) fn carried<'m>(members: &'m Members, key: &str) -> Option<&'m Json> {
    members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// The words in a block that only another dialect knows: its texts, or those of its content.
pub(crate) fn words_of(raw: &Json) -> Option<String> {
    let fields = Fields::lenient(raw.as_str());
    let content = fields.peek("content").map(str::to_owned);
    let content = content.or_else(|| {
        raw.get("source").and_then(|source| source.get("content")).map(|json| json.as_str().to_owned())
    });
    let content = Json::parse(&content?).ok()?;
    if let Some(text) = content.to_text() {
        return Some(text);
    }
    let texts: Vec<String> = content.items()?.iter().filter_map(|item| item.get_text("text")).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// `true` or `false`
pub(crate) fn flag(is_yes: bool) -> Json {
    match is_yes {
        true => Json::yes(),
        false => Json::parse("false").unwrap_or_else(|_| Json::yes()),
    }
}
