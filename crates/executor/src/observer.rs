//! Who hears of every call: the ledger, the page, the counters.
//!
//! Observers are called on the task of the call, in the order they were given, before the caller gets its
//! answer: what they do takes time from the call. One that panics is reported and harms nobody.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use toolwright_model::{Caller, Change};

use crate::redact::Sensitive;
use crate::{CallError, ErrorCode, RegisteredTool, ToolOutput};

/// What a call has to wait for before it goes on; the error says why it must not.
pub type Waiting = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

/// Hears of every call. For each id there is one `started`, at most one `normalized`, and one `finished`,
/// in this order; a call that its caller gave up finishes too.
pub trait CallObserver: Send + Sync + 'static {
    /// A call came in.
    fn started(&self, call: &Started<'_>) {
        let _ = call;
    }

    /// The tool was found and its arguments fit, as they were sent or after changes.
    fn normalized(&self, call: &Normalized<'_>) {
        let _ = call;
    }

    /// Whether the call may be run, asked right after [`normalized`](Self::normalized): who has to write it down
    /// and cannot says why not, and who cannot say yet what is to be waited for.
    fn admits(&self, call: &Normalized<'_>) -> Result<Option<Waiting>, String> {
        let _ = call;
        Ok(None)
    }

    /// The same for a call of a tool that nobody knows: its server may.
    ///
    /// # Errors
    /// As [`admits`](Self::admits).
    fn admits_unknown(&self, id: CallId) -> Result<Option<Waiting>, String> {
        let _ = id;
        Ok(None)
    }

    /// The call ended, one way or another.
    fn finished(&self, call: &Finished<'_>) {
        let _ = call;
    }

    /// The same, for who has to have it written down before the caller is answered: what is to be waited for. When
    /// that fails, the caller does not get the result. Nobody waits for a call that its caller gave up.
    fn recorded(&self, call: &Finished<'_>) -> Option<Waiting> {
        let _ = call;
        None
    }
}

/// Which call: unique and ascending within one executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u64);

/// A call that came in.
#[derive(Clone, Copy, Debug)]
pub struct Started<'a> {
    /// Which call.
    pub id: CallId,
    /// The tool's name as it was sent.
    pub name: &'a str,
    /// The arguments as they were sent.
    pub arguments: Sensitive<'a>,
    /// Who calls, when that is known.
    pub caller: Option<&'a Caller>,
}

/// A call whose arguments fit.
#[derive(Clone, Copy, Debug)]
pub struct Normalized<'a> {
    /// Which call.
    pub id: CallId,
    /// The tool that will be run.
    pub tool: &'a RegisteredTool,
    /// The arguments that it will get.
    pub arguments: Sensitive<'a>,
    /// What was changed, secrets included: show them through [`redact::change`](crate::redact::change).
    pub changes: &'a [Change],
}

/// A call that ended.
#[derive(Clone, Copy, Debug)]
pub struct Finished<'a> {
    /// Which call.
    pub id: CallId,
    /// The tool's name as it was sent.
    pub name: &'a str,
    /// The tool, when it was found.
    pub tool: Option<&'a RegisteredTool>,
    /// What was changed: the tool's name first. The arguments of a call that was refused are as they were sent.
    pub changes: &'a [Change],
    /// What the caller gets.
    pub result: Result<&'a ToolOutput, &'a CallError>,
    /// How far the call came.
    pub stages: Stages,
    /// From the call to its end.
    pub duration: Duration,
    /// The size of the arguments as they were sent.
    pub bytes_in: usize,
    /// The size of the result.
    pub bytes_out: usize,
}

/// How far a call came: a tool that says "no" has a working connection and a right call behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stages {
    /// Whether the tool could be reached and answered.
    pub transport: Stage,
    /// Whether the call was one that the tool takes, and the answer one that can be passed on.
    pub protocol: Stage,
    /// Whether the tool did what it was asked.
    pub tool: Stage,
}

/// What became of one stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It went well.
    Passed,
    /// Here the call failed.
    Failed,
    /// The call did not come this far, or nobody knows whether it did.
    NotReached,
}

impl Stages {
    pub(crate) fn of(result: Result<&ToolOutput, &CallError>) -> Self {
        use Stage::{Failed, NotReached, Passed};
        let (transport, protocol, tool) = match result {
            Ok(_) => (Passed, Passed, Passed),
            Err(error) => match error.code {
                ErrorCode::UnknownTool | ErrorCode::AmbiguousTool | ErrorCode::Refused => {
                    (NotReached, Failed, NotReached)
                }
                ErrorCode::InvalidArguments if error.is_from_tool() => (Passed, Failed, NotReached),
                ErrorCode::InvalidArguments => (NotReached, Failed, NotReached),
                ErrorCode::Unavailable | ErrorCode::Timeout => (Failed, NotReached, NotReached),
                ErrorCode::Busy | ErrorCode::Cancelled | ErrorCode::Denied => {
                    (NotReached, NotReached, NotReached)
                }
                ErrorCode::TooLarge => (Passed, Failed, Passed),
                ErrorCode::ToolError | ErrorCode::Panicked => (Passed, Passed, Failed),
                // Whatever the tool did is done; the record of the call says what.
                ErrorCode::Unrecorded => (Passed, Passed, Passed),
            },
        };
        Stages { transport, protocol, tool }
    }
}

/// Waits for all of it, and says what failed first.
pub(crate) async fn all(waiting: Vec<Waiting>) -> Result<(), String> {
    let mut result = Ok(());
    for one in waiting {
        let done = AssertUnwindSafe(one).catch_unwind().await;
        result = result.and(done.unwrap_or_else(|_| Err("an observer of tool calls panicked".to_owned())));
    }
    result
}

/// All observers of an executor.
#[derive(Clone, Default)]
pub(crate) struct Observers(Vec<Arc<dyn CallObserver>>);

impl Observers {
    pub fn add(&mut self, observer: Arc<dyn CallObserver>) {
        self.0.push(observer);
    }

    /// Whether all of them let the call be run, once what is given back has been waited for. One that panics keeps
    /// no call from running.
    pub fn admit(
        &self,
        ask: impl Fn(&dyn CallObserver) -> Result<Option<Waiting>, String>,
    ) -> Result<Vec<Waiting>, String> {
        let mut waiting = Vec::new();
        for observer in &self.0 {
            match catch_unwind(AssertUnwindSafe(|| ask(observer.as_ref()))) {
                Ok(admitted) => waiting.extend(admitted?),
                Err(_) => tracing::error!("an observer of tool calls panicked; the call goes on without it"),
            }
        }
        Ok(waiting)
    }

    /// Tells all of them that a call ended. What the answer has to wait for.
    pub fn end(&self, call: &Finished<'_>) -> Vec<Waiting> {
        let mut waiting = Vec::new();
        for observer in &self.0 {
            let told = catch_unwind(AssertUnwindSafe(|| {
                observer.finished(call);
                observer.recorded(call)
            }));
            match told {
                Ok(told) => waiting.extend(told),
                Err(_) => tracing::error!("an observer of tool calls panicked; the call goes on without it"),
            }
        }
        waiting
    }

    pub fn tell(&self, what: impl Fn(&dyn CallObserver)) {
        for observer in &self.0 {
            if catch_unwind(AssertUnwindSafe(|| what(observer.as_ref()))).is_err() {
                tracing::error!("an observer of tool calls panicked; the call goes on without it");
            }
        }
    }
}
