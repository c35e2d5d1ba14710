//! Founding document 001, "tool-execution": a named test for each scenario on the executor.

use crate::support;

use std::time::Duration;

use serde_json::Value;
use support::*;
use tokio::time::{Instant, sleep};
use toolwright_executor::executor::{DEFAULT_TIMEOUT, SLOW_CALL};
use toolwright_executor::{Call, ErrorCode, ToolExecutor, ToolFailure, ToolOutput};

fn two_tools() -> ToolExecutor {
    ToolExecutor::new(registry([
        (built_in("get_datetime", ANY_OBJECT), answers("It is noon.")),
        (of_server("zwave", "control_zwave_device", ZWAVE), echo()),
    ]))
}

fn takes(time: Duration) -> ToolExecutor {
    let call = move |_| async move {
        sleep(time).await;
        Ok(ToolOutput::text("done"))
    };
    executor_of("slow_tool", ANY_OBJECT, function(call))
}

// === Requirement: Centralized Tool Execution ===

#[tokio::test]
async fn execute_tool_by_name() {
    let executor = two_tools();
    assert_eq!(executor.execute(Call::new("get_datetime", "{}")).await.text(), "It is noon.");
    let sent = r#"{ "deviceName":"Switch One", "action":"on" }"#;
    let outcome = executor.execute(Call::new("control_zwave_device", sent)).await;
    assert_eq!(outcome.text(), sent, "a call that fits keeps its bytes");
    assert!(outcome.changes.is_empty());
}

#[tokio::test]
async fn execute_tool_by_another_form_of_its_name() {
    let executor = two_tools();
    for name in ["getDatetime", "zwave__control_zwave_device", "mcp__zwave__control_zwave_device"] {
        let sent = r#"{"deviceName":"a","action":"on"}"#;
        let outcome = executor.execute(Call::new(name, sent)).await;
        assert!(outcome.result.is_ok(), "{name}: {:?}", outcome.result);
        assert_eq!(outcome.changes[0].from.as_deref(), Some(format!("{name:?}").as_str()));
    }
}

