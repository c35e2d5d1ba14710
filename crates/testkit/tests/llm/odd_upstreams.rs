//! Upstreams that answer with something that is no answer: pages, errors with a good status, another dialect, a way
//! elsewhere, or the key that they were given.

use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::Response;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};
use toolwright_testkit::llm_upstream::{Dialect, LlmUpstream};
use toolwright_testkit::load::{Answer, Served, Wire};

use crate::broken_streams::{Seen, end_of, is_error};
use crate::stage::{FRONTS, KEY, SOON, Stage, entry, path, question, request, serve};

const ALL: [Dialect; 4] = [Dialect::Chat, Dialect::Anthropic, Dialect::Responses, Dialect::Ollama];

/// An upstream that answers everything with this.
async fn always(status: u16, head: &[(&'static str, String)], body: impl Into<String>) -> String {
    let (head, body) = (head.to_vec(), body.into());
    let app = Router::new().fallback(move || {
        let mut response = Response::builder().status(status);
        for (name, value) in &head {
            response = response.header(*name, value);
        }
        let response = response.body(Body::from(body.clone())).expect("a response");
        async move { response }
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, app).await });
    url
}

fn kind(kind: &str) -> (&'static str, String) {
    ("content-type", kind.to_owned())
}

async fn ask(gateway: &Served, front: Dialect, body: &Value) -> Answer {
    let asked = async {
        let mut wire = Wire::connect(gateway.address).await.expect("a connection");
        let bytes = request(gateway.address, &gateway.token, path(front), "", &body.to_string());
        wire.ask(bytes.as_bytes()).await
    };
    timeout(SOON, asked).await.expect("it does not hang").expect("an answer")
}

/// An answer that says something, in another dialect than this.
fn of_another(dialect: Dialect) -> String {
    match dialect {
        Dialect::Chat => r#"{"type":"message","content":[{"type":"text","text":"hi"}]}"#,
        _ => r#"{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}"#,
    }
    .to_owned()
}

/// An error as the first event of a stream.
fn error_event(dialect: Dialect) -> (&'static str, String) {
    let (kind, event) = match dialect {
        Dialect::Chat => (
            "text/event-stream",
            "data: {\"error\":{\"message\":\"too busy\",\"type\":\"server_error\"}}\n\n",
        ),
        Dialect::Anthropic => (
            "text/event-stream",
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"too busy\"}}\n\n",
        ),
        Dialect::Responses => (
            "text/event-stream",
            "event: error\ndata: {\"type\":\"error\",\"code\":\"server_error\",\"message\":\"too busy\",\"param\":null,\"sequence_number\":0}\n\n",
        ),
        Dialect::Ollama => ("application/x-ndjson", "{\"error\":\"too busy\"}\n"),
    };
    (kind, event.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_answer_is_an_error_and_the_next_upstream_is_asked() {
    for upstream in ALL {
        let good = LlmUpstream::start().await.expect("a port");
        let mut odd = vec![
            ("text/html", "<html><body>Login</body></html>".to_owned()),
            ("application/json", String::new()),
            ("application/json", "not json".to_owned()),
            ("application/json", r#"{"error":{"message":"too busy","type":"server_error"}}"#.to_owned()),
        ];
        // Ollama's whole answers are streams of one line, whatever they call themselves.
        if upstream != Dialect::Ollama {
            odd.push(("application/json", of_another(upstream)));
        }
        let whole = odd.len();
        odd.push(error_event(upstream));
        odd.push((error_event(upstream).0, ": nothing but a comment\n\n".to_owned()));
        for (number, (content_type, body)) in odd.into_iter().enumerate() {
            let url = always(200, &[kind(content_type)], body.clone()).await;
            let alone =
                serve(&json!({"upstreams": {"odd": entry(upstream, &url)}, "models": {"*": "odd/*"}}));
            let two = serve(&json!({
                "upstreams": {"odd": entry(upstream, &url), "good": entry(upstream, &good.url)},
                "models": {"*": ["odd/*", "good/plain"]},
            }));
            let other = ALL[(ALL.iter().position(|of| *of == upstream).expect("known") + 1) % 4];
            for front in [upstream, other] {
                for is_stream in [false, true] {
                    if number >= whole && !is_stream {
                        continue;
                    }
                    let what = format!("{upstream:?} to {front:?}, {is_stream}, {content_type} {body:?}");
                    let asked = question(front, "plain", is_stream);
                    let answer = ask(&alone, front, &asked).await;
                    assert!(answer.status >= 500 && is_error(&answer, front), "{what}: {}", answer.text());
                    if body.contains("busy") {
                        assert!(answer.text().contains("too busy"), "{what}: {}", answer.text());
                    }
                    let answer = ask(&two, front, &asked).await;
                    let text = answer.text();
                    assert!(answer.status == 200 && text.contains("Good morn"), "{what}: {text}");
                    if is_stream {
                        assert_eq!(end_of(&text, front), Seen::Clean, "{what}: {text}");
                    }
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_way_elsewhere_is_told_and_not_gone() {
    for status in [301, 307] {
        let url = always(status, &[("location", "https://elsewhere.example/v1".to_owned())], "moved").await;
        let gateway =
            serve(&json!({"upstreams": {"odd": entry(Dialect::Chat, &url)}, "models": {"*": "odd/*"}}));
        for (_, front) in FRONTS {
            let answer = ask(&gateway, front, &question(front, "plain", true)).await;
            let text = answer.text();
            assert!(answer.status == 502 && is_error(&answer, front), "{status}: {text}");
            assert!(
                text.contains("https://elsewhere.example/v1") && text.contains("llm.upstreams.odd.url"),
                "{text}"
            );
            assert_eq!(answer.header("location"), None);
        }
    }
}

/// Every place in which an upstream may repeat the key that it was given.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_an_upstream_repeats_is_told_to_nobody() {
    let chat = json!({
        "id": KEY, "choices": [{"index": 0, "message": {"role": "assistant", "content": KEY}, "finish_reason": "stop"}],
    });
    let stream = format!(
        "data: {{\"id\":\"1\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{KEY}\"}}}}]}}\n\ndata: {{\"error\":{{\"message\":\"{KEY}\"}}}}\n\n"
    );
    let error =
        json!({"error": {"message": format!("the key {KEY} is not known"), "type": "authentication_error"}});
    for (status, content_type, body) in [
        (200, "application/json", chat.to_string()),
        (200, "text/event-stream", stream),
        (401, "application/json", error.to_string()),
        (500, "text/plain", KEY.to_owned()),
    ] {
        let head =
            [kind(content_type), ("x-request-id", KEY.to_owned()), ("x-ratelimit-key", KEY.to_owned())];
        let url = always(status, &head, body).await;
        let gateway =
            serve(&json!({"upstreams": {"odd": entry(Dialect::Chat, &url)}, "models": {"*": "odd/*"}}));
        for (_, front) in FRONTS {
            for is_stream in [false, true] {
                let answer = ask(&gateway, front, &question(front, "plain", is_stream)).await;
                let all = format!("{:?}{}", answer.head, answer.text());
                assert!(!all.contains(KEY), "{status} {content_type} to {front:?}: {all}");
            }
        }
        let (_, records, _) = gateway.run(&["audit", "export"]);
        assert!(!records.contains(KEY) && !gateway.log().contains(KEY), "{records}");
    }
}

/// The exchanges that were written down, when there are as many.
async fn exchanges(gateway: &Served, count: usize) -> Vec<Value> {
    let began = Instant::now();
    loop {
        let (_, text, _) = gateway.run(&["audit", "export"]);
        let records = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let found: Vec<Value> = records.filter(|record| record["kind"] == "exchange").collect();
        if found.len() >= count || began.elapsed() > SOON {
            return found;
        }
        sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_of_the_second_upstream_is_written_down_as_what_it_came_to() {
    let good = LlmUpstream::start().await.expect("a port");
    let url = always(503, &[kind("text/plain")], "away").await;
    let gateway = serve(&json!({
        "upstreams": {"odd": entry(Dialect::Chat, &url), "good": entry(Dialect::Chat, &good.url)},
        "models": {"*": ["odd/*", "good/plain"]},
    }));
    for front in [Dialect::Chat, Dialect::Anthropic] {
        assert_eq!(ask(&gateway, front, &question(front, "plain", true)).await.status, 200);
    }
    for record in exchanges(&gateway, 2).await {
        assert_eq!(record["error"], Value::Null, "{record}");
        let told = &record["exchange"];
        assert_eq!((&told["status"], &told["attempts"]), (&json!(200), &json!(2)), "{record}");
        assert_eq!(told["upstream"], "good", "{record}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_of_answers_that_were_asked_for_again_count() {
    let server = LlmUpstream::start().await.expect("a port");
    let up = entry(Dialect::Chat, &server.url);
    let gateway = serve(&json!({"upstreams": {"up": up}, "models": {"*": "up/*"}, "reask": 1}));
    assert_eq!(ask(&gateway, Dialect::Chat, &question(Dialect::Chat, "plain", false)).await.status, 200);
    let body = question(Dialect::Chat, "b9-corrects-itself", false);
    assert_eq!(ask(&gateway, Dialect::Chat, &body).await.status, 200);
    let records = exchanges(&gateway, 2).await;
    let output = |number: usize| records[number]["exchange"]["output_tokens"].as_u64().expect("a count");
    assert!(output(0) > 0 && output(1) == 2 * output(0), "{records:?}");
    assert_eq!(records[1]["exchange"]["attempts"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_upstream_of_the_same_dialect_does_not_leave_its_client_without_a_word() {
    let stage = Stage::set(Dialect::Chat).await;
    let body = question(Dialect::Chat, "plain+hold=2", true).to_string();
    let (address, token) = (stage.gateway.address, &stage.gateway.token);
    let mut wire = Wire::connect(address).await.expect("a connection");
    wire.send(request(address, token, "/v1/chat/completions", "", &body).as_bytes()).await.expect("sent");
    let head = timeout(SOON, wire.receive_head()).await.expect("soon").expect("a head");
    assert_eq!(head.status, 200);
    let mut seen = String::new();
    while !seen.contains(": ping\n\n") {
        let chunk = timeout(SOON, wire.receive_chunk()).await.expect("a ping").expect("a chunk");
        seen.push_str(&String::from_utf8_lossy(&chunk.expect("it goes on")));
    }
    assert!(seen.starts_with("data: "), "{seen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_that_are_elsewhere_are_refused_in_the_words_of_who_asks() {
    let stage = Stage::set(Dialect::Chat).await;
    for (path, front) in [
        ("/v1/embeddings", Dialect::Chat),
        ("/v1/messages/batches", Dialect::Anthropic),
        ("/api/generate", Dialect::Ollama),
    ] {
        let answer = stage.post(path, "{}").await;
        assert!(answer.status == 404 && is_error(&answer, front), "{path}: {}", answer.text());
        assert!(answer.text().contains("/v1/chat/completions"), "{}", answer.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_beside_the_token_in_authorization_is_not_passed_on() {
    let server = LlmUpstream::start().await.expect("a port");
    let mut up = entry(Dialect::Anthropic, &server.url);
    up.as_object_mut().expect("an object").remove("apiKey");
    let gateway = serve(&json!({"upstreams": {"up": up}, "models": {"*": "up/*"}}));
    let body = question(Dialect::Anthropic, "plain", false).to_string();
    let bytes = request(gateway.address, &gateway.token, "/v1/messages", "x-api-key: sk-own\r\n", &body);
    let mut wire = Wire::connect(gateway.address).await.expect("a connection");
    let answer = timeout(SOON, wire.ask(bytes.as_bytes())).await.expect("soon").expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let asked = server.exchanges().pop().expect("it was asked").asked;
    assert_eq!((asked.header("x-api-key"), asked.header("authorization")), (None, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_of_the_configuration_are_told_and_open_no_other_way() {
    let server = LlmUpstream::start().await.expect("a port");
    let gateway = serve(&json!({"upstreams": "none"}));
    let answer = ask(&gateway, Dialect::Anthropic, &question(Dialect::Anthropic, "claude-x", false)).await;
    assert_eq!(answer.status, 404, "no provider is asked: {}", answer.text());
    let (code, _, said) = gateway.run(&["llm", "check"]);
    assert!(code == 1 && said.contains("llm.upstreams"), "{code}: {said}");
    // A file without a key in it, and an upstream that was left out.
    let folder = tempfile::tempdir().expect("a folder");
    let key_file = folder.path().join("key");
    std::fs::write(&key_file, "\n").expect("written");
    let mut up = entry(Dialect::Chat, &server.url);
    let members = up.as_object_mut().expect("an object");
    members.remove("apiKey");
    members.insert("apiKeyFile".to_owned(), json!(key_file));
    let settings = json!({
        "upstreams": {"up": up, "wrong": {"kind": "nobody", "url": "http://127.0.0.1:1"}},
        "models": {"a*": "wrong/*", "*": "up/*"},
    });
    gateway.configure(&json!({"llm": settings}).to_string());
    let began = Instant::now();
    let left_out = question(Dialect::Chat, "abc", false);
    let is_there = |answer: &Answer| answer.text().contains("mend llm.upstreams.wrong");
    let mut answer = ask(&gateway, Dialect::Chat, &left_out).await;
    while !is_there(&answer) && began.elapsed() < SOON {
        sleep(Duration::from_millis(50)).await;
        answer = ask(&gateway, Dialect::Chat, &left_out).await;
    }
    assert!(answer.status == 404 && is_there(&answer), "{}", answer.text());
    let answer = ask(&gateway, Dialect::Chat, &question(Dialect::Chat, "plain", false)).await;
    assert!(
        answer.status >= 500 && answer.text().contains("key of upstream \\\"up\\\" is empty"),
        "{}",
        answer.text()
    );
    assert!(server.exchanges().is_empty(), "nobody is asked without a key");
}

#[tokio::test(flavor = "multi_thread")]
async fn llm_check_tells_what_an_upstream_can_do_as_text_and_as_json() {
    let stage = Stage::set(Dialect::Chat).await;
    let model = "s2-two-calls-in-one-chunk";
    let (code, text, error) = stage.gateway.run(&["llm", "check", "--upstream", "up", "--model", model]);
    assert_eq!(code, 0, "{text}{error}");
    assert!(text.contains("up  ") && text.contains("whole: calls tools"), "{text}");
    let (_, text, _) = stage.gateway.run(&["llm", "check", "--json"]);
    let told: Value = serde_json::from_str(&text).expect("JSON");
    assert!(told["upstreams"][0]["answers"]["ok"]["milliseconds"].is_u64(), "{told}");
    let (code, _, error) = stage.gateway.run(&["llm", "check", "--upstream", "nobody"]);
    assert!(code == 2 && error.contains("name one of up"), "{code}: {error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn llm_check_has_every_destination_of_a_model_call_a_tool() {
    let (good, other) =
        (LlmUpstream::start().await.expect("a port"), LlmUpstream::start().await.expect("a port"));
    let settings = json!({
        "upstreams": {"first": entry(Dialect::Chat, &good.url), "second": entry(Dialect::Chat, &other.url)},
        "models": {"*": ["first/s2-two-calls-in-one-chunk", "second/plain", "second/s2-two-calls-in-one-chunk"]},
    });
    let gateway = serve(&settings);
    let (_, text, error) = gateway.run(&["llm", "check", "--model", "any", "--json"]);
    let told: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{error}"));
    let tried: Vec<(&Value, &Value)> = told["upstreams"]
        .as_array()
        .expect("a list")
        .iter()
        .flat_map(|upstream| upstream["tried"].as_array().expect("a list"))
        .map(|tried| (&tried["model"], &tried["whole"]["ok"]))
        .collect();
    // The scenario calls a tool of its own, so what it sends does not fit the one that is asked for.
    let calls = json!("calls tools, with arguments that do not fit");
    let silent = json!("answers, but did not call the tool it was to call");
    let (model, plain) = (json!("s2-two-calls-in-one-chunk"), json!("plain"));
    assert_eq!(tried, [(&model, &calls), (&plain, &silent), (&model, &calls)], "{told}");
}
