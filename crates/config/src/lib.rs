//! The file that says which MCP servers there are.
//!
//! A client's file (`mcpServers`), a workbench file (`toolboxes`) and our own superset of both are read as
//! they are: JSON, comments and trailing commas allowed, `${VAR}` in every string. A server that is
//! described wrongly is a [`Problem`] with its place and its fix, and the others load.
//!
//! The files of other programs that have servers are [`clients`]: read, and changed without touching the rest of them.
//!
//! This crate reads files and starts nothing; it knows no network and no runtime. The environment comes
//! in as a function.
//!
//! Start with [`locate`], [`load`] and [`Configuration`].
//!
//! # Files
//!
//! In the order data flows:
//!
//! | where | what |
//! |---|---|
//! | `locate.rs`, `load.rs` | which file is taken; its bytes as text |
//! | `jsonc.rs` | comments and trailing commas become blanks, every other byte keeps its place |
//! | `syntax.rs` | what is wrong with a text that is not JSON, and what to write |
//! | `read.rs`, `read/` | from the tree to toolboxes: `server`, `transport`, `login`, `fields` (texts, lists, pairs, times), `keys` (known, silent, meant), `checks`, `repeats` |
//! | `expand.rs` | `${VAR}` in a text |
//! | `filters.rs`, `configuration.rs` | what comes out: tools that are offered, servers, and what of them is secret |
//! | `watch.rs`, `schema.rs` | that the file has changed, by what is in it; its JSON Schema for editors |
//! | `clients.rs`, `clients/` | other programs that have servers: one file each and the table of them; `places` (folders of the three systems), `document` (JSON, TOML and YAML changed by places, every change read again), `data`, `read` (their entries in our words), `variables`, `danger`, `shown`, `merge` (taken over, each once), `gateway` (us among their servers), `llm` |
//! | `mistakes.rs`, `problem.rs`, `masked.rs`, `error.rs` | mistakes in the order of the file, how they are shown, without secrets |

mod agent;
pub mod clients;
mod configuration;
mod error;
mod expand;
mod filters;
mod jsonc;
mod llm;
mod load;
mod locate;
mod masked;
mod mistakes;
mod problem;
mod read;
mod schema;
mod settings;
mod syntax;
mod voice;
mod watch;

use std::ffi::OsString;

pub use agent::AgentConfig;
pub use configuration::{
    Configuration, DEFAULT_TOOLBOX, HttpKind, Login, ProtocolFamily, ServerConfig, Toolbox, Transport,
};
pub use error::ConfigError;
pub use filters::ToolFilters;
pub use jsonc::blanked;
pub use llm::{
    Destination, LlmSettings, ModelRoute, ReasoningQuirk, SchemaQuirk, USUAL_UPSTREAM_TIME, UpstreamKey,
    UpstreamQuirks, UpstreamSettings,
};
pub use load::{MAX_FILE_BYTES, load, parse, read_client_file};
pub use locate::{FoundBy, Located, file_of_user, locate, locate_from, looked_for};
pub use problem::{Excerpt, LlmPart, Problem, Severity};
pub use schema::JSON_SCHEMA;
pub use settings::{
    BuiltinRulesSetting, LedgerSettings, NotifySettings, SecretText, SecuritySettings, StoreAddress,
    Suspicion, TelemetrySettings,
};
pub use toolwright_model::{Durability, LearnPolicy, OnFailure};
pub use voice::{
    AddressRange, BrokerChoice, BrokerPassword, BrokerSettings, MqttProtocol, MqttSettings,
    USUAL_BROKER_PORT, USUAL_CONTROL_TOOL, USUAL_LIST_TOOL, USUAL_TOPIC_PREFIX, USUAL_WYOMING_PORT,
    VoiceSettings, WyomingSettings,
};
pub use watch::{Look, Watch};

/// Where variables come from: a name in, its value out.
pub type Environment<'e> = dyn Fn(&str) -> Option<OsString> + 'e;

/// The environment of this process.
pub fn process_environment(name: &str) -> Option<OsString> {
    // The system's call does not take every name.
    if name.is_empty() || name.contains(['=', '\0']) { None } else { std::env::var_os(name) }
}
