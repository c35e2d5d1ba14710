//! Servers and upstreams of models.

use clap::{Args, Subcommand};

use super::shared::ConfigOptions;
use crate::completing;

/// Options of `servers`.
#[derive(Args, Debug)]
#[command(
    after_help = "When a gateway runs with the same configuration (`toolwright serve`, `toolwright servers watch`), its servers are shown; otherwise all servers are started for a look and ended again.\n\nExit codes: 0 all servers can be used, 1 some cannot."
)]
pub struct ServersOptions {
    #[command(subcommand)]
    pub command: Option<ServersCommand>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub config: ConfigOptions,
}

/// The commands of `servers`.
#[derive(Debug, Subcommand)]
pub enum ServersCommand {
    /// Show what a server wrote to stderr, secrets hidden
    Logs {
        /// The server's name
        #[arg(add = completing::servers())]
        name: String,
    },
    /// End a server of the running gateway and start it anew
    Restart {
        /// The server's name
        #[arg(add = completing::servers())]
        name: String,
    },
    /// Log in to a server that wants it: opens a page of its provider in the browser
    Login {
        /// The server's name
        #[arg(add = completing::servers())]
        name: String,
    },
    /// Run all servers and show what becomes of them, until Ctrl-C
    Watch,
}

/// Options of `llm`.
#[derive(Args, Clone, Debug)]
pub struct LlmOptions {
    #[command(flatten)]
    pub config: ConfigOptions,
    /// What to do.
    #[command(subcommand)]
    pub command: LlmCommand,
}

/// What `llm` does.
#[derive(Clone, Debug, Subcommand)]
pub enum LlmCommand {
    /// Tell whether the upstreams answer, and what a model can do
    Check {
        /// Ask this model for a call of a tool, whole and in pieces
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
        /// Only this upstream
        #[arg(long, value_name = "NAME")]
        upstream: Option<String>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}
