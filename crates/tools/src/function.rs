//! What a tool is to the executor: something that takes arguments and gives a result.

use std::sync::Arc;

use futures_util::future::BoxFuture;

/// The code behind a tool: a built-in one, or the connection to a server that offers it.
///
/// The future is dropped when the call is cancelled or runs out of time, so it must leave nothing
/// half done behind an await point.
pub trait ToolFunction: Send + Sync + 'static {
    /// Runs the tool with arguments that its schema accepts: the text of one JSON object.
    fn call(self: Arc<Self>, arguments: String) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>>;
}

/// What a tool gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutput {
    /// The result for the model, as text.
    pub text: String,
    /// The same as JSON, where the tool has an output schema.
    pub structured: Option<String>,
}

/// Why a tool gave no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolFailure {
    /// The tool ran and says that it failed. The message is its own, for the model to read.
    #[error("{message}")]
    Tool {
        /// What the tool says, unchanged.
        message: String,
    },
    /// What the tool needs could not be reached over the network.
    #[error("{message}")]
    Unavailable {
        /// What could not be reached and why.
        message: String,
    },
    /// What the tool needs is not installed, not set up or not working, for a reason other than the network.
    #[error("{message}")]
    NotReady {
        /// What is missing, and what to do about it; people hear the first sentence.
        message: String,
    },
    /// The tool does not take these arguments, for a reason that its schema does not tell.
    #[error("{message}")]
    InvalidArguments {
        /// What is wrong with them.
        message: String,
    },
}

impl ToolOutput {
    /// A result that is text only.
    pub fn text(text: impl Into<String>) -> Self {
        ToolOutput { text: text.into(), structured: None }
    }
}

impl ToolFailure {
    /// A failure in the tool's own words.
    pub fn tool(message: impl Into<String>) -> Self {
        ToolFailure::Tool { message: message.into() }
    }
}
