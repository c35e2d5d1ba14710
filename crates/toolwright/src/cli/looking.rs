//! What only looks: state, faults, what happened, and help.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use toolwright_model::Finish;

use super::shared::{ConfigOptions, RuleOptions};
use crate::completing;

/// Options of `status`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "The gateway is asked that runs with the configuration found from here, or the one at http://127.0.0.1:8484. Agents read the same as the resource toolwright://status at /mcp.\n\nExit codes: 0 all is well, 1 no gateway runs or something does not work."
)]
pub struct StatusOptions {
    /// Print one line
    #[arg(long)]
    pub line: bool,
    /// Print one JSON object
    #[arg(long, conflicts_with = "line")]
    pub json: bool,
    /// Ask the gateway at this address [default: the one that is found, or http://127.0.0.1:8484]
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    #[command(flatten)]
    pub config: ConfigOptions,
}

/// Options of `tui`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Keys: 1 2 3 and Tab for the parts, arrows or j k, Enter for details, / to filter, p to pause, a and d to decide, ? for help, q to leave. Without colours: NO_COLOR=1.\n\nExit codes: 0 somebody left it, 1 no gateway runs, 2 this is no terminal."
)]
pub struct TuiOptions {
    /// Watch the gateway at this address [default: the one that is found, or http://127.0.0.1:8484]
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    #[command(flatten)]
    pub config: ConfigOptions,
}

/// Options of `doctor`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Servers are started, asked who they are and which tools they have, and ended again. No tool is called, and nothing is changed.\n\nExit codes: 0 nothing is wrong, 1 there are findings."
)]
pub struct DoctorOptions {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// A rules file to look at too
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// Where a gateway listens, or should [default: 127.0.0.1:8484]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = crate::address::parse)]
    pub listen: Option<SocketAddr>,
    /// How long a server may take, such as 10 or 500ms
    #[arg(long, value_name = "SECONDS", value_parser = crate::seconds::parse, default_value = "20")]
    pub timeout: Duration,
    #[command(flatten)]
    pub config: ConfigOptions,
}

/// Options of `audit`.
#[derive(Args, Clone, Debug)]
pub struct AuditOptions {
    /// What to do.
    #[command(subcommand)]
    pub command: AuditCommand,
}

/// What `audit` does.
#[derive(Clone, Debug, Subcommand)]
pub enum AuditCommand {
    /// Show the last calls
    Tail {
        /// How many
        #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
        count: usize,
        /// Go on with every call that is made
        #[arg(short, long)]
        follow: bool,
        /// Print the records as JSON lines
        #[arg(long)]
        json: bool,
    },
    /// Show one call whole
    Show {
        /// Its id, or the beginning of it
        call: String,
    },
    /// Check that no record was changed, taken out or added
    Verify,
    /// Print all records as JSON lines, the oldest first
    Export {
        /// Only calls of this tool: NAME or SERVER/NAME
        #[arg(long, value_name = "TOOL")]
        tool: Option<String>,
    },
    /// Make the index, in which calls are looked up, again from the journals
    Reindex {
        #[command(flatten)]
        config: ConfigOptions,
    },
}

/// Options of `explain`.
#[derive(Args, Debug)]
pub struct ExplainOptions {
    /// A code such as N4, the id of a call or its beginning, or the id of a rule
    #[arg(value_name = "CODE|CALL|RULE", add = completing::explainable())]
    pub what: Option<String>,
    /// A file with the tool: {"name", "inputSchema", "annotations"?}
    #[arg(long, value_name = "FILE")]
    pub tool: Option<PathBuf>,
    /// The arguments as the model wrote them, or `@FILE`; `@-` is standard input
    #[arg(long, value_name = "TEXT")]
    pub arguments: Option<String>,
    /// How the model's turn ended: stop or length, or an API's word for it
    #[arg(long, value_parser = crate::finish::parse)]
    pub finish: Option<Finish>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub rules: RuleOptions,
}

/// Options of `completions`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "bash:        toolwright completions bash > ~/.local/share/bash-completion/completions/toolwright\nzsh:         toolwright completions zsh > \"${fpath[1]}/_toolwright\"\nfish:        toolwright completions fish > ~/.config/fish/completions/toolwright.fish\npowershell:  toolwright completions powershell >> $PROFILE"
)]
pub struct CompletionsOptions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// A shell that completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
}

/// Options of `man`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Read it: toolwright man | man -l -   or install it: toolwright man > ~/.local/share/man/man1/toolwright.1"
)]
pub struct ManOptions {
    /// The command, such as `serve` or `rules check`; the whole program when absent
    #[arg(add = completing::commands())]
    pub command: Vec<String>,
}
