//! The sentences about a call that failed: every one in this file, each below 300 characters where it is spoken.
//! Each has two forms: with names as they are said aloud, and with names as they are typed.

use std::time::Duration;

use serde_json::Value;
use toolwright_model::{Code, Problem};

use super::own_words::{beginning, own_words};
use super::spoken::{self, list};
use crate::registry::{Need, Parameter};
use crate::{OnDrop, printable};

/// The longest name that is shown whole, in characters.
const MAX_TYPED_CHARS: usize = 100;

/// How a sentence has the names of tools, servers and parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// As they are said aloud: "read file".
    Spoken,
    /// As they are typed: `read_file`.
    Typed,
}

impl Names {
    fn say(self, name: &str) -> String {
        match self {
            Names::Spoken => spoken::name(name),
            // Whoever sends a name must not command a terminal by it, nor fill a page.
            Names::Typed => {
                let name: String = name.chars().take(MAX_TYPED_CHARS).collect();
                printable(&name, &[]).into_owned()
            }
        }
    }
}

/// The room for the list of what a tool needs, and of what it was given, in characters.
const NEEDS_ROOM: usize = 110;
const GIVEN_ROOM: usize = 60;

pub(super) fn unknown_tool(names: Names, sent: &str, nearest: &[String]) -> String {
    let nearest: Vec<String> = nearest.iter().map(|name| names.say(name)).collect();
    // The tool is there, but not from where it was asked for.
    if let Some((server, name)) = sent.rsplit_once('/')
        && nearest.contains(&names.say(name))
        && !names.say(server).is_empty()
    {
        let (server, name) = (names.say(server), names.say(name));
        return format!("There is no tool {name} of {server}, but there is one called {name} without it.");
    }
    let suggestion = match nearest[..] {
        [] => String::new(),
        _ => format!(" Did you mean {}?", list(&nearest, "or", 170)),
    };
    match names.say(sent).as_str() {
        "" => format!("The tool is unknown.{suggestion}"),
        sent => format!("The tool {sent} is unknown.{suggestion}"),
    }
}

pub(super) fn ambiguous_tool(names: Names, sent: &str, candidates: &[String]) -> String {
    let servers = candidates.iter().map(|name| name.rsplit_once('/').map_or("another", |(server, _)| server));
    let servers: Vec<String> = servers.map(|server| names.say(server)).collect();
    format!(
        "There are several tools called {}. Please say whether you mean the one of {}.",
        names.say(sent),
        list(&servers, "or", 120)
    )
}

pub(super) fn invalid_arguments(
    names: Names,
    tool: &str,
    parameters: &[Parameter],
    problems: &[Problem],
    sent: &str,
) -> String {
    let start = format!("The {} tool cannot be used like that.", names.say(tool));
    let sent = serde_json::from_str::<Value>(if sent.trim().is_empty() { "null" } else { sent });
    // When all that is needed was sent, what does not fit is more use than what is needed.
    if let Some(misfits) = misfits(names, parameters, problems, sent.as_ref().ok()) {
        return format!("{start} What was sent does not fit {misfits}.");
    }
    match sent.as_ref().ok().and_then(|sent| unknown(names, parameters, problems, sent)) {
        Some(unknown) => format!("{start} It does not take {unknown}. {}", needs(names, parameters)),
        None => format!("{start} {} {}", needs(names, parameters), given(names, sent.as_ref().ok())),
    }
}

/// The parameters whose values do not fit, when nothing else is wrong.
fn misfits(
    names: Names,
    parameters: &[Parameter],
    problems: &[Problem],
    sent: Option<&Value>,
) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    for problem in problems {
        let key = problem.path.split('/').nth(1)?;
        let parameter = parameters.iter().find(|parameter| parameter.name == key)?;
        if problem.code == Code::MissingRequired && problem.path.matches('/').count() == 1 {
            return None;
        }
        // A value of the right kind is wrong for another reason.
        let value = sent.and_then(|sent| sent.get(key));
        let name = match value.is_some_and(|value| is_of_kind(value, parameter)) {
            true => names.say(&parameter.name),
            false => with_kind(names, parameter),
        };
        if !found.contains(&name) {
            found.push(name);
        }
    }
    (!found.is_empty()).then(|| list(&found, "and", NEEDS_ROOM))
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
fn unknown(names: Names, parameters: &[Parameter], problems: &[Problem], sent: &Value) -> Option<String> {
    let is_there = |parameter: &Parameter| sent.get(&parameter.name).is_some();
    if !parameters.iter().filter(|parameter| parameter.need == Need::Required).all(is_there) {
        return None;
    }
    let is_known = |key: &str| parameters.iter().any(|parameter| parameter.name == key);
    let keys = problems.iter().filter_map(|problem| problem.path.split('/').nth(1));
    let keys = keys.filter(|key| !is_known(key)).map(|key| names.say(key)).filter(|key| !key.is_empty());
    let found: Vec<String> = keys.collect();
    (!found.is_empty()).then(|| list(&found, "and", GIVEN_ROOM))
}

fn with_kind(names: Names, parameter: &Parameter) -> String {
    format!("{} ({})", names.say(&parameter.name), parameter.spoken_kind())
}

