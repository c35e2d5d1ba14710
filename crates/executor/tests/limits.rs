//! Every limit of the executor: time, cancellation, number, size, and tools that break.

use crate::support;

use std::panic::panic_any;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use support::*;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use toolwright_executor::{
    Call, CallControl, ErrorCode, Limits, ToolExecutor, ToolFailure, ToolFunction, ToolOutput,
};

fn code(outcome: &toolwright_executor::CallOutcome) -> Option<ErrorCode> {
    outcome.result.as_ref().err().map(|error| error.code)
}

/// A tool that commits after one time and answers after another.
struct Changes {
    before: Duration,
    after: Duration,
}

impl ToolFunction for Changes {
    fn call(self: Arc<Self>, arguments: String) -> BoxFuture<'static, Answer> {
        self.call_with(arguments, CallControl::default())
    }

    fn call_with(self: Arc<Self>, _: String, control: CallControl) -> BoxFuture<'static, Answer> {
        async move {
            sleep(self.before).await;
            if !control.commit() {
                return Err(ToolFailure::tool("stopped in time"));
            }
            sleep(self.after).await;
            Ok(ToolOutput::text("changed"))
        }
        .boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn what_has_begun_to_change_is_waited_for_and_told() {
    let second = Duration::from_secs(1);
    // Cancelled or out of time after ten seconds.
    for (before, after, expected) in [
        (5 * second, 8 * second, None),
        (5 * second, 60 * second, Some(ErrorCode::Timeout)),
        (15 * second, second, Some(ErrorCode::Cancelled)),
    ] {
        let executor = executor_of("write", ANY_OBJECT, Arc::new(Changes { before, after }));
        let stop = CancellationToken::new();
        let begun = Instant::now();
        let call = executor.execute(Call::new("write", "{}").cancelled_by(stop.clone()));
        let (outcome, ()) = tokio::join!(call, async {
            sleep(10 * second).await;
            stop.cancel();
        });
        assert_eq!(code(&outcome), expected);
        assert!(begun.elapsed() <= 20 * second, "the wait is bounded");
        if let Err(error) = &outcome.result
            && error.code == ErrorCode::Timeout
        {
            assert!(error.sentence.contains("may have changed"), "{error}");
        }
        let limits = Limits { timeout: 10 * second, ..Limits::default() };
        let executor =
            executor_of("write", ANY_OBJECT, Arc::new(Changes { before, after })).with_limits(limits);
        let outcome = executor.execute(Call::new("write", "{}")).await;
        assert_eq!(code(&outcome), expected.map(|_| ErrorCode::Timeout));
    }
}

/// A tool with a limit of its own that says every so often that it is still at it.
struct Beats {
    every: Duration,
    times: u32,
    own: Option<Duration>,
}

