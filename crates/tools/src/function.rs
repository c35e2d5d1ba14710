//! What a tool is to the executor: something that takes arguments and gives a result.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::Notify;

/// The code behind a tool: a built-in one, or the connection to a server that offers it.
///
/// The future is dropped when the call is cancelled or runs out of time, so it must leave nothing
/// half done behind an await point.
pub trait ToolFunction: Send + Sync + 'static {
    /// Runs the tool with arguments that its schema accepts: the text of one JSON object.
    fn call(self: Arc<Self>, arguments: String) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>>;

    /// The same for a tool that, once it has begun to change something, brings that to its end: it passes
    /// the point first, and from then on the executor waits for its answer.
    fn call_with(
        self: Arc<Self>,
        arguments: String,
        _point: StopPoint,
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

/// What becomes of a tool's work when its future is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDrop {
    /// It stops: it was done in this process.
    Stops,
    /// Another process is asked to stop, and nobody knows whether it does.
    IsAskedToStop,
}

/// What a front sends along with a call for the tool's function. Nobody between the two looks at it.
pub type CallContext = Arc<dyn Any + Send + Sync>;

/// Up to where a call can be stopped without a trace. Either it is stopped or it passes, never both.
#[derive(Clone, Debug, Default)]
pub struct StopPoint(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    place: AtomicU8,
    has_timed_out: AtomicBool,
    beat: Notify,
    context: Option<CallContext>,
}

const BEFORE: u8 = 0;
const STOPPED: u8 = 1;
const PASSED: u8 = 2;

impl StopPoint {
    /// A point of a call that something was sent along with.
    pub(crate) fn carrying(context: Option<CallContext>) -> StopPoint {
        StopPoint(Arc::new(Shared { context, ..Shared::default() }))
    }

    /// What was sent along with the call.
    pub fn context(&self) -> Option<&CallContext> {
        self.0.context.as_ref()
    }

    /// The tool goes on to what it will not stop; `false` when the call was stopped before.
    pub fn pass(&self) -> bool {
        self.leave_for(PASSED)
    }

    /// The call is given up; `false` when the tool has passed and will come to its end.
    pub fn stop(&self) -> bool {
        self.leave_for(STOPPED)
    }

    /// Whether the call was given up in time.
    pub fn is_stopped(&self) -> bool {
        self.0.place.load(Ordering::Acquire) == STOPPED
    }

    /// The call's time is over.
    pub(crate) fn time_out(&self) {
        self.0.has_timed_out.store(true, Ordering::Release);
    }

    /// Whether the call is dropped because its time is over, and not because its caller gave it up.
    pub fn has_timed_out(&self) -> bool {
        self.0.has_timed_out.load(Ordering::Acquire)
    }

    /// The tool shows that it is still at it: its time begins anew, within
    /// [`Limits::longest`](crate::Limits::longest).
    pub fn beat(&self) {
        self.0.beat.notify_one();
    }

    /// Waits for the next beat.
    pub(crate) async fn beaten(&self) {
        self.0.beat.notified().await;
    }

    fn leave_for(&self, next: u8) -> bool {
        match self.0.place.compare_exchange(BEFORE, next, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => true,
            Err(now) => now == next,
        }
    }
}

/// What a tool gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutput {
    /// The result for the model, as text.
    pub text: String,
    /// The same as JSON, where the tool has an output schema.
    pub structured: Option<String>,
    /// The whole result as the server gave it, where a server did and it is not too large: a JSON object
    /// with everything that text cannot carry.
    pub whole: Option<String>,
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
        ToolOutput { text: text.into(), structured: None, whole: None }
    }

    /// A result that is text and JSON.
    pub fn structured(text: impl Into<String>, structured: impl Into<String>) -> Self {
        ToolOutput { text: text.into(), structured: Some(structured.into()), whole: None }
    }
}

impl ToolFailure {
    /// A failure in the tool's own words.
    pub fn tool(message: impl Into<String>) -> Self {
        ToolFailure::Tool { message: message.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, ToolExecutor, ToolRegistry};
    use toolwright_model::ToolDefinition;

    struct Tells;

    impl ToolFunction for Tells {
        fn call(self: Arc<Self>, _: String) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> {
            self.call_with(String::new(), StopPoint::default())
        }

        fn call_with(
            self: Arc<Self>,
            _: String,
            point: StopPoint,
        ) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> {
            let told = point.context().and_then(|context| context.downcast_ref::<String>().cloned());
            Box::pin(async move { Ok(ToolOutput::text(told.unwrap_or_else(|| "nothing".to_owned()))) })
        }
    }

    #[tokio::test]
    async fn what_is_sent_along_reaches_the_function() {
        let registry = Arc::new(ToolRegistry::new());
        let definition = ToolDefinition {
            name: "tells".into(),
            server: Some("demo".into()),
            description: "Tells what came along.".into(),
            input_schema: r#"{"type":"object"}"#.into(),
            ..ToolDefinition::default()
        };
        registry.register(definition, Arc::new(Tells)).expect("it is in order");
        let executor = ToolExecutor::new(registry);
        let call = Call::new("tells", "{}");
        let outcome = executor.execute(call.clone().carrying(Arc::new("a word".to_owned()))).await;
        assert_eq!(outcome.text(), "a word");
        assert_eq!(executor.execute(call).await.text(), "nothing");
    }
}