#[tokio::test]
async fn log_tool_execution() {
    let log = Log::new();
    two_tools().execute(Call::new("control_zwave_device", r#"{"deviceName":"Porch","action":"on"}"#)).await;
    let line = log.line(&["INFO", "tool call finished"]);
    for part in
        ["tool=zwave/control_zwave_device", r#"{"deviceName":"Porch","action":"on"}"#, "duration_ms=0"]
    {
        assert!(line.contains(part), "{part} is not in {line}");
    }
    assert!(line.contains("outcome=ok") && line.contains("result_bytes=36"), "{line}");
    log.line(&["DEBUG", "tool result", r#"result={"deviceName":"Porch","action":"on"}"#]);
}

#[tokio::test]
async fn secrets_are_not_logged() {
    let log = Log::new();
    let schema = r#"{"type":"object","properties":{"apiKey":{"type":"string"},"pin":{"type":"integer"}},
                     "required":["apiKey"],"additionalProperties":false}"#;
    let executor = executor_of("sign_in", schema, fails(ToolFailure::tool("t0p was refused")));
    for sent in [
        r#"{"apiKey":"t0p"}"#,
        r#"{"api_key":"t0p","pin":"1234"}"#,
        r#"{"apiKey":["t0p"],"pin":"t0p"}"#,
        r#"{"apiKey": "t0p", "pin": 1234"#,
        r#"{"apiKey":"t0p","pin":1234.5}"#,
        r#"{"apKy":"t0p"}"#,
        r#"{"arguments":{"the_key":"t0p"}}"#,
        "{apiKye: 't0p'}",
        r#""{\"apiKey\":\"t0p\"}""#,
    ] {
        executor.execute(Call::new("sign_in", sent)).await;
    }
    executor.execute(Call::new("sign_on", r#"{"password":"t0p"}"#)).await;
    assert!(log.lines().len() >= 10);
    log.has_no("t0p");
    log.has_no("1234");
}

#[tokio::test]
async fn handle_unknown_tool() {
    let log = Log::new();
    let outcome = two_tools().execute(Call::new("get_date", r#"{"token":"x"}"#)).await;
    let error = outcome.result.as_ref().expect_err("there is no such tool");
    assert_eq!(error.code, ErrorCode::UnknownTool);
    assert_eq!(
        error.sentence,
        "The tool get date is unknown. Did you mean get datetime or control zwave device?"
    );
    assert_eq!(
        error.details,
        "Unknown tool \"get_date\". Available tools: get_datetime, control_zwave_device"
    );
    assert!(outcome.text().contains("unknown"));
    log.line(&["WARN", "unknown tool", "tool=get_date"]);
}

#[tokio::test]
async fn handle_unknown_tool_when_there_are_none() {
    let outcome = ToolExecutor::new(registry([])).execute(Call::new("", "")).await;
    assert_eq!(outcome.text(), "The tool is unknown.\nUnknown tool \"\". No tools are available.");
}

#[tokio::test]
async fn handle_unknown_tool_of_any_length_among_many() {
    let tools = (0..150).map(|n| (of_server("demo", &format!("tool_{n}"), ANY_OBJECT), echo()));
    let executor = ToolExecutor::new(registry(tools));
    let outcome = executor.execute(Call::new("long_".repeat(1 << 20), "{}")).await;
    let error = outcome.result.expect_err("there is no such tool");
    assert_eq!(error.code, ErrorCode::UnknownTool);
    assert!(
        error.details.ends_with("tool_99, and 50 more") && error.details.len() < 2_000,
        "{}",
        error.details
    );
}

#[tokio::test]
async fn handle_tool_execution_error() {
    let log = Log::new();
    let executor =
        executor_of("set_volume", ANY_OBJECT, fails(ToolFailure::tool("amixer: exit code 1 (E7)")));
    let outcome = executor.execute(Call::new("set_volume", r#"{"level":5}"#)).await;
    let error = outcome.result.expect_err("the tool fails");
    assert_eq!(
        (error.code, error.sentence.as_str()),
        (ErrorCode::ToolError, "The set volume tool could not do what was asked.")
    );
    assert_eq!(error.details, "amixer: exit code 1 (E7)");
    let line = log.line(&["ERROR", "tool call failed", "tool=demo/set_volume"]);
    assert!(line.contains(r#"arguments={"level":5}"#) && line.contains("reason=amixer"), "{line}");
}

// === Requirement: Tool Executor Interface ===

#[tokio::test]
async fn tool_executor_signature() {
    let check = |arguments: String| async move {
        let value: Value = serde_json::from_str(&arguments).expect("arguments are JSON");
        Ok(ToolOutput::text(if value.is_object() { "an object" } else { "something else" }))
    };
    let executor = executor_of("check", ANY_OBJECT, function(check));
    for sent in ["{}", r#"{"a":1}"#, "", "null", r#""{\"a\":1}""#] {
        assert_eq!(executor.execute(Call::new("check", sent)).await.text(), "an object", "{sent:?}");
    }
}

#[tokio::test]
async fn tool_executor_return_value() {
    let structured = function(|_| async { Ok(ToolOutput::structured("21 degrees", r#"{"degrees":21}"#)) });
    let outcome = executor_of("measure", ANY_OBJECT, structured).execute(Call::new("measure", "{}")).await;
    assert_eq!(outcome.text(), "21 degrees");
    assert_eq!(outcome.result.expect("it answers").structured.as_deref(), Some(r#"{"degrees":21}"#));
}

#[tokio::test]
async fn tool_executor_error_handling() {
    let message = "The lamp in the kitchen does not answer.";
    let executor = executor_of("lamp", ANY_OBJECT, fails(ToolFailure::tool(message)));
    let outcome = executor.execute(Call::new("lamp", "{}")).await;
    assert_eq!(outcome.text(), message, "a message that can be shown is shown");
    assert_eq!(outcome.result.expect_err("it fails").sentence, message);
}

// === Requirement: Performance Monitoring ===

#[tokio::test(start_paused = true)]
async fn measure_tool_execution_time() {
    let log = Log::new();
    let outcome = takes(Duration::from_millis(250)).execute(Call::new("slow_tool", "{}")).await;
    assert_eq!(outcome.duration, Duration::from_millis(250));
    log.line(&["INFO", "tool call finished", "duration_ms=250"]);
    log.has_no("slow tool:");
}

#[tokio::test(start_paused = true)]
async fn log_slow_tools() {
    let log = Log::new();
    takes(SLOW_CALL).execute(Call::new("slow_tool", "{}")).await;
    log.has_no("slow tool:");
    takes(Duration::from_millis(1500)).execute(Call::new("slow_tool", "{}")).await;
    log.line(&["WARN", "slow tool: demo/slow_tool took 1500 ms", "duration_ms=1500"]);
}

// === Requirement: Error Recovery ===

#[tokio::test]
async fn network_error() {
    let cause = "connect ECONNREFUSED 127.0.0.1:1883";
    let failure = ToolFailure::Unavailable { message: cause.to_owned() };
    let outcome =
        executor_of("search_web", ANY_OBJECT, fails(failure)).execute(Call::new("search_web", "{}")).await;
    let error = outcome.result.expect_err("there is no network");
    assert_eq!(error.code, ErrorCode::Unavailable);
    assert_eq!(
        error.sentence,
        "The search web service is currently unavailable. Please check your network connection."
    );
    assert_eq!(error.details, cause);
}

#[tokio::test]
async fn invalid_arguments() {
    let executor = two_tools();
    let outcome = executor.execute(Call::new("control_zwave_device", r#"{"level":50}"#)).await;
    let error = outcome.result.expect_err("two parameters are missing");
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    assert_eq!(
        error.sentence,
        "The control zwave device tool cannot be used like that. It needs device name (text) and action (text). \
         It was given level."
    );
    for part in [
        "deviceName: string, required",
        r#"one of "on", "off", "dim""#,
        "level: integer",
        r#"Sent: {"level":50}"#,
    ] {
        assert!(error.details.contains(part), "{part} is not in {}", error.details);
    }
    assert!(
        error
            .problems
            .iter()
            .any(|problem| problem.path == "/deviceName" || problem.message.contains("deviceName"))
    );
}

#[tokio::test]
async fn unreadable_arguments() {
    let outcome = two_tools().execute(Call::new("control_zwave_device", "turn it on")).await;
    let error = outcome.result.expect_err("this is no JSON");
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    assert!(error.sentence.ends_with("It was given something that cannot be read."), "{}", error.sentence);
}

#[tokio::test]
async fn uncertain_arguments_are_refused() {
    let sent = r#"{"deviceName":"a","action":"on","action":"off"}"#;
    let outcome = two_tools().execute(Call::new("control_zwave_device", sent)).await;
    assert_eq!(outcome.result.expect_err("on or off?").code, ErrorCode::Refused);
}

#[tokio::test(start_paused = true)]
async fn timeout() {
    let alive = Alive::default();
    let executor = executor_of("hang", ANY_OBJECT, alive.hangs());
    let begun = Instant::now();
    let outcome = executor.execute(Call::new("hang", "{}")).await;
    assert_eq!(begun.elapsed(), DEFAULT_TIMEOUT);
    assert_eq!(DEFAULT_TIMEOUT, Duration::from_secs(30));
    assert_eq!(alive.count(), 0, "the operation is cancelled, not forgotten");
    let error = outcome.result.expect_err("it hangs");
    assert_eq!(error.code, ErrorCode::Timeout);
    assert_eq!(
        error.sentence,
        "The hang operation timed out: it took longer than 30 seconds and was stopped. Please try again later."
    );
    assert_eq!(executor.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn timeout_of_one_tool() {
    let alive = Alive::default();
    let tools = ["a", "b", "c"].map(|name| (of_server("demo", name, ANY_OBJECT), alive.hangs()));
    let executor = ToolExecutor::new(registry(tools))
        .with_timeout("a", Duration::from_secs(2))
        .with_timeout("b", Duration::from_secs(9))
        .with_timeout("demo/b", Duration::from_secs(3));
    for (name, seconds) in [("a", 2), ("b", 3), ("c", 30)] {
        let outcome = executor.execute(Call::new(name, "{}")).await;
        assert_eq!(outcome.duration, Duration::from_secs(seconds), "{name}");
    }
}
