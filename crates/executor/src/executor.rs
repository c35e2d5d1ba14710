//! Runs tools: which tool is meant, what its arguments mean, in time, within limits, and written down.
//!
//! Everything happens on the caller's task: no task is spawned, so nothing can be left behind. A call that
//! ends early (timeout, cancellation, a caller that went away) drops the tool's future, and with it
//! whatever the tool holds. A tool that blocks its thread cannot be stopped by anybody.

mod bound;
mod call;
mod judge;
mod limits;
mod log;
mod lookup;
mod record;
mod run;

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolwright_base::{ConcurrencyLimit, ConcurrencyPermit};
use toolwright_model::{Caller, Change, Finish, Outcome};
use toolwright_normalizer::{ActiveRules, RawArguments};

use crate::observer::{CallId, Observers};
use crate::{
    CallError, CallObserver, ErrorCode, RegisteredTool, ToolFailure, ToolFunction, ToolOutput, ToolRegistry,
};
use judge::Judge;
use record::Record;
use run::{Ended, Time};

pub use call::{Call, CallOutcome, Prepared};
pub use judge::{CallJudge, Denied, Judged};
pub use limits::{DEFAULT_TIMEOUT, LONGEST_CALL, Limits, SLOW_CALL};
pub use lookup::Found;

/// Runs tools by name.
pub struct ToolExecutor {
    registry: Arc<ToolRegistry>,
    rules: Arc<ActiveRules>,
    limits: Limits,
    timeouts: HashMap<String, Duration>,
    observers: Observers,
    running: Arc<ConcurrencyLimit>,
    last_id: AtomicU64,
    /// Tells calls of this executor from those of another with the same number.
    instance: u64,
}

impl ToolExecutor {
    /// An executor of these tools, with the built-in rules and the default limits.
    pub fn new(registry: Arc<ToolRegistry>) -> Self {
        ToolExecutor {
            registry,
            rules: Arc::default(),
            limits: Limits::default(),
            timeouts: HashMap::new(),
            observers: Observers::default(),
            running: Arc::default(),
            last_id: AtomicU64::new(0),
            instance: RandomState::new().hash_one(()),
        }
    }

    /// With other limits.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// With a time limit of its own for the tool of this name: `name`, or `server/name`, which counts more. Both
    /// count more than what the tool itself wants.
    pub fn with_timeout(mut self, tool: impl Into<String>, limit: Duration) -> Self {
        self.timeouts.insert(tool.into(), limit);
        self
    }

    /// With one more observer.
    pub fn with_observer(mut self, observer: Arc<dyn CallObserver>) -> Self {
        self.observers.add(observer);
        self
    }

    /// With these rules instead of the built-in ones.
    pub fn with_rules(mut self, rules: Arc<ActiveRules>) -> Self {
        self.rules = rules;
        self
    }

    /// The rules that it repairs calls with.
    pub fn rules(&self) -> &Arc<ActiveRules> {
        &self.rules
    }

    /// The tools it runs.
    pub fn registry(&self) -> &Arc<ToolRegistry> {
        &self.registry
    }

    /// The limits in force.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How many calls run now.
    pub fn running(&self) -> usize {
        self.running.in_flight()
    }

    /// The tool that a name stands for, found as for a call.
    pub fn find(&self, name: &str) -> Result<Found, CallError> {
        lookup::find(&self.registry, name)
    }

    /// Runs one call to its end. It never fails: whatever happens is in the outcome. It must be awaited on a
    /// tokio runtime whose clock is enabled.
    pub async fn execute(&self, call: Call) -> CallOutcome {
        let Call { name, arguments, finish, cancellation, function, caller, renamed, judge } = call;
        let mut record = self.begin(name, &arguments, caller.as_deref());
        record.renamed(renamed);
        let result = self
            .carry_out(&mut record, (arguments, finish), judge.as_ref(), cancellation.as_ref(), function)
            .await;
        record.finish(result).await
    }

