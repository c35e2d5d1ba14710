//! Every kind of failure as people hear it and as models read it.

use crate::support;

use std::time::Duration;

use support::*;
use tokio_util::sync::CancellationToken;
use toolwright_executor::error::MAX_SENTENCE_CHARS;
use toolwright_executor::{Call, CallError, Limits, ToolExecutor, ToolFailure, ToolOutput};

fn shown(title: &str, error: &CallError) -> String {
    // How the normalizer words its reasons is its own business.
    let ours: Vec<&str> = error.details.lines().filter(|line| !line.starts_with("- ")).collect();
    format!("== {title}: {}\n{}\n-- details\n{}\n", error.code, error.sentence, ours.join("\n"))
}

async fn failure(executor: ToolExecutor, name: &str, arguments: &str) -> CallError {
    executor.execute(Call::new(name, arguments)).await.result.expect_err("it fails")
}

#[tokio::test]
async fn what_is_read_has_names_as_they_are_typed() {
    let zwave = || executor_of("control_zwave_device", ZWAVE, echo());
    let name = "control_zwave_device";
    let written = [
        failure(zwave(), "control_zwave_devise_x", "{}").await.written,
        failure(zwave(), "home/control_lamp", "{}").await.written,
        failure(zwave(), name, r#"{"level":50}"#).await.written,
        failure(zwave(), name, r#"{"deviceName":"a","action":"on","max_level":5}"#).await.written,
        failure(zwave(), "a\u{1b}[2Jb", "{}").await.written,
    ];
    insta::assert_snapshot!(written.join("\n"));
    let error = failure(zwave(), name, r#"{"level":50}"#).await;
    assert!(error.message().starts_with(&*error.written), "{}", error.message());
    assert!(error.sentence.contains("control zwave device"), "{}", error.sentence);
}

#[tokio::test(start_paused = true)]
async fn every_failure_has_its_sentence() {
    let zwave = || executor_of("control_zwave_device", ZWAVE, echo());
    let name = "control_zwave_device";
    let failing = |failure| executor_of("search_web", ANY_OBJECT, fails(failure));
    let hanging = || executor_of("search_web", ANY_OBJECT, Alive::default().hangs());
    let two = ToolExecutor::new(registry([
        (of_server("github", "create_issue", ANY_OBJECT), echo()),
        (of_server("gitlab", "create_issue", ANY_OBJECT), echo()),
    ]));
    let closed = Limits { calls_per_tool: 0, ..Limits::default() };
    let full = Limits { calls_in_all: 0, ..Limits::default() };
    let tight = Limits { result_bytes: 1, ..Limits::default() };
    let structured = function(|_| async { Ok(ToolOutput::structured("", "[1]")) });
    let token = CancellationToken::new();
    token.cancel();
    let cancelled = hanging().execute(Call::new("search_web", "{}").cancelled_by(token)).await;
    let own_words = "MCP error -32602: \"query\" is required";

    let mut text = String::new();
    let mut add = |title: &str, error: CallError| {
        assert!(error.sentence.chars().count() <= MAX_SENTENCE_CHARS, "{title}");
        text.push_str(&shown(title, &error));
    };
    add("unknown", failure(zwave(), "control_lamp", "{}").await);
    add("ambiguous", failure(two, "create_issue", "{}").await);
    add("missing", failure(zwave(), name, r#"{"level":50}"#).await);
    add("null sent", failure(zwave(), name, r#"{"deviceName":"a","action":null}"#).await);
    add("nothing sent", failure(zwave(), name, "").await);
    add("out of range", failure(zwave(), name, r#"{"deviceName":"a","action":"on","level":500}"#).await);
    add("secret sent", failure(zwave(), name, r#"{"deviceName":"a","password":"t0p"}"#).await);
    add("text sent", failure(zwave(), name, "please").await);
    add("a list sent", failure(zwave(), name, "[1]").await);
    add("two values", failure(zwave(), name, r#"{"action":"on","action":"off"}"#).await);
    add("timeout", failure(hanging(), "search_web", "{}").await);
    let short = hanging().with_timeout("search_web", Duration::from_millis(100));
    add("short timeout", failure(short, "search_web", "{}").await);
    add("cancelled", cancelled.result.expect_err("cancelled"));
    add("busy", failure(hanging().with_limits(closed), "search_web", "{}").await);
    add("busy in all", failure(hanging().with_limits(full), "search_web", "{}").await);
    let unreachable = ToolFailure::Unavailable { message: "getaddrinfo ENOTFOUND example.com".to_owned() };
    add("unavailable", failure(failing(unreachable), "search_web", "{}").await);
    let missing = |message: &str| ToolFailure::NotReady { message: message.to_owned() };
    let set_up = missing("web search is not set up: no search engine is configured. Set search_url");
    add("not ready", failure(failing(set_up), "search_web", "{}").await);
    add("not ready, technical", failure(failing(missing("ENODEV")), "search_web", "{}").await);
    add(
        "tool error, speakable",
        failure(failing(ToolFailure::tool("Nothing was found for that.")), "search_web", "{}").await,
    );
    let away = "The MQTT broker mqtt://127.0.0.1:1883 cannot be reached: Connection refused (os error 111). Check that it runs and that MQTT_BROKER_URL is right. Nothing was sent.";
    add("tool error, with its reason", failure(failing(ToolFailure::tool(away)), "search_web", "{}").await);
    let refused = ToolFailure::tool("connect ECONNREFUSED 127.0.0.1:1883");
    add("tool error, a code of the system", failure(failing(refused), "search_web", "{}").await);
    add(
        "tool error, technical",
        failure(failing(ToolFailure::tool("TypeError: x is undefined\n  at y")), "search_web", "{}").await,
    );
    let rejected = ToolFailure::InvalidArguments { message: own_words.to_owned() };
    let server = executor_of(name, ZWAVE, fails(rejected));
    add("rejected by the tool", failure(server, name, r#"{"deviceName":"a","action":"on"}"#).await);
    let window = "start_line is 5, but \"a.txt\" has 1 line. Send a number up to 1 (see /help)";
    let rejected = ToolFailure::InvalidArguments { message: window.to_owned() };
    let server = executor_of(name, ZWAVE, fails(rejected));
    add("rejected in words", failure(server, name, r#"{"deviceName":"a","action":"on"}"#).await);
    add(
        "too large",
        failure(executor_of("list_all", ANY_OBJECT, structured).with_limits(tight), "list_all", "{}").await,
    );
    let broken = function(|_| async { panic!("index out of bounds") });
    add("panicked", failure(executor_of("search_web", ANY_OBJECT, broken), "search_web", "{}").await);
    insta::assert_snapshot!(text);
}

#[tokio::test]
async fn sentences_stay_short_whatever_is_sent() {
    let many: Vec<String> = (0..200)
        .map(|n| format!("\"a_rather_long_name_of_a_parameter_{n}\":{{\"type\":\"string\"}}"))
        .collect();
    let names: Vec<String> = (0..200).map(|n| format!("\"a_rather_long_name_of_a_parameter_{n}\"")).collect();
    let schema = format!(
        r#"{{"type":"object","properties":{{{}}},"required":[{}],"additionalProperties":false}}"#,
        many.join(","),
        names.join(",")
    );
    let long_name = "an_unusually_long_name_".repeat(5);
    let executor = executor_of(&long_name, &schema, echo());
    let sent: Vec<String> = (0..200).map(|n| format!("\"zz_{n}_{}\":1", "y".repeat(100))).collect();
    let sent = format!("{{{}}}", sent.join(","));
    for (name, arguments) in
        [(long_name.as_str(), sent.as_str()), (&"x_".repeat(5_000), "{}"), ("\u{0}\n", "[")]
    {
        let error = executor.execute(Call::new(name, arguments)).await.result.expect_err("it fails");
        let length = error.sentence.chars().count();
        assert!(length <= MAX_SENTENCE_CHARS, "{length}: {}", error.sentence);
        assert!(!error.sentence.contains(|c: char| c.is_control() || c == '_'), "{}", error.sentence);
    }
}
