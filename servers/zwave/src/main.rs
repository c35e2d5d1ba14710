//! `zwave-mcp-server`: Z-Wave devices as MCP tools over stdio.
//!
//! Standard output carries only protocol messages; logs go to standard error.
//!
//! # Files
//!
//! In the order data flows; the first five use no network and are fuzzed:
//!
//! | where | what |
//! |---|---|
//! | `topics.rs`, `payload.rs` | parsers of topics and payloads |
//! | `nodes.rs` | the gateway's list of nodes |
//! | `devices.rs` | devices from both: kind, presence, state, sensor values |
//! | `names.rs` | device lookup by name |
//! | `settings.rs` | the environment, validated at startup |
//! | `broker.rs` | the MQTT connection with reconnects; no message waits for the next connection |
//! | `gateway.rs` | gateway discovery, requests correlated by `origin`, one command per device,
//! confirmation |
//! | `tools.rs`, `tools/` | one file per tool; `arguments.rs` parses the arguments |
//! | `server.rs`, `main.rs` | MCP; the program |

use std::process::ExitCode;

use clap::Parser;
use rmcp::ServiceExt;
use rmcp::transport::stdio;
use tokio::runtime::Runtime;
use tracing_subscriber::fmt;
use zwave_mcp_server::gateway::ZwaveGateway;
use zwave_mcp_server::server::ZwaveServer;
use zwave_mcp_server::settings::{HELP, ZwaveSettings};

/// The exit code for invalid settings.
const WRONG_SETTINGS: u8 = 2;

/// Z-Wave devices as MCP tools over stdio, through the MQTT gateway of Z-Wave JS UI.
#[derive(Parser)]
#[command(name = "zwave-mcp-server", version, after_help = HELP)]
struct Flags {}

fn main() -> ExitCode {
    Flags::parse();
    let settings = match ZwaveSettings::read(&|name| std::env::var(name).ok()) {
        Ok(settings) => settings,
        Err(wrong) => {
            for wrong in wrong {
                eprintln!("zwave-mcp-server: {wrong}");
            }
            return ExitCode::from(WRONG_SETTINGS);
        }
    };
    fmt().with_writer(std::io::stderr).with_ansi(false).with_max_level(settings.log).init();
    for notice in &settings.notices {
        tracing::warn!("{notice}");
    }
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("zwave-mcp-server: no threads can be had: {error}");
            return ExitCode::FAILURE;
        }
    };
    let served = runtime.block_on(serve(settings));
    // A thread blocked on standard input would keep the process alive.
    runtime.shutdown_background();
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(settings: ZwaveSettings) -> Result<(), Box<dyn std::error::Error>> {
    tracing::info!(version = env!("CARGO_PKG_VERSION"), broker = %settings.broker, "started");
    // The connection is established in the background: listing the tools does not wait for it.
    let server = ZwaveServer::new(ZwaveGateway::connect(settings));
    server.serve(stdio()).await?.waiting().await?;
    Ok(())
}