    /// What would be run for a call, without running it.
    pub fn prepare(&self, call: &Call) -> Result<Prepared, CallError> {
        let found = lookup::find(&self.registry, &call.name)?;
        let (arguments, mut changes) =
            self.normalize(&found.tool, call.arguments.clone(), call.finish, "")?;
        changes.splice(0..0, call.renamed.iter().cloned().chain(found.renamed));
        Ok(Prepared { tool: found.tool, arguments, changes })
    }

    /// Tells the observers of a call that does not go through here: nobody knows its tool.
    ///
    /// # Errors
    /// When an observer does not let it be run.
    pub async fn passes_by(
        &self,
        name: &str,
        arguments: &str,
        caller: Option<&Caller>,
        renamed: Vec<Change>,
    ) -> Result<PassesBy<'_>, CallError> {
        let mut record = self.begin(name.to_owned(), arguments, caller);
        record.renamed(renamed);
        match record.admitted_unknown().await {
            Ok(()) => {
                record.runs();
                Ok(PassesBy(record))
            }
            Err(error) => match record.finish(Err(error)).await.result {
                Err(error) => Err(error),
                // It was given an error, and gives one back.
                Ok(_) => Err(CallError::cancelled(name)),
            },
        }
    }

    /// Tells the observers of a call of a tool that does not exist. `nearest` are the names that the caller may see.
    pub async fn found_nothing(
        &self,
        name: &str,
        arguments: &str,
        caller: Option<&Caller>,
        nearest: &[String],
    ) {
        let record = self.begin(name.to_owned(), arguments, caller);
        record.finish(Err(CallError::no_such_tool(name, nearest))).await;
    }

    /// Tells the observers of a call of a tool whose server cannot be used.
    pub async fn found_no_server(&self, name: &str, arguments: &str, caller: Option<&Caller>, why: String) {
        let record = self.begin(name.to_owned(), arguments, caller);
        record.finish(Err(CallError::unavailable(name, why))).await;
    }

    /// Tells the observers of a call that came to no tool, and why.
    pub async fn came_to_nothing(&self, name: &str, arguments: &str, caller: Option<&Caller>, why: String) {
        let record = self.begin(name.to_owned(), arguments, caller);
        record.finish(Err(CallError::not_understood(name, why))).await;
    }

    fn begin(&self, name: String, arguments: &str, caller: Option<&Caller>) -> Record<'_> {
        // Relaxed: the ids of two calls need no order beyond their own.
        let id = CallId(self.last_id.fetch_add(1, Ordering::Relaxed) + 1);
        Record::begin(id, name, arguments, caller, &self.observers)
    }

    async fn carry_out(
        &self,
        record: &mut Record<'_>,
        (sent, finish): (String, Finish),
        judge: Option<&Judge>,
        cancellation: Option<&CancellationToken>,
        bound: Option<Arc<dyn ToolFunction>>,
    ) -> Result<ToolOutput, CallError> {
        let found = lookup::find(&self.registry, record.name())?;
        if bound.is_some() && found.renamed.is_some() {
            // The function is bound to the tool of this very name, which has left the registry meanwhile.
            return Err(CallError::no_such_tool(record.name(), &[]));
        }
        let tool = record.found(found.tool, &sent);
        record.renamed(found.renamed);
        let seed = format!("{:x}/{}", self.instance, record.id().0);
        let (arguments, changes) = self.normalize(&tool, sent, finish, &seed)?;
        if let Some(judge) = judge {
            let judged = judge.judge(&Judged { tool: &tool, arguments: &arguments, changes: &changes });
            record.judged(&arguments, changes, judged).await?;
        } else {
            record.normalized(&arguments, changes).await?;
        }
        let _passes = self.admit(&tool)?;
        record.runs();
        let time = Time { limit: self.timeout_of(&tool), longest: self.limits.longest };
        let ending = tool.function().ending();
        let is_bound = bound.is_some();
        let function = bound.unwrap_or_else(|| tool.function());
        let limit = self.limits.result_bytes;
        match run::run(function, arguments, time, cancellation).await {
            Ended::Answered(mut result) => {
                if !is_bound {
                    bound::response(&mut result, limit);
                }
                match result {
                    Ok(output) => bound::output(tool.name(), output, limit),
                    Err(failure) => Err(classify(&tool, bound::failure(failure, limit))),
                }
            }
            Ended::TimedOut(after) => Err(CallError::timeout(tool.name(), after, ending)),
            Ended::Cancelled => Err(CallError::cancelled(tool.name())),
            Ended::Unfinished => Err(CallError::unfinished(tool.name())),
            Ended::Panicked(message) => Err(CallError::panicked(tool.name(), message)),
        }
    }

    /// Makes the arguments fit. Built-in tools get theirs as they were sent, or not at all: the normalizer
    /// sees to that.
    fn normalize(
        &self,
        tool: &RegisteredTool,
        sent: String,
        finish: Finish,
        seed: &str,
    ) -> Result<(String, Vec<Change>), CallError> {
        let rules = self.rules.load();
        let raw = RawArguments::text(&sent, finish).with_seed(seed);
        // A fault of ours in reading a call must not take the other calls down.
        let outcome = catch_unwind(AssertUnwindSafe(|| rules.normalizer().normalize(tool.tool(), &raw)));
        match outcome {
            Ok(Outcome::Unchanged) => Ok((sent, Vec::new())),
            Ok(Outcome::Repaired { arguments, changes }) => {
                log::normalization(tool, &sent, &arguments, &changes);
                Ok((arguments, changes))
            }
            Ok(Outcome::Refused { problems, hint }) => {
                let mut error = CallError::refused(tool, &sent, problems);
                error.hint = hint.into();
                Err(error)
            }
            Err(panic) => {
                let message = format!("the arguments could not be read: {}", run::panic_message(panic));
                Err(CallError::panicked(tool.name(), message))
            }
        }
    }

    fn admit(&self, tool: &RegisteredTool) -> Result<[ConcurrencyPermit; 2], CallError> {
        let in_all = self.limits.calls_in_all;
        let pass = self.running.try_acquire(1, in_all).ok_or_else(|| CallError::busy_in_all(in_all))?;
        let per_tool = self.limits.calls_per_tool;
        let of_tool =
            tool.running().try_acquire(1, per_tool).ok_or_else(|| CallError::busy(tool.name(), per_tool))?;
        Ok([pass, of_tool])
    }

    fn timeout_of(&self, tool: &RegisteredTool) -> Duration {
        let named = || self.timeouts.get(tool.qualified_name()).or_else(|| self.timeouts.get(tool.name()));
        let given = if self.timeouts.is_empty() { None } else { named().copied() };
        given.or_else(|| tool.timeout()).unwrap_or(self.limits.timeout)
    }
}

