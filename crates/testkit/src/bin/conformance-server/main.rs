//! The server that the protocol's conformance suite is run against: everything that its server scenarios ask for.
//!
//! `conformance-server [--legacy | --modern] [--http PORT]`: both families of the protocol or one, by stdio or Streamable HTTP on the
//! loopback. Port 0 takes a free one; the address is said on stderr. It is built on the official Rust SDK, so that what the suite finds through the gateway
//! is the gateway's doing.

mod handler;
mod jobs;
mod offer;
mod questions;
mod rounds;
mod seal;
mod tools;

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use handler::{Family, Fixture};
use rmcp::ServiceExt;
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

const USAGE: &str = "usage: conformance-server [--legacy | --modern] [--http PORT]";

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let family = match words.first().map(String::as_str) {
        Some("--legacy") => Family::Legacy,
        Some("--modern") => Family::Modern,
        _ => Family::Both,
    };
    if family != Family::Both {
        words.remove(0);
    }
    let served = parse(&words).and_then(|port| {
        let runtime = tokio::runtime::Runtime::new()?;
        let served = runtime.block_on(serve(Fixture::new(family), port));
        // A thread that still waits for stdin would keep the program alive.
        runtime.shutdown_background();
        served
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("conformance-server: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The port of Streamable HTTP; stdio without it.
fn parse(words: &[String]) -> Result<Option<u16>, Box<dyn Error>> {
    match words.iter().map(String::as_str).collect::<Vec<&str>>().as_slice() {
        [] => Ok(None),
        ["--http", port] => Ok(Some(port.parse().map_err(|_| USAGE)?)),
        _ => Err(USAGE.into()),
    }
}

async fn serve(fixture: Fixture, port: Option<u16>) -> Result<(), Box<dyn Error>> {
    let Some(port) = port else {
        fixture.serve(stdio()).await?.waiting().await?;
        return Ok(());
    };
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let config = StreamableHttpServerConfig::default().with_sse_retry(Some(Duration::from_millis(500)));
    let sessions = LocalSessionManager::default().into();
    let service = StreamableHttpService::new(move || Ok(fixture.clone()), sessions, config);
    eprintln!("http://{}/mcp", listener.local_addr()?);
    Ok(axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?)
}
