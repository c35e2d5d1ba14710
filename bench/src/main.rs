//! `score`: an examiner for `toolwright normalize`.
//!
//! It takes valid calls of realistic tools, damages them the way models do, and measures how many come back as
//! they were. It knows the contract of the normalizer and nothing of its code.
//!
//! Data flows top-down through these modules: `corpus` gives tools, `site` finds what can be damaged, `mutate`
//! and `traps` damage it, `generate` makes cases, `run` asks the program, `compare` and `tally` judge, `report`
//! prints.

mod alias;
mod case;
mod cli;
mod compare;
mod corpus;
mod error;
mod generate;
mod keys;
mod lookalike;
mod mutate;
mod pattern;
mod report;
mod rng;
mod run;
mod schema;
mod site;
mod tally;
mod tool_name;
mod traps;
mod write;

use std::io::Write;
use std::process::ExitCode;

use cli::Command;
use error::BenchError;

fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do when even standard error is closed.
            let _ = writeln!(std::io::stderr(), "score: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

fn start() -> Result<(), BenchError> {
    let command = cli::parse(std::env::args().skip(1))?;
    let text = match &command {
        Command::Help => cli::USAGE.to_string(),
        Command::Generate(amount) => {
            let corpus = corpus::Corpus::load()?;
            let cases = generate::all(&corpus, *amount);
            let mut text = String::new();
            for case in &cases {
                text.push_str(&case.line().to_string());
                text.push('\n');
            }
            text
        }
        Command::Run(options) => {
            let corpus = corpus::Corpus::load()?;
            run::measure(&corpus, options)?
        }
    };
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        // The reader has seen enough (`score generate | head`): not a failure.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(BenchError::Io("standard output".to_string(), error)),
        Ok(()) => Ok(()),
    }
}
