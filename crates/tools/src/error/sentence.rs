//! The sentences that people hear when a call fails: every one in this file, each below 300 characters.

use std::time::Duration;

use serde_json::Value;
use toolwright_model::{Code, Problem};

use super::own_words::own_words;
use super::spoken::{list, name as spoken};
use crate::OnDrop;
use crate::registry::{Need, Parameter};

/// The room for the list of what a tool needs, and of what it was given, in characters.
const NEEDS_ROOM: usize = 110;
const GIVEN_ROOM: usize = 60;

pub(super) fn unknown_tool(sent: &str, nearest: &[String]) -> String {
    let nearest: Vec<String> = nearest.iter().map(|name| spoken(name)).collect();
    // The tool is there, but not from where it was asked for.
    if let Some((server, name)) = sent.rsplit_once('/')
        && nearest.contains(&spoken(name))
        && !spoken(server).is_empty()
    {
        let (server, name) = (spoken(server), spoken(name));
        return format!("There is no tool {name} of {server}, but there is one called {name} without it.");
    }
    let suggestion = match nearest[..] {
        [] => String::new(),
        _ => format!(" Did you mean {}?", list(&nearest, "or", 170)),
    };
    match spoken(sent).as_str() {
        "" => format!("The tool is unknown.{suggestion}"),
        sent => format!("The tool {sent} is unknown.{suggestion}"),
    }
}

pub(super) fn ambiguous_tool(sent: &str, candidates: &[String]) -> String {
    let servers = candidates.iter().map(|name| name.rsplit_once('/').map_or("another", |(server, _)| server));
    let servers: Vec<String> = servers.map(spoken).collect();
    format!(
        "There are several tools called {}. Please say whether you mean the one of {}.",
        spoken(sent),
        list(&servers, "or", 120)
    )
}

pub(super) fn invalid_arguments(
    tool: &str,
    parameters: &[Parameter],
    problems: &[Problem],
    sent: &str,
) -> String {
    let start = format!("The {} tool cannot be used like that.", spoken(tool));
    let sent = serde_json::from_str::<Value>(if sent.trim().is_empty() { "null" } else { sent });
    // When all that is needed was sent, what does not fit is more use than what is needed.
    if let Some(misfits) = misfits(parameters, problems, sent.as_ref().ok()) {
        return format!("{start} What was sent does not fit {misfits}.");
    }
    match sent.as_ref().ok().and_then(|sent| unknown(parameters, problems, sent)) {
        Some(unknown) => format!("{start} It does not take {unknown}. {}", needs(parameters)),
        None => format!("{start} {} {}", needs(parameters), given(sent.as_ref().ok())),
    }
}

