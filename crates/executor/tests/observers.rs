//! What observers hear, and that they cannot harm a call.

use crate::support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use support::*;
use tokio::time::timeout;
use toolwright_executor::observer::{CallId, Finished, Normalized, Stage, Stages, Started, Waiting};
use toolwright_executor::{Call, CallObserver, ErrorCode, ToolExecutor, ToolFailure, redact};

#[derive(Default)]
struct Heard {
    lines: Mutex<Vec<String>>,
    /// Bytes in and out of each call that ended.
    sizes: Mutex<Vec<(usize, usize)>>,
}

impl Heard {
    fn say(&self, line: String) {
        self.lines.lock().expect("no test panics with it").push(line);
    }

    fn lines(&self) -> Vec<String> {
        std::mem::take(&mut *self.lines.lock().expect("no test panics with it"))
    }
}

impl CallObserver for Heard {
    fn started(&self, call: &Started<'_>) {
        self.say(format!("{} started {} {}", call.id.0, call.name, call.arguments));
    }

    fn normalized(&self, call: &Normalized<'_>) {
        let codes = call.changes.iter().map(redact::change).map(|change| change.code.as_str());
        let changes = codes.collect::<Vec<_>>().join(", ");
        self.say(format!(
            "{} normalized {} {} [{changes}]",
            call.id.0,
            call.tool.qualified_name(),
            call.arguments.expose()
        ));
    }

    fn finished(&self, call: &Finished<'_>) {
        let code = call.result.err().map(|error| error.code);
        let tool = call.tool.map(|tool| tool.name());
        self.say(format!("{} finished {} {tool:?} {:?}", call.id.0, call.name, code.map(ErrorCode::as_str)));
        self.sizes.lock().expect("no test panics with it").push((call.bytes_in, call.bytes_out));
    }
}

#[derive(Clone, Copy)]
struct Panics;

impl CallObserver for Panics {
    fn started(&self, _: &Started<'_>) {
        panic!("started");
    }

    fn normalized(&self, _: &Normalized<'_>) {
        panic!("normalized");
    }

    fn finished(&self, _: &Finished<'_>) {
        panic!("finished");
    }
}

