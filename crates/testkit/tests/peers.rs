//! What a peer does for its callers in both eras: questions, lists, subscriptions, log levels.

use crate::era;

use std::sync::Arc;
use std::time::Duration;

use era::{BOTH, Listener, ODD, PATIENCE, call, json, met, options};
use tokio::time::{Instant, sleep};
use toolwright_mcp::stdio::StderrRing;
use toolwright_mcp::{Era, Filter, Peer, RequestError, RequestOptions, result_type};

const UPDATED: &str = "notifications/resources/updated";

/// Waits until the server was told or asked something.
async fn noted(stderr: &StderrRing, what: &str) -> String {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(line) = stderr.text().lines().find(|line| line.contains(what)) {
            return line.to_owned();
        }
        assert!(Instant::now() < deadline, "{what} is not in {}", stderr.text());
        sleep(Duration::from_millis(5)).await;
    }
}

fn ids_of(stderr: &StderrRing, method: &str) -> Vec<String> {
    let text = stderr.text();
    let asked = text.lines().filter_map(|line| line.strip_prefix("asked: ")?.split_once(' '));
    asked.filter(|(_, rest)| rest.starts_with(method)).map(|(id, _)| id.to_owned()).collect()
}

async fn listed(peer: &Peer) -> String {
    call(peer, "listed", "{}").await.get("listed").expect("a count").to_string()
}

