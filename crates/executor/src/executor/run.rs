//! One run of a tool's function: to its answer, its time limit, its cancellation or its panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::task::unconstrained;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::limits::TIME_TO_FINISH;
use crate::{CallControl, ToolFailure, ToolFunction, ToolOutput};

/// What stands for a time that no clock can tell.
const FAR_AWAY: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// How a run ended.
pub(super) enum Ended {
    Answered(Result<ToolOutput, ToolFailure>),
    /// After this long, without a sign of the tool or in all.
    TimedOut(Duration),
    Cancelled,
    /// It had begun to change something when it was to stop, and did not come to its end.
    Unfinished,
    Panicked(String),
}

/// How long a run may take.
#[derive(Clone, Copy)]
pub(super) struct Time {
    /// Without a sign that the tool is still at it.
    pub limit: Duration,
    /// In all.
    pub longest: Duration,
}

/// Runs the function on this task. A function that has committed is waited for, so that the
/// response says what it did. When it is over, for whatever reason, the function's future is dropped.
pub(super) async fn run(
    function: Arc<dyn ToolFunction>,
    arguments: String,
    Time { limit, longest }: Time,
    cancellation: Option<&CancellationToken>,
) -> Ended {
    if cancellation.is_some_and(CancellationToken::is_cancelled) {
        return Ended::Cancelled;
    }
    let control = CallControl::default();
    let called = catch_unwind(AssertUnwindSafe(|| function.call_with(arguments, control.clone())));
    let mut future = match called {
        Ok(future) => future,
        Err(panic) => return Ended::Panicked(panic_message(panic)),
    };
    // A tool that uses up the task's share of the scheduler must not keep its own end from being seen, so
    // these two are looked at whatever it has used.
    let cancelled = unconstrained(async {
        match cancellation {
            Some(token) => token.cancelled().await,
            None => std::future::pending().await,
        }
    });
    let out_of_time = unconstrained(async {
        let longest = longest.max(limit);
        let last = after(longest);
        let mut until = after(limit);
        while timeout_at(until.min(last), control.beaten()).await.is_ok() {
            until = after(limit);
        }
        if until < last { limit } else { longest }
    });
    let mut answer = AssertUnwindSafe(future.as_mut()).catch_unwind();
    let mut ended = tokio::select! {
        biased;
        answer = &mut answer => answered(answer),
        () = cancelled => Ended::Cancelled,
        after = out_of_time => Ended::TimedOut(after),
    };
    if matches!(ended, Ended::TimedOut(_)) {
        control.time_out();
    }
    if matches!(ended, Ended::Cancelled | Ended::TimedOut(_)) && !control.stop() {
        ended = match tokio::time::timeout(TIME_TO_FINISH, answer).await {
            Ok(answer) => answered(answer),
            Err(_) => Ended::Unfinished,
        };
    }
    if let Err(panic) = catch_unwind(AssertUnwindSafe(move || drop(future))) {
        let message = panic_message(panic);
        tracing::error!("a tool panicked while it was put away: {}", crate::redact::text(&message));
    }
    ended
}

/// A moment from now; times without end are taken for very long ones.
fn after(time: Duration) -> Instant {
    Instant::now().checked_add(time).unwrap_or_else(|| Instant::now() + FAR_AWAY)
}

fn answered(answer: Result<Result<ToolOutput, ToolFailure>, Box<dyn Any + Send>>) -> Ended {
    match answer {
        Ok(answer) => Ended::Answered(answer),
        Err(panic) => Ended::Panicked(panic_message(panic)),
    }
}

/// What a panic said.
pub(super) fn panic_message(panic: Box<dyn Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "it panicked without a message".to_owned())
}
