//! `zwave-mcp-server`: the tools of a Z-Wave house over stdio.
//!
//! Standard output has messages of the protocol and nothing else; all that is told goes to standard error.
//!
//! # Files
//!
//! In the order data flows; the first five know no network and are fuzzed:
//!
//! | where | what |
//! |---|---|
//! | `topics.rs`, `payload.rs` | what a topic is about; what a message says |
//! | `nodes.rs` | the gateway's own list of nodes |
//! | `devices.rs` | one picture of both: kind, presence, state, what is measured |
//! | `names.rs` | which device is meant, or why that cannot be said |
//! | `settings.rs` | the environment, checked before anything starts |
//! | `broker.rs` | one MQTT connection at a time: made, kept, made again; nothing sent on one waits for the next |
//! | `gateway.rs` | which gateway, questions and their answers by `origin`, one command per device, confirmation |
//! | `tools.rs`, `tools/` | one file per tool; `arguments.rs` reads what was sent |
//! | `server.rs`, `main.rs` | MCP; the program |

use std::process::ExitCode;

use clap::Parser;
use rmcp::ServiceExt;
use rmcp::transport::stdio;
use tokio::runtime::Runtime;
use tracing_subscriber::fmt;
use zwave_mcp_server::gateway::Gateway;
use zwave_mcp_server::server::ZwaveServer;
use zwave_mcp_server::settings::{HELP, Settings};

/// The exit code for settings that cannot be.
const WRONG_SETTINGS: u8 = 2;

/// Z-Wave devices as MCP tools over stdio, through the MQTT gateway of Z-Wave JS UI.
#[derive(Parser)]
#[command(name = "zwave-mcp-server", version, after_help = HELP)]
struct Flags {}

fn main() -> ExitCode {
    Flags::parse();
    let settings = match Settings::read(&|name| std::env::var(name).ok()) {
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
    // A thread that still waits for standard input would keep the program alive.
    runtime.shutdown_background();
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(settings: Settings) -> Result<(), Box<dyn std::error::Error>> {
    tracing::info!(version = env!("CARGO_PKG_VERSION"), broker = %settings.broker, "started");
    // The broker is looked for meanwhile: who asks for the tools does not wait for it.
    let server = ZwaveServer::new(Gateway::connect(settings));
    server.serve(stdio()).await?.waiting().await?;
    Ok(())
}
