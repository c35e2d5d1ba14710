//! `toolwright status`: how the gateway that runs is doing.

mod text;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use toolwright_config::{locate, process_environment};
use toolwright_port::control::{self, Question, Reply};
use toolwright_port::status::{AskError, Status, ask};

use super::print;
use crate::cli::StatusOptions;
use crate::gateway_source;
use crate::report::{EXIT_FOUND, Report};

/// How long a gateway may take to answer.
pub(super) const ANSWER: Duration = Duration::from_secs(5);
/// Where one is asked when nobody says otherwise.
pub(super) const USUAL: &str = "http://127.0.0.1:8484";

pub fn run(options: &StatusOptions) -> Result<ExitCode, Report> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Report::cannot_start(&error))?;
    let found = match &options.url {
        Some(url) => asked(&runtime, url),
        None => match runtime.block_on(behind_a_door(options.config.config.as_deref())) {
            Some(status) => Ok(status),
            // A demo is told of only where there is nothing of the user's own.
            None => asked(&runtime, USUAL).or_else(|error| a_demo(&runtime).ok_or(error)),
        },
    };
    let status = match found {
        Ok(status) => status,
        Err(error) => return none(options, &error),
    };
    match (options.json, options.line) {
        (true, _) => print(&running(&status).to_string())?,
        (false, true) => print(&text::line(&status))?,
        (false, false) => print(&text::full(&status))?,
    }
    Ok(if status.status == "ok" { ExitCode::SUCCESS } else { ExitCode::from(EXIT_FOUND) })
}

/// Asks by the socket of the gateway with the configuration that is found from here, or of one without.
pub(super) async fn behind_a_door(config: Option<&Path>) -> Option<Status> {
    let located = locate(config, &process_environment).ok().flatten();
    let own = located.and_then(|located| control::door_of(&located.file).ok());
    for door in own.into_iter().chain(control::door_without_configuration().ok()) {
        if let Some(status) = behind(&door).await {
            return Some(status);
        }
    }
    None
}

/// Asks a demo that runs.
fn a_demo(runtime: &Runtime) -> Option<Status> {
    super::demo::doors().into_iter().find_map(|door| runtime.block_on(behind(&door)))
}

async fn behind(door: &Path) -> Option<Status> {
    match control::ask(door, &Question::Status).await {
        Ok(Reply::Status(Some(status))) => Some(*status),
        _ => None,
    }
}

/// Asks over HTTP.
fn asked(runtime: &Runtime, url: &str) -> Result<Status, AskError> {
    runtime.block_on(ask(url, &token(), ANSWER))
}

/// The token of this install. It is read and not made: who only looks changes nothing.
pub(super) fn token() -> String {
    let file = gateway_source::token_folder().map(|folder| folder.own_file());
    let token = file.and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    token.trim().to_owned()
}

fn running(status: &Status) -> Value {
    let mut said = json!(status);
    said["running"] = json!(true);
    said
}

/// Says plainly that none runs, or why it cannot be asked.
fn none(options: &StatusOptions, error: &AskError) -> Result<ExitCode, Report> {
    let (what, fix) = why_none(error);
    if options.json {
        print(&json!({ "running": false, "why": what, "fix": fix }).to_string())?;
        return Ok(ExitCode::from(EXIT_FOUND));
    }
    if options.line {
        print(&what)?;
        return Ok(ExitCode::from(EXIT_FOUND));
    }
    Err(Report::found(what, fix))
}

/// What is wrong when a gateway does not tell, and what to do.
pub(super) fn why_none(error: &AskError) -> (String, String) {
    match error {
        AskError::NobodyThere(at) => {
            (format!("no gateway runs: {at} is closed"), "start one: toolwright serve".to_owned())
        }
        AskError::NotLetIn => (
            format!("a gateway runs, and cannot be asked: {error}"),
            "end it and start it anew, as the user and with the state folder of its clients".to_owned(),
        ),
        AskError::NotUnderstood(_) => {
            (format!("no gateway can be asked: {error}"), "see what is wrong: toolwright doctor".to_owned())
        }
    }
}
