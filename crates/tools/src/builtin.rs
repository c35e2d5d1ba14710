//! The built-in tools: one table of what is offered and the code behind each.

mod arguments;
mod clock;
mod files;

use std::path::PathBuf;
use std::sync::Arc;

use toolwright_model::ToolDefinition;

use crate::ToolFunction;
pub use clock::Clock;
pub use files::{FilesConfig, FilesLimits};

/// The name of the in-process server that offers the files tools.
pub const FILES_SERVER: &str = "files";

/// What the built-in tools need to know.
#[derive(Clone, Debug, Default)]
pub struct BuiltinConfig {
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
}

/// All built-in tools of a configuration, in the order in which they are offered.
pub fn builtin_tools(config: &BuiltinConfig) -> Result<Vec<BuiltinTool>, BuiltinError> {
    files::tools(&config.files, &config.clock)
}
