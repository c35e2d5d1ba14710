//! The scenarios of the LLM proxy as a server of its own: `llm-upstream [PORT] [--forgets]`. It prints its address.

#![allow(clippy::print_stdout, reason = "its address is its output")]

use std::io::{self, Write};

use tokio::net::TcpListener;
use toolwright_testkit::llm_upstream::LlmUpstream;

#[tokio::main]
async fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let port: u16 = words.iter().find_map(|word| word.parse().ok()).unwrap_or(0);
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let server = match words.iter().any(|word| word == "--forgets") {
        true => LlmUpstream::start_forgetful(listener)?,
        false => LlmUpstream::start_on(listener)?,
    };
    println!("{}", server.url);
    io::stdout().flush()?;
    // It ends with whoever started it: their end of this pipe closes.
    tokio::io::copy(&mut tokio::io::stdin(), &mut tokio::io::sink()).await?;
    Ok(())
}