/// A call that does not go through the executor. Dropped before its end, it ends as cancelled.
pub struct PassesBy<'e>(Record<'e>);

impl PassesBy<'_> {
    /// The call ends here.
    ///
    /// # Errors
    /// When the call has to be written down and was not: then its result must not be given out.
    pub async fn end(self, result: Result<ToolOutput, ToolFailure>) -> Result<(), CallError> {
        let name = self.0.name();
        let result = result.map_err(|failure| match failure {
            ToolFailure::Tool { message, .. } | ToolFailure::InvalidArguments { message } => {
                CallError::tool_error(name, message)
            }
            ToolFailure::Unavailable { message } => CallError::unavailable(name, message),
            ToolFailure::NotReady { message } => CallError::not_ready(name, message),
        });
        match self.0.finish(result).await.result {
            Err(error) if error.code == ErrorCode::Unrecorded => Err(error),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for ToolExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolExecutor")
            .field("limits", &self.limits)
            .field("running", &self.running())
            .finish_non_exhaustive()
    }
}

fn classify(tool: &RegisteredTool, failure: ToolFailure) -> CallError {
    match failure {
        ToolFailure::Tool { message, response } => {
            CallError::tool_error(tool.name(), message).with_response(response)
        }
        ToolFailure::Unavailable { message } => CallError::unavailable(tool.name(), message),
        ToolFailure::NotReady { message } => CallError::not_ready(tool.name(), message),
        ToolFailure::InvalidArguments { message } => CallError::rejected_by_tool(tool, message),
    }
}
