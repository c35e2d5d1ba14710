//! What the configuration and tokens say of models, and what is written down of them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use toolwright_testkit::llm_upstream::{Dialect, LlmUpstream};
use toolwright_testkit::load::{Answer, Served, Wire};

use crate::stage::{FRONTS, KEY, SOON, Stage, entry, path, question, request, serve};

async fn ask(gateway: &Served, token: &str, front: Dialect, body: &Value) -> Answer {
    let mut wire = Wire::connect(gateway.address).await.expect("a connection");
    let bytes = request(gateway.address, token, path(front), "", &body.to_string());
    timeout(SOON, wire.ask(bytes.as_bytes())).await.expect("soon").expect("an answer")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_told_what_was_wrong_calls_again() {
    for upstream in [Dialect::Chat, Dialect::Anthropic, Dialect::Responses, Dialect::Ollama] {
        let server = LlmUpstream::start().await.expect("a port");
        let up = entry(upstream, &server.url);
        let gateway = serve(&json!({"upstreams": {"up": up}, "models": {"*": "up/*"}, "reask": 1}));
        for (_, front) in FRONTS {
            for is_stream in [false, true] {
                let before = server.exchanges().len();
                let body = question(front, "b9-corrects-itself", is_stream);
                let answer = ask(&gateway, &gateway.token, front, &body).await;
                let text = answer.text();
                assert_eq!(answer.status, 200, "{upstream:?} to {front:?}: {text}");
                assert!(text.contains("Zürich"), "{upstream:?} to {front:?}, {is_stream}: {text}");
                let asked = server.exchanges().split_off(before);
                assert_eq!(asked.len(), 2, "{upstream:?} to {front:?}");
                assert!(
                    asked[1].asked.body.contains("city"),
                    "it is told what is missing: {}",
                    asked[1].asked.body
                );
            }
        }
        // Without tools nothing can be wrong, and the answer streams.
        let mut plain = question(Dialect::Chat, "plain", true);
        plain.as_object_mut().expect("an object").remove("tools");
        let answer = ask(&gateway, &gateway.token, Dialect::Chat, &plain).await;
        assert!(answer.text().contains("[DONE]"), "{}", answer.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_reask_a_wrong_call_reaches_the_client_who_tells_the_model() {
    let stage = Stage::set(Dialect::Chat).await;
    let answer = stage
        .post("/v1/messages", &question(Dialect::Anthropic, "b9-corrects-itself", false).to_string())
        .await;
    let told: Value = serde_json::from_str(&answer.text()).expect("JSON");
    assert_eq!(told["content"][0]["input"], json!({"days": 3}), "{told}");
    assert_eq!(stage.upstream.exchanges().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_dialect_keeps_its_bytes_both_ways() {
    for (upstream, model) in [
        (Dialect::Chat, "s1-text-then-two-calls"),
        (Dialect::Anthropic, "s9-reasoning"),
        (Dialect::Responses, "s1-text-then-two-calls"),
        (Dialect::Ollama, "s7-text-after-the-call"),
    ] {
        let stage = Stage::set(upstream).await;
        for is_stream in [false, true] {
            // White space, unknown members and the order of things are the client's own.
            let body = question(upstream, model, is_stream);
            let body = serde_json::to_string_pretty(&body).expect("JSON");
            let body = body.replacen('{', "{ \"x_unknown\" : [ 1.0, 1e2 ],", 1);
            let through = stage.post(path(upstream), &body).await;
            let sent = stage.upstream.exchanges().pop().expect("it was asked").asked.body;
            assert_eq!(sent, body, "{upstream:?}");
            let direct = direct(&stage.upstream.url, upstream, &body).await;
            assert_eq!(through.text(), direct.text(), "{upstream:?}, {is_stream}");
        }
    }
}

/// Asks the upstream without the gateway.
async fn direct(url: &str, dialect: Dialect, body: &str) -> Answer {
    let address = url.trim_start_matches("http://").parse().expect("an address");
    let mut wire = Wire::connect(address).await.expect("a connection");
    let bytes = request(address, KEY, path(dialect), "", body);
    timeout(SOON, wire.ask(bytes.as_bytes())).await.expect("soon").expect("an answer")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_for_some_models_opens_no_others_and_is_told_so() {
    let stage = Stage::set(Dialect::Chat).await;
    let (code, token, error) = stage.gateway.run(&["token", "add", "ci", "--model", "plain*"]);
    assert_eq!(code, 0, "{error}");
    let token = token.split_whitespace().find(|word| word.starts_with("tw_")).expect("a token").to_owned();
    for (_, front) in FRONTS {
        let allowed = question(front, "plain", false);
        // A new token is known within a moment.
        let began = Instant::now();
        let status = loop {
            let answer = ask(&stage.gateway, &token, front, &allowed).await;
            if answer.status != 401 || began.elapsed() > SOON {
                break answer.status;
            }
            sleep(Duration::from_millis(50)).await;
        };
        assert_eq!(status, 200, "{front:?}");
        let other =
            ask(&stage.gateway, &token, front, &question(front, "s1-text-then-two-calls", false)).await;
        assert_eq!(other.status, 403, "{front:?}: {}", other.text());
        assert!(other.text().contains("plain*"), "{}", other.text());
    }
    assert!(stage.upstream.asked_for("s1").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_configuration_is_in_force_for_the_next_request() {
    let (first, second) =
        (LlmUpstream::start().await.expect("a port"), LlmUpstream::start().await.expect("a port"));
    let settings =
        |url: &str| json!({"upstreams": {"up": entry(Dialect::Chat, url)}, "models": {"*": "up/*"}});
    let gateway = serve(&settings(&first.url));
    let body = question(Dialect::Anthropic, "plain", false);
    assert_eq!(ask(&gateway, &gateway.token, Dialect::Anthropic, &body).await.status, 200);
    gateway.configure(&json!({"llm": settings(&second.url)}).to_string());
    let began = Instant::now();
    while second.exchanges().is_empty() && began.elapsed() < SOON {
        assert_eq!(ask(&gateway, &gateway.token, Dialect::Anthropic, &body).await.status, 200);
        sleep(Duration::from_millis(50)).await;
    }
    assert!(!second.exchanges().is_empty(), "{}", gateway.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_exchange_is_written_down_without_its_bodies() {
    let stage = Stage::set(Dialect::Chat).await;
    let body = question(Dialect::Anthropic, "s8-malformed-stream", true);
    assert_eq!(ask(&stage.gateway, &stage.gateway.token, Dialect::Anthropic, &body).await.status, 200);
    let exported = || -> Vec<Value> {
        let (_, text, _) = stage.gateway.run(&["audit", "export"]);
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    };
    let began = Instant::now();
    let is_there = |records: &[Value]| records.iter().any(|record| record["kind"] == "exchange");
    while !is_there(&exported()) && began.elapsed() < SOON {
        sleep(Duration::from_millis(50)).await;
    }
    let records = exported();
    let exchange = records.iter().find(|record| record["kind"] == "exchange").expect("an exchange");
    let told = &exchange["exchange"];
    assert_eq!((&exchange["front"], &exchange["client"]), (&json!("llm"), &json!("default")));
    assert_eq!((&told["model"], &told["upstream"]), (&json!("s8-malformed-stream"), &json!("up")));
    assert_eq!(
        (&told["input_tokens"], &told["cache_read_tokens"], &told["output_tokens"]),
        (&json!(36), &json!(64), &json!(20))
    );
    assert_eq!(
        (&told["calls"], &told["repaired"], &told["stop"]),
        (&json!(1), &json!(1), &json!("tool_use"))
    );
    assert!(
        told["first_token_us"].as_u64() <= exchange["duration_us"].as_u64()
            && told["first_token_us"].is_u64()
    );
    let call = records.iter().find(|record| record["tool"] == "get_weather").expect("the call");
    assert_eq!(call["normalized"], json!({"city": "Zürich", "days": 3}));
    let all = json!(records).to_string();
    assert!(!all.contains("What is the weather") && !all.contains(KEY), "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_written_down_where_that_is_asked_for_and_keys_are_not() {
    let server = LlmUpstream::start().await.expect("a port");
    let gateway = serve(&json!({
        "upstreams": {"up": entry(Dialect::Chat, &server.url)}, "models": {"*": "up/*"}, "keepBodies": true,
    }));
    let mut body = question(Dialect::Anthropic, "plain", false);
    body["system"] = json!(format!("the key is {KEY}"));
    assert_eq!(ask(&gateway, &gateway.token, Dialect::Anthropic, &body).await.status, 200);
    let (_, text, _) = gateway.run(&["audit", "export"]);
    assert!(text.contains("What is the weather in Zürich?") && text.contains("Good morning"), "{text}");
    assert!(!text.contains(KEY), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clients_own_key_goes_on_where_the_gateway_has_none() {
    let server = LlmUpstream::start().await.expect("a port");
    let mut up = entry(Dialect::Anthropic, &server.url);
    up.as_object_mut().expect("an object").remove("apiKey");
    let gateway = serve(&json!({"upstreams": {"up": up}, "models": {"*": "up/*"}}));
    let body = question(Dialect::Anthropic, "plain", false).to_string();
    let (address, token) = (gateway.address, &gateway.token);
    let bytes = format!(
        "POST /v1/messages?beta=true HTTP/1.1\r\nhost: {address}\r\nx-toolwright-token: {token}\r\nx-api-key: sk-own\r\n\
         anthropic-beta: a-2025,b-2026\r\nanthropic-version: 2099-01-01\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut wire = Wire::connect(address).await.expect("a connection");
    let answer = timeout(SOON, wire.ask(bytes.as_bytes())).await.expect("soon").expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let asked = server.exchanges().pop().expect("it was asked").asked;
    assert_eq!(asked.header("x-api-key"), Some("sk-own"));
    assert_eq!(asked.header("anthropic-beta"), Some("a-2025,b-2026"));
    assert_eq!(asked.header("anthropic-version"), Some("2099-01-01"));
    assert_eq!(asked.header("x-toolwright-token"), None);
    assert!(asked.path.ends_with("?beta=true"), "{}", asked.path);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_for_some_models_reaches_no_others_by_fallbacks() {
    let stage = Stage::set(Dialect::Chat).await;
    let (code, token, error) = stage.gateway.run(&["token", "add", "ci", "--model", "plain*"]);
    assert_eq!(code, 0, "{error}");
    let token = token.split_whitespace().find(|word| word.starts_with("tw_")).expect("a token").to_owned();
    let with = |more: Value| {
        let mut body = question(Dialect::Chat, "plain", false);
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        body
    };
    let began = Instant::now();
    while ask(&stage.gateway, &token, Dialect::Chat, &with(json!({}))).await.status == 401
        && began.elapsed() < SOON
    {
        sleep(Duration::from_millis(50)).await;
    }
    for (more, status) in [
        (json!({}), 200),
        (json!({"models": ["plain", "plain+crlf"]}), 200),
        (json!({"models": ["plain", "s9-reasoning"]}), 403),
        (json!({"models": ["s9-reasoning"], "route": "fallback"}), 403),
        (json!({"route": "fallback"}), 403),
        (json!({"extra_body": {"models": ["s9-reasoning"]}}), 403),
    ] {
        let before = stage.upstream.exchanges().len();
        let answer = ask(&stage.gateway, &token, Dialect::Chat, &with(more.clone())).await;
        assert_eq!(answer.status, status, "{more}: {}", answer.text());
        assert_eq!(stage.upstream.exchanges().len() > before, status == 200, "{more}");
        // The owner may ask every model.
        let answer = ask(&stage.gateway, &stage.gateway.token, Dialect::Chat, &with(more)).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    // Routers read lists of models, headers and the query too.
    let listed =
        ask(&stage.gateway, &token, Dialect::Chat, &question(Dialect::Chat, "plain,s9-reasoning", false))
            .await;
    assert_eq!(listed.status, 403, "{}", listed.text());
    let more =
        "x-portkey-config: {\"model\":\"s9-reasoning\"}\r\nx-model: s9-reasoning\r\nopenai-project: p\r\n";
    for (token, is_limited) in [(&token, true), (&stage.gateway.token, false)] {
        let body = with(json!({})).to_string();
        let place = format!("{}?beta=true&model=s9-reasoning", path(Dialect::Chat));
        let mut wire = Wire::connect(stage.gateway.address).await.expect("a connection");
        let bytes = request(stage.gateway.address, token, &place, more, &body);
        let answer = timeout(SOON, wire.ask(bytes.as_bytes())).await.expect("soon").expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.text());
        let asked = stage.upstream.exchanges().pop().expect("it was asked").asked;
        assert_eq!(asked.header("openai-project"), Some("p"));
        assert_eq!(asked.header("x-model").is_none(), is_limited);
        assert_eq!(asked.header("x-portkey-config").is_none(), is_limited);
        assert_eq!(asked.path.ends_with("?beta=true"), is_limited, "{}", asked.path);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_an_unknown_tool_is_recorded_as_one() {
    for is_stream in [false, true] {
        let stage = Stage::set(Dialect::Chat).await;
        let body = question(Dialect::Anthropic, "s6-no-id", is_stream).to_string();
        let answer = stage.post("/v1/messages", &body.replace("get_weather", "launch_rocket")).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let exported = || -> Vec<Value> {
            let (_, text, _) = stage.gateway.run(&["audit", "export"]);
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
        };
        let began = Instant::now();
        let is_there = |records: &[Value]| records.iter().any(|record| record["tool"] == "get_weather");
        while !is_there(&exported()) && began.elapsed() < SOON {
            sleep(Duration::from_millis(50)).await;
        }
        let records = exported();
        let call = records.iter().find(|record| record["tool"] == "get_weather").expect("the call");
        assert_eq!(call["error"]["code"], "unknown_tool", "{call}");
        assert!(
            call["error"]["message"].as_str().is_some_and(|message| message.contains("get_weather")),
            "{call}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_learns_what_the_upstream_was_not_told() {
    let stage = Stage::set(Dialect::Responses).await;
    for is_stream in [false, true] {
        let mut body = question(Dialect::Chat, "plain", is_stream);
        let answer = stage.post(path(Dialect::Chat), &body.to_string()).await;
        assert_eq!(answer.header("x-toolwright-notes"), None, "{}", answer.text());
        body["stop"] = json!(["END"]);
        let answer = stage.post(path(Dialect::Chat), &body.to_string()).await;
        assert_eq!((answer.status, answer.header("x-toolwright-notes")), (200, Some("stop_not_sent")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_upstream_says_of_its_models_is_passed_on() {
    let get = async |stage: &Stage, place: &str, more: &str| -> Value {
        let (address, token) = (stage.gateway.address, &stage.gateway.token);
        let mut wire = Wire::connect(address).await.expect("a connection");
        let bytes =
            format!("GET {place} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n{more}\r\n");
        let answer = timeout(SOON, wire.ask(bytes.as_bytes())).await.expect("soon").expect("an answer");
        serde_json::from_str(&answer.text()).expect("JSON")
    };
    let stage = Stage::set(Dialect::Chat).await;
    let told = get(&stage, "/v1/models/plain", "").await;
    assert_eq!((&told["name"], &told["context_length"]), (&json!("The plain"), &json!(4096)), "{told}");
    assert_eq!(told["capabilities"], json!(["vision"]));
    let told = get(&stage, "/v1/models", "anthropic-version: 2023-06-01\r\n").await;
    assert_eq!(told["data"][0]["display_name"], "The plain", "{told}");
    let told = stage.post("/api/show", r#"{"model":"plain"}"#).await.text();
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["capabilities"], json!(["completion", "tools", "vision"]), "{told}");
    assert_eq!(told["model_info"]["unknown.context_length"], 4096);
    // Ollama says it all itself.
    let stage = Stage::set(Dialect::Ollama).await;
    let told = stage.post("/api/show", r#"{"model":"plain"}"#).await.text();
    assert!(told.contains("thinking") && told.contains("scenario"), "{told}");
    assert!(get(&stage, "/api/tags", "").await.to_string().contains("\"family\":\"scenario\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_compressed_and_wrong_methods_are_told_plainly() {
    let stage = Stage::set(Dialect::Chat).await;
    let body = question(Dialect::Anthropic, "plain+packed", false).to_string();
    let answer = stage.post("/v1/messages", &body).await;
    assert_eq!(answer.status, 502, "{}", answer.text());
    assert!(answer.text().contains("content-encoding: gzip"), "{}", answer.text());
    let asked = stage.upstream.exchanges().pop().expect("it was asked").asked;
    assert_eq!(asked.header("accept-encoding"), Some("identity"));
    for (headers, status) in [("content-encoding: gzip\r\n", 415), ("content-encoding: identity\r\n", 200)] {
        let body = question(Dialect::Anthropic, "plain", false).to_string();
        let answer = stage.send("/v1/messages", headers, &body).await;
        assert_eq!(answer.status, status, "{}", answer.text());
    }
    for (path, allowed) in [("/v1/messages", "POST, OPTIONS"), ("/v1/messages/count_tokens", "POST, OPTIONS")]
    {
        let (address, token) = (stage.gateway.address, &stage.gateway.token);
        let mut wire = Wire::connect(address).await.expect("a connection");
        let bytes =
            format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n");
        let answer = timeout(SOON, wire.ask(bytes.as_bytes())).await.expect("soon").expect("an answer");
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, Some(allowed)),
            "{path}: {}",
            answer.text()
        );
    }
}
