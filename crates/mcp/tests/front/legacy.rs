//! Legacy clients over HTTP: sessions, ids, cancellation, questions.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use toolwright_jsonrpc::ErrorObject;
use toolwright_mcp::front::{FrontLimits, FrontOptions, Fronts, SealKey, Visitor};

use crate::scripted::*;
use http::StatusCode;

#[tokio::test]
async fn a_session_begins_with_initialize() {
    let house = House::new();
    let request = r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"2"}}}"#;
    let response = house.post(&[], request).await;
    assert_eq!(response.status(), StatusCode::OK);
    let token = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    assert!(token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
    assert_eq!(
        body(response).await,
        r#"{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"scripted","version":"1"},"instructions":"Use it.","vendor":1.0}}"#
    );
    let response = house.legacy(&token, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    assert_eq!(response.status(), StatusCode::ACCEPTED);
    assert!(house.service.notified.lock().unwrap().is_empty(), "the greeting is between the client and us");
    let response = house.legacy(&token, &call(1, "echo")).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(
        body(response).await,
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"echo"}]}}"#
    );
    let client = house.service.last().client;
    assert_eq!((client.revision.as_str(), client.is_resumed), ("2025-06-18", false));
    assert_eq!(client.info.as_ref().unwrap().as_str(), r#"{"name":"c","version":"2"}"#);
    assert!(client.session.is_some());
    assert_eq!(house.fronts.counts().sessions, 1);
    let pong = body(house.legacy(&token, r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await).await;
    assert_eq!(pong, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
}

#[tokio::test]
async fn the_revision_is_negotiated_and_its_header_checked() {
    let house = House::new();
    for (asked, agreed) in
        [("2025-11-25", "2025-11-25"), ("2024-11-05", "2024-11-05"), ("2026-07-28", "2025-11-25")]
    {
        let request = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{asked}","capabilities":{{}}}}}}"#
        );
        let said = body_json(house.post(&[], &request).await).await;
        assert_eq!(said.get("result").unwrap().get_text("protocolVersion").as_deref(), Some(agreed));
    }
    let wrong = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    assert_eq!(error_code(&body_json(house.post(&[], wrong).await).await), Some(-32602));
    let token = house.initialize("2025-06-18", "{}").await;
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for (revision, status) in [
        ("2025-06-18", StatusCode::OK),
        ("2025-03-26", StatusCode::OK),
        ("1999-01-01", StatusCode::BAD_REQUEST),
        ("", StatusCode::BAD_REQUEST),
    ] {
        let response =
            house.post(&[("mcp-session-id", &token), ("mcp-protocol-version", revision)], ping).await;
        assert_eq!(response.status(), status, "{revision}");
    }
}

#[tokio::test]
async fn without_a_session_nothing_is_done() {
    let house = House::new();
    for message in [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ] {
        let response = house.post(&[], message).await;
        assert_eq!(response.status(), StatusCode::BAD_REQUEST, "{message}");
        let said = body_json(response).await;
        assert!(said.get("error").unwrap().get_text("message").unwrap().contains("initialize"), "{said}");
    }
    assert_eq!(house.get(&[]).await.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert!(house.service.seen().is_empty() && house.service.notified.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_token_that_is_not_ours_opens_nothing() {
    let mut house = House::new();
    let token = house.initialize("2025-11-25", "{}").await;
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let mut wrong: Vec<String> = (0..token.len())
        .step_by(11)
        .map(|at| {
            let mut bytes = token.clone().into_bytes();
            bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
            String::from_utf8(bytes).unwrap()
        })
        .collect();
    wrong.extend(["x".to_owned(), format!("{token}AAAA"), token[..token.len() - 4].to_owned()]);
    for wrong in wrong {
        assert_eq!(house.legacy(&wrong, ping).await.status(), StatusCode::NOT_FOUND, "{wrong}");
        assert_eq!(house.get(&[("mcp-session-id", &wrong)]).await.status(), StatusCode::NOT_FOUND);
        assert_eq!(house.delete(&[("mcp-session-id", &wrong)]).await.status(), StatusCode::NOT_FOUND);
    }
    house.endpoint = "/mcp/all".into();
    assert_eq!(house.legacy(&token, ping).await.status(), StatusCode::NOT_FOUND);
    house.endpoint = "/mcp".into();
    house.visitor = Visitor::everywhere("other");
    assert_eq!(house.legacy(&token, ping).await.status(), StatusCode::NOT_FOUND);
    house.visitor = Visitor::everywhere("desk");
    // A state of a parked call is no session either, and another key opens nothing.
    house.fronts = Fronts::new(FrontOptions { key: SealKey::random(), limits: FrontLimits::default() });
    assert_eq!(house.legacy(&token, ping).await.status(), StatusCode::NOT_FOUND);
    house.fronts = fronts(FrontLimits { session_age: Duration::ZERO, ..FrontLimits::default() });
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert_eq!(house.legacy(&token, ping).await.status(), StatusCode::NOT_FOUND, "too old");
}

#[tokio::test]
async fn another_replica_goes_on_with_a_session() {
    let house = House::new();
    let token = house.initialize("2025-06-18", r#"{"elicitation":{}}"#).await;
    let other = House::new();
    let response = other.legacy(&token, &call(1, "echo")).await;
    assert_eq!(response.status(), StatusCode::OK);
    let client = other.service.last().client;
    assert!(client.is_resumed);
    assert_eq!(client.revision, "2025-06-18");
    assert_eq!(client.capabilities.as_str(), r#"{"elicitation":{}}"#);
    assert_eq!(client.info.as_ref().unwrap().as_str(), r#"{"name":"t","version":"1"}"#);
    house.legacy(&token, &call(1, "echo")).await;
    assert_eq!(client.session, house.service.last().client.session);
}

#[tokio::test]
async fn an_ended_session_stays_ended() {
    let house = House::new();
    let token = house.initialize("2025-11-25", "{}").await;
    let response = house.delete(&[("mcp-session-id", &token)]).await;
    assert!(response.status().is_success());
    assert_eq!(house.service.ended.load(Ordering::SeqCst), 1);
    assert_eq!(house.fronts.counts().sessions, 0);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(house.legacy(&token, ping).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(house.delete(&[("mcp-session-id", &token)]).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn only_so_many_sessions_are_remembered_and_the_others_come_back() {
    let house = House::with(FrontLimits { sessions: 3, ..FrontLimits::default() });
    let mut tokens = Vec::new();
    for _ in 0..5 {
        tokens.push(house.initialize("2025-11-25", "{}").await);
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    assert_eq!(house.fronts.counts().sessions, 3);
    assert_eq!(house.service.ended.load(Ordering::SeqCst), 2);
    house.legacy(&tokens[0], &call(1, "echo")).await;
    assert!(house.service.last().client.is_resumed);
    house.legacy(&tokens[4], &call(1, "echo")).await;
    assert!(!house.service.last().client.is_resumed);
    assert_eq!(house.fronts.counts().sessions, 3);
}

#[tokio::test]
async fn what_a_token_may_use_can_change_during_a_session() {
    let mut house = House::new();
    let token = house.initialize("2025-11-25", "{}").await;
    house.visitor.toolboxes = Some(Arc::from(["dev".to_owned()]));
    house.legacy(&token, &call(1, "echo")).await;
    assert!(!house.service.last().client.visitor.may_use("prod"));
}

#[tokio::test]
async fn ids_go_back_as_they_came() {
    let house = House::new();
    let token = house.initialize("2025-11-25", "{}").await;
    for id in ["0", "7", "-1", "9007199254740993", "1.5", "\"\"", "\"a\\u0062\"", "\"1\"", "1e2"] {
        let said = body_json(house.legacy(&token, &call(id, "echo")).await).await;
        assert_eq!(said.get("id").unwrap().as_str(), id);
    }
    let response = house.legacy(&token, &call("null", "echo")).await;
    assert_eq!(error_code(&body_json(response).await), Some(-32600));
}

#[tokio::test]
async fn an_id_in_flight_is_not_used_twice() {
    let house = House::new();
    let token = house.initialize("2025-11-25", "{}").await;
    let first = async { body_json(house.legacy(&token, &call(5, "wait")).await).await };
    let second = async {
        until("the first is in flight", || house.fronts.counts().requests_in_flight == 1).await;
        let said = body_json(house.legacy(&token, &call(5, "echo")).await).await;
        assert_eq!(error_code(&said), Some(-32600), "{said}");
        // The same number in another session, or as a string, is another id.
        let other = house.initialize("2025-11-25", "{}").await;
        assert!(body_json(house.legacy(&other, &call(5, "echo")).await).await.get("result").is_some());
        assert!(body_json(house.legacy(&token, &call("\"5\"", "echo")).await).await.get("result").is_some());
        house.service.go.notify_one();
    };
    let (first, ()) = tokio::join!(first, second);
    assert!(first.get("result").is_some(), "the first is unharmed");
    assert!(body_json(house.legacy(&token, &call(5, "echo")).await).await.get("result").is_some());
}

#[tokio::test]
async fn a_cancelled_request_ends_and_is_not_answered() {
    let house = House::new();
    let token = house.initialize("2025-11-25", "{}").await;
    let hanging = call(5, "hang");
    let waiting = house.legacy(&token, &hanging);
    let cancel = async {
        until("it is in flight", || house.fronts.counts().requests_in_flight == 1).await;
        let other = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"5"}}"#;
        house.legacy(&token, other).await;
        assert_eq!(house.fronts.counts().requests_in_flight, 1, "another id");
        let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#;
        assert_eq!(house.legacy(&token, cancel).await.status(), StatusCode::ACCEPTED);
    };
    let (response, ()) = tokio::join!(waiting, cancel);
    assert_eq!(body(response).await, "");
    assert_eq!(house.service.dropped.load(Ordering::SeqCst), 1);
    assert_eq!(house.fronts.counts().requests_in_flight, 0);
    // The same on a stream.
    let mut stream = Stream::of(house.legacy(&token, &call(6, "progress-then-wait")).await);
    stream.next().await.unwrap();
    stream.next().await.unwrap();
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}"#;
    house.legacy(&token, cancel).await;
    assert_eq!(stream.next().await, None);
    assert_eq!(house.service.dropped.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_question_is_a_request_in_the_session() {
    let house = House::new();
    let token = house.initialize("2025-06-18", r#"{"elicitation":{}}"#).await;
    let stranger = house.initialize("2025-06-18", r#"{"elicitation":{}}"#).await;
    let mut stream = Stream::of(house.legacy(&token, &call(1, "ask")).await);
    let question = stream.next().await.unwrap().json();
    assert_eq!(question.get_text("method").as_deref(), Some("elicitation/create"));
    let id = question.get("id").unwrap();
    let answer = |said: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"action":"{said}"}}}}"#);
    // Who was not asked cannot answer.
    assert_eq!(house.legacy(&stranger, &answer("stolen")).await.status(), StatusCode::ACCEPTED);
    assert!(stream.is_quiet().await);
    assert_eq!(house.legacy(&token, &answer("accept")).await.status(), StatusCode::ACCEPTED);
    let result = stream.next().await.unwrap().json();
    assert!(result.as_str().contains(r#"{\"action\":\"accept\"}"#), "{result}");
    assert_eq!(stream.next().await, None);
    // An error is an answer too, and one to nothing is left.
    let mut stream = Stream::of(house.legacy(&token, &call(2, "ask")).await);
    let id = stream.next().await.unwrap().json().get("id").unwrap();
    let refusal = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-1,"message":"no"}}}}"#);
    house.legacy(&token, &refusal).await;
    assert_eq!(error_code(&stream.next().await.unwrap().json()), Some(-1));
    assert_eq!(house.legacy(&token, &refusal).await.status(), StatusCode::ACCEPTED);
}

#[tokio::test]
async fn who_cannot_be_asked_is_not_asked() {
    let house = House::new();
    let token = house.initialize("2025-06-18", "{}").await;
    let said = body_json(house.legacy(&token, &call(1, "ask")).await).await;
    assert_eq!(error_code(&said), Some(-32601));
    let token = house.initialize("2025-06-18", r#"{"elicitation":{}}"#).await;
    let headers = [("mcp-session-id", token.as_str()), ("accept", "application/json")];
    let said = body_json(house.post(&headers, &call(1, "ask")).await).await;
    assert_eq!(error_code(&said), Some(-32601), "it takes no stream");
}

#[tokio::test]
async fn a_question_that_nobody_waits_for_is_taken_back() {
    let house = House::new();
    let token = house.initialize("2025-06-18", r#"{"elicitation":{}}"#).await;
    let mut stream = Stream::of(house.legacy(&token, &call(1, "ask-and-leave")).await);
    let id = stream.next().await.unwrap().json().get("id").unwrap();
    house.service.go.notify_one();
    let told = stream.next().await.unwrap().json();
    assert_eq!(told.get_text("method").as_deref(), Some("notifications/cancelled"));
    assert_eq!(told.get("params").unwrap().get("requestId").unwrap(), id);
    assert!(stream.next().await.unwrap().json().get("result").is_some());
}

#[tokio::test]
async fn the_log_level_is_kept_for_the_session() {
    let house = House::new();
    let token = house.initialize("2025-06-18", "{}").await;
    let levels = |events: &[Event]| -> Vec<String> {
        events.iter().filter_map(|event| event.json().get("params")?.get_text("level")).collect()
    };
    let events = Stream::of(house.legacy(&token, &call(1, "logs")).await).rest().await;
    assert_eq!(levels(&events), ["debug", "warning", "error"]);
    let set = |level: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{{"level":"{level}"}}}}"#)
    };
    assert!(body_json(house.legacy(&token, &set("error")).await).await.get("result").is_some());
    assert_eq!(error_code(&body_json(house.legacy(&token, &set("loud")).await).await), Some(-32602));
    let events = Stream::of(house.legacy(&token, &call(3, "logs")).await).rest().await;
    assert_eq!(levels(&events), ["error"]);
    assert_eq!(house.service.last().log_level.as_deref(), Some("error"));
}

#[tokio::test]
async fn results_and_errors_are_of_the_era() {
    let house = House::new();
    let token = house.initialize("2025-11-25", "{}").await;
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let result = r#"{"tools":[],"resultType":"complete","ttlMs":1,"cacheScope":"public","x":1.0}"#;
    house.service.result("tools/list", Ok(json(result)));
    let said = body_json(house.legacy(&token, list).await).await;
    assert_eq!(said.get("result").unwrap().as_str(), r#"{"tools":[],"x":1.0}"#);
    let missing = ErrorObject::new(-32602, "none").with_data(json(r#"{"uri":"a:b"}"#));
    house.service.result("resources/read", Err(missing));
    let read = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}"#;
    let response = house.legacy(&token, read).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(error_code(&body_json(response).await), Some(-32602), "the service has translated it");
    let unknown = r#"{"jsonrpc":"2.0","id":1,"method":"unknown/method"}"#;
    let response = house.legacy(&token, unknown).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(error_code(&body_json(response).await), Some(-32601));
}

#[tokio::test]
async fn only_the_revision_with_batches_has_them() {
    let house = House::new();
    let batch = format!(
        "[{},{},{},{},5]",
        call(1, "echo"),
        r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
        call("\"b\"", "progress"),
        r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#
    );
    for revision in ["2025-11-25", "2025-06-18", "2024-11-05"] {
        let token = house.initialize(revision, "{}").await;
        let response = house.legacy(&token, &batch).await;
        assert_eq!(response.status(), StatusCode::BAD_REQUEST);
        assert_eq!(error_code(&body_json(response).await), Some(-32600));
    }
    assert!(house.service.seen().is_empty());
    let token = house.initialize("2025-03-26", "{}").await;
    let events = Stream::of(house.legacy(&token, &batch).await).rest().await;
    let mut ids: Vec<String> =
        events.iter().filter_map(|event| Some(event.json().get("id")?.to_string())).collect();
    ids.sort();
    assert_eq!(ids, ["\"b\"", "1", "3", "null"]);
    assert_eq!(events.len(), 6, "two of them are progress");
    assert_eq!(house.service.notified.lock().unwrap().len(), 1);
    let headers = [("mcp-session-id", token.as_str()), ("accept", "application/json")];
    let answers = body_json(house.post(&headers, &batch).await).await.items().unwrap();
    assert_eq!(answers.len(), 4);
    let silent = r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#;
    assert_eq!(house.legacy(&token, silent).await.status(), StatusCode::ACCEPTED);
    for wrong in ["[]".to_owned(), format!("[{}]", vec!["{}"; 65].join(","))] {
        assert_eq!(error_code(&body_json(house.legacy(&token, &wrong).await).await), Some(-32600));
    }
}

#[tokio::test]
async fn one_client_does_not_work_on_everything_at_once() {
    let house = House::with(FrontLimits { calls_per_session: 2, ..FrontLimits::default() });
    let token = house.initialize("2025-11-25", "{}").await;
    let (one, two) = (call(1, "wait"), call(2, "wait"));
    let waiting = async { tokio::join!(house.legacy(&token, &one), house.legacy(&token, &two)) };
    let third = async {
        until("two are in flight", || house.fronts.counts().requests_in_flight == 2).await;
        let said = body_json(house.legacy(&token, &call(3, "echo")).await).await;
        assert_eq!(error_code(&said), Some(-32603));
        house.service.go.notify_one();
        house.service.go.notify_one();
        until("one is done", || house.service.finished.load(Ordering::SeqCst) > 0).await;
        house.service.go.notify_waiters();
    };
    let _ = tokio::join!(waiting, third);
}
