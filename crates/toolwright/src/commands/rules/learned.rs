//! `toolwright rules suggest|accept|dismiss|undo|history`: what calls have taught, and what was decided about it.

use std::process::ExitCode;
use std::sync::Arc;

use jiff::Timestamp;
use toolwright_executor::printable;
use toolwright_ledger::learn::{
    Event, LearnPolicy, LearningError, Lesson, SharedLearning, Status, Suggestion,
};

use crate::cli::DecisionOptions;
use crate::commands::print;
use crate::ledger_source;
use crate::report::Report;

/// The learning of this machine. Gateways that run hear of what is decided here within a second.
fn open() -> Result<SharedLearning, Report> {
    let folder = ledger_source::state()?;
    if !folder.is_dir() {
        let what = format!("nothing has been learned yet: there is no {}", folder.display());
        return Err(Report::found(what, "let a gateway run some calls first: toolwright serve"));
    }
    let (learning, loaded) =
        SharedLearning::open(&folder, Arc::default(), LearnPolicy::Suggest).map_err(report)?;
    if loaded.torn_bytes > 0 {
        eprintln!(
            "warning: the last decision in {} was cut off and does not hold; decide again",
            folder.display()
        );
    }
    for line in &loaded.damaged {
        eprintln!("warning: line {line} of the decisions in {} cannot be read", folder.display());
    }
    Ok(learning)
}

fn report(error: LearningError) -> Report {
    let fix = match &error {
        LearningError::Unknown(_) | LearningError::NothingToUndo(_) => "see `toolwright rules suggest --all`",
        LearningError::Already { .. } => {
            "see `toolwright rules history`; `toolwright rules undo` takes a decision back"
        }
        LearningError::Clash { .. } => "see the learned rules: toolwright rules list",
        LearningError::Store(_) | LearningError::RulesFile(_) => "check the folder and who may write there",
    };
    Report::found(printable(&error.to_string(), &[]).into_owned(), fix)
}

pub fn suggest(all: bool, json: bool) -> Result<ExitCode, Report> {
    let mut suggestions = open()?.suggestions();
    if !all {
        suggestions.retain(|suggestion| suggestion.status == Status::Suggested);
    }
    if json {
        print(&to_json(&suggestions)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if suggestions.is_empty() {
        eprintln!("nothing is suggested; what models correct twice or more becomes a suggestion");
    }
    for suggestion in &suggestions {
        print(&describe(suggestion))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub fn accept(options: &DecisionOptions) -> Result<ExitCode, Report> {
    decide(options, "in force now", SharedLearning::accept)
}

pub fn dismiss(options: &DecisionOptions) -> Result<ExitCode, Report> {
    decide(options, "put away", SharedLearning::dismiss)
}

pub fn undo(options: &DecisionOptions) -> Result<ExitCode, Report> {
    decide(options, "taken back", SharedLearning::undo)
}

fn decide(
    options: &DecisionOptions,
    done: &str,
    decide: impl FnOnce(&SharedLearning, &str, &str) -> Result<Suggestion, LearningError>,
) -> Result<ExitCode, Report> {
    let learning = open()?;
    let id = whole_id(&learning, &options.id)?;
    let by = options.by.clone().unwrap_or_else(user);
    let suggestion = decide(&learning, &id, &by).map_err(report)?;
    match options.json {
        true => print(&to_json(&suggestion)?)?,
        false => print(&format!("{done}: {} {}", suggestion.id, line(&suggestion)))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The id that begins so.
fn whole_id(learning: &SharedLearning, begin: &str) -> Result<String, Report> {
    let ids: Vec<String> = learning.suggestions().into_iter().map(|suggestion| suggestion.id).collect();
    let mut found: Vec<String> =
        ids.iter().filter(|id| !begin.is_empty() && id.starts_with(begin)).cloned().collect();
    match (found.pop(), found.len()) {
        (Some(id), 0) => Ok(id),
        (Some(_), _) => {
            let what = format!("several suggestions begin with \"{begin}\"");
            Err(Report::found(what, "give more of the id"))
        }
        (None, _) => Err(report(LearningError::Unknown(begin.to_owned()))),
    }
}

/// Who decides, when nobody says so.
pub fn user() -> String {
    let name = ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "command line".to_owned())
}

pub fn history(json: bool) -> Result<ExitCode, Report> {
    let history = open()?.history();
    if json {
        print(&to_json(&history)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if history.is_empty() {
        eprintln!("nothing has been decided yet");
    }
    for Event { ts, event, by, suggestion, .. } in &history {
        let when =
            Timestamp::from_microsecond(*ts).map_or_else(|_| ts.to_string(), |time| format!("{time:.0}"));
        let (what, by) = (event.word(), printable(by, &[]));
        print(&format!("{when}  {what:<9}  {}  {}  by {by}", suggestion.id, line(suggestion)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A suggestion with what a person needs to decide.
fn describe(suggestion: &Suggestion) -> String {
    let Suggestion { id, evidence, replay, confidence, reason, status, .. } = suggestion;
    let status = match status {
        Status::Suggested => "",
        Status::Active => "  (in force)",
        Status::Dismissed => "  (dismissed)",
        Status::Undone => "  (undone)",
        Status::Lapsed => "  (lapsed: the tool has another schema)",
    };
    let against = match evidence.against {
        0 => String::new(),
        count => format!(", {count} against it"),
    };
    let witnesses = match &evidence.witnesses[..] {
        [] => String::new(),
        some => format!(" of {}", printable(&some.join(", "), &[])),
    };
    format!(
        "{id}  {}{status}\n    {}\n    confidence {:.0} %: {} seen in {}{witnesses}{against}; mends {} of {} failed calls, changes {} good ones",
        line(suggestion),
        printable(reason, &[]),
        confidence * 100.0,
        count(evidence.observations, "correction"),
        count(evidence.sessions, "conversation"),
        replay.mends,
        replay.of,
        replay.changes_good,
    )
}

fn count(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// The rule in one line.
fn line(suggestion: &Suggestion) -> String {
    let rule = match &suggestion.lesson {
        Lesson::ParamAlias { from, to } => format!("{from} -> {to}"),
        Lesson::TypeCoerce { from, coerce_to } => format!("{from} as {coerce_to}"),
        Lesson::ValueMap { from, sent, meant } => format!("{from}: {sent} -> {meant}"),
        Lesson::NestedAlias { in_payload, from, to, .. } => format!("{in_payload}: {from} -> {to}"),
        Lesson::ParamDefault { from, value } => format!("{from} = {value}"),
    };
    printable(&format!("{}  {}  {rule}", suggestion.tool, suggestion.lesson.type_name()), &[]).into_owned()
}

fn to_json(value: &impl serde::Serialize) -> Result<String, Report> {
    serde_json::to_string(value).map_err(|error| Report::found(error.to_string(), "tell us about it"))
}
