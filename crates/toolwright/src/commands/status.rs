//! `toolwright status`: how the gateway that runs is doing.

mod text;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use toolwright_config::{locate, process_environment};
use toolwright_gateway::control::{self, Question, Reply};
use toolwright_gateway::status::{AskError, Status, ask};

use super::print;
use crate::cli::StatusOptions;
use crate::gateway_source;
use crate::report::{EXIT_FOUND, Report};

/// How long a gateway may take to answer.
const ANSWER: Duration = Duration::from_secs(5);
/// Where one is asked when nobody says otherwise.
const USUAL: &str = "http://127.0.0.1:8484";

pub fn run(options: &StatusOptions) -> Result<ExitCode, Report> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Report::cannot_start(&error))?;
    let found = match &options.url {
        Some(url) => asked(&runtime, url),
        None => match behind_a_door(&runtime, options) {
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
fn behind_a_door(runtime: &Runtime, options: &StatusOptions) -> Option<Status> {
    let located = locate(options.config.config.as_deref(), &process_environment).ok().flatten();
    let own = located.and_then(|located| control::door_of(&located.file).ok());
    let doors = own.into_iter().chain(control::door_without_configuration().ok());
    doors.into_iter().find_map(|door| behind(runtime, &door))
}

/// Asks a demo that runs.
fn a_demo(runtime: &Runtime) -> Option<Status> {
    super::demo::doors().into_iter().find_map(|door| behind(runtime, &door))
}

fn behind(runtime: &Runtime, door: &Path) -> Option<Status> {
    match runtime.block_on(control::ask(door, &Question::Status)) {
        Ok(Reply::Status(Some(status))) => Some(*status),
        _ => None,
    }
}

/// Asks over HTTP. The token is read and not made: who only looks changes nothing.
fn asked(runtime: &Runtime, url: &str) -> Result<Status, AskError> {
    let file = gateway_source::token_folder().map(|folder| folder.own_file());
    let token = file.and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    runtime.block_on(ask(url, token.trim(), ANSWER))
}

fn running(status: &Status) -> Value {
    let mut said = json!(status);
    said["running"] = json!(true);
    said
}

/// Says plainly that none runs, or why it cannot be asked.
fn none(options: &StatusOptions, error: &AskError) -> Result<ExitCode, Report> {
    let (what, fix) = match error {
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
    };
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
