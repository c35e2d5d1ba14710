//! The built-in tools: one table of what is offered and the code behind each.
//!
//! # Files
//!
//! | where | what |
//! |---|---|
//! | `lib.rs` | the table of what is offered |
//! | `datetime.rs`, `search_web/`, `volume/` | Toolwright's own tools: their arguments are validated, not repaired |
//! | `files.rs`, `files/` | the in-process server `files`, whose calls are repaired as those of any server: `place` (which path, inside which root), `stage` (what a call has read and wants written), `commit` (all of it or nothing, after a crash too), and one file per tool |
//! | `arguments.rs`, `clock.rs` | how arguments are read; where the time comes from |

mod arguments;
mod clock;
mod datetime;
mod files;
mod search_web;
mod volume;

use std::path::PathBuf;
use std::sync::Arc;

use toolwright_model::ToolDefinition;

pub use clock::Clock;
pub use files::{FilesConfig, FilesLimits};
pub use search_web::{
    ApiKey, ProviderConfig, SearchConfig, SearchError, SearchHit, SearchProvider, SearchResults,
};
use toolwright_executor::ToolFunction;
pub use volume::VolumeConfig;

/// What the built-in tools need to know.
#[derive(Clone, Debug, Default)]
pub struct BuiltinConfig {
    /// The user's time zone by its IANA name; that of the machine when not set.
    pub timezone: Option<String>,
    /// How the web is searched.
    pub search: SearchConfig,
    /// How the volume is controlled.
    pub volume: VolumeConfig,
    /// The files toolbox.
    pub files: FilesConfig,
    /// Where the time comes from.
    pub clock: Clock,
}

/// A built-in tool: what it is and what it does.
pub struct BuiltinTool {
    /// What models and the normalizer see.
    pub definition: ToolDefinition,
    /// What runs.
    pub function: Arc<dyn ToolFunction>,
}

/// Why the built-in tools cannot be offered as configured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuiltinError {
    /// A folder of the files toolbox cannot be used.
    #[error("cannot use the folder {path:?} for the files tools: {reason}. Create it or correct the configuration", path = path.display().to_string())]
    Root {
        /// The folder as configured.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The user's time zone does not exist.
    #[error("{reason}. Correct the timezone in the configuration")]
    TimeZone {
        /// What is wrong, with the nearest names.
        reason: String,
    },
    /// The address of a search provider cannot be used.
    #[error("cannot use {url:?} to search the web: {reason}. Correct the configuration")]
    Search {
        /// The address as configured.
        url: String,
        /// Why not.
        reason: String,
    },
}

/// All built-in tools of a configuration, in the order in which they are offered.
pub fn builtin_tools(config: &BuiltinConfig) -> Result<Vec<BuiltinTool>, BuiltinError> {
    let home = datetime::home(config.timezone.as_deref())?;
    let mut tools = vec![
        datetime::tool(&config.clock, home.as_ref()),
        search_web::tool(&config.search, &config.clock, home.as_ref())?,
        volume::tool(&config.volume),
    ];
    tools.extend(files::tools(&config.files, &config.clock)?);
    Ok(tools)
}