/// The parameters whose values do not fit, when nothing else is wrong.
fn misfits(parameters: &[Parameter], problems: &[Problem], sent: Option<&Value>) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for problem in problems {
        let key = problem.path.split('/').nth(1)?;
        let parameter = parameters.iter().find(|parameter| parameter.name == key)?;
        if problem.code == Code::R1 && problem.path.matches('/').count() == 1 {
            return None;
        }
        // A value of the right kind is wrong for another reason.
        let value = sent.and_then(|sent| sent.get(key));
        let name = match value.is_some_and(|value| is_of_kind(value, parameter)) {
            true => spoken(&parameter.name),
            false => with_kind(parameter),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    (!names.is_empty()).then(|| list(&names, "and", NEEDS_ROOM))
}

fn is_of_kind(value: &Value, parameter: &Parameter) -> bool {
    parameter.types.iter().any(|kind| match kind.as_str() {
        "string" => value.is_string(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    })
}

/// What was sent and the tool does not have, when it has all that it needs.
fn unknown(parameters: &[Parameter], problems: &[Problem], sent: &Value) -> Option<String> {
    let is_there = |parameter: &Parameter| sent.get(&parameter.name).is_some();
    if !parameters.iter().filter(|parameter| parameter.need == Need::Required).all(is_there) {
        return None;
    }
    let is_known = |key: &str| parameters.iter().any(|parameter| parameter.name == key);
    let keys = problems.iter().filter_map(|problem| problem.path.split('/').nth(1));
    let keys = keys.filter(|key| !is_known(key)).map(spoken).filter(|key| !key.is_empty());
    let names: Vec<String> = keys.collect();
    (!names.is_empty()).then(|| list(&names, "and", GIVEN_ROOM))
}

fn with_kind(parameter: &Parameter) -> String {
    format!("{} ({})", spoken(&parameter.name), parameter.spoken_kind())
}

/// A tool's own words where they can be spoken. What it needs is not said: that was sent, and is not the fault.
pub(super) fn rejected_by_tool(tool: &str, message: &str) -> String {
    own_words(message).unwrap_or_else(|| format!("The {} tool does not accept what was sent.", spoken(tool)))
}

fn needs(parameters: &[Parameter]) -> String {
    let shown = |need| -> Vec<String> {
        let asked = parameters.iter().filter(|parameter| parameter.need == need);
        asked.map(with_kind).collect()
    };
    let (required, optional) = (shown(Need::Required), shown(Need::Optional));
    match (&required[..], &optional[..]) {
        ([], []) => "It takes nothing.".to_owned(),
        ([], _) => format!("It takes {}.", list(&optional, "and", NEEDS_ROOM)),
        _ => format!("It needs {}.", list(&required, "and", NEEDS_ROOM)),
    }
}

fn given(sent: Option<&Value>) -> String {
    match sent {
        Some(Value::Object(members)) if members.values().any(|value| !value.is_null()) => {
            let given = members.iter().filter(|(_, value)| !value.is_null());
            let keys: Vec<String> = given.map(|(key, _)| spoken(key)).filter(|key| !key.is_empty()).collect();
            format!("It was given {}.", list(&keys, "and", GIVEN_ROOM))
        }
        Some(Value::Object(_) | Value::Null) => "It was given nothing.".to_owned(),
        Some(Value::Array(_)) => "It was given a list without names.".to_owned(),
        Some(_) => "It was given one value without a name.".to_owned(),
        None => "It was given something that cannot be read.".to_owned(),
    }
}

pub(super) fn refused(tool: &str) -> String {
    format!(
        "I did not use the {} tool, because it is not certain what was meant. Please say it more exactly.",
        spoken(tool)
    )
}

/// What a judge says, where it can be said.
pub(super) fn denied(said: &str) -> String {
    own_words(said).unwrap_or_else(|| "This is not allowed, so I did not do it.".to_owned())
}

pub(super) fn timeout(tool: &str, limit: Duration, ending: OnDrop) -> String {
    let stopped = match ending {
        OnDrop::Stops => "was stopped",
        OnDrop::IsAskedToStop => "was asked to stop",
    };
    format!(
        "The {} operation timed out: it took longer than {} and {stopped}. Please try again later.",
        spoken(tool),
        spoken_time(limit)
    )
}

fn spoken_time(limit: Duration) -> String {
    // Rounded down: "longer than" stays true.
    match limit.as_secs() {
        0 => "a moment".to_owned(),
        1 => "a second".to_owned(),
        seconds if seconds < 120 => format!("{seconds} seconds"),
        seconds => format!("{} minutes", seconds / 60),
    }
}

pub(super) fn cancelled(tool: &str) -> String {
    format!("The {} operation was cancelled.", spoken(tool))
}

pub(super) fn unfinished(tool: &str) -> String {
    format!("The {} operation did not come to its end. It may have changed something.", spoken(tool))
}

pub(super) fn busy(tool: &str) -> String {
    format!("The {} tool is busy right now. Please try again in a moment.", spoken(tool))
}

pub(super) fn busy_in_all() -> String {
    "Too much is going on right now. Please try again in a moment.".to_owned()
}

pub(super) fn unavailable(tool: &str) -> String {
    format!("The {} service is currently unavailable. Please check your network connection.", spoken(tool))
}

pub(super) fn not_admitted(tool: &str) -> String {
    format!("The {} tool was not run, because its call cannot be written down right now.", spoken(tool))
}

pub(super) fn unrecorded(tool: &str) -> String {
    format!(
        "The {} tool has run, and the record of this call is not safe, so its result is held back. Do not call it again without looking at what it did.",
        spoken(tool)
    )
}

/// A tool's own words where they can be spoken.
pub(super) fn not_ready(tool: &str, message: &str) -> String {
    let unsaid =
        || format!("The {} tool cannot work right now: what it depends on is not ready.", spoken(tool));
    own_words(message).unwrap_or_else(unsaid)
}

/// A tool's own words where they can be spoken; else the reason in ours, where it is one that systems have a code for.
pub(super) fn tool_error(tool: &str, message: &str) -> String {
    own_words(message).unwrap_or_else(|| {
        let tool = spoken(tool);
        match reason(message) {
            Some(reason) => format!("The {tool} tool could not do what was asked, because {reason}."),
            None => format!("The {tool} tool could not do what was asked."),
        }
    })
}

/// What the codes of systems mean, in words that can be spoken.
const REASONS: &[(&[&str], &str)] = &[
    (&["ECONNREFUSED", "connection refused"], "what it needs is not running"),
    (&["ETIMEDOUT", "timed out"], "what it needs did not answer in time"),
    (&["ENOTFOUND", "EAI_AGAIN"], "a name on the network cannot be found"),
    (&["EHOSTUNREACH", "ENETUNREACH", "no route to host"], "the network does not lead to what it needs"),
    (&["ECONNRESET", "EPIPE", "connection reset"], "the connection to what it needs was lost"),
    (&["EACCES", "EPERM", "permission denied"], "it is not allowed to"),
    (&["ENOENT", "no such file"], "a file that it needs is not there"),
    (&["ENOSPC", "no space left"], "the disk is full"),
];

fn reason(message: &str) -> Option<&'static str> {
    let message = message.to_lowercase();
    let is_in = |codes: &[&str]| codes.iter().any(|code| message.contains(&code.to_lowercase()));
    REASONS.iter().find(|(codes, _)| is_in(codes)).map(|(_, reason)| *reason)
}

pub(super) fn too_large(tool: &str) -> String {
    format!("The result of the {} tool is too large to pass on. Please ask for less.", spoken(tool))
}

pub(super) fn panicked(tool: &str) -> String {
    format!("The {} tool broke down because of a fault in it. Other tools still work.", spoken(tool))
}
