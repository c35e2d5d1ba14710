//! `toolwright man`: the manual page of the program or of one command, as roff.

use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::print_text;
use crate::cli::{Cli, ManOptions};
use crate::meant;
use crate::report::Report;

pub fn run(options: &ManOptions) -> Result<ExitCode, Report> {
    let mut command = Cli::command();
    command.build();
    let mut name = "toolwright".to_owned();
    for word in &options.command {
        let Some(found) = command.find_subcommand(word).cloned() else {
            return Err(unknown(&command, &name, word));
        };
        name = format!("{name}-{word}");
        command = found;
    }
    let mut page = Vec::new();
    Man::new(command.display_name(name))
        .render(&mut page)
        .map_err(|error| Report::usage(format!("the page cannot be made: {error}"), "report this"))?;
    print_text(&String::from_utf8_lossy(&page))?;
    Ok(ExitCode::SUCCESS)
}

fn unknown(command: &Command, name: &str, word: &str) -> Report {
    let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    let near = meant::nearest(word, names.iter().copied());
    let fix = match (near.as_slice(), names.as_slice()) {
        ([near, ..], _) => format!("did you mean \"{near}\"?"),
        ([], []) => "it has no commands of its own".to_owned(),
        ([], names) => format!("use one of {}", names.join(", ")),
    };
    Report::usage(format!("{} has no command \"{word}\"", name.replace('-', " ")), fix)
}
