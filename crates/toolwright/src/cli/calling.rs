//! Tools and calls: mended, replayed, listed, made, asked for.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use toolwright_model::Finish;

use super::shared::{ConfigOptions, LedgerFlags, RootOptions, RuleOptions};
use crate::completing;
use crate::expected::number_from;

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
    #[arg(long, value_name = "N", value_parser = number_from(1..=256_u16))]
    pub threads: Option<u16>,
}

/// Options of `replay`.
#[derive(Args, Debug)]
#[command(
    after_help = "Lines are those of `normalize` with \"session\" and \"result\": {\"ok\": true|false, \"error\"?} beside, in the order of time. The last line of the output is {\"rules\": […]}. Nothing of it is kept."
)]
pub struct ReplayOptions {
    /// Read this file instead of standard input; `-` is standard input
    pub file: Option<PathBuf>,
    /// What is done with what is learned
    #[arg(long, value_enum, default_value_t = LearnFlag::ApplySafe)]
    pub learn: LearnFlag,
    #[command(flatten)]
    pub rules: RuleOptions,
}

/// What is done with what is learned.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum LearnFlag {
    /// Nothing is learned
    Off,
    /// Rules are only suggested
    Suggest,
    /// Rules that are safe by every measure are applied
    ApplySafe,
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
        #[arg(add = completing::tools())]
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
    #[arg(add = completing::tools())]
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

/// Options of `ask`.
#[derive(Args, Debug)]
#[command(
    after_help = "The answer goes to standard output while it is made, calls and what was mended in them to standard error. Without a question one is read from standard input; at a terminal, one after the other.\n\nExit codes: 0 answered, 1 no answer (the model failed, or a limit was reached), 2 wrong use, 3 a file or stream failed, 130 Ctrl-C.\n\nEnvironment: ANTHROPIC_API_KEY, OPENAI_API_KEY and OLLAMA_HOST where the configuration has no \"llm\", and that of `call`."
)]
pub struct AskOptions {
    /// The question, or `@FILE`; `@-` and `-` are standard input
    pub question: Option<String>,
    /// The model [default: agent.model of the configuration, or the first that llm.models names]
    #[arg(short, long, value_name = "MODEL", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub model: Option<String>,
    /// Offer the tools of this toolbox alone; `builtin` are our own
    #[arg(long, value_name = "NAME", conflicts_with = "no_tools")]
    pub toolbox: Option<String>,
    /// Offer these tools alone: names or patterns such as `zwave/*`; may be given several times
    #[arg(long = "tool", value_name = "PATTERN", conflicts_with = "no_tools")]
    pub tools: Vec<String>,
    /// Offer no tools, and start no servers
    #[arg(long)]
    pub no_tools: bool,
    /// A tool that the model must call first
    #[arg(long, value_name = "TOOL", conflicts_with = "no_tools")]
    pub must_call: Option<String>,
    /// Instructions for the model instead of the usual ones, or `@FILE`
    #[arg(long, value_name = "TEXT")]
    pub system: Option<String>,
    /// How often the model may call tools [default: 8]
    #[arg(long, value_name = "N", value_parser = number_from(1..=100_u32))]
    pub max_rounds: Option<u32>,
    /// End the question after so many seconds, such as 30 or 2m [default: 120]
    #[arg(long, value_name = "SECONDS", value_parser = crate::seconds::parse)]
    pub timeout: Option<Duration>,
    /// Run tools that destroy something without asking
    #[arg(short, long)]
    pub yes: bool,
    /// Print one JSON object at the end: answer, calls, tokens, why it ended
    #[arg(long)]
    pub json: bool,
    /// Do not show calls
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    pub roots: RootOptions,
    #[command(flatten)]
    pub rules: RuleOptions,
    #[command(flatten)]
    pub ledger: LedgerFlags,
    #[command(flatten)]
    pub config: ConfigOptions,
}