impl ToolFunction for Beats {
    fn call(self: Arc<Self>, arguments: String) -> BoxFuture<'static, Answer> {
        self.call_with(arguments, CallControl::default())
    }

    fn call_with(self: Arc<Self>, _: String, control: CallControl) -> BoxFuture<'static, Answer> {
        async move {
            for _ in 0..self.times {
                sleep(self.every).await;
                control.beat();
            }
            Ok(ToolOutput::text("done"))
        }
        .boxed()
    }

    fn timeout(&self) -> Option<Duration> {
        self.own
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_shows_that_it_is_at_it_gets_more_time_within_a_bound() {
    let second = Duration::from_secs(1);
    // Beats, each after so long, a limit of the tool's own, and when it is out of time, if it is.
    for (times, every, own, out_at) in [
        (10, 25 * second, None, None),
        (10, 31 * second, None, Some(30 * second)),
        (10, 31 * second, Some(40 * second), None),
        (1, 11 * second, Some(10 * second), Some(10 * second)),
        (1000, 25 * second, None, Some(3600 * second)),
    ] {
        let executor = executor_of("work", ANY_OBJECT, Arc::new(Beats { every, times, own }));
        let begun = Instant::now();
        let outcome = executor.execute(Call::new("work", "{}")).await;
        assert_eq!(code(&outcome), out_at.map(|_| ErrorCode::Timeout), "{times} × {every:?}");
        if let (Some(at), Err(error)) = (out_at, &outcome.result) {
            assert_eq!(begun.elapsed().as_secs(), at.as_secs());
            assert!(error.sentence.contains(&at.as_secs().to_string()) || at > 60 * second, "{error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_thousand_calls_of_which_a_third_hang() {
    const CALLS: usize = 1000;
    let alive = Alive::default();
    let working = alive.clone();
    let work = function(move |arguments| {
        let guard = working.guard();
        async move {
            let _guard = guard;
            sleep(Duration::from_millis(20)).await;
            Ok(ToolOutput::text(arguments))
        }
    });
    let registry = registry([
        (of_server("demo", "hang", ANY_OBJECT), alive.hangs()),
        (of_server("demo", "work", ANY_OBJECT), work),
    ]);
    let limits = Limits { calls_per_tool: CALLS, calls_in_all: CALLS, ..Limits::default() };
    let executor = Arc::new(ToolExecutor::new(registry).with_limits(limits));
    let tasks_before = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let begun = Instant::now();
    let calls = (0..CALLS).map(|number| {
        let executor = Arc::clone(&executor);
        tokio::spawn(async move {
            let name = if number % 3 == 0 { "hang" } else { "work" };
            let outcome = executor.execute(Call::new(name, format!("{{\"n\":{number}}}"))).await;
            (number, outcome, begun.elapsed())
        })
    });
    let mut hung = 0;
    for ended in join_all(calls).await {
        let (number, outcome, after) = ended.expect("no call panics");
        if number % 3 == 0 {
            hung += 1;
            assert_eq!(code(&outcome), Some(ErrorCode::Timeout));
            assert_eq!(after, Duration::from_secs(30), "a hanging call ends at its time");
        } else {
            assert_eq!(outcome.text(), format!("{{\"n\":{number}}}"));
            assert_eq!(after, Duration::from_millis(20), "another call does not wait for it");
        }
    }
    assert_eq!(hung, 334);
    assert_eq!((alive.count(), executor.running()), (0, 0), "no future is left behind");
    let tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    assert_eq!(tasks, tasks_before, "no task is left behind");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_drops_what_the_tool_was_doing() {
    let alive = Alive::default();
    let executor = executor_of("hang", ANY_OBJECT, alive.hangs());
    let token = CancellationToken::new();
    let call = executor.execute(Call::new("hang", "{}").cancelled_by(token.clone()));
    let cancel = async {
        sleep(Duration::from_secs(1)).await;
        assert_eq!((alive.count(), executor.running()), (1, 1));
        token.cancel();
    };
    let (outcome, ()) = tokio::join!(call, cancel);
    assert_eq!((code(&outcome), outcome.duration), (Some(ErrorCode::Cancelled), Duration::from_secs(1)));
    assert_eq!((alive.count(), executor.running()), (0, 0));
}

#[tokio::test]
async fn a_call_that_is_cancelled_before_it_begins_is_not_begun() {
    let never: Arc<dyn ToolFunction> = function(|_| async { panic!("it was begun") });
    let token = CancellationToken::new();
    token.cancel();
    let outcome =
        executor_of("never", ANY_OBJECT, never).execute(Call::new("never", "{}").cancelled_by(token)).await;
    assert_eq!(code(&outcome), Some(ErrorCode::Cancelled));
}

/// On a running clock: a paused one stands still while something is busy.
#[tokio::test]
async fn a_tool_that_never_rests_is_stopped_too() {
    // It takes all of the task's share, again and again: nothing else on the task would be looked at.
    let restless = function(|_| async {
        loop {
            tokio::task::coop::consume_budget().await;
        }
    });
    let executor = executor_of("spin", ANY_OBJECT, restless).with_timeout("spin", Duration::from_millis(5));
    assert_eq!(code(&executor.execute(Call::new("spin", "{}")).await), Some(ErrorCode::Timeout));

    let token = CancellationToken::new();
    let call = executor.execute(Call::new("spin", "{}").cancelled_by(token.clone()));
    let cancel = async { token.cancel() };
    let (outcome, ()) = tokio::join!(call, cancel);
    assert_eq!(code(&outcome), Some(ErrorCode::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn more_calls_than_allowed_are_turned_away_at_once() {
    let alive = Alive::default();
    let registry = registry([
        (of_server("demo", "hang", ANY_OBJECT), alive.hangs()),
        (of_server("demo", "echo", ANY_OBJECT), echo()),
    ]);
    let limits = Limits { calls_per_tool: 2, calls_in_all: 3, ..Limits::default() };
    let executor = ToolExecutor::new(Arc::clone(&registry)).with_limits(limits);
    let hang = || executor.execute(Call::new("hang", "{}"));
    let others = async {
        let third = hang().await;
        assert_eq!((code(&third), third.duration), (Some(ErrorCode::Busy), Duration::ZERO));
        assert_eq!(
            third.text(),
            "The hang tool is busy right now. Please try again in a moment.\n\
             2 calls of hang are running already, which is the limit"
        );
        assert_eq!(executor.execute(Call::new("echo", "{}")).await.text(), "{}", "other tools are free");
        // A new registration of the tool does not forget the calls of the old one.
        registry.register(of_server("demo", "hang", ANY_OBJECT), echo()).expect("in order");
        assert_eq!(code(&hang().await), Some(ErrorCode::Busy));
    };
    tokio::join!(hang(), hang(), others);
    assert_eq!(hang().await.text(), "{}", "the places are free again");
}

#[tokio::test(start_paused = true)]
async fn too_many_calls_in_all_are_turned_away_at_once() {
    let alive = Alive::default();
    let registry = registry([
        (of_server("demo", "hang", ANY_OBJECT), alive.hangs()),
        (of_server("demo", "echo", ANY_OBJECT), echo()),
    ]);
    let limits = Limits { calls_in_all: 1, ..Limits::default() };
    let executor = ToolExecutor::new(registry).with_limits(limits);
    let other = async {
        let outcome = executor.execute(Call::new("echo", "{}")).await;
        assert_eq!(code(&outcome), Some(ErrorCode::Busy));
        assert!(outcome.text().starts_with("Too much is going on right now."), "{}", outcome.text());
    };
    tokio::join!(executor.execute(Call::new("hang", "{}")), other);
}

#[tokio::test]
async fn long_text_is_cut_with_a_note_and_a_long_structure_is_an_error() {
    let limits = Limits { result_bytes: 10, ..Limits::default() };
    let long = function(|_| async { Ok(ToolOutput::text("ää".repeat(5))) });
    let executor = executor_of("long", ANY_OBJECT, long).with_limits(limits.clone());
    let outcome = executor.execute(Call::new("long", "{}")).await;
    assert_eq!(outcome.text(), "äääää\n[The result was cut: 10 of 20 bytes were left out.]");

    let structured = function(|_| async { Ok(ToolOutput::structured("short", "[1,2,3,4,5,6]")) });
    let executor = executor_of("wide", ANY_OBJECT, structured).with_limits(limits);
    assert_eq!(code(&executor.execute(Call::new("wide", "{}")).await), Some(ErrorCode::TooLarge));
}

#[tokio::test]
async fn a_tool_that_panics_is_that_tools_error() {
    struct Early;
    impl ToolFunction for Early {
        fn call(self: Arc<Self>, _: String) -> futures_util::future::BoxFuture<'static, Answer> {
            panic!("before the first await")
        }
    }
    let late = function(|_| async {
        tokio::task::yield_now().await;
        panic!("after {} await", 1)
    });
    let odd = function(|_| async { panic_any(7) });
    let executor = ToolExecutor::new(registry([
        (of_server("demo", "early", ANY_OBJECT), Arc::new(Early) as Arc<dyn ToolFunction>),
        (of_server("demo", "late", ANY_OBJECT), late),
        (of_server("demo", "odd", ANY_OBJECT), odd),
        (of_server("demo", "echo", ANY_OBJECT), echo()),
    ]));
    for (name, details) in [
        ("early", "before the first await"),
        ("late", "after 1 await"),
        ("odd", "it panicked without a message"),
    ] {
        let error = executor.execute(Call::new(name, "{}")).await.result.expect_err(name);
        assert_eq!((error.code, error.details.as_str()), (ErrorCode::Panicked, details));
    }
    assert_eq!(executor.execute(Call::new("echo", "{}")).await.text(), "{}");
    assert_eq!(executor.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_panics_while_it_is_put_away_harms_nobody() {
    struct Trap;
    impl Drop for Trap {
        fn drop(&mut self) {
            panic!("in a drop");
        }
    }
    let trapped = function(|_| async {
        let _trap = Trap;
        std::future::pending().await
    });
    let outcome = executor_of("trapped", ANY_OBJECT, trapped).execute(Call::new("trapped", "{}")).await;
    assert_eq!(code(&outcome), Some(ErrorCode::Timeout));
}
