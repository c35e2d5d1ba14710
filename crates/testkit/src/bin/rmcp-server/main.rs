//! A server on the official Rust SDK, of the era that it is told to be of.
//!
//! `rmcp-server [--era legacy|modern|both] [--http PORT]`: it serves stdio, or Streamable HTTP on the
//! loopback. Port 0 takes a free one; the address is said on stderr.

mod house;

use std::error::Error;
use std::process::ExitCode;

use house::{Era, House, Shared};
use rmcp::ServiceExt;
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

const USAGE: &str = "usage: rmcp-server [--era legacy|modern|both] [--http PORT]";

/// What was asked for.
struct Options {
    era: Era,
    /// The port of Streamable HTTP; stdio without it.
    http: Option<u16>,
}

fn main() -> ExitCode {
    let served = parse(std::env::args().skip(1)).and_then(|options| {
        let runtime = tokio::runtime::Runtime::new()?;
        let served = runtime.block_on(serve(&options));
        // A thread that still waits for stdin would keep the program alive.
        runtime.shutdown_background();
        served
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rmcp-server: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse(words: impl IntoIterator<Item = String>) -> Result<Options, Box<dyn Error>> {
    let mut options = Options { era: Era::Both, http: None };
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let value = words.next().ok_or(USAGE)?;
        match (word.as_str(), value.as_str()) {
            ("--era", "legacy") => options.era = Era::Legacy,
            ("--era", "modern") => options.era = Era::Modern,
            ("--era", "both") => options.era = Era::Both,
            ("--http", port) => options.http = Some(port.parse().map_err(|_| USAGE)?),
            _ => return Err(USAGE.into()),
        }
    }
    Ok(options)
}

async fn serve(options: &Options) -> Result<(), Box<dyn Error>> {
    let era = options.era;
    let Some(port) = options.http else {
        House::new(era, Shared::default()).serve(stdio()).await?.waiting().await?;
        return Ok(());
    };
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let config = StreamableHttpServerConfig::default();
    let sessions = LocalSessionManager::default().into();
    let shared = Shared::default();
    let service = StreamableHttpService::new(move || Ok(House::new(era, shared.clone())), sessions, config);
    eprintln!("http://{}/mcp", listener.local_addr()?);
    Ok(axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?)
}
