//! `toolwright man`: the manual page of the program or of one command, as roff.

use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use toolwright_base::closest_name;

use super::print_text;
use crate::cli::{Cli, ManOptions};
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
    let near = closest_name(word, names.iter().copied());
    let fix = match (near, names.as_slice()) {
        (Some(near), _) => format!("did you mean \"{near}\"?"),
        (None, []) => "it has no commands of its own".to_owned(),
        (None, names) => format!("use one of {}", names.join(", ")),
    };
    Report::usage(format!("{} has no command \"{word}\"", name.replace('-', " ")), fix)
}
