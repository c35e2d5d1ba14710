//! Whom late and doubtful questions reach.

use toolwright_jsonrpc::Id;
use toolwright_mcp::NoHost;
use toolwright_mcp::front::{Client, SessionId, Visitor, WayBack};

use super::*;

/// A client that answers every question with its number.
struct Numbered(u128);

impl WayBack for Numbered {
    fn notify(&self, _: Notification) {}

    fn ask<'w>(&'w self, _: &'w str, _: Option<Json>) -> Answer<'w> {
        let answer = Json::empty_object().with("client", &Json::text(&self.0.to_string()));
        Box::pin(async move { Ok(answer) })
    }
}

fn client(token: &str, session: Option<u128>) -> Client {
    Client {
        visitor: Visitor::everywhere(token),
        era: if session.is_some() { Era::Legacy } else { Era::Modern },
        revision: "2025-11-25".into(),
        info: None,
        capabilities: Json::parse(r#"{"roots":{},"elicitation":{}}"#).expect("JSON"),
        session: session.map(SessionId),
        is_resumed: false,
    }
}

async fn enter_as(host: &Arc<ServerHost>, client: Client, number: u128) -> Entered {
    let back = Back::new(Arc::new(client), Arc::new(Numbered(number)));
    host.enter(1, "tools/call", back, None, Arc::new(|| {})).await
}

/// A call of the session of this number; each has a token of its own.
async fn enter(host: &Arc<ServerHost>, number: u128) -> Entered {
    enter_as(host, client(&format!("token {number}"), Some(number)), number).await
}

async fn asked(host: &ServerHost) -> Result<String, String> {
    let id = Id::number(1);
    let request = Request { id, method: "roots/list".into(), params: None, extra: Vec::new() };
    let answer = host.request(request).await;
    answer.map(|answer| answer.to_string()).map_err(|error| error.message)
}

#[tokio::test(start_paused = true)]
async fn a_late_question_about_a_call_that_was_given_up_reaches_nobody_else() {
    let host = ServerHost::new("s", Arc::new(NoHost));
    drop(enter(&host, 1).await);
    let second = enter(&host, 2).await;
    let refused = asked(&host).await.expect_err("it may be about the first one's call");
    assert!(refused.contains("does not say which call"), "{refused}");
    second.end();
    // Its own later calls are its own.
    let again = enter(&host, 1).await;
    assert_eq!(asked(&host).await.expect("one client"), r#"{"client":"1"}"#);
    again.end();
    // Some time later a server is not taken to ask any more.
    tokio::time::advance(callers::AFTER_THE_END).await;
    let _second = enter(&host, 2).await;
    assert_eq!(asked(&host).await.expect("one client"), r#"{"client":"2"}"#);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_answered_is_asked_about_no_more() {
    let host = ServerHost::new("s", Arc::new(NoHost));
    enter(&host, 1).await.end();
    let _second = enter(&host, 2).await;
    assert_eq!(asked(&host).await.expect("one client"), r#"{"client":"2"}"#);
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_long_for_a_client_that_thinks() {
    let host = ServerHost::new("s", Arc::new(NoHost));
    let _thinking = enter(&host, 1).await;
    asked(&host).await.expect("one client");
    let begin = Instant::now();
    let _second = enter(&host, 2).await;
    assert_eq!(begin.elapsed(), TURN);
    assert!(asked(&host).await.is_err(), "both may be meant");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_keeps_no_question_from_the_same_token() {
    let host = ServerHost::new("s", Arc::new(NoHost));
    drop(enter_as(&host, client("desk", Some(1)), 1).await);
    let _reconnected = enter_as(&host, client("desk", Some(2)), 2).await;
    assert_eq!(asked(&host).await.expect("its token"), r#"{"client":"2"}"#);
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_ends_the_doubt() {
    let host = ServerHost::new("s", Arc::new(NoHost));
    let first = enter(&host, 1).await;
    let call = Arc::clone(&first.host);
    drop(first);
    let second = enter(&host, 2).await;
    assert!(asked(&host).await.is_err());
    call.answered_late();
    assert_eq!(asked(&host).await.expect("one client"), r#"{"client":"2"}"#);
    second.end();
    // The answer came before the call was seen to end.
    let third = enter(&host, 3).await;
    third.host.answered_late();
    drop(third);
    let _second = enter(&host, 2).await;
    assert_eq!(asked(&host).await.expect("one client"), r#"{"client":"2"}"#);
}

#[tokio::test(start_paused = true)]
async fn parallel_calls_of_a_modern_client_are_its_own() {
    let host = ServerHost::new("s", Arc::new(NoHost));
    let _first = enter_as(&host, client("desk", None), 1).await;
    let _second = enter_as(&host, client("desk", None), 2).await;
    assert_eq!(asked(&host).await.expect("one client"), r#"{"client":"2"}"#);
    let info = Json::parse(r#"{"name":"another program"}"#).ok();
    let _third = enter_as(&host, Client { info, ..client("desk", None) }, 3).await;
    assert!(asked(&host).await.is_err(), "two programs share the token");
}

#[tokio::test]
async fn a_question_of_a_task_is_for_its_client_alone() {
    let host = ServerHost::new("s", Arc::new(NoHost));
    let alice = client("alice", Some(1));
    let created = Json::parse(r#"{"task":{"taskId":"t"}}"#).expect("JSON");
    host.tasks.note_task(&Owner::of(&alice), 1, &created);
    let ask = || async {
        let params = Json::parse(r#"{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"}}}"#).ok();
        let request = Request { id: Id::number(1), method: "roots/list".into(), params, extra: Vec::new() };
        host.request(request).await.map(|answer| answer.to_string())
    };
    let _mallory = enter_as(&host, client("mallory", Some(2)), 2).await;
    assert!(ask().await.is_err(), "only another client has a call");
    let _waiting = enter_as(&host, alice, 1).await;
    assert_eq!(ask().await.expect("its client"), r#"{"client":"1"}"#);
}

#[tokio::test]
async fn what_is_told_of_a_task_or_an_elicitation_is_for_its_client_alone() {
    let host = ServerHost::new("s", Arc::new(NoHost));
    let mut told = host.listen();
    let alice = client("alice", Some(1));
    host.tasks.note_task(&Owner::of(&alice), 1, &Json::parse(r#"{"taskId":"t"}"#).expect("JSON"));
    let call = enter_as(&host, alice.clone(), 1).await;
    let question = Json::parse(r#"{"mode":"url","elicitationId":"e"}"#).ok();
    let request = Request {
        id: Id::number(1),
        method: "elicitation/create".into(),
        params: question,
        extra: Vec::new(),
    };
    host.request(request).await.expect("it is asked");
    call.end();
    let _mallory = enter_as(&host, client("mallory", Some(2)), 2).await;
    for (method, params) in [
        ("notifications/tasks/status", r#"{"taskId":"t"}"#),
        ("notifications/elicitation/complete", r#"{"elicitationId":"e"}"#),
    ] {
        let params = Json::parse(params).ok();
        host.notified(Notification { method: method.into(), params, extra: Vec::new() });
        let audience = told.try_recv().expect("it is told").audience;
        assert_eq!(audience, Audience::Client(Owner::of(&alice)), "{method}");
    }
    for (method, params) in [
        ("notifications/tasks/status", r#"{"taskId":"unknown"}"#),
        ("notifications/progress", r#"{"progressToken":1,"progress":1}"#),
    ] {
        let params = Json::parse(params).ok();
        host.notified(Notification { method: method.into(), params, extra: Vec::new() });
        assert!(told.try_recv().is_err(), "{method} is of no known client");
    }
}

#[tokio::test(start_paused = true)]
async fn a_log_message_of_no_call_is_for_the_token_that_calls() {
    let host = ServerHost::new("s", Arc::new(NoHost));
    let mut told = host.listen();
    let message = || Notification { method: "notifications/message".into(), params: None, extra: Vec::new() };
    let token = |name: &str| Audience::Token(name.into());
    host.notified(message());
    assert_eq!(told.try_recv().expect("no client has called yet").audience, Audience::All);
    enter_as(&host, client("desk", Some(1)), 1).await.end();
    host.notified(message());
    assert_eq!(told.try_recv().expect("for one token").audience, token("desk"));
    // A second session of the token, such as after a reconnect.
    enter_as(&host, client("desk", Some(2)), 2).await.end();
    host.notified(message());
    assert_eq!(told.try_recv().expect("for one token").audience, token("desk"));
    enter_as(&host, client("other", Some(3)), 3).await.end();
    host.notified(message());
    assert!(told.try_recv().is_err(), "it may be about either");
    tokio::time::advance(callers::RECENT).await;
    host.notified(message());
    assert!(told.try_recv().is_err(), "it may be about either");
    enter_as(&host, client("desk", Some(2)), 2).await.end();
    host.notified(message());
    assert_eq!(told.try_recv().expect("the only one lately").audience, token("desk"));
    // The server was restarted.
    let back = Back::new(Arc::new(client("other", Some(3))), Arc::new(Numbered(3)));
    host.enter(2, "tools/call", back, None, Arc::new(|| {})).await.end();
    host.notified(message());
    assert_eq!(told.try_recv().expect("the only one").audience, token("other"));
}
