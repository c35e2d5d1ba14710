//! Streams of legacy clients: taken up again where they broke, and what is told on them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use toolwright_mcp::front::{FrontLimits, Service};

use crate::scripted::*;
use http::StatusCode;

const CHANGED: &str = "notifications/tools/list_changed";

#[tokio::test]
async fn a_stream_of_the_newest_legacy_revision_begins_with_an_event_to_come_back_to() {
    let house = House::new();
    let token = house.initialize("2025-11-25", "{}").await;
    let events = Stream::of(house.legacy(&token, &call(1, "progress")).await).rest().await;
    assert_eq!(events.len(), 4);
    assert_eq!(events[0].data, "");
    let ids: Vec<&str> = events.iter().map(|event| event.id.as_deref().unwrap()).collect();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
    assert!(events[3].json().get("result").is_some());
    // Older clients would try to read an event without data.
    let token = house.initialize("2025-06-18", "{}").await;
    let events = Stream::of(house.legacy(&token, &call(1, "progress")).await).rest().await;
    assert_eq!(events.len(), 3);
}

#[tokio::test]
async fn a_broken_stream_is_taken_up_where_it_broke() {
    let house = House::new();
    for revision in ["2025-11-25", "2025-06-18"] {
        let token = house.initialize(revision, "{}").await;
        let mut stream = Stream::of(house.legacy(&token, &call(1, "progress-then-wait")).await);
        let mut last = stream.next().await.unwrap();
        if revision == "2025-11-25" {
            last = stream.next().await.unwrap();
        }
        drop(stream);
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert_eq!(house.fronts.counts().requests_in_flight, 1, "a broken connection cancels nothing");
        let headers = [("mcp-session-id", token.as_str()), ("last-event-id", last.id.as_deref().unwrap())];
        let mut again = Stream::of(house.get(&headers).await);
        assert!(again.is_quiet().await);
        house.service.go.notify_one();
        let progress = again.next().await.unwrap();
        assert_eq!(progress.json().get("params").unwrap().get("progress").unwrap().as_str(), "2");
        assert!(again.next().await.unwrap().json().get("result").is_some());
        assert_eq!(again.next().await, None);
        // It can be read again for a while, from anywhere.
        let rest = Stream::of(house.get(&headers).await).rest().await;
        assert_eq!(rest.len(), 2);
    }
    assert_eq!(house.service.dropped.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_result_that_came_while_nobody_listened_is_kept_and_ids_are_of_one_session() {
    let house = House::new();
    let token = house.initialize("2025-11-25", "{}").await;
    let mut stream = Stream::of(house.legacy(&token, &call(1, "progress-then-wait")).await);
    let first = stream.next().await.unwrap().id.unwrap();
    drop(stream);
    house.service.go.notify_one();
    until("the call ends", || house.service.finished.load(Ordering::SeqCst) == 1).await;
    let stranger = house.initialize("2025-11-25", "{}").await;
    let response = house.get(&[("mcp-session-id", &stranger), ("last-event-id", &first)]).await;
    assert_eq!(response.status(), StatusCode::BAD_REQUEST);
    let rest =
        Stream::of(house.get(&[("mcp-session-id", &token), ("last-event-id", &first)]).await).rest().await;
    assert_eq!(rest.len(), 3);
    assert!(rest[2].json().get("result").is_some());
    for odd in ["x", "-", "r-", "r1-1", "g", "9"] {
        let response = house.get(&[("mcp-session-id", &token), ("last-event-id", odd)]).await;
        assert_eq!(response.status(), StatusCode::BAD_REQUEST, "{odd}");
    }
}

#[tokio::test]
async fn a_connection_that_breaks_before_anything_came_does_not_end_the_call() {
    let house = House::new();
    let token = house.initialize("2025-11-25", "{}").await;
    {
        let service = Arc::clone(&house.service) as Arc<dyn Service>;
        let request = http::Request::post("/mcp")
            .header("content-type", "application/json")
            .header("mcp-session-id", &token)
            .body(bytes::Bytes::from(call(1, "wait")))
            .unwrap();
        let answer = house.fronts.answer_http("/mcp", service, request, house.visitor.clone());
        assert!(tokio::time::timeout(Duration::from_millis(30), answer).await.is_err());
    }
    assert_eq!(house.fronts.counts().requests_in_flight, 1);
    house.service.go.notify_one();
    until("the call ends", || house.service.finished.load(Ordering::SeqCst) == 1).await;
    until("it is not in flight", || house.fronts.counts().requests_in_flight == 0).await;
    assert_eq!(house.service.dropped.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn changes_are_told_on_one_stream() {
    let house = House::new();
    let token = house.initialize("2025-06-18", "{}").await;
    let headers = [("mcp-session-id", token.as_str())];
    let mut one = Stream::of(house.get(&headers).await);
    let mut two = Stream::of(house.get(&headers).await);
    until("the session listens", || house.service.listening() == 1).await;
    house.service.tell(notification(CHANGED, "{}")).await;
    let (told, other) = tokio::select! {
        told = one.next() => (told, &mut two),
        told = two.next() => (told, &mut one),
    };
    assert_eq!(told.unwrap().json().get_text("method").as_deref(), Some(CHANGED));
    assert!(other.is_quiet().await, "each message goes to exactly one stream");
    // When one is gone the other one hears.
    drop(two);
    house.service.tell(notification("notifications/prompts/list_changed", "{}")).await;
    assert!(one.next().await.is_some());
    assert_eq!(house.service.listening(), 1);
}

#[tokio::test]
async fn what_was_told_without_a_stream_waits_for_one() {
    let house = House::new();
    let token = house.initialize("2025-06-18", "{}").await;
    let headers = [("mcp-session-id", token.as_str())];
    drop(Stream::of(house.get(&headers).await));
    until("the session listens", || house.service.listening() == 1).await;
    for _ in 0..3 {
        house.service.tell(notification(CHANGED, "{}")).await;
    }
    house.service.tell(notification("notifications/resources/list_changed", "{}")).await;
    tokio::time::sleep(Duration::from_millis(30)).await;
    let mut stream = Stream::of(house.get(&headers).await);
    let first = stream.next().await.unwrap();
    assert_eq!(first.json().get_text("method").as_deref(), Some(CHANGED));
    let second = stream.next().await.unwrap();
    assert_eq!(second.json().get_text("method").as_deref(), Some("notifications/resources/list_changed"));
    assert!(stream.is_quiet().await, "the same news is told once");
    // What was on its way when the stream broke is told again behind the last event that arrived.
    drop(stream);
    let again = [headers[0], ("last-event-id", first.id.as_deref().unwrap())];
    let mut stream = Stream::of(house.get(&again).await);
    assert_eq!(stream.next().await.unwrap(), second);
    house.service.tell(notification(CHANGED, "{}")).await;
    assert!(stream.next().await.is_some());
}

#[tokio::test]
async fn a_resource_is_heard_of_while_it_is_subscribed_to() {
    let house = House::new();
    let token = house.initialize("2025-06-18", "{}").await;
    let mut stream = Stream::of(house.get(&[("mcp-session-id", &token)]).await);
    until("the session listens", || house.service.listening() == 1).await;
    let ask = |method: &str, uri: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"resources/{method}","params":{{"uri":"{uri}"}}}}"#)
    };
    let said = body(house.legacy(&token, &ask("subscribe", "a:b")).await).await;
    assert_eq!(said, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    house.legacy(&token, &ask("subscribe", "a:b")).await;
    assert_eq!(house.service.listening(), 2);
    let updated = notification("notifications/resources/updated", r#"{"uri":"a:b"}"#);
    let listener = house.service.listeners.lock().unwrap()[1].1.clone();
    listener.send(updated.clone()).await.unwrap();
    let told = stream.next().await.unwrap().json();
    assert_eq!(told.get("params").unwrap().as_str(), r#"{"uri":"a:b"}"#);
    assert!(body_json(house.legacy(&token, &ask("unsubscribe", "a:b")).await).await.get("result").is_some());
    until("nobody listens to it", || house.service.listening() == 1).await;
    assert_eq!(
        error_code(&body_json(house.legacy(&token, &ask("subscribe", "test:none")).await).await),
        Some(-32002)
    );
    let wrong = r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{}}"#;
    assert_eq!(error_code(&body_json(house.legacy(&token, wrong).await).await), Some(-32602));
    assert!(house.delete(&[("mcp-session-id", &token)]).await.status().is_success());
    assert_eq!(stream.next().await, None, "the stream ends with the session");
    until("nobody listens", || house.service.listening() == 0).await;
}

#[tokio::test]
async fn closing_ends_what_only_waits_for_news() {
    let house = House::new();
    let token = house.initialize("2025-06-18", r#"{"elicitation":{}}"#).await;
    let mut news = Stream::of(house.get(&[("mcp-session-id", &token)]).await);
    let mut running = Stream::of(house.legacy(&token, &call(1, "ask")).await);
    let id = running.next().await.unwrap().json().get("id").unwrap();
    house.fronts.close();
    assert_eq!(news.next().await, None);
    assert_eq!(house.legacy(&token, &call(2, "echo")).await.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(house.get(&[("mcp-session-id", &token)]).await.status(), StatusCode::SERVICE_UNAVAILABLE);
    // What belongs to a call in flight is still taken.
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
    assert_eq!(house.legacy(&token, &answer).await.status(), StatusCode::ACCEPTED);
    assert!(running.next().await.unwrap().json().get("result").is_some());
}

#[tokio::test]
async fn a_get_wants_a_stream_and_only_so_many_are_open() {
    let house = House::with(FrontLimits { listeners_per_visitor: 2, ..FrontLimits::default() });
    let token = house.initialize("2025-06-18", "{}").await;
    let headers = [("mcp-session-id", token.as_str())];
    let request =
        http::Request::get("/mcp").header("accept", "application/json").header("mcp-session-id", &token);
    let response = house.send(request.body(bytes::Bytes::new()).unwrap()).await;
    assert_eq!(response.status(), StatusCode::NOT_ACCEPTABLE);
    let one = house.get(&headers).await;
    let _two = house.get(&headers).await;
    assert_eq!(house.get(&headers).await.status(), StatusCode::TOO_MANY_REQUESTS);
    drop(one);
    assert_eq!(house.get(&headers).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_stream_that_nobody_reads_is_bounded() {
    let house = House::with(FrontLimits { stream_bytes: 4096, ..FrontLimits::default() });
    let token = house.initialize("2025-06-18", "{}").await;
    let response = house.legacy(&token, &call(1, "flood")).await;
    house.service.go.notify_one();
    until("the call ends", || house.service.finished.load(Ordering::SeqCst) == 1).await;
    let text = body(response).await;
    assert!(text.len() < 8192, "{}", text.len());
    assert!(text.contains("flooded"), "the answer is never lost");
    assert!(house.fronts.counts().dropped_notifications > 0);
}

#[tokio::test]
async fn beyond_the_bytes_of_all_streams_what_was_read_is_not_kept() {
    let house = House::with(FrontLimits { kept_bytes: 0, ..FrontLimits::default() });
    let token = house.initialize("2025-11-25", "{}").await;
    let mut stream = Stream::of(house.legacy(&token, &call(1, "progress-then-wait")).await);
    let first = stream.next().await.unwrap().id.unwrap();
    stream.next().await.unwrap();
    house.service.go.notify_one();
    assert_eq!(stream.rest().await.len(), 2, "what was not read yet arrives");
    let rest =
        Stream::of(house.get(&[("mcp-session-id", &token), ("last-event-id", &first)]).await).rest().await;
    assert!(rest.len() < 3, "{rest:?}");
}
