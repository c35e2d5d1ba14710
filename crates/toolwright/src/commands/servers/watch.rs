//! `toolwright servers watch`: all servers, kept running, and what becomes of them.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use jiff::Zoned;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use toolwright_backend::{Server, ServerView};
use toolwright_config::Configuration;
use toolwright_executor::printable;
use toolwright_port::control::{ControlError, Door, door_of};

use super::KEPT;
use crate::report::Report;
use crate::{server_source, signals};

/// How many changes wait to be shown.
const CHANGES: usize = 64;

pub fn run(runtime: &Runtime, configuration: &Configuration) -> Result<ExitCode, Report> {
    runtime.block_on(async {
        let asked_to_end = signals::asked_to_end();
        let refused = |error: ControlError| {
            let fix = match error {
                ControlError::SomebodyThere => {
                    "ask that one: toolwright servers, toolwright servers restart NAME"
                }
                _ => "set XDG_RUNTIME_DIR to a folder of yours that can be written and has a short path",
            };
            Report::usage(error.to_string(), fix)
        };
        let path = door_of(&configuration.file).map_err(refused)?;
        let door = Door::open(&path).await.map_err(refused)?;
        let servers = server_source::start(configuration, |_| true, None, Vec::new());
        let count = match servers.names().len() {
            1 => "1 server".to_owned(),
            count => format!("{count} servers"),
        };
        eprintln!("{count} of {}; Ctrl-C ends them", configuration.file.display());
        let (told, mut changes) = mpsc::channel(CHANGES);
        for server in servers.iter() {
            tokio::spawn(follow(server.clone(), told.clone()));
        }
        drop(told);
        let mut ended = std::pin::pin!(asked_to_end);
        let mut serving = std::pin::pin!(door.serve(Arc::clone(&servers), None));
        let code = loop {
            tokio::select! {
                code = &mut ended => break code,
                () = &mut serving => {}
                Some(view) = changes.recv() => {
                    if let Err(error) = writeln!(io::stdout(), "{}", printable(&line(&view), KEPT)) {
                        servers.stop().await;
                        return Err(Report::io("write", Path::new("standard output"), &error));
                    }
                }
            }
        };
        servers.stop().await;
        // Ctrl-C is how it is meant to end.
        Ok(code
            .filter(|code| *code != crate::report::EXIT_INTERRUPTED)
            .map_or(ExitCode::SUCCESS, ExitCode::from))
    })
}

/// Tells of a server whenever something to be seen of it has changed.
async fn follow(server: Server, told: mpsc::Sender<ServerView>) {
    let mut changes = server.supervisor.subscribe();
    let mut last = None;
    loop {
        let view = server.view();
        let shown = line_without_time(&view);
        if last.as_ref() != Some(&shown) {
            last = Some(shown);
            if told.send(view).await.is_err() {
                return;
            }
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

fn line(view: &ServerView) -> String {
    format!("{}  {}", Zoned::now().strftime("%H:%M:%S"), line_without_time(view))
}

fn line_without_time(view: &ServerView) -> String {
    let mut line = format!("{}  {}", view.name, view.state);
    if view.is_usable() {
        let protocol = [view.era.as_deref(), view.protocol_version.as_deref()];
        let protocol: Vec<&str> = protocol.into_iter().flatten().collect();
        line.push_str(&format!(" ({}, {} tools)", protocol.join(" "), view.tools));
    }
    if let Some(detail) = &view.detail {
        line.push_str(&format!(": {detail}"));
    }
    if let Some(error) = view.last_error.as_ref().filter(|_| !view.is_usable() && !view.is_off()) {
        line.push_str(&format!("\n    {}", error.replace('\n', "\n    ")));
    }
    line
}