/// A tool's own words where they can be spoken. What it needs is not said: that was sent, and is not the fault.
pub(super) fn rejected_by_tool(names: Names, tool: &str, message: &str) -> String {
    own_words(message)
        .unwrap_or_else(|| format!("The {} tool does not accept what was sent.", names.say(tool)))
}

fn needs(names: Names, parameters: &[Parameter]) -> String {
    let shown = |need| -> Vec<String> {
        let asked = parameters.iter().filter(|parameter| parameter.need == need);
        asked.map(|parameter| with_kind(names, parameter)).collect()
    };
    let (required, optional) = (shown(Need::Required), shown(Need::Optional));
    match (&required[..], &optional[..]) {
        ([], []) => "It takes nothing.".to_owned(),
        ([], _) => format!("It takes {}.", list(&optional, "and", NEEDS_ROOM)),
        _ => format!("It needs {}.", list(&required, "and", NEEDS_ROOM)),
    }
}

fn given(names: Names, sent: Option<&Value>) -> String {
    match sent {
        Some(Value::Object(members)) if members.values().any(|value| !value.is_null()) => {
            let given = members.iter().filter(|(_, value)| !value.is_null());
            let keys: Vec<String> =
                given.map(|(key, _)| names.say(key)).filter(|key| !key.is_empty()).collect();
            format!("It was given {}.", list(&keys, "and", GIVEN_ROOM))
        }
        Some(Value::Object(_) | Value::Null) => "It was given nothing.".to_owned(),
        Some(Value::Array(_)) => "It was given a list without names.".to_owned(),
        Some(_) => "It was given one value without a name.".to_owned(),
        None => "It was given something that cannot be read.".to_owned(),
    }
}

pub(super) fn refused(names: Names, tool: &str) -> String {
    match names {
        Names::Spoken => format!(
            "I did not use the {} tool, because it is not certain what was meant. Please say it more exactly.",
            names.say(tool)
        ),
        Names::Typed => format!("The call of {tool} was refused: it is not certain what was meant."),
    }
}

/// What a judge says, where it can be said.
pub(super) fn denied(said: &str) -> String {
    own_words(said).unwrap_or_else(|| "This is not allowed, so I did not do it.".to_owned())
}

pub(super) fn timeout(names: Names, tool: &str, limit: Duration, ending: OnDrop) -> String {
    let stopped = match ending {
        OnDrop::Stops => "was stopped",
        OnDrop::IsAskedToStop => "was asked to stop",
    };
    format!(
        "The {} operation timed out: it took longer than {} and {stopped}. Please try again later.",
        names.say(tool),
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

pub(super) fn cancelled(names: Names, tool: &str) -> String {
    format!("The {} operation was cancelled.", names.say(tool))
}

pub(super) fn unfinished(names: Names, tool: &str) -> String {
    format!("The {} operation did not come to its end. It may have changed something.", names.say(tool))
}

pub(super) fn busy(names: Names, tool: &str) -> String {
    format!("The {} tool is busy right now. Please try again in a moment.", names.say(tool))
}

pub(super) fn busy_in_all() -> String {
    "Too much is going on right now. Please try again in a moment.".to_owned()
}

pub(super) fn unavailable(names: Names, tool: &str) -> String {
    format!("The {} service is currently unavailable. Please check your network connection.", names.say(tool))
}

pub(super) fn not_admitted(names: Names, tool: &str) -> String {
    format!("The {} tool was not run, because its call cannot be written down right now.", names.say(tool))
}

pub(super) fn unrecorded(names: Names, tool: &str) -> String {
    format!(
        "The {} tool has run, and the record of this call is not safe, so its result is held back. Do not call it again without looking at what it did.",
        names.say(tool)
    )
}

/// A tool's own words where they can be spoken.
pub(super) fn not_ready(names: Names, tool: &str, message: &str) -> String {
    let unsaid =
        || format!("The {} tool cannot work right now: what it depends on is not ready.", names.say(tool));
    own_words(message).unwrap_or_else(unsaid)
}

/// A tool's own words where they can be spoken; else the reason in ours, where it is one that systems have a code for.
pub(super) fn tool_error(names: Names, tool: &str, message: &str) -> String {
    own_words(message).unwrap_or_else(|| {
        let tool = names.say(tool);
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
    let message = beginning(message).to_lowercase();
    let is_in = |codes: &[&str]| codes.iter().any(|code| message.contains(&code.to_lowercase()));
    REASONS.iter().find(|(codes, _)| is_in(codes)).map(|(_, reason)| *reason)
}

pub(super) fn too_large(names: Names, tool: &str) -> String {
    format!("The result of the {} tool is too large to pass on. Please ask for less.", names.say(tool))
}

pub(super) fn panicked(names: Names, tool: &str) -> String {
    format!("The {} tool broke down because of a fault in it. Other tools still work.", names.say(tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_looked_for_in_the_beginning_alone() {
        let code = "{\"code\": \"ECONNREFUSED\"}";
        assert!(reason(code).is_some());
        // A server may send megabytes.
        assert_eq!(reason(&format!("{}{code}", "{".repeat(8 << 10))), None);
    }
}
