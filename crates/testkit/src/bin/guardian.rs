//! A guardian, and a gateway for it that can be killed.
//!
//! `guardian __guard …` is the guardian. `guardian hold PROGRAM ARGS…` starts a server with one, prints the
//! process ids of the guardian and the server, and stays until it is killed.

#![allow(clippy::print_stdout, reason = "who started it reads it")]

use std::ffi::OsString;
use std::process::ExitCode;

use toolwright_mcp::guard::{self, Guardian};
use toolwright_mcp::stdio::{ChildCommand, StartedChild, start};

/// A variable that tests find the processes by.
const TEST: &str = "TOOLWRIGHT_TEST";

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next().and_then(|word| word.into_string().ok()).as_deref() {
        Some("__guard") => guard::run(args),
        Some("hold") => match hold(args.collect()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(reason) => {
                eprintln!("error: {reason}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("usage: guardian __guard … | hold PROGRAM ARGS…");
            ExitCode::from(2)
        }
    }
}

fn hold(mut words: Vec<OsString>) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let guardian = Guardian::start(own, vec!["__guard".into()]).map_err(|error| error.to_string())?;
    let program = if words.is_empty() { return Err("no program".to_owned()) } else { words.remove(0) };
    let command = ChildCommand {
        program,
        args: words,
        env_from: vec![TEST.into()],
        guardian: Some(guardian.clone()),
        ..ChildCommand::default()
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let StartedChild { mut link, pid, .. } = start(&command).map_err(|error| error.to_string())?;
        println!("{} {}", guardian.pid().unwrap_or(0), pid.unwrap_or(0));
        while link.events.recv().await.is_some() {}
        Ok(())
    })
}
