//! `toolwright demo`: a gateway with a scripted model that makes mistakes, to look at.

mod folder;
mod model;
mod script;
mod text;

use std::process::ExitCode;

use toolwright_port::{Bound, ListenError, Reach};

use super::print_text;
use super::serve::{self, Opened, Whose};
use crate::cli::{DemoOptions, RootOptions, ServeOptions};
use crate::report::Report;
use crate::signals::{self, Signals};
use folder::DemoFolder;

pub use folder::doors;

pub fn run(options: &DemoOptions) -> Result<ExitCode, Report> {
    let folder = DemoFolder::new()?;
    let done = serve::on_a_runtime(show(options, &folder));
    // Also after an error, and after a signal: nothing of it stays.
    folder.remove()?;
    done
}

async fn show(options: &DemoOptions, folder: &DemoFolder) -> Result<ExitCode, Report> {
    let (signals, hung_up) = (Signals::new(), signals::hung_up());
    let bound = bind(options).await?;
    let serve_options = ServeOptions {
        roots: RootOptions { folders: vec![folder.files()] },
        // Nobody waits for an answer but the script.
        grace: Some(model::LONGEST_CALL),
        ..ServeOptions::default()
    };
    let (state, door) = (folder.state(), folder.door());
    let opened = Opened::new(bound, &serve_options, Whose::Demo { state: &state, door: &door }).await?;
    let started = &opened.started;
    print_text(&if options.json { text::as_json(started, folder) } else { text::as_text(started, folder) })?;
    let (url, token) = (started.url("/mcp/all"), started.token.clone().unwrap_or_default());
    let until = async {
        tokio::select! {
            () = model::talk(&url, &token) => {}
            () = over(options) => {}
            // Its terminal is gone, and with it whoever looked.
            () = hung_up => {}
        }
    };
    Ok(opened.run(&serve_options, signals, until).await)
}

/// Where somebody said, or the usual port, or any that is free when that one is taken.
async fn bind(options: &DemoOptions) -> Result<Bound, Report> {
    let said = options.listen.or(options.port.map(serve::loopback));
    let bound =
        toolwright_port::bind(said.unwrap_or(serve::loopback(serve::DEFAULT_PORT)), Reach::Loopback).await;
    let bound = match (bound, said) {
        (Err(ListenError::Taken(address)), None) => {
            eprintln!("{address} is taken, perhaps by a gateway of yours, so the demo is at another port");
            toolwright_port::bind(serve::loopback(0), Reach::Loopback).await
        }
        (bound, _) => bound,
    };
    bound.map_err(|error| match error {
        ListenError::NotLoopback(_) => {
            Report::usage(format!("{error}, and a demo is for this machine alone"), "listen at 127.0.0.1")
        }
        error => serve::cannot_listen(&error),
    })
}

async fn over(options: &DemoOptions) {
    match options.duration {
        Some(duration) => tokio::time::sleep(duration).await,
        None => std::future::pending().await,
    }
}
