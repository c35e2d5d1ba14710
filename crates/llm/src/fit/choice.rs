//! Which tools may be called: what a choice names must be there, and no upstream takes any number.

use std::collections::HashSet;

use toolwright_jsonrpc::Json;
use toolwright_normalizer::{NameError, NamedTool, find_tool};

use super::shown;
use crate::dialects::namespace::{full_name, is_namespace};
use crate::form::{Request, ToolChoice};
use crate::{Failure, Notes, Target};

/// Turns a choice of some tools into fewer tools, and refuses a choice of what is not there.
pub(super) fn fit_choice(request: &mut Request, notes: &mut Notes) -> Result<(), Failure> {
    match &request.choice {
        Some(ToolChoice::Tool(name)) if !is_there(request, name) => Err(missing(request, name)),
        Some(ToolChoice::Allowed { is_required, names }) => {
            let (is_required, names) = (*is_required, names.clone());
            filter(request, is_required, &names, notes)
        }
        _ => Ok(()),
    }
}

/// Refuses more tools than the upstream takes, before it does.
pub(super) fn check_count(request: &Request, target: &Target) -> Result<(), Failure> {
    let count = request.tools.len();
    match target.most_tools {
        Some(most) if count > most => Err(Failure::invalid(format!(
            "the request has {count} tools, and {} takes {most} at most: leave out {} of them, or choose a model \
             that takes more",
            shown(&target.model),
            count - most
        ))
        .about("tools")),
        _ => Ok(()),
    }
}

fn filter(
    request: &mut Request,
    is_required: bool,
    names: &[String],
    notes: &mut Notes,
) -> Result<(), Failure> {
    let unknown: Vec<&String> = names.iter().filter(|name| !is_there(request, name)).collect();
    if let Some(first) = unknown.first() {
        if is_required && unknown.len() == names.len() {
            return Err(missing(request, first));
        }
        let told: Vec<String> = unknown.iter().take(8).map(|name| shown(name)).collect();
        notes.add(
            "allowed_tools_unknown",
            format!("allowed are tools that the request does not have: {}", told.join(", ")),
        );
    }
    if is_required && names.is_empty() {
        return Err(Failure::invalid(
            "one of the allowed tools must be called, and none is allowed: name one",
        )
        .about("tool_choice"));
    }
    let allowed: HashSet<&str> = names.iter().map(String::as_str).collect();
    request.tools.retain(|tool| allowed.contains(tool.name.as_str()));
    request.server_tools.retain(|tool| {
        let name = tool.get_text("name").unwrap_or_default();
        if is_namespace(tool) {
            return allowed.iter().any(|allowed| allowed.starts_with(&full_name(&name, "")));
        }
        ["name", "type"].iter().any(|key| tool.get_text(key).is_some_and(|text| allowed.contains(&*text)))
    });
    let is_any_left = !request.tools.is_empty() || !request.server_tools.is_empty();
    request.choice = Some(match (is_required, is_any_left) {
        (true, _) => ToolChoice::Required,
        (false, true) => ToolChoice::Auto,
        (false, false) => ToolChoice::None,
    });
    Ok(())
}

fn is_there(request: &Request, name: &str) -> bool {
    let is_named =
        |tool: &Json| ["name", "type"].iter().any(|key| tool.get_text(key).as_deref() == Some(name));
    request.tools.iter().any(|tool| tool.name == name) || request.server_tools.iter().any(is_named)
}

fn missing(request: &Request, name: &str) -> Failure {
    let tools: Vec<NamedTool<'_>> =
        request.tools.iter().map(|tool| NamedTool::new(&tool.name, None)).collect();
    let near = match find_tool(name, &tools, &[]) {
        Ok(found) => vec![shown(tools[found.index].name)],
        Err(NameError::Unknown { nearest, .. }) => nearest.iter().map(|name| shown(name)).collect(),
        Err(NameError::Ambiguous { candidates, .. }) => candidates.iter().map(|name| shown(name)).collect(),
        Err(NameError::TooLong { .. }) => Vec::new(),
    };
    let hint = match near.is_empty() {
        _ if tools.is_empty() => "it has no tools at all: send the tool, or no choice".to_owned(),
        true => "send the tool, or choose another".to_owned(),
        false => format!("the nearest are {}", near.join(", ")),
    };
    Failure::invalid(format!(
        "the choice is the tool \"{}\", which the request does not have; {hint}",
        shown(name)
    ))
    .about("tool_choice")
}
