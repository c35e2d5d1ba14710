//! Modern clients over HTTP.

use std::sync::atomic::Ordering;

use crate::scripted::*;
use http::StatusCode;

#[tokio::test]
async fn a_plain_call_is_answered_with_json() {
    let house = House::new();
    let response = house.modern("tools/call", r#""name":"echo","arguments":{"a":1.0}"#).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["content-type"], "application/json");
    assert!(!response.headers().contains_key("mcp-session-id"));
    assert_eq!(
        body(response).await,
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"echo"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scripted","version":"1"}},"resultType":"complete"}}"#
    );
    let seen = house.service.last();
    assert_eq!(seen.params.unwrap().as_str(), r#"{"name":"echo","arguments":{"a":1.0}}"#);
    assert_eq!(seen.client.capabilities.as_str(), r#"{"elicitation":{}}"#);
    assert_eq!((seen.client.session, seen.client.revision.as_str()), (None, "2026-07-28"));
    until("nothing is in flight", || house.fronts.counts().requests_in_flight == 0).await;
}

#[tokio::test]
async fn discover_says_what_there_is() {
    let house = House::new();
    let said = body_json(house.modern("server/discover", "").await).await.get("result").unwrap();
    assert_eq!(
        said.get("supportedVersions").unwrap().as_str(),
        r#"["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]"#
    );
    assert_eq!(said.get("capabilities").unwrap().as_str(), r#"{"tools":{"listChanged":true}}"#);
    assert_eq!(said.get_text("resultType").as_deref(), Some("complete"));
    assert_eq!(said.get_text("cacheScope").as_deref(), Some("private"));
    assert_eq!(said.get_text("instructions").as_deref(), Some("Use it."));
    assert!(said.get("ttlMs").is_some());
    assert_eq!(said.get("vendor").unwrap().as_str(), "1.0");
    let server = said.get("_meta").unwrap().get("io.modelcontextprotocol/serverInfo").unwrap();
    assert_eq!(server.as_str(), r#"{"name":"scripted","version":"1"}"#);
}

#[tokio::test]
async fn progress_makes_the_answer_a_stream() {
    let house = House::new();
    let params = r#""name":"progress","arguments":{}"#;
    let response = house.modern_with(5, "tools/call", params, "{}", r#""progressToken":"t""#).await;
    assert_eq!(response.headers()["x-accel-buffering"], "no");
    assert!(response.headers()["cache-control"].to_str().unwrap().contains("no-cache"));
    let events = Stream::of(response).rest().await;
    assert!(events.iter().all(|event| event.id.is_none()), "modern streams are not taken up again");
    let told: Vec<_> = events.iter().map(|event| event.json()).collect();
    assert_eq!(told.len(), 3);
    assert_eq!(told[0].get("params").unwrap().as_str(), r#"{"progressToken":"t","progress":1}"#);
    assert_eq!(told[2].get("id").unwrap().as_str(), "5");
    assert!(told[2].get("result").is_some());
}

#[tokio::test]
async fn who_wants_no_progress_hears_none() {
    let house = House::new();
    let response = house.modern("tools/call", r#""name":"progress","arguments":{}"#).await;
    assert!(!is_stream(&response));
}

#[tokio::test]
async fn closing_the_stream_ends_the_work() {
    let house = House::new();
    let params = r#""name":"progress-then-wait","arguments":{}"#;
    let response = house.modern_with(5, "tools/call", params, "{}", r#""progressToken":1"#).await;
    let mut stream = Stream::of(response);
    assert!(stream.next().await.is_some());
    assert_eq!(house.fronts.counts().requests_in_flight, 1);
    drop(stream);
    until("the call is dropped", || house.service.dropped.load(Ordering::SeqCst) == 1).await;
    until("nothing is in flight", || house.fronts.counts().requests_in_flight == 0).await;
}

#[tokio::test]
async fn what_every_request_must_say_is_asked_for() {
    let house = House::new();
    let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    let capabilities = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
    for params in [
        "{}".to_owned(),
        r#"{"_meta":{}}"#.to_owned(),
        r#"{"_meta":null}"#.to_owned(),
        format!(r#"{{"_meta":{{{capabilities}}}}}"#),
        format!(r#"{{"_meta":{{{version}}}}}"#),
        format!(r#"{{"_meta":{{{version},"io.modelcontextprotocol/clientCapabilities":[]}}}}"#),
        r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":5,"io.modelcontextprotocol/clientCapabilities":{}}}"#.to_owned(),
        format!(r#"{{"_meta":{{{version},{capabilities},"io.modelcontextprotocol/logLevel":"loud"}}}}"#),
    ] {
        let request = format!(r#"{{"jsonrpc":"2.0","id":"x","method":"server/discover","params":{params}}}"#);
        let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "server/discover")];
        let response = house.post(&headers, &request).await;
        assert_eq!(response.status(), StatusCode::BAD_REQUEST, "{params}");
        let said = body_json(response).await;
        assert_eq!(error_code(&said), Some(-32602), "{said}");
        assert_eq!(said.get("id").unwrap().as_str(), "\"x\"");
    }
    // A modern client that forgot its `_meta` is not told about sessions.
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list")];
    let response = house.post(&headers, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
    assert_eq!(error_code(&body_json(response).await), Some(-32602));
    assert!(house.service.seen().is_empty());
}

#[tokio::test]
async fn a_revision_that_is_not_served_is_refused_with_those_that_are() {
    let house = House::new();
    for revision in ["v999.0.0", "2025-11-25", ""] {
        let request = modern_body("3", "tools/list", "", "{}", "").replace("2026-07-28", revision);
        let headers = [("mcp-protocol-version", revision), ("mcp-method", "tools/list")];
        let response = house.post(&headers, &request).await;
        assert_eq!(response.status(), StatusCode::BAD_REQUEST);
        let said = body_json(response).await;
        assert_eq!(error_code(&said), Some(-32022));
        let data = said.get("error").unwrap().get("data").unwrap();
        assert_eq!(data.get_text("requested").as_deref(), Some(revision));
        assert_eq!(data.get("supported").unwrap().items().unwrap().len(), 5);
    }
}

#[tokio::test]
async fn methods_that_are_gone_or_unknown_are_not_found() {
    let house = House::new();
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "unknown/method",
    ] {
        let response = house.modern(method, "").await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{method}");
        let said = body_json(response).await;
        assert_eq!((error_code(&said), said.get("id").unwrap().as_str()), (Some(-32601), "1"), "{method}");
    }
}

#[tokio::test]
async fn errors_have_the_status_that_the_protocol_names() {
    use toolwright_jsonrpc::ErrorObject;
    for (code, status) in [
        (-32601, StatusCode::NOT_FOUND),
        (-32020, StatusCode::BAD_REQUEST),
        (-32021, StatusCode::BAD_REQUEST),
        (-32022, StatusCode::BAD_REQUEST),
        (-32602, StatusCode::OK),
        (-32603, StatusCode::OK),
        (-32042, StatusCode::OK),
    ] {
        let house = House::new();
        let error = ErrorObject::new(code, "said").with_data(json(r#"{"a":1.0}"#));
        house.service.result("tools/list", Err(error));
        let response = house.modern("tools/list", "").await;
        assert_eq!(response.status(), status, "{code}");
        assert_eq!(
            body_json(response).await.get("error").unwrap().as_str(),
            format!(r#"{{"code":{code},"message":"said","data":{{"a":1.0}}}}"#)
        );
    }
}

#[tokio::test]
async fn lists_say_how_long_they_may_be_kept() {
    let house = House::new();
    house.service.result("tools/list", Ok(json(r#"{"tools":[]}"#)));
    let said = body_json(house.modern("tools/list", "").await).await.get("result").unwrap();
    assert_eq!(said.get("ttlMs").unwrap().as_str(), "0");
    assert_eq!(said.get_text("cacheScope").as_deref(), Some("private"));
    // A modern server's own words stay as they are.
    let own = r#"{ "tools": [], "resultType":"complete","ttlMs":5, "cacheScope":"public"}"#;
    house.service.result("tools/list", Ok(json(own)));
    let said = body_json(house.modern("tools/list", "").await).await.get("result").unwrap();
    assert_eq!(said.as_str(), own);
}

#[tokio::test]
async fn a_servers_own_question_and_its_retry_pass_untouched() {
    let house = House::new();
    let asking = r#"{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list","params":{}}},"requestState":"theirs"}"#;
    house.service.result("tools/call", Ok(json(asking)));
    let params =
        r#""name":"echo","arguments":{},"inputResponses":{"a":{"roots":[]}},"requestState":"theirs""#;
    let said = body_json(house.modern("tools/call", params).await).await.get("result").unwrap();
    assert_eq!(said.as_str(), asking);
    assert_eq!(house.service.last().params.unwrap().as_str(), format!("{{{params}}}"));
}

#[tokio::test]
async fn log_messages_come_only_when_asked_for() {
    let house = House::new();
    let params = r#""name":"logs","arguments":{}"#;
    assert!(!is_stream(&house.modern("tools/call", params).await));
    let level = r#""io.modelcontextprotocol/logLevel":"warning""#;
    let response = house.modern_with(1, "tools/call", params, "{}", level).await;
    let events = Stream::of(response).rest().await;
    let levels: Vec<_> =
        events.iter().filter_map(|event| event.json().get("params")?.get_text("level")).collect();
    assert_eq!(levels, ["warning", "error"]);
    assert_eq!(house.service.last().log_level.as_deref(), Some("warning"));
    assert_eq!(house.service.last().params.unwrap().as_str(), r#"{"name":"logs","arguments":{}}"#);
}

#[tokio::test]
async fn notifications_are_taken_and_only_post_is_answered() {
    let house = House::new();
    let headers = [("mcp-protocol-version", "2026-07-28")];
    let told = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let response = house.post(&headers, told).await;
    assert_eq!(response.status(), StatusCode::ACCEPTED);
    assert_eq!(body(response).await, "");
    for response in [house.get(&headers).await, house.delete(&headers).await] {
        assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(response.headers()["allow"], "POST");
    }
    let batch = format!("[{}]", modern_body("1", "tools/list", "", "{}", ""));
    let response = house.post(&headers, &batch).await;
    assert_eq!(response.status(), StatusCode::BAD_REQUEST);
    assert_eq!(error_code(&body_json(response).await), Some(-32600));
}

#[tokio::test]
async fn a_client_that_takes_one_kind_of_answer_gets_that() {
    let house = House::new();
    let request =
        modern_body("1", "tools/call", r#""name":"progress","arguments":{}"#, "{}", r#""progressToken":1"#);
    let headers = |accept: &'static str| {
        [
            ("accept", accept),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "progress"),
        ]
    };
    assert!(!is_stream(&house.post(&headers("application/json"), &request).await));
    assert!(is_stream(&house.post(&headers("text/event-stream"), &request).await));
    assert!(is_stream(&house.post(&headers("*/*"), &request).await));
    assert_eq!(house.post(&headers("text/html"), &request).await.status(), StatusCode::NOT_ACCEPTABLE);
    let wrong = [("content-type", "text/plain")];
    assert_eq!(house.post(&wrong, &request).await.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let charset = [
        ("content-type", "Application/JSON; charset=utf-8"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "progress"),
    ];
    assert_eq!(house.post(&charset, &request).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_subscription_is_acknowledged_first_and_tagged() {
    let house = House::new();
    let wanted = r#""notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}"#;
    let mut stream = Stream::of(house.modern_with(77, "subscriptions/listen", wanted, "{}", "").await);
    let first = stream.next().await.unwrap().json();
    assert_eq!(first.get_text("method").as_deref(), Some("notifications/subscriptions/acknowledged"));
    assert_eq!(
        first.get("params").unwrap().as_str(),
        r#"{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:b"]},"_meta":{"io.modelcontextprotocol/subscriptionId":77}}"#
    );
    house.service.tell(notification("notifications/prompts/list_changed", "{}")).await;
    house.service.tell(notification("notifications/message", r#"{"level":"error","data":1}"#)).await;
    house.service.tell(notification("notifications/tools/list_changed", "{}")).await;
    let told = stream.next().await.unwrap().json();
    assert_eq!(told.get_text("method").as_deref(), Some("notifications/tools/list_changed"));
    let tag = told.get("params").unwrap().get("_meta").unwrap();
    assert_eq!(tag.as_str(), r#"{"io.modelcontextprotocol/subscriptionId":77}"#);
    assert_eq!(house.service.listening(), 1);
    drop(stream);
    until("nobody listens", || house.service.listening() == 0).await;
}

#[tokio::test]
async fn a_subscription_ends_gracefully_when_the_front_closes() {
    let house = House::new();
    let mut stream = Stream::of(house.modern("subscriptions/listen", r#""notifications":{}"#).await);
    stream.next().await.unwrap();
    house.fronts.close();
    let last = stream.next().await.unwrap().json();
    assert_eq!(
        last.as_str(),
        r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":1}}}"#
    );
    assert_eq!(stream.next().await, None);
    assert_eq!(house.modern("tools/list", "").await.status(), StatusCode::SERVICE_UNAVAILABLE);
    let response = House::new().modern("subscriptions/listen", r#""notifications":true"#).await;
    assert_eq!(response.status(), StatusCode::BAD_REQUEST);
    assert_eq!(error_code(&body_json(response).await), Some(-32602));
}

#[tokio::test]
async fn a_long_silence_becomes_a_stream_that_shows_life() {
    use std::time::Duration;
    use toolwright_mcp::front::FrontLimits;
    let limits = FrontLimits {
        silence: Duration::from_millis(30),
        keep_alive: Duration::from_millis(30),
        ..FrontLimits::default()
    };
    let house = House::with(limits);
    let response = house.modern("tools/call", r#""name":"wait","arguments":{}"#).await;
    assert!(is_stream(&response));
    tokio::time::sleep(Duration::from_millis(100)).await;
    house.service.go.notify_one();
    let text = body(response).await;
    assert!(text.starts_with(": "), "{text}");
    assert!(
        text.ends_with("\n\n") && text.contains("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\""),
        "{text}"
    );
}

#[tokio::test]
async fn a_service_that_is_slow_to_say_its_name_loses_no_answer() {
    use std::time::Duration;
    use toolwright_mcp::front::FrontLimits;
    let house = House::with(FrontLimits { silence: Duration::from_millis(30), ..FrontLimits::default() });
    for about_ms in [60_000, 200] {
        house.service.about_ms.store(about_ms, Ordering::SeqCst);
        let text = body(house.modern("tools/call", r#""name":"echo","arguments":{}"#).await).await;
        assert!(text.contains("\"resultType\":\"complete\""), "{text}");
    }
}

#[tokio::test]
async fn a_flood_of_notifications_is_bounded_and_counted() {
    let house = House::new();
    let params = r#""name":"flood","arguments":{}"#;
    let response = house.modern_with(1, "tools/call", params, "{}", r#""progressToken":1"#).await;
    house.service.go.notify_one();
    let events = Stream::of(response).rest().await;
    assert!(events.len() < 1000, "{}", events.len());
    assert!(events.last().unwrap().json().get("result").is_some());
    assert!(house.fronts.counts().dropped_notifications > 9_000);
}
