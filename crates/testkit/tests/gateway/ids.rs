//! R15 and T07: answers go to those who asked, whatever ids they chose.

use std::sync::Arc;
use std::time::Instant;

use tokio::task::JoinSet;
use toolwright_testkit::wire::{Caller, LEGACY, Speech, call_params, text_of};

use crate::{serve, server, table};

const CLIENTS: u64 = 64;
const CALLS: u64 = 50_000;

/// One client's calls, with ids from 0: how many answers were not its own.
async fn call_all(url: Arc<str>, client: u64, calls: u64) -> u64 {
    let mut caller = match client % 2 {
        0 => Caller::legacy(&url).await,
        _ => Caller::modern(&url).await,
    };
    let mut wrong = 0;
    for at in 0..calls {
        let nonce = format!("client {client} call {at}");
        let params = call_params("echo", &format!(r#"{{"text":"{nonce}"}}"#));
        let reply = caller.ask_as(&at.to_string(), "tools/call", &params).await.expect("an answer");
        let response = reply.response().unwrap_or_else(|| panic!("HTTP {}: {}", reply.status, reply.body));
        let is_own = response.get("id").is_some_and(|id| id.as_str() == at.to_string())
            && response.get("result").is_some_and(|result| text_of(&result) == nonce);
        if !is_own {
            eprintln!("{nonce} got {response}");
            wrong += 1;
        }
    }
    wrong
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_answer_goes_astray_among_64_clients_with_the_same_ids() {
    let gateway = serve(&[("echo", server("echo-server", &[]))]).await;
    let url: Arc<str> = gateway.url("/mcp/t/echo").into();
    let started = Instant::now();
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        clients.spawn(call_all(Arc::clone(&url), client, CALLS.div_ceil(CLIENTS)));
    }
    let wrong: u64 = clients.join_all().await.into_iter().sum();
    table::say("R15 calls a second", u128::from(CALLS) * 1000 / started.elapsed().as_millis().max(1));
    assert_eq!(wrong, 0, "of {CALLS}");
}

#[tokio::test]
async fn an_id_comes_back_as_it_was_sent() {
    let gateway = serve(&[("echo", server("echo-server", &[]))]).await;
    let url = gateway.url("/mcp/t/echo");
    for mut caller in [Caller::legacy(&url).await, Caller::modern(&url).await] {
        for id in ["0", "-7", "9007199254740993", "18446744073709551616", r#""""#, r#""7""#, r#""\u00e9 7""#] {
            let params = call_params("echo", r#"{"text":"here"}"#);
            let reply = caller.ask_as(id, "tools/call", &params).await.expect("an answer");
            let response = reply.response().unwrap_or_else(|| panic!("{id}: {}", reply.body));
            assert_eq!(response.get("id").expect("an id").as_str(), id);
            assert_eq!(text_of(&reply.result().expect("a result")), "here", "{id}");
        }
        // These are no ids: whoever sends them hears so, and nobody else is harmed.
        for id in ["null", "true", "[1]", r#"{"a":1}"#] {
            let params = call_params("echo", r#"{"text":"here"}"#);
            let reply = caller.ask_as(id, "tools/call", &params).await.expect("an answer");
            assert!(reply.result().is_err(), "{id}: {}", reply.body);
        }
        // A fraction may be refused; it is never rounded.
        let reply = caller.ask_as("1.5", "tools/call", &call_params("echo", r#"{"text":"x"}"#)).await;
        let reply = reply.expect("an answer");
        if reply.result().is_ok() {
            assert_eq!(reply.response().and_then(|response| response.get("id")).expect("an id").as_str(), "1.5");
        }
        assert_eq!(caller.says("echo", r#"{"text":"still here"}"#).await, "still here");
    }
}

#[tokio::test]
async fn an_id_that_is_in_use_is_refused_and_its_call_goes_on() {
    let gateway = serve(&[("room", server("rmcp-server", &["--era", "legacy"]))]).await;
    let url = gateway.url("/mcp/t/room");
    let mut first = Caller::legacy(&url).await;
    let mut second = Caller::silent(&url, first.speech.clone()).await;
    let params = call_params("count_steps", r#"{"steps":3}"#);
    let slow = call_params("wait_long", "{}");
    // The first call waits on the server; its id cannot be used again meanwhile.
    let waiting = tokio::spawn(async move {
        let reply = first.ask_as("7", "tools/call", &slow).await;
        (first, reply)
    });
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let again = second.ask_as("7", "tools/call", &params).await.expect("an answer");
    assert!(again.error().is_some(), "HTTP {}: {}", again.status, again.body);
    let other = second.ask_as("8", "tools/call", &params).await.expect("an answer");
    assert_eq!(text_of(&other.result().expect("a result")), "3 steps");
    assert!(!waiting.is_finished(), "the first call was harmed");
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
    second.post(cancel, &[]).await.expect("taken");
    // Another session with the same id is somebody else.
    let mut stranger = Caller::legacy(&url).await;
    assert_ne!(stranger.speech, second.speech);
    let own = stranger.ask_as("7", "tools/call", &params).await.expect("an answer");
    assert_eq!(text_of(&own.result().expect("a result")), "3 steps");
    waiting.abort();
}

#[tokio::test]
async fn a_session_that_was_made_up_is_refused() {
    let gateway = serve(&[("echo", server("echo-server", &[]))]).await;
    let url = gateway.url("/mcp/t/echo");
    let real = Caller::legacy(&url).await;
    let Speech::Legacy { session: Some(session) } = real.speech else { panic!("no session") };
    let mut changed = session.clone().into_bytes();
    let middle = changed.len() / 2;
    changed[middle] = if changed[middle] == b'A' { b'B' } else { b'A' };
    let changed = String::from_utf8(changed).expect("text");
    for made_up in ["1", "abc", changed.as_str(), ""] {
        let speech = Speech::Legacy { session: Some(made_up.to_owned()) };
        let mut caller = Caller::silent(&url, speech).await;
        let reply = caller.call("echo", r#"{"text":"x"}"#).await;
        assert!(matches!(reply.status, 400 | 404), "{made_up:?} ({LEGACY}): HTTP {} {}", reply.status, reply.body);
    }
}
