//! Configuration files: the MCP servers and settings of Toolwright.
//!
//! A client's file (`mcpServers`), a workbench file (`toolboxes`) and Toolwright's superset of both are accepted: JSON
//! with comments and trailing commas, `${VAR}` in every string. An invalid server entry is a [`Problem`] with its
//! position and its fix; the other servers load.
//!
//! [`clients`] reads and edits the configuration files of MCP clients without changing the rest of them.
//!
//! This crate reads files and starts nothing; it knows no network and no runtime. The environment is passed in as a
//! function.
//!
//! Start with [`locate`], [`load`] and [`Configuration`].
//!
//! # Files
//!
//! In the order of data flow:
//!
//! | file | content |
//! |---|---|
//! | `locate.rs`, `load.rs` | search for the file; its bytes as text |
//! | `jsonc.rs` | comments and trailing commas become spaces, every other byte keeps its offset |
//! | `syntax.rs` | descriptions of JSON syntax errors, with fixes |
//! | `read.rs`, `read/` | from the JSON tree to toolboxes: `server`, `transport`, `login`, `fields` (texts, lists, pairs, durations), `keys` (known and misspelled keys), `checks`, `duplicates`; the sections: `section`, `settings`, `security`, `llm`, `agent`, `voice` |
//! | `expand.rs` | `${VAR}` in a text |
//! | `filters.rs`, `configuration.rs` | the result: tool filters, servers, settings and their secrets |
//! | `watch.rs`, `schema.rs` | change detection by content; the JSON Schema for editors |
//! | `clients.rs`, `clients/` | MCP clients, one file each, and their table; `places` (folders on three operating systems), `document` (JSON, TOML and YAML edited in place, every edit verified), `data`, `read` (conversion of their entries), `variables`, `risks`, `display`, `merge` (import), `gateway` (Toolwright's own entry), `llm` |
//! | `problem_collector.rs`, `problem.rs`, `secret_masking.rs`, `error.rs` | problems in the order of the file and their display, without secrets |

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
mod problem;
mod problem_collector;
mod read;
mod schema;
mod secret_masking;
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

/// Source of environment variables: returns the value of a name.
pub type Environment<'e> = dyn Fn(&str) -> Option<OsString> + 'e;

/// The environment of this process.
pub fn process_environment(name: &str) -> Option<OsString> {
    // The operating system accepts no such name.
    if name.is_empty() || name.contains(['=', '\0']) { None } else { std::env::var_os(name) }
}
