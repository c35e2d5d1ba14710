//! `toolwright rules`: list, check and test rules.

use std::process::ExitCode;

use crate::cli::RulesOptions;
use crate::report::Report;

pub fn run(_options: &RulesOptions) -> Result<ExitCode, Report> {
    Err(Report::usage("not yet", "wait"))
}
