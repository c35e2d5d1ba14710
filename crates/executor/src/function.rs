//! What a tool is to the executor: something that takes arguments and gives a result.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use toolwright_jsonrpc::{ErrorObject, Json};

use crate::CallControl;

/// The code behind a tool: a built-in one, or the connection to a server that offers it.
///
/// The future is dropped when the call is cancelled or runs out of time, so it must leave nothing
/// half done behind an await point.
pub trait ToolFunction: Send + Sync + 'static {
    /// Runs the tool with arguments that its schema accepts: the text of one JSON object.
    fn call(self: Arc<Self>, arguments: String) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>>;

    /// The same for a tool that uses the control of its call: it commits before it changes something, or shows that it
    /// is still working.
    fn call_with(
        self: Arc<Self>,
        arguments: String,
        _control: CallControl,
    ) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        self.call(arguments)
    }

    /// What no log may show of the tool's results.
    fn secrets(&self) -> &[String] {
        &[]
    }

    /// What becomes of the work when the future is dropped.
    fn ending(&self) -> OnDrop {
        OnDrop::Stops
    }

    /// How long the tool may take, where it has a limit of its own.
    fn timeout(&self) -> Option<Duration> {
        None
    }
}

impl fmt::Debug for dyn ToolFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ToolFunction")
    }
}

/// What becomes of a tool's work when its future is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDrop {
    /// It stops: it was done in this process.
    Stops,
    /// Another process is asked to stop, and nobody knows whether it does.
    IsAskedToStop,
}

/// The response of a server to a call as it was sent: the result, or the error object. The executor passes it on
/// without reading it.
pub type RawResponse = Result<Json, ErrorObject>;

/// What a tool gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutput {
    /// The result for the model, as text.
    pub text: String,
    /// The same as JSON, where the tool has an output schema.
    pub structured: Option<String>,
    /// The result as the server sent it, where a server did and it is not too large: a JSON object with everything
    /// that text cannot carry. A bound call ([`Call::function`](crate::Call::function)) gets it at any size.
    pub response: Option<Json>,
}

/// Why a tool gave no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolFailure {
    /// The tool ran and says that it failed. The message is its own, for the model to read.
    #[error("{message}")]
    Tool {
        /// What the tool says, unchanged.
        message: String,
        /// The response that says so, where a server sent one.
        response: Option<Box<RawResponse>>,
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
        ToolOutput { text: text.into(), structured: None, response: None }
    }

    /// A result that is text and JSON.
    pub fn structured(text: impl Into<String>, structured: impl Into<String>) -> Self {
        ToolOutput { text: text.into(), structured: Some(structured.into()), response: None }
    }

    /// The response of the server, for a failure that is made of it.
    pub(crate) fn into_response(self) -> Option<Box<RawResponse>> {
        self.response.map(|result| Box::new(Ok(result)))
    }
}

impl ToolFailure {
    /// A failure in the tool's own words.
    pub fn tool(message: impl Into<String>) -> Self {
        ToolFailure::Tool { message: message.into(), response: None }
    }

    /// The same with another message.
    pub fn map_message(mut self, map: impl FnOnce(String) -> String) -> Self {
        let message = match &mut self {
            ToolFailure::Tool { message, .. }
            | ToolFailure::Unavailable { message }
            | ToolFailure::NotReady { message }
            | ToolFailure::InvalidArguments { message } => message,
        };
        *message = map(std::mem::take(message));
        self
    }
}
