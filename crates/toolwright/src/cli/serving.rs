//! What stays and serves: the gateway, a demo, one client, the house; and who may come in.

use std::net::SocketAddr;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::shared::{ConfigOptions, LedgerFlags, RootOptions, RuleOptions};
use crate::completing;
use crate::expected::{number_at_least, number_from};

/// Options of `serve`.
#[derive(Args, Clone, Debug, Default)]
#[command(
    after_help = "Paths: /mcp (toolboxes), /mcp/all (every tool), /mcp/t/TOOLBOX (one toolbox), /v1/messages, /v1/chat/completions, /v1/responses, /api/chat (language models), /healthz, /readyz, /metrics.\n\nSignals: SIGTERM and Ctrl-C end it when what was begun is answered, a second one at once; SIGHUP reads the configuration and the rules again, which also happens when the files change.\n\nEnvironment: that of `call`, and XDG_STATE_HOME for the folder with the token."
)]
pub struct ServeOptions {
    /// Listen at this address, such as `127.0.0.1:9000` or `[::1]:8484` [default: 127.0.0.1:8484]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = crate::address::parse, conflicts_with = "port")]
    pub listen: Option<SocketAddr>,
    /// Listen at this port of 127.0.0.1; 0 is any that is free [default: 8484]
    #[arg(long, value_name = "N", value_parser = number_from(0..=u16::MAX))]
    pub port: Option<u16>,
    /// Allow an address that other machines can reach
    #[arg(long)]
    pub listen_anywhere: bool,
    /// Also answer requests to this host: NAME, every name below it (*.NAME) or a network (10.0.0.0/8), each with
    /// :PORT where another port is in front
    #[arg(long, value_name = "HOST")]
    pub allow_host: Vec<String>,
    /// Also answer web pages of this origin, such as `https://app.example`
    #[arg(long, value_name = "ORIGIN")]
    pub allow_origin: Vec<String>,
    /// Ask nobody for a token: every program and user of this machine may use all tools
    #[arg(long)]
    pub no_auth: bool,
    /// Requests of one client in a second; 0 is no limit [default: 1000]
    #[arg(long, value_name = "N", value_parser = number_at_least(0))]
    pub rate: Option<u32>,
    /// Requests of one client at once [default: 256]
    #[arg(long, value_name = "N", value_parser = number_at_least(1))]
    pub calls: Option<u32>,
    /// Requests of all clients at once [default: 2048]
    #[arg(long, value_name = "N", value_parser = number_at_least(1))]
    pub calls_in_all: Option<u32>,
    /// Connections at once [default: 4096]
    #[arg(long, value_name = "N", value_parser = number_at_least(1))]
    pub connections: Option<u32>,
    /// How long calls that run are waited for at the end, such as 10 or 500ms [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = crate::seconds::parse)]
    pub grace: Option<Duration>,
    /// Print one line of JSON instead of a text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub roots: RootOptions,
    #[command(flatten)]
    pub rules: RuleOptions,
    #[command(flatten)]
    pub ledger: LedgerFlags,
    #[command(flatten)]
    pub config: ConfigOptions,
}

/// Options of `demo`.
#[derive(Args, Clone, Debug, Default)]
#[command(
    after_help = "Everything it needs is in a folder for temporary files, which is removed when it ends. No configuration is read, no model is asked, nothing is sent to other machines."
)]
pub struct DemoOptions {
    /// Listen at this address of this machine [default: 127.0.0.1:8484, or a free port when it is taken]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = crate::address::parse, conflicts_with = "port")]
    pub listen: Option<SocketAddr>,
    /// Listen at this port of 127.0.0.1; 0 is any that is free
    #[arg(long, value_name = "N", value_parser = number_from(0..=u16::MAX))]
    pub port: Option<u16>,
    /// End after this time, such as 30 or 500ms [default: Ctrl-C ends it]
    #[arg(long = "for", value_name = "SECONDS", value_parser = crate::seconds::parse)]
    pub duration: Option<Duration>,
    /// Print one line of JSON instead of a text
    #[arg(long)]
    pub json: bool,
}

/// Options of `stdio`.
#[derive(Args, Clone, Debug, Default)]
#[command(
    after_help = "Without --toolbox and --all the client gets the meta-tools: it opens the toolboxes that it needs. Only messages go to standard output; the log goes to standard error."
)]
pub struct StdioOptions {
    /// Serve this toolbox alone
    #[arg(long, value_name = "NAME", conflicts_with = "all", add = completing::toolboxes())]
    pub toolbox: Option<String>,
    /// Serve every tool at once
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub roots: RootOptions,
    #[command(flatten)]
    pub rules: RuleOptions,
    #[command(flatten)]
    pub ledger: LedgerFlags,
    #[command(flatten)]
    pub config: ConfigOptions,
}

/// Options of `voice`.
#[derive(Args, Clone, Debug, Default)]
#[command(
    after_help = "Without a section \"voice\" in the configuration a broker for MQTT is inside and listens on this machine, and clients of Wyoming come in at 127.0.0.1:10500. `toolwright serve` has a voice too when the configuration has that section."
)]
pub struct VoiceOptions {
    /// Print one line of JSON instead of a text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub roots: RootOptions,
    #[command(flatten)]
    pub rules: RuleOptions,
    #[command(flatten)]
    pub ledger: LedgerFlags,
    #[command(flatten)]
    pub config: ConfigOptions,
}

/// Options of `dashboard`.
#[derive(Args, Clone, Debug)]
pub struct DashboardOptions {
    /// Where the gateway listens; the one that runs when not given, as `status` finds it
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    #[command(flatten)]
    pub config: ConfigOptions,
}

/// Options of `token`.
#[derive(Args, Debug)]
#[command(
    after_help = "Every install has a token of its own, which opens everything; `toolwright serve` prints it. Named tokens are for clients that should get less, or that may lose it again. A gateway that runs notices changes within a second."
)]
pub struct TokenOptions {
    #[command(subcommand)]
    pub command: TokenCommand,
}

/// The commands of `token`.
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Make a token for a client and print it, this once
    Add {
        /// Its name
        name: String,
        /// A toolbox that it opens, or `*` for every one; may be given several times [default: all; none with --model
        /// alone]
        #[arg(long = "toolbox", value_name = "NAME", add = completing::toolboxes())]
        toolboxes: Vec<String>,
        /// A language model that may be asked with it, or a pattern such as `*haiku*`; may be given several times
        /// [default: all; none with --toolbox alone]
        #[arg(long = "model", value_name = "PATTERN", value_parser = clap::builder::NonEmptyStringValueParser::new())]
        models: Vec<String>,
        /// Requests in a second
        #[arg(long, value_name = "N", value_parser = number_at_least(1))]
        rate: Option<u32>,
        /// Requests at once
        #[arg(long, value_name = "N", value_parser = number_at_least(1))]
        calls: Option<u32>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List the tokens, without what opens anything
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take what a token opens from it
    Revoke {
        /// Its name
        name: String,
    },
    /// Print this install's own token
    Show,
}
