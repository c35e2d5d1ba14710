//! The command line as data: one definition gives parsing, help and errors.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use toolwright_model::Finish;

use crate::completing;

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
    pub command: Vec<String>,
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

/// Options of `import`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Clients: claude-desktop, claude-code, cursor, vs-code, cline, windsurf, gemini-cli, zed, continue, goose, opencode, lm-studio, codex, kiro.\n\nNothing is started and no client's file is changed. A server that stands in several files is taken over once; one that has the name of another gets a second name.\n\nExit codes: 0 done, 1 a file could not be read and the others were taken."
)]
pub struct ImportOptions {
    /// The clients to look at [default: all]
    #[arg(value_name = "CLIENT")]
    pub clients: Vec<String>,
    /// Read this file, of the client that is named or of the one that it looks like
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Write into this configuration [default: the one that `serve` would use here, or your own one]
    #[arg(long, value_name = "FILE")]
    pub into: Option<PathBuf>,
    /// Put the servers into this toolbox
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
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
    after_help = "Clients: claude-desktop, claude-code, cursor, vs-code, cline, windsurf, gemini-cli, zed, continue, goose, opencode, lm-studio, codex, kiro; with --llm also openai, anthropic and ollama.\n\nWhat was there before is kept in the state folder; --undo brings it back."
)]
pub struct InstallOptions {
    /// The client
    #[arg(value_name = "CLIENT", required_unless_present = "list")]
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
    /// Where the gateway listens
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8484")]
    pub url: String,
    /// Give it this toolbox alone
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
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

/// Options of `dashboard`.
#[derive(Args, Clone, Debug)]
pub struct DashboardOptions {
    /// Where the gateway listens
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8484")]
    pub url: String,
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

/// What is written down of calls.
#[derive(Args, Clone, Debug, Default)]
pub struct LedgerFlags {
    /// Write normalizer_stats.json to this folder, every 30 s and at the end
    #[arg(long, value_name = "FOLDER")]
    pub log_dir: Option<PathBuf>,
    /// What becomes of calls when the journal cannot be written [default: allow]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub without_journal: Option<WithoutJournal>,
}

/// What becomes of calls that cannot be written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum WithoutJournal {
    /// They are run, and that is said
    Allow,
    /// They are not run
    Block,
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
    #[arg(long, value_name = "SET", add = completing::sets())]
    pub enable: Vec<String>,
    /// Switch a built-in set off
    #[arg(long, value_name = "SET", add = completing::sets())]
    pub disable: Vec<String>,
}

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
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Allow an address that other machines can reach
    #[arg(long)]
    pub listen_anywhere: bool,
    /// Also answer requests to this host: NAME or NAME:PORT
    #[arg(long, value_name = "HOST")]
    pub allow_host: Vec<String>,
    /// Also answer web pages of this origin, such as `https://app.example`
    #[arg(long, value_name = "ORIGIN")]
    pub allow_origin: Vec<String>,
    /// Ask nobody for a token: every program and user of this machine may use all tools
    #[arg(long)]
    pub no_auth: bool,
    /// Requests of one client in a second; 0 is no limit [default: 1000]
    #[arg(long, value_name = "N")]
    pub rate: Option<u32>,
    /// Requests of one client at once [default: 256]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub calls: Option<u32>,
    /// Requests of all clients at once [default: 2048]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub calls_in_all: Option<u32>,
    /// Connections at once [default: 4096]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
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
    #[arg(long, value_name = "N")]
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
        /// A toolbox that it opens; may be given several times [default: all]
        #[arg(long = "toolbox", value_name = "NAME", add = completing::toolboxes())]
        toolboxes: Vec<String>,
        /// A language model that may be asked with it, or a pattern such as `*haiku*`; may be given several times [default: all]
        #[arg(long = "model", value_name = "PATTERN", value_parser = clap::builder::NonEmptyStringValueParser::new())]
        models: Vec<String>,
        /// Requests in a second
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        rate: Option<u32>,
        /// Requests at once
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
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

/// Options of `replay`.
#[derive(Args, Debug)]
#[command(
    after_help = "Lines are those of `normalize` with \"session\" and \"result\": {\"ok\": true|false, \"error\"?} beside, in the order of time. The last line of the output is {\"rules\": […]}. Nothing of it is kept."
)]
pub struct ReplayOptions {
    /// Read this file instead of standard input; `-` is standard input
    pub file: Option<PathBuf>,
    /// What is done with what is learned
    #[arg(long, value_enum, default_value_t = LearnPolicy::ApplySafe)]
    pub learn: LearnPolicy,
    #[command(flatten)]
    pub rules: RuleOptions,
}

/// What is done with what is learned.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum LearnPolicy {
    /// Nothing is learned
    Off,
    /// Rules are only suggested
    Suggest,
    /// Rules that are safe by every measure are applied
    ApplySafe,
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
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
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
    /// List what calls have taught: rules that would mend calls that fail
    Suggest {
        /// Those that were decided, too
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Bring the rule of a suggestion into force, here and in gateways that run
    Accept(DecisionOptions),
    /// Put a suggestion away until twice as much speaks for it
    Dismiss(DecisionOptions),
    /// Take back what was decided last about a suggestion
    Undo(DecisionOptions),
    /// List everything that was decided, the oldest first
    History {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// A decision about a suggestion.
#[derive(Args, Clone, Debug)]
pub struct DecisionOptions {
    /// Its id, or the beginning of it (see `toolwright rules suggest`)
    pub id: String,
    /// Who decides [default: the name of the user]
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