#[tokio::test]
async fn every_call_is_heard_of_from_start_to_end() {
    let heard = Arc::new(Heard::default());
    let executor = executor_of("control_zwave_device", ZWAVE, echo()).with_observer(heard.clone());
    executor.execute(Call::new("controlZwaveDevice", r#"{"device_name":"a","action":"on"}"#)).await;
    assert_eq!(
        heard.lines(),
        [
            r#"1 started controlZwaveDevice {"device_name":"a","action":"on"}"#,
            r#"1 normalized demo/control_zwave_device {"deviceName":"a","action":"on"} [F1, N3]"#,
            r#"1 finished controlZwaveDevice Some("control_zwave_device") None"#,
        ]
    );
    executor.execute(Call::new("control_zwave_device", r#"{"password":"t0p"}"#)).await;
    assert_eq!(
        heard.lines(),
        [
            r#"2 started control_zwave_device {"password":"[redacted]"}"#,
            r#"2 finished control_zwave_device Some("control_zwave_device") Some("invalid_arguments")"#,
        ]
    );
    executor.execute(Call::new("nothing", "{}")).await;
    assert_eq!(heard.lines()[1], r#"3 finished nothing None Some("unknown_tool")"#);
    assert_eq!(heard.sizes.lock().expect("no test panics with it")[0], (33, 32));
}

#[tokio::test]
async fn the_stages_tell_how_far_a_call_came() {
    use Stage::{Failed, NotReached, Passed};
    let message = || "no".to_owned();
    let failures = [
        (ToolFailure::tool(message()), (Passed, Passed, Failed)),
        (ToolFailure::Unavailable { message: message() }, (Failed, NotReached, NotReached)),
        (ToolFailure::NotReady { message: message() }, (Failed, NotReached, NotReached)),
        (ToolFailure::InvalidArguments { message: message() }, (Passed, Failed, NotReached)),
    ];
    for (failure, (transport, protocol, tool)) in failures {
        let outcome = executor_of("x", ANY_OBJECT, fails(failure)).execute(Call::new("x", "{}")).await;
        assert_eq!(outcome.stages, Stages { transport, protocol, tool });
    }
    let refused = executor_of("x", ZWAVE, echo()).execute(Call::new("x", "{}")).await;
    assert_eq!(refused.stages, Stages { transport: NotReached, protocol: Failed, tool: NotReached });
}

#[tokio::test]
async fn a_panicking_observer_harms_neither_the_call_nor_the_others() {
    let log = Log::new();
    let heard = Arc::new(Heard::default());
    let executor = executor_of("echo", ANY_OBJECT, echo())
        .with_observer(Arc::new(Panics))
        .with_observer(heard.clone())
        .with_observer(Arc::new(Panics));
    assert_eq!(executor.execute(Call::new("echo", "{}")).await.text(), "{}");
    assert_eq!(heard.lines().len(), 3);
    log.line(&["ERROR", "an observer of tool calls panicked"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_caller_went_away_ends_as_cancelled() {
    let heard = Arc::new(Heard::default());
    let alive = Alive::default();
    let executor: ToolExecutor = executor_of("hang", ANY_OBJECT, alive.hangs()).with_observer(heard.clone());
    let call = executor.execute(Call::new("hang", "{}"));
    timeout(Duration::from_secs(1), call).await.expect_err("it hangs");
    assert_eq!((alive.count(), executor.running()), (0, 0));
    assert_eq!(heard.lines()[2], r#"1 finished hang Some("hang") Some("cancelled")"#);
}

/// Lets nothing be run.
struct FullDisk;

impl CallObserver for FullDisk {
    fn admits(&self, call: &Normalized<'_>) -> Result<Option<Waiting>, String> {
        Err(format!("{} cannot be written down: no space is left", call.tool.name()))
    }
}

#[tokio::test]
async fn what_cannot_be_written_down_is_not_run() {
    let heard = Arc::new(Heard::default());
    let executor = executor_of("echo", ANY_OBJECT, echo())
        .with_observer(Arc::new(FullDisk))
        .with_observer(heard.clone());
    let error = executor.execute(Call::new("echo", "{}")).await.result.expect_err("it was not run");
    assert_eq!(error.code, ErrorCode::Unavailable);
    assert_eq!(
        error.message(),
        "The echo tool was not run, because its call cannot be written down right now.\necho cannot be written down: no space is left"
    );
    assert_eq!(heard.lines()[2], r#"1 finished echo Some("echo") Some("unavailable")"#);
}

/// A disk whose syncs take some time, and go wrong or not.
#[derive(Clone, Copy)]
struct SlowDisk {
    at_begin: Result<(), &'static str>,
    at_end: Result<(), &'static str>,
}

impl SlowDisk {
    fn synced(how: Result<(), &'static str>) -> Waiting {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_secs(5)).await;
            how.map_err(str::to_owned)
        })
    }
}

impl CallObserver for SlowDisk {
    fn admits(&self, _: &Normalized<'_>) -> Result<Option<Waiting>, String> {
        Ok(Some(SlowDisk::synced(self.at_begin)))
    }

    fn recorded(&self, _: &Finished<'_>) -> Option<Waiting> {
        Some(SlowDisk::synced(self.at_end))
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_its_records_and_its_result_is_held_back_without_them() {
    let run = |at_begin, at_end| async move {
        let heard = Arc::new(Heard::default());
        let executor = executor_of("echo", ANY_OBJECT, echo())
            .with_observer(Arc::new(SlowDisk { at_begin, at_end }))
            .with_observer(heard.clone());
        let begun = tokio::time::Instant::now();
        let outcome = executor.execute(Call::new("echo", "{}")).await;
        (outcome.result, begun.elapsed(), heard.lines().pop().unwrap_or_default())
    };
    let (result, waited, _) = run(Ok(()), Ok(())).await;
    assert!(result.is_ok() && waited == Duration::from_secs(10), "{waited:?}");

    let (result, _, last) = run(Err("no begin"), Ok(())).await;
    let error = result.expect_err("it was not run");
    assert_eq!((error.code, error.details.as_str()), (ErrorCode::Unavailable, "no begin"));
    assert!(last.ends_with(r#"Some("unavailable")"#), "{last}");

    // What ran has run: the record says so, and the answer too.
    let (result, _, last) = run(Ok(()), Err("no end")).await;
    let error = result.expect_err("it is held back");
    assert_eq!((error.code, error.details.as_str()), (ErrorCode::Unrecorded, "no end"));
    assert!(error.message().starts_with("The echo tool has run, and the record of this call is not safe"));
    assert!(last.ends_with("None"), "{last}");

    // What was never run keeps its own reason.
    let (result, _, _) = run(Err("no begin"), Err("no end")).await;
    assert_eq!(result.expect_err("it was not run").details, "no begin");
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_goes_away_while_records_are_synced_ends_the_call_once() {
    for patience in [2, 7] {
        let heard = Arc::new(Heard::default());
        let executor = executor_of("echo", ANY_OBJECT, echo())
            .with_observer(Arc::new(SlowDisk { at_begin: Ok(()), at_end: Ok(()) }))
            .with_observer(heard.clone());
        let call = executor.execute(Call::new("echo", "{}"));
        timeout(Duration::from_secs(patience), call).await.expect_err("the disk is slow");
        let lines = heard.lines();
        let ends: Vec<&String> = lines.iter().filter(|line| line.contains("finished")).collect();
        let code = if patience == 2 { r#"Some("cancelled")"# } else { "None" };
        assert!(ends.len() == 1 && ends[0].ends_with(code), "{lines:?}");
        assert_eq!(executor.running(), 0);
    }
}

/// Lets no call begin that it cannot write down.
struct NoRoom;

impl CallObserver for NoRoom {
    fn admits_unknown(&self, _: CallId) -> Result<Option<Waiting>, String> {
        Err("the disk is full".to_owned())
    }
}

#[tokio::test]
async fn a_call_of_a_tool_that_nobody_knows_is_admitted_like_any_other() {
    let heard = Arc::new(Heard::default());
    let executor =
        executor_of("echo", ANY_OBJECT, echo()).with_observer(Arc::new(NoRoom)).with_observer(heard.clone());
    let error = executor
        .passes_by("far/away", "{}", None, Vec::new())
        .await
        .map(|_| ())
        .expect_err("it may not be run");
    assert_eq!((error.code, error.details.as_str()), (ErrorCode::Unavailable, "the disk is full"));
    let lines = heard.lines();
    assert!(lines.len() == 2 && lines[1].ends_with(r#"Some("unavailable")"#), "{lines:?}");
    executor.came_to_nothing("use_tool", "{}", None, "no such toolbox".to_owned()).await;
    let lines = heard.lines();
    assert!(lines.len() == 2 && lines[1].ends_with(r#"Some("refused")"#), "{lines:?}");
}
