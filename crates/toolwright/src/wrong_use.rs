//! A command line that cannot be understood, told in the form of all messages: what, where with a caret, and the fix.

use std::error::Error as _;
use std::ffi::OsString;
use std::num::ParseIntError;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use toolwright_base::closest_name;
use toolwright_executor::printable;

use crate::expected::Expected;
use crate::report::EXIT_USAGE;

/// How many words a list of what is possible has.
const LISTED: usize = 24;

/// Tells what is wrong, or what was asked for: help and version are no mistakes.
pub fn tell(error: &Error, command: &Command) -> ExitCode {
    if !error.use_stderr() {
        // A reader that went away is no error.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    eprintln!("{}", printable(&shown(error, command, &words), &['\n', '\\']));
    ExitCode::from(EXIT_USAGE)
}

fn shown(error: &Error, command: &Command, words: &[String]) -> String {
    let wrong = [ContextKind::InvalidSubcommand, ContextKind::InvalidValue, ContextKind::InvalidArg]
        .iter()
        .find_map(|kind| text(error, *kind));
    let what = what(error);
    let mut out = format!("error: {what}");
    let place = wrong.and_then(|wrong| place(words, &wrong));
    if let Some((line, at)) = place {
        out.push_str(&format!("\n --> {line}\n     {:>at$}", "^"));
    }
    out.push_str(&format!("\nfix: {}", fix(error, command, words)));
    out
}

/// What is wrong: the first part of clap's own message, in one line.
fn what(error: &Error) -> String {
    let shown = error.to_string();
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "a command is missing".to_owned();
    }
    let first = shown.split("\n\n").next().unwrap_or_default();
    // What to write instead is shown as the fix.
    let advice = expected(error).map(|expected| format!(": {expected}"));
    let first = advice.as_deref().and_then(|advice| first.strip_suffix(advice)).unwrap_or(first);
    let first = first.strip_prefix("error: ").unwrap_or(first);
    let lines: Vec<&str> = first.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    // Values that are possible come with the fix.
    let lines: Vec<&str> = lines.into_iter().filter(|line| !line.starts_with("[possible values")).collect();
    lines.join(" ")
}

/// The command line, and where in it a word stands, counted from 1.
fn place(words: &[String], wrong: &str) -> Option<(String, usize)> {
    // An argument is told with its value's name: --port <N>.
    let wrong = wrong.split_whitespace().next().filter(|name| name.starts_with('-')).unwrap_or(wrong);
    let begins = |word: &String| {
        word == wrong || word.split_once('=').is_some_and(|(key, value)| key == wrong || value == wrong)
    };
    let index = words.iter().position(begins)?;
    let mut line = "toolwright".to_owned();
    let mut at = 0;
    for (number, word) in words.iter().enumerate() {
        line.push(' ');
        if number == index {
            at = line.chars().count() + 1;
        }
        line.push_str(word);
    }
    Some((line, at))
}

fn fix(error: &Error, command: &Command, words: &[String]) -> String {
    let (path, inner) = reached(command, words);
    let help = format!("see {path} --help");
    for kind in [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue] {
        if let Some(meant) = text(error, kind) {
            return format!("did you mean \"{meant}\"? {help}");
        }
    }
    let possible = texts(error, ContextKind::ValidValue);
    if !possible.is_empty() {
        return format!("use one of {}; {help}", possible.join(", "));
    }
    match error.kind() {
        ErrorKind::InvalidSubcommand
        | ErrorKind::MissingSubcommand
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let names: Vec<&str> = inner.get_subcommands().map(Command::get_name).take(LISTED).collect();
            let wrong = text(error, ContextKind::InvalidSubcommand).unwrap_or_default();
            match closest_name(&wrong, names.iter().copied()) {
                Some(near) => format!("did you mean \"{near}\"? {help}"),
                None => format!("use one of {}; {help}", names.join(", ")),
            }
        }
        ErrorKind::MissingRequiredArgument | ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            let usage = inner.clone().bin_name(path.clone()).render_usage().to_string();
            let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage).trim().to_owned();
            format!("write {usage}; {help}")
        }
        ErrorKind::ArgumentConflict => format!("leave one of them out; {help}"),
        ErrorKind::ValueValidation => match expected(error) {
            Some(expected) => format!("{expected}; {help}"),
            None if is_no_number(error) => format!("write a whole number; {help}"),
            None => help,
        },
        _ => help,
    }
}

/// What the value should have been, when the parser of the value says so.
fn expected(error: &Error) -> Option<&Expected> {
    error.source()?.downcast_ref()
}

/// Whether the value should have been a number.
fn is_no_number(error: &Error) -> bool {
    error.source().is_some_and(|source| source.is::<ParseIntError>())
}

/// The command that the words lead to, and its name.
fn reached<'c>(command: &'c Command, words: &[String]) -> (String, &'c Command) {
    let (mut path, mut inner) = ("toolwright".to_owned(), command);
    for word in words.iter().filter(|word| !word.starts_with('-')) {
        let Some(found) = inner.find_subcommand(word) else { break };
        path = format!("{path} {word}");
        inner = found;
    }
    (path, inner)
}

fn text(error: &Error, kind: ContextKind) -> Option<String> {
    texts(error, kind).into_iter().next().filter(|text| !text.is_empty())
}

fn texts(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use clap::Parser;

    use super::*;
    use crate::cli::Cli;

    fn told(line: &str) -> String {
        let words: Vec<String> = line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let arguments = std::iter::once("toolwright".to_owned()).chain(words.clone());
        let error = Cli::try_parse_from(arguments).expect_err(line);
        shown(&error, &Cli::command(), &words)
    }

    #[test]
    fn every_wrong_use_is_told_with_its_place_and_a_fix() {
        let lines = [
            "doctr",
            "frobnicate",
            "serve --prot 9000",
            "serve --port nine",
            "serve --port 99999",
            "serve --calls 0",
            "serve --listen example",
            "serve --listen 127.0.0.1:1 --port 2",
            "serve --without-journal maybe",
            "call",
            "call x {} --timeout soon",
            "servers restart",
            "servers lgos time",
            "rules",
            "rules check",
            "rules list --jsn",
            "rules test rules.json",
            "tools list --format yaml",
            "tools list --json --format mcp",
            "token add",
            "token add a --rate 0",
            "audit",
            "audit tail -n many",
            "explain N4 N5",
            "completions tcsh",
            "status --line --json",
            "doctor --timeout",
            "llm check --model",
            "normalize --threads 0",
            "replay --learn everything",
        ];
        let all: Vec<String> =
            lines.iter().map(|line| format!("$ toolwright {line}\n{}\n", told(line))).collect();
        for (line, shown) in lines.iter().zip(&all) {
            assert!(shown.contains("\nfix: "), "{line}: {shown}");
        }
        insta::assert_snapshot!(all.join("\n"));
    }
}
