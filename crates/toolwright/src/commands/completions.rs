//! `toolwright completions`: what a shell reads once, so that it asks this program from then on.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap_complete::env::Shells;

use super::print_text;
use crate::cli::{CompletionsOptions, Shell};
use crate::completing::VARIABLE;
use crate::report::Report;

/// The name of the program, as shells know it.
const PROGRAM: &str = "toolwright";

pub fn run(options: &CompletionsOptions) -> Result<ExitCode, Report> {
    let name = match options.shell {
        Shell::Bash => "bash",
        Shell::Zsh => "zsh",
        Shell::Fish => "fish",
        Shell::Powershell => "powershell",
    };
    let impossible =
        |why: &str| Report::usage(format!("completions for {name} cannot be made: {why}"), "report this");
    let shells = Shells::builtins();
    let shell = shells.completer(name).ok_or_else(|| impossible("the shell is not known"))?;
    let mut script = Vec::new();
    let program = program().display().to_string();
    shell
        .write_registration(VARIABLE, PROGRAM, PROGRAM, &program, &mut script)
        .map_err(|error| impossible(&error.to_string()))?;
    print_text(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// The program that is asked: by its name where the search path leads to this one, so that the next version is asked
/// after an update.
fn program() -> PathBuf {
    let Ok(own) = std::env::current_exe() else { return PathBuf::from(PROGRAM) };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(PROGRAM)).find(|file| file.is_file());
    let is_same = |found: &Path| found.canonicalize().ok() == own.canonicalize().ok();
    if found.is_some_and(|found| is_same(&found)) { PathBuf::from(PROGRAM) } else { own }
}
