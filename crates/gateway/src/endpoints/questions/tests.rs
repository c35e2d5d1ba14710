//! Whom late and doubtful questions reach.

use toolwright_jsonrpc::Id;
use toolwright_mcp::NoHost;
use toolwright_mcp::front::{Client, Visitor, WayBack};

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

async fn enter(host: &Arc<ServerHost>, number: u128) -> Entered {
    let client = Arc::new(Client {
        visitor: Visitor::everywhere("tests"),
        era: Era::Legacy,
        revision: "2025-11-25".into(),
        info: None,
        capabilities: Json::parse(r#"{"roots":{}}"#).expect("JSON"),
        session: Some(SessionId(number)),
        is_resumed: false,
    });
    let back = Back::new(client, Arc::new(Numbered(number)));
    host.enter("tools/call", back, None, Arc::new(|| {})).await
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
    assert!(refused.contains("which one is asked cannot be told"), "{refused}");
    second.end();
    // Its own later calls are its own.
    let again = enter(&host, 1).await;
    assert_eq!(asked(&host).await.expect("one client"), r#"{"client":"1"}"#);
    again.end();
    // Some time later a server is not taken to ask any more.
    tokio::time::advance(AFTER_THE_END).await;
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

#[test]
fn very_many_that_were_given_up_are_not_forgotten() {
    let mut table = Table::default();
    (0..1_000).for_each(|number| table.give_up(Asker::Request(number)));
    assert!(table.given_up.len() <= MAX_GIVEN_UP + 1);
    assert!(table.given_up.iter().any(|(asker, _)| *asker == Asker::Anybody));
}

#[tokio::test]
async fn a_log_message_of_no_call_is_for_the_only_caller_there_was() {
    let host = ServerHost::new("s", Arc::new(NoHost));
    let mut told = host.listen();
    let message = || Notification { method: "notifications/message".into(), params: None, extra: Vec::new() };
    host.notified(message());
    assert_eq!(told.try_recv().expect("for all: nobody called yet").only, None);
    enter(&host, 1).await.end();
    host.notified(message());
    assert_eq!(told.try_recv().expect("for one").only, Some(SessionId(1)));
    enter(&host, 2).await.end();
    host.notified(message());
    assert!(told.try_recv().is_err(), "it may be about either");
}
