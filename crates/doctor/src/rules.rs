//! The rules: those of the file that was named, and those that were learned.

use std::path::Path;

use toolwright_ledger::learn::LEARNED_RULES_FILE;
use toolwright_normalizer::rules::{RuleFileError, parse_file, parse_learned};

use crate::Examined;
use crate::finding::{Area, Check, Finding, Fix};

/// How many mistakes are told.
const SHOWN: usize = 10;

pub(crate) fn check(examined: &Examined) -> Vec<Check> {
    let file = examined.rules.as_deref().map(named);
    let learned = examined.state.as_ref().map(|state| state.join(LEARNED_RULES_FILE));
    let learned = learned.filter(|file| file.exists()).map(|file| learned_rules(&file));
    file.into_iter().chain(learned).collect()
}

fn named(file: &Path) -> Check {
    let shown = file.display().to_string();
    let check = |said: String| Check::new(Area::Rules, Some("file"), said);
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            let fix = Fix::Do("check the path after --rules".to_owned());
            let finding =
                Finding::error("rules-unreadable", "the rules file cannot be read", error.to_string(), fix);
            return check("unreadable".to_owned()).with([finding.at(&shown)]);
        }
    };
    match parse_file(text.strip_prefix('\u{feff}').unwrap_or(&text)) {
        Ok(rules) => check(format!("{shown}, {} rules", rules.len())),
        Err(errors) => check(format!("{shown}, {} mistakes", errors.len()))
            .with(errors.iter().take(SHOWN).map(|error| mistake(&shown, error))),
    }
}

fn mistake(file: &str, error: &RuleFileError) -> Finding {
    let fix = Fix::Do(error.fix.clone());
    let why =
        "the gateway does not start with a wrong rules file, and goes on with the last good one when it runs";
    Finding::error("rules-mistake", error.message.clone(), why, fix)
        .at(format!("{file}:{}:{}", error.line, error.column))
}

fn learned_rules(file: &Path) -> Check {
    let shown = file.display().to_string();
    let check = |said: String| Check::new(Area::Rules, Some("learned"), said);
    let text = std::fs::read_to_string(file).unwrap_or_default();
    match parse_learned(&text) {
        Ok(rules) => check(format!("{} rules", rules.len())),
        Err(errors) => {
            let why = errors.first().map(|error| error.message.clone()).unwrap_or_default();
            let what = "the file of learned rules cannot be understood";
            let finding = Finding::warning("learned-rules-damaged", what, why, Fix::put_aside(file));
            check("damaged".to_owned()).with([finding.at(shown)])
        }
    }
}
