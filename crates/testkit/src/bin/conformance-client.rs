//! One client scenario of the conformance suite, named by the environment; the server's address is the
//! last argument.

use std::process::ExitCode;

use toolwright_testkit::conformance::{Failure, Scenario};

#[tokio::main]
async fn main() -> ExitCode {
    match perform().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn perform() -> Result<(), Failure> {
    let url = std::env::args().next_back().ok_or("the server's address is missing")?;
    Scenario::from_environment(url)?.perform().await
}
