//! The command line as data: one definition gives parsing, help and errors. A file for each group of commands.

mod calling;
mod clients;
mod looking;
mod rules;
mod servers;
mod serving;
mod shared;

use clap::{Parser, Subcommand};

pub use calling::{
    AskOptions, CallOptions, DefinitionFormat, LearnFlag, ListOptions, NormalizeOptions, ReplayOptions,
    ToolsCommand, ToolsOptions,
};
pub use clients::{ImportOptions, InstallOptions, InstallScope};
pub use looking::{
    AuditCommand, AuditOptions, CompletionsOptions, DoctorOptions, ExplainOptions, ManOptions, Shell,
    StatusOptions, TuiOptions,
};
pub use rules::{DecisionOptions, RulesCommand, RulesOptions};
pub use servers::{LlmCommand, LlmOptions, ServersCommand, ServersOptions};
pub use serving::{
    DashboardOptions, DemoOptions, ServeOptions, StdioOptions, TokenCommand, TokenOptions, VoiceOptions,
};
pub use shared::{ConfigOptions, LedgerFlags, RootOptions, RuleOptions, WithoutJournal};

/// Every tool call, made to fit.
#[derive(Debug, Parser)]
#[command(
    name = "toolwright",
    version,
    about,
    after_help = "Without a command it serves: the built-in tools, or what toolwright.json here names.\n\nExit codes: 0 done, 1 wrong input lines, a failed check, a refused call of `explain`, a failed one of `call`, a question of `ask` without an answer or a server that cannot be used, 2 wrong use, 3 a file or stream failed."
)]
pub struct Cli {
    /// What to do; without it, `serve`.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve all toolboxes to MCP clients on one port of this machine
    Serve(ServeOptions),
    /// Look at it work: a gateway with a scripted model that makes mistakes; nothing of yours is touched
    Demo(DemoOptions),
    /// Serve one client over standard input and output
    Stdio(StdioOptions),
    /// Show how the gateway that runs is doing
    Status(StatusOptions),
    /// Watch the gateway that runs, in the terminal: its calls as they end, its servers, what they teach
    Tui(TuiOptions),
    /// Look for what is wrong, with the exact fix; calls no tool and changes nothing
    Doctor(DoctorOptions),
    /// Listen to what is said in the house: MQTT, Rhasspy, Home Assistant
    Voice(VoiceOptions),
    /// Put the gateway into a client, or take it out again
    Install(InstallOptions),
    /// Take over the servers that your clients have
    Import(ImportOptions),
    /// Print a link that opens the pages of a gateway that runs, once
    Dashboard(DashboardOptions),
    /// Make, list and revoke the tokens of clients
    Token(TokenOptions),
    /// Mend tool calls: JSON lines in, JSON lines out, in the same order
    Normalize(NormalizeOptions),
    /// Answer recorded calls in order, each with only what the ones before it teach
    Replay(ReplayOptions),
    /// Explain a code such as N4, a call that was made, a rule, or every step for one call
    Explain(ExplainOptions),
    /// List, check and test normalizer rules
    Rules(RulesOptions),
    /// List the tools there are, or show one
    Tools(ToolsOptions),
    /// Call one tool: find it, mend the arguments, run it
    Call(CallOptions),
    /// Ask a language model that may use all tools
    Ask(AskOptions),
    /// Show the MCP servers: state, era, tools, errors
    Servers(ServersOptions),
    /// Check the language models that can be asked through Toolwright
    Llm(LlmOptions),
    /// Show and check what was written down of calls
    Audit(AuditOptions),
    /// Print the completions for a shell, with the names of servers, tools and rules
    Completions(CompletionsOptions),
    /// Print the manual page of the program or of one command
    Man(ManOptions),
}
