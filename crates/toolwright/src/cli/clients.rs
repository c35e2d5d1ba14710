//! The clients of this machine: their servers, and we in them.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::shared::ConfigOptions;
use crate::completing;

/// Options of `import`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Clients: claude-desktop, claude-code, cursor, vs-code, cline, windsurf, gemini-cli, zed, continue, goose, opencode, lm-studio, codex, kiro.\n\nNothing is started and no client's file is changed. A server that stands in several files is taken over once; one that has the name of another gets a second name.\n\nExit codes: 0 done, 1 a file could not be read and the others were taken."
)]
pub struct ImportOptions {
    /// The clients to look at [default: all]
    #[arg(value_name = "CLIENT", add = completing::clients())]
    pub clients: Vec<String>,
    /// Read this file, of the client that is named or of the one that it looks like
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Write into this configuration [default: the one that `serve` would use here, or your own one]
    #[arg(long, value_name = "FILE")]
    pub into: Option<PathBuf>,
    /// Put the servers into this toolbox
    #[arg(long, value_name = "NAME", add = completing::toolboxes(), value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub toolbox: Option<String>,
    /// Show what would be taken over, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Write without asking
    #[arg(long, conflicts_with = "dry_run")]
    pub yes: bool,
    /// Show secrets too
    #[arg(long)]
    pub show_secrets: bool,
    /// Print JSON; nothing is asked
    #[arg(long)]
    pub json: bool,
}

/// Options of `install`.
#[derive(Args, Clone, Debug)]
#[command(
    group = ArgGroup::new("reached").args(["http", "llm"]).multiple(true),
    after_help = "Clients: claude-desktop, claude-code, cursor, vs-code, cline, windsurf, gemini-cli, zed, continue, goose, opencode, lm-studio, codex, kiro; with --llm also openai, anthropic and ollama.\n\nWhat was there before is kept in the state folder; --undo brings it back."
)]
pub struct InstallOptions {
    /// The client
    #[arg(value_name = "CLIENT", required_unless_present = "list", add = completing::clients())]
    pub client: Option<String>,
    /// Show the clients, their files, and whether Toolwright is in them
    #[arg(long, conflicts_with_all = ["client", "undo", "dry_run", "llm"])]
    pub list: bool,
    /// For everything that you do, or for the project in this folder
    #[arg(long, value_enum, default_value_t = InstallScope::User)]
    pub scope: InstallScope,
    /// The client starts Toolwright itself; this is the usual way
    #[arg(long, conflicts_with = "http")]
    pub stdio: bool,
    /// The client reaches a gateway that runs (`toolwright serve`)
    #[arg(long)]
    pub http: bool,
    /// With --http or --llm: where the gateway listens [default: the one that runs, or http://127.0.0.1:8484]
    #[arg(long, value_name = "URL", requires = "reached")]
    pub url: Option<String>,
    /// Give it this toolbox alone
    #[arg(long, value_name = "NAME", conflicts_with = "all", add = completing::toolboxes())]
    pub toolbox: Option<String>,
    /// Give it every tool at once
    #[arg(long)]
    pub all: bool,
    /// What the client calls it
    #[arg(long, value_name = "NAME", default_value = "toolwright", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub name: String,
    /// Take the client's other servers out, those that our configuration has
    #[arg(long, conflicts_with_all = ["undo", "llm"])]
    pub replace: bool,
    /// Show the change, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Take it out again: the file becomes what it was
    #[arg(long)]
    pub undo: bool,
    /// The other side: which models the client asks, and through whom
    #[arg(long)]
    pub llm: bool,
    /// With --llm: print lines for a shell
    #[arg(long, requires = "llm", conflicts_with = "write")]
    pub shell: bool,
    /// With --llm: write into the client's settings
    #[arg(long, requires = "llm")]
    pub write: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub config: ConfigOptions,
}

/// Which of a client's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum InstallScope {
    /// Those for everything that you do
    User,
    /// Those of the project in this folder
    Project,
}
