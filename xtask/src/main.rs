//! `cargo xtask`: the project's habits in one place, so that a person and CI run the same thing.
//!
//! Words for people go to standard error; standard output carries results only (tables and figures).

mod arguments;
mod bench;
mod book;
mod conformance;
mod debian;
mod dependencies;
mod disturbers;
mod fuzz;
mod invocation;
mod layers;
mod mosquitto;
mod optional;
mod peers;
mod postgres;
mod running;
mod setup;
mod soak;
mod step;
mod test;
mod tmux;
mod workspace;

use std::process::ExitCode;

use arguments::{Task, USAGE};
use step::Failure;
use workspace::Workspace;

/// The exit code of a command line that could not be understood.
const WRONG_USAGE: u8 = 2;

fn main() -> ExitCode {
    let task = match arguments::parse(std::env::args().skip(1)) {
        Ok(task) => task,
        Err(reason) => {
            eprintln!("error: {reason}\n\n{USAGE}");
            return ExitCode::from(WRONG_USAGE);
        }
    };
    match perform(task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}

fn perform(task: Task) -> Result<(), Failure> {
    let workspace = Workspace::find()?;
    match task {
        Task::Test => test::run(&workspace),
        Task::Fuzz(options) => fuzz::run(&workspace, &options),
        Task::Bench => bench::run(&workspace),
        Task::Book(writing) => book::run(&workspace, writing),
        Task::Conformance => conformance::run(&workspace),
        Task::BenchHostile => bench::hostile::run(&workspace),
        Task::BenchMcp => bench::mcp::run(&workspace),
        Task::BenchLlm => bench::llm::run(&workspace),
        Task::BenchPages => bench::pages::run(&workspace),
        Task::BenchStart => bench::start::run(&workspace),
        Task::BenchVoice(words) => bench::voice::run(&workspace, &words),
        Task::Soak(words) => soak::run(&workspace, &words),
    }
}
