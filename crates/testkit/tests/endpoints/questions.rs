//! Whose question it is, when several clients use one server at once, and what reload and rest do to endpoints.

use std::future::Future;
use std::path::Path;
use std::time::Duration;

use toolwright_endpoints::{Endpoint, GatewayOptions};
use toolwright_mcp::{Era, Filter};
use toolwright_toolbox::State;

use crate::stage::*;

#[tokio::test]
async fn over_http_every_client_is_asked_its_own_questions() {
    for era in ["legacy", "modern"] {
        let (_child, url) = over_http(RMCP_SERVER, &["--era", era]).await;
        let text = format!(r#"{{"mcpServers": {{"one": {{"url": "{url}"}}}}}}"#);
        let stage = staged(&text, GatewayOptions::default()).await;
        let service = stage.service(&Endpoint::Toolbox("default".into()));
        let clients = (0..4u128).map(|number| {
            let answer = format!(r#"{{"action":"accept","content":{{"firstName":"Client {number}"}}}}"#);
            let script = Script::new(Era::Legacy, number).answering(&answer);
            let service = service.clone();
            async move {
                for round in 0..5 {
                    let arguments = format!(r#"{{"greeting":"Round {round}"}}"#);
                    let result = script.call(&service, "greet", &arguments).await;
                    assert_eq!(text_of(&result), format!("Round {round}, Client {number}"), "{era}");
                }
                assert_eq!(script.asked().len(), 5);
            }
        });
        all_of(clients).await;
    }
}

/// Runs all at once.
async fn all_of(clients: impl Iterator<Item = impl Future<Output = ()> + Send + 'static>) {
    let running: Vec<_> = clients.map(tokio::spawn).collect();
    for client in running {
        client.await.expect("no panic");
    }
}

fn text_of(result: &toolwright_jsonrpc::Json) -> String {
    crate::stage::text(result)
}

#[tokio::test]
async fn over_stdio_clients_take_turns_at_a_server_that_asks() {
    let (_stage, service) = one(RMCP_SERVER, &["--era", "legacy"]).await;
    // Before it has asked once nobody can know that it does; the first question is of one client alone.
    let first = Script::new(Era::Legacy, 100).answering(r#"{"action":"decline"}"#);
    assert_eq!(
        text_of(&first.call(&service, "greet", r#"{"greeting":"x"}"#).await),
        "nobody to greet: decline"
    );
    let clients = (0..4u128).map(|number| {
        let answer = format!(r#"{{"action":"accept","content":{{"firstName":"Client {number}"}}}}"#);
        let era = if number % 2 == 0 { Era::Legacy } else { Era::Modern };
        let script = Script::new(era, number).answering(&answer);
        let service = service.clone();
        async move {
            for _ in 0..3 {
                let result = script.call(&service, "greet", r#"{"greeting":"Hello"}"#).await;
                assert_eq!(text_of(&result), format!("Hello, Client {number}"));
            }
        }
    });
    all_of(clients).await;
}

#[tokio::test]
async fn a_cancelled_call_keeps_no_question_from_the_next_session_of_its_token() {
    let (_stage, service) = one(RMCP_SERVER, &["--era", "legacy"]).await;
    let silent = Script::new(Era::Legacy, 1);
    let asked = tokio::spawn({
        let (silent, service) = (silent.clone(), service.clone());
        async move { silent.ask(&service, "tools/call", r#"{"name":"greet","arguments":{"greeting":"x"}}"#).await }
    });
    until("a question", || !silent.asked().is_empty()).await;
    asked.abort();
    assert!(asked.await.is_err(), "it was cancelled");
    let answer = r#"{"action":"accept","content":{"firstName":"Ada"}}"#;
    for era in [Era::Legacy, Era::Modern] {
        let next = Script::new(era, 2).answering(answer);
        let result = next.call(&service, "greet", r#"{"greeting":"Hello"}"#).await;
        assert_eq!(text_of(&result), "Hello, Ada", "{era:?}");
    }
}

#[tokio::test]
async fn parallel_calls_of_one_modern_client_are_asked_their_questions() {
    let (_stage, service) = one(RMCP_SERVER, &["--era", "legacy"]).await;
    let answer = r#"{"action":"accept","content":{"firstName":"Ada"}}"#;
    let script = Script::new(Era::Modern, 1).answering(answer);
    let clients = (0..4).map(|_| {
        let (script, service) = (script.clone(), service.clone());
        async move {
            let result = script.call(&service, "greet", r#"{"greeting":"Hello"}"#).await;
            assert_eq!(text_of(&result), "Hello, Ada");
        }
    });
    all_of(clients).await;
    assert_eq!(script.asked().len(), 4);
}

#[tokio::test]
async fn a_list_waits_for_no_question() {
    let (_stage, service) = one(RMCP_SERVER, &["--era", "legacy"]).await;
    let first = Script::new(Era::Legacy, 1).answering(r#"{"action":"decline"}"#);
    first.call(&service, "greet", r#"{"greeting":"x"}"#).await;
    // It never answers.
    let silent = Script::new(Era::Legacy, 2);
    let asked = tokio::spawn({
        let (silent, service) = (silent.clone(), service.clone());
        async move { silent.ask(&service, "tools/call", r#"{"name":"greet","arguments":{"greeting":"x"}}"#).await }
    });
    until("a question", || !silent.asked().is_empty()).await;
    let other = Script::new(Era::Modern, 3);
    assert!(other.tools(&service).await.contains(&"greet".to_owned()));
    asked.abort();
}

#[tokio::test]
async fn a_new_configuration_is_told_and_served() {
    let one = entry(ERA_SERVER, &["--legacy"]);
    let text = |servers: &str| format!(r#"{{"mcpServers": {{{servers}}}}}"#);
    let stage = staged(&text(&format!(r#""a": {one}, "b": {one}"#)), GatewayOptions::default()).await;
    let all = stage.service(&Endpoint::All);
    let script = Script::new(Era::Legacy, 1);
    assert_eq!(script.tools(&all).await, ["a__v0", "b__v0"]);
    let mut listening = script.listen(&all, Filter { tools: true, ..Filter::default() }).await;
    let apply = |text: String| {
        let configuration =
            toolwright_config::parse(&text, Path::new("/servers.json"), &|_| None).expect("a configuration");
        stage.servers.apply(&configuration)
    };
    apply(text(&format!(r#""a": {one}, "c": {one}"#)));
    heard(&mut listening, "notifications/tools/list_changed").await;
    assert_eq!(script.tools(&all).await, ["a__v0", "c__v0"]);
    assert!(script.ask(&all, "tools/call", r#"{"name":"b__v0"}"#).await.is_err(), "it is no more");
    let result = script.call(&all, "c__v0", "{}").await;
    assert!(result.get("asked").is_some(), "{result}");
    // A filter takes effect without a new process.
    let filtered = one.replacen('{', r#"{"toolFilters": ["!v*"], "#, 1);
    apply(text(&format!(r#""a": {one}, "c": {filtered}"#)));
    assert_eq!(script.tools(&all).await, ["a__v0"]);
    // One server is left: the toolbox is that server now.
    apply(text(&format!(r#""a": {one}"#)));
    let toolbox = stage.service(&Endpoint::Toolbox("default".into()));
    assert_eq!(script.tools(&toolbox).await, ["v0"]);
}

#[tokio::test]
async fn servers_start_when_they_are_needed_and_rest_when_nobody_has_them_open() {
    let era = entry(ERA_SERVER, &["--legacy"]);
    let text = format!(
        r#"{{"toolboxes": {{"a": {{"description": "x", "mcpServers": {{"one": {era}}}}},
                           "b": {{"description": "y", "mcpServers": {{"two": {era}}}}}}}}}"#
    );
    let stage = staged_lazily(&text, GatewayOptions::default()).await;
    let state = |name: &str| stage.servers.get(name).expect("it").supervisor.snapshot();
    let service = stage.service(&Endpoint::Toolboxes);
    let script = Script::new(Era::Legacy, 1);
    script.call(&service, "list_toolboxes", "{}").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!((state("one").state, state("two").state), (State::Resting, State::Resting));
    assert!(state("one").era.is_none(), "it was never started");
    script.call(&service, "open_toolbox", r#"{"toolbox":"a"}"#).await;
    assert_eq!(state("one").state, State::Ready);
    assert!(state("two").era.is_none(), "nobody asked for it");
    let other = Script::new(Era::Legacy, 2);
    other.call(&service, "open_toolbox", r#"{"toolbox":"a"}"#).await;
    script.call(&service, "close_toolbox", r#"{"toolbox":"a"}"#).await;
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(state("one").state, State::Ready, "another session has it open");
    service.ended(&other.client);
    until("rest", || state("one").state == State::Resting).await;
    let tool = r#"{"tool":{"toolbox":"b","server":"two","name":"v0"}}"#;
    let result = Script::new(Era::Modern, 3).call(&service, "use_tool", tool).await;
    assert!(result.get("asked").is_some(), "{result}");
}
