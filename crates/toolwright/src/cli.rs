//! The command line as data: one definition gives parsing, help and errors.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use toolwright_model::Finish;

/// Every tool call, made to fit.
#[derive(Debug, Parser)]
#[command(
    name = "toolwright",
    version,
    about,
    after_help = "Exit codes: 0 done, 1 wrong input lines, a failed check, a refused call of `explain`, a failed one of `call` or a server that cannot be used, 2 wrong use, 3 a file or stream failed."
)]
pub struct Cli {
    /// What to do; without it, a short welcome.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Mend tool calls: JSON lines in, JSON lines out, in the same order
    Normalize(NormalizeOptions),
    /// Show every step for one call, or the page of a code such as N4
    Explain(ExplainOptions),
    /// List, check and test normalizer rules
    Rules(RulesOptions),
    /// List the tools there are, or show one
    Tools(ToolsOptions),
    /// Call one tool: find it, mend the arguments, run it
    Call(CallOptions),
    /// Show the MCP servers: state, era, tools, errors
    Servers(ServersOptions),
}

/// Which servers there are.
#[derive(Args, Clone, Debug, Default)]
pub struct ConfigOptions {
    /// The file that names the servers [default: WORKBENCH_CONFIG, toolwright.json here, or your own one]
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
}

/// Which rules are in force.
#[derive(Args, Clone, Debug, Default)]
pub struct RuleOptions {
    /// A rules file (JSON array); its rules come before the built-in ones
    #[arg(long = "rules", visible_alias = "normalizer-rules", value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// Switch a built-in set on (see `toolwright rules list`)
    #[arg(long, value_name = "SET")]
    pub enable: Vec<String>,
    /// Switch a built-in set off
    #[arg(long, value_name = "SET")]
    pub disable: Vec<String>,
}

/// Options of `normalize`.
#[derive(Args, Debug)]
pub struct NormalizeOptions {
    /// Read this file instead of standard input; `-` is standard input
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub rules: RuleOptions,
    /// Add what was tried, chosen and rejected to every answer
    #[arg(long)]
    pub explain: bool,
    /// Print counts by outcome and code to standard error at the end
    #[arg(long)]
    pub summary: bool,
    /// How many threads to use; all cores when not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
}

/// Options of `explain`.
#[derive(Args, Debug)]
pub struct ExplainOptions {
    /// A code of a repair or refusal, such as N4
    pub code: Option<String>,
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

/// Where the files tools work.
#[derive(Args, Clone, Debug, Default)]
pub struct RootOptions {
    /// A folder that the files tools may use; may be given several times [default: the current folder]
    #[arg(long = "root", value_name = "DIR", global = true)]
    pub folders: Vec<PathBuf>,
}

/// Options of `tools`.
#[derive(Args, Debug)]
pub struct ToolsOptions {
    #[command(subcommand)]
    pub command: Option<ToolsCommand>,
    #[command(flatten)]
    pub list: ListOptions,
    #[command(flatten)]
    pub roots: RootOptions,
    #[command(flatten)]
    pub config: ConfigOptions,
}

/// How the tools are listed.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct ListOptions {
    /// Print the definitions as this API wants them
    #[arg(long)]
    pub format: Option<DefinitionFormat>,
    /// Print JSON, as MCP wants it
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

impl ListOptions {
    /// Whether none was given.
    pub fn is_empty(self) -> bool {
        self.format.is_none() && !self.json
    }
}

/// The commands of `tools`.
#[derive(Debug, Subcommand)]
pub enum ToolsCommand {
    /// List the tools
    List(ListOptions),
    /// Show what a tool does and takes
    Show {
        /// The tool's name
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// The API whose form of definitions is printed.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum DefinitionFormat {
    Mcp,
    Anthropic,
    Openai,
    Ollama,
}

/// Options of `call`.
#[derive(Args, Debug)]
#[command(
    after_help = "The result goes to standard output, what was mended to standard error.\n\nEnvironment:\n  TOOLWRIGHT_SEARCH      the engine of search_web: searxng, brave, google or duckduckgo\n  TOOLWRIGHT_SEARCH_URL  its address, which searxng needs\n  TOOLWRIGHT_SEARCH_KEY  the key of brave or google\n  TOOLWRIGHT_SEARCH_CX   the id of a search engine of google\n  TOOLWRIGHT_LOG         what is logged to standard error, such as info"
)]
pub struct CallOptions {
    /// The tool's name: `name`, or `server/name`
    pub name: String,
    /// The arguments as a model wrote them, or `@FILE`; `@-` is standard input, none is `{}`
    pub arguments: Option<String>,
    /// Show what would be called and do not call it
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// End the call after so many seconds, such as 2 or 0.5; or with a unit: 500ms, 2s, 3m [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = crate::seconds::parse)]
    pub timeout: Option<Duration>,
    /// How the model's turn ended: stop or length, or an API's word for it
    #[arg(long, value_parser = crate::finish::parse)]
    pub finish: Option<Finish>,
    #[command(flatten)]
    pub roots: RootOptions,
    #[command(flatten)]
    pub rules: RuleOptions,
    #[command(flatten)]
    pub config: ConfigOptions,
}

/// Options of `servers`.
#[derive(Args, Debug)]
#[command(
    after_help = "When a gateway runs with the same configuration (`toolwright servers watch`), its servers are shown; otherwise all servers are started for a look and ended again.\n\nExit codes: 0 all servers can be used, 1 some cannot."
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
        name: String,
    },
    /// End a server of the running gateway and start it anew
    Restart {
        /// The server's name
        name: String,
    },
    /// Log in to a server that wants it: opens a page of its provider in the browser
    Login {
        /// The server's name
        name: String,
    },
    /// Run all servers and show what becomes of them, until Ctrl-C
    Watch,
}

/// Options of `rules`.
#[derive(Args, Debug)]
pub struct RulesOptions {
    #[command(subcommand)]
    pub command: RulesCommand,
}

/// The commands of `rules`.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// List the rules in force and the built-in sets
    List {
        #[command(flatten)]
        rules: RuleOptions,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check a rules file: every mistake with its place and its fix
    Check {
        /// The rules file
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Run cases against a rules file: lines of `normalize` with an "expect" beside
    Test {
        /// The rules file
        file: PathBuf,
        /// JSON lines: {"tool", "arguments", "expect": {"outcome", "arguments"?, "rules"?, "codes"?}}
        #[arg(long, value_name = "FILE")]
        cases: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}