#[tokio::test]
async fn a_request_is_sent_anew_with_every_answer_and_the_state_of_the_server() {
    for method in ["tools/call", "prompts/get", "resources/read"] {
        let host = Listener::answering(r#"{"action":"accept","n":1.0}"#);
        let (peer, stderr) = met(&["--modern"], host.clone()).await;
        let question = format!(r#"{{"method":"elicitation/create","params":{ODD},"rounds":3}}"#);
        let params = json(&format!(r#"{{"name":"ask","arguments":{question},"_meta":{{"x":1.0}}}}"#));
        let result = peer.request(method, Some(params), &options()).await.expect("an answer");
        assert_eq!(result_type(&result), "complete");
        let asked = result.get("asked").expect("the last request");
        assert_eq!(asked.get("arguments").expect("arguments").as_str(), question);
        assert_eq!(asked.get_text("requestState").as_deref(), Some("round 3"));
        assert_eq!(host.asked.lock().expect("no panic before").len(), 3);
        let ids = ids_of(&stderr, method);
        assert_eq!(ids.len(), 4, "{ids:?}");
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
    }
}

#[tokio::test]
async fn a_server_that_only_wants_its_state_back_gets_it_without_a_question() {
    let host = Listener::answering("{}");
    let (peer, _) = met(&["--modern"], host.clone()).await;
    let result = call(&peer, "ask", r#"{"silently":true,"rounds":2}"#).await;
    assert_eq!(result.get("asked").expect("asked").get("inputResponses"), None);
    assert!(host.asked.lock().expect("no panic before").is_empty());
}

#[tokio::test]
async fn questions_are_bounded_passed_on_when_wanted_and_told_when_nobody_answers() {
    let (peer, _) = met(&["--modern"], Listener::answering("{}")).await;
    let endless = || Some(json(r#"{"name":"ask","arguments":{"method":"roots/list","rounds":1000}}"#));
    let error = peer.request("tools/call", endless(), &options()).await.unwrap_err();
    assert!(matches!(error, RequestError::AsksWithoutEnd(16)), "{error}");

    let passing = RequestOptions { passes_input_on: true, ..options() };
    let result = peer.request("tools/call", endless(), &passing).await.expect("an answer");
    assert_eq!(result_type(&result), "input_required");
    assert_eq!(result.get_text("requestState").as_deref(), Some("round 1"));

    let (peer, _) = met(&["--modern"], Arc::new(Listener::default())).await;
    let error = peer.request("tools/call", endless(), &options()).await.unwrap_err();
    assert_eq!(error.to_string(), "the server asks for \"roots/list\" before it answers: not here");
}

#[tokio::test]
async fn capabilities_of_one_request_replace_ours() {
    let (peer, stderr) = met(&["--modern"], Listener::answering("{}")).await;
    let mirrored = RequestOptions { capabilities: Some(json(r#"{"sampling":{"x":1.0}}"#)), ..options() };
    peer.request("mirrored", None, &mirrored).await.expect("an answer");
    peer.request("plain", None, &options()).await.expect("an answer");
    let said = noted(&stderr, " mirrored ").await;
    assert!(
        said.contains(r#""io.modelcontextprotocol/clientCapabilities":{"sampling":{"x":1.0}}"#),
        "{said}"
    );
    let said = noted(&stderr, " plain ").await;
    assert!(said.contains(r#""io.modelcontextprotocol/clientCapabilities":{"roots":{}}"#), "{said}");
}

#[tokio::test]
async fn log_messages_come_from_the_level_that_was_set() {
    for (flag, _) in BOTH {
        let host = Listener::answering("{}");
        let (peer, _) = met(&[flag], host.clone()).await;
        call(&peer, "log", "{}").await;
        assert_eq!(host.count("notifications/message"), 0);
        peer.set_log_level("warning", &options()).await.expect("set");
        call(&peer, "log", "{}").await;
        let message = host.heard("notifications/message").await;
        assert_eq!(message.as_str(), format!(r#"{{"level":"warning","data":{ODD}}}"#));
    }
}

#[tokio::test]
async fn a_list_is_not_asked_for_again_before_its_time_unless_it_changed() {
    let (peer, _) = met(&["--modern", "--ttl=600000"], Listener::answering("{}")).await;
    let filter = Filter { tools: true, ..Filter::default() };
    let _subscription = peer.subscribe(filter, &options()).await.expect("subscribed");
    for _ in 0..3 {
        let list = peer.listed("tools/list", "tools", &options()).await.expect("tools");
        assert_eq!(list.items[0].get_text("name").as_deref(), Some("v0"));
        assert_eq!((list.ttl, list.is_public), (Some(Duration::from_secs(600)), false));
    }
    assert_eq!(listed(&peer).await, "1");
    call(&peer, "change", "{}").await;
    let tools = peer.list("tools/list", "tools", &options()).await.expect("tools");
    assert_eq!(tools[0].get_text("name").as_deref(), Some("v1"));
    assert_eq!(listed(&peer).await, "2");
    // Without a time it is asked for every time.
    let (peer, _) = met(&["--modern"], Listener::answering("{}")).await;
    for _ in 0..2 {
        peer.list("tools/list", "tools", &options()).await.expect("tools");
    }
    assert_eq!(listed(&peer).await, "2");
}

#[tokio::test]
async fn a_subscription_is_heard_until_it_is_dropped() {
    for (flag, era) in BOTH {
        let host = Listener::answering("{}");
        let (peer, stderr) = met(&[flag], host.clone()).await;
        let filter = Filter { prompts: true, uris: vec!["test://a".into()], ..Filter::default() };
        let subscription = peer.subscribe(filter, &options()).await.expect("subscribed");
        // The server has no prompts.
        assert_eq!(*subscription.granted(), Filter { uris: vec!["test://a".into()], ..Filter::default() });
        assert_eq!(peer.connection().in_flight(), 0);
        call(&peer, "touch", r#"{"uri":"test://other"}"#).await;
        call(&peer, "touch", r#"{"uri":"test://a"}"#).await;
        let heard = host.heard(UPDATED).await;
        assert_eq!(heard.get_text("uri").as_deref(), Some("test://a"));
        assert_eq!(heard.get("odd").expect("odd").as_str(), ODD);
        let tag = heard.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/subscriptionId"));
        assert_eq!(tag.is_some(), era == Era::Modern);
        assert_eq!(host.count(UPDATED), 1);
        drop(subscription);
        match era {
            Era::Legacy => noted(&stderr, "resources/unsubscribe").await,
            Era::Modern => noted(&stderr, "told: notifications/cancelled").await,
        };
        call(&peer, "touch", r#"{"uri":"test://a"}"#).await;
        call(&peer, "listed", "{}").await;
        assert_eq!(host.count(UPDATED), 1);
    }
}

#[tokio::test]
async fn a_resource_of_a_legacy_server_is_heard_until_its_last_subscription_ends() {
    let host = Listener::answering("{}");
    let (peer, stderr) = met(&["--legacy"], host.clone()).await;
    let filter = Filter { uris: vec!["test://a".into()], ..Filter::default() };
    let first = peer.subscribe(filter.clone(), &options()).await.expect("subscribed");
    let second = peer.subscribe(filter, &options()).await.expect("subscribed");
    drop(first);
    call(&peer, "touch", r#"{"uri":"test://a"}"#).await;
    host.heard(UPDATED).await;
    drop(second);
    noted(&stderr, "resources/unsubscribe").await;
    assert_eq!(ids_of(&stderr, "resources/subscribe").len(), 1);
}

#[tokio::test]
async fn a_subscription_that_the_server_ends_is_opened_again() {
    let host = Listener::answering("{}");
    let (peer, stderr) = met(&["--modern"], host.clone()).await;
    let filter = Filter { uris: vec!["test://a".into()], ..Filter::default() };
    let _subscription = peer.subscribe(filter, &options()).await.expect("subscribed");
    call(&peer, "end-subscription", "{}").await;
    let deadline = Instant::now() + PATIENCE;
    while ids_of(&stderr, "subscriptions/listen").len() < 2 {
        assert!(Instant::now() < deadline, "{}", stderr.text());
        sleep(Duration::from_millis(10)).await;
    }
    call(&peer, "touch", r#"{"uri":"test://a"}"#).await;
    host.heard(UPDATED).await;
}

#[tokio::test]
async fn a_subscription_that_is_refused_says_why() {
    // The server is made silent, so that nothing is acknowledged.
    let (peer, _) = met(&["--modern"], Listener::answering("{}")).await;
    call(&peer, "silent", r#"{"requests":1}"#).await;
    let hasty = RequestOptions { timeout: Some(Duration::from_millis(200)), ..RequestOptions::default() };
    let error = peer.subscribe(Filter::default(), &hasty).await.unwrap_err();
    assert!(matches!(error, RequestError::TimedOut(_)), "{error}");
    peer.connection().stop();
    peer.connection().wait_closed().await;
    let error = peer.subscribe(Filter::default(), &options()).await.unwrap_err();
    assert!(matches!(error, RequestError::Closed(_)), "{error}");
}
