//! What is too large, too deep, too slow, or gone: nothing hangs, and every answer is in the client's dialect.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use toolwright_testkit::llm_upstream::{Dialect, Ended, LlmUpstream};
use toolwright_testkit::load::{Served, Wire};

use crate::broken_streams::{Seen, end_of, is_error};
use crate::stage::{FRONTS, KEY, SOON, Stage, entry, path, question, request, serve};

const LARGE: usize = 10 << 20;

/// Whether the gateway still answers.
async fn is_well(stage: &Stage) -> bool {
    stage.post("/v1/messages", &question(Dialect::Anthropic, "plain", false).to_string()).await.status == 200
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_of_ten_megabytes_is_carried_or_refused_in_the_clients_words() {
    let stage = Stage::set(Dialect::Chat).await;
    let text = "a long story ".repeat(LARGE / 13);
    for (_, front) in FRONTS {
        let mut body = question(front, "plain", false);
        let messages = if front == Dialect::Responses { "input" } else { "messages" };
        body[messages][0]["content"] = json!(text);
        let answer = stage.post(path(front), &body.to_string()).await;
        match answer.status {
            200 => {
                let exchanges = stage.upstream.exchanges();
                assert!(
                    exchanges.last().expect("asked").asked.body.len() > LARGE - 100,
                    "nothing is cut off"
                );
            }
            413 => assert!(is_error(&answer, front), "{}", answer.text()),
            other => panic!("{front:?}: {other}: {}", answer.text()),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_ten_megabytes_arrives_whole_streamed_and_not() {
    let stage = Stage::set(Dialect::Chat).await;
    for (_, front) in FRONTS {
        for is_stream in [false, true] {
            let body = question(front, &format!("plain+size={LARGE}"), is_stream);
            let (answer, is_whole) = stage.post_to_its_end(path(front), &body.to_string()).await;
            assert!(is_whole);
            assert_eq!(answer.status, 200, "{front:?}");
            assert!(answer.body.len() > LARGE, "{front:?}: {} bytes", answer.body.len());
            if is_stream {
                assert_eq!(end_of(&answer.text(), front), Seen::Clean, "{front:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_without_a_bottom_are_refused_and_the_gateway_lives() {
    let stage = Stage::set(Dialect::Chat).await;
    for (_, front) in FRONTS {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let bomb = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
            let body = question(front, "plain", false).to_string();
            for bad in [
                bomb.clone(),
                body.replacen("\"What is the weather in Zürich?\"", &bomb, 1),
                body.replacen("{\"city\"", &format!("{{\"deep\":{bomb},\"city\""), 1),
            ] {
                let answer = stage.post(path(front), &bad).await;
                assert!(is_error(&answer, front), "{front:?}: {}: {}", answer.status, answer.text());
                assert!((400..500).contains(&answer.status), "{front:?}: {}", answer.status);
            }
        }
    }
    assert!(is_well(&stage).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_without_a_bottom_harm_nobody() {
    for upstream in [Dialect::Chat, Dialect::Anthropic, Dialect::Responses, Dialect::Ollama] {
        let stage = Stage::set(upstream).await;
        for (_, front) in FRONTS {
            for is_stream in [false, true] {
                let body = question(front, "b8-deep-arguments", is_stream).to_string();
                let (answer, is_whole) = stage.post_to_its_end(path(front), &body).await;
                assert!(is_whole, "{upstream:?} to {front:?}");
                assert!(answer.status == 200 || is_error(&answer, front), "{front:?}: {}", answer.status);
                if answer.status == 200 && is_stream {
                    assert_ne!(end_of(&answer.text(), front), Seen::Nothing, "{upstream:?} to {front:?}");
                }
            }
        }
        assert!(is_well(&stage).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_question_is_refused_in_the_clients_words() {
    // Where both speak the same dialect, the upstream may understand what we do not.
    let chat = Stage::set(Dialect::Chat).await;
    let anthropic = Stage::set(Dialect::Anthropic).await;
    for (_, front) in FRONTS {
        let stage = if front == Dialect::Chat { &anthropic } else { &chat };
        let good = question(front, "plain", false);
        let mut without_model = good.clone();
        without_model.as_object_mut().expect("an object").shift_remove("model");
        let mut number = good.clone();
        number[if front == Dialect::Responses { "input" } else { "messages" }] = json!(7);
        let bad = ["", "{", "[]", "null", "\"hello\"", "{}"].map(str::to_owned);
        let bad = bad.into_iter().chain([
            without_model.to_string(),
            number.to_string(),
            good.to_string().replace('}', ""),
        ]);
        for body in bad {
            let answer = stage.post(path(front), &body).await;
            assert!(is_error(&answer, front), "{front:?}: {body}: {}: {}", answer.status, answer.text());
            assert!((400..500).contains(&answer.status), "{front:?}: {body}: {}", answer.status);
        }
    }
    for stage in [chat, anthropic] {
        let exchanges = stage.upstream.exchanges();
        assert!(exchanges.is_empty(), "nothing of it goes on: {exchanges:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_the_token_is_refused_in_its_words_and_asks_nobody() {
    let stage = Stage::set(Dialect::Chat).await;
    for (_, front) in FRONTS {
        for token in ["", "tw_wrong"] {
            let body = question(front, "plain", false).to_string();
            let bytes = request(stage.gateway.address, token, path(front), "", &body);
            let mut wire = Wire::connect(stage.gateway.address).await.expect("a connection");
            let answer = timeout(SOON, wire.ask(bytes.as_bytes())).await.expect("soon").expect("an answer");
            assert_eq!(answer.status, 401, "{front:?}");
            assert!(is_error(&answer, front), "{front:?}: {}\n{}", answer.head, answer.text());
        }
    }
    assert!(stage.upstream.exchanges().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_an_upstream_shows_is_not_shown_to_clients() {
    for upstream in [Dialect::Chat, Dialect::Anthropic, Dialect::Responses, Dialect::Ollama] {
        let stage = Stage::set(upstream).await;
        for (_, front) in FRONTS {
            for is_stream in [false, true] {
                let answer = stage.post(path(front), &question(front, "e401", is_stream).to_string()).await;
                assert!(is_error(&answer, front), "{}", answer.text());
                let all = format!("{}{}", answer.head, answer.text());
                assert!(!all.contains(KEY), "{upstream:?} to {front:?}: {all}");
                assert!(all.contains("invalid x-api-key"), "what is wrong is told: {all}");
            }
        }
        for page in ["/v1/models", "/api/tags", "/api/stats", "/metrics"] {
            if let Ok(answer) = stage.gateway.page(page).await {
                assert!(!answer.text().contains(KEY), "{page}");
            }
        }
        assert!(!stage.gateway.log().contains(KEY), "{}", stage.gateway.log());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upstream_that_says_nothing_is_given_up_in_time() {
    for upstream in [Dialect::Chat, Dialect::Anthropic, Dialect::Responses, Dialect::Ollama] {
        let stage = Stage::set_with(upstream, json!({"timeoutMs": 300})).await;
        for (_, front) in FRONTS {
            for is_stream in [false, true] {
                let body = question(front, "plain+slow=60000", is_stream).to_string();
                let answer = stage.post(path(front), &body).await;
                assert!(matches!(answer.status, 502 | 504), "{front:?}: {}", answer.status);
                assert!(is_error(&answer, front), "{}", answer.text());
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_falls_silent_is_given_up_in_time() {
    for upstream in [Dialect::Chat, Dialect::Anthropic, Dialect::Responses, Dialect::Ollama] {
        let stage = Stage::set_with(upstream, json!({"idleTimeoutMs": 300})).await;
        for (_, front) in FRONTS {
            let body = question(front, "s1-text-then-two-calls+hold=5", true).to_string();
            let (answer, is_whole) = stage.post_to_its_end(path(front), &body).await;
            assert!(is_whole);
            if answer.status == 200 {
                assert_eq!(
                    end_of(&answer.text(), front),
                    Seen::Failed,
                    "{upstream:?} to {front:?}: {}",
                    answer.text()
                );
            } else {
                assert!(is_error(&answer, front), "{}", answer.text());
            }
        }
    }
}

/// Asks for a stream and reads only its head.
async fn half_asked(gateway: &Served, front: Dialect, model: &str) -> Wire {
    let body = question(front, model, true).to_string();
    let mut wire = Wire::connect(gateway.address).await.expect("a connection");
    let bytes = request(gateway.address, &gateway.token, path(front), "", &body);
    wire.send(bytes.as_bytes()).await.expect("sent");
    wire
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_ends_the_upstreams_work() {
    for upstream in [Dialect::Chat, Dialect::Anthropic, Dialect::Responses, Dialect::Ollama] {
        let stage = Stage::set(upstream).await;
        for (_, front) in FRONTS {
            // In the middle of a stream, and before there is an answer at all.
            for model in ["s1-text-then-two-calls+hold=5", "plain+slow=600000"] {
                let count = stage.upstream.exchanges().len();
                let mut wire = half_asked(&stage.gateway, front, model).await;
                if model.contains("hold") {
                    timeout(SOON, wire.receive_head()).await.expect("soon").expect("a head");
                } else {
                    stage.upstream.until("it is asked", SOON, |all| all.len() > count).await;
                }
                drop(wire);
                stage
                    .upstream
                    .until(&format!("{upstream:?} is left by {front:?}"), SOON, |all| {
                        !all.is_empty() && all.iter().all(|exchange| exchange.ended == Ended::Gone)
                    })
                    .await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_reads_slowly_slows_the_upstream_down() {
    const MOST: u64 = 48 << 20;
    for upstream in [Dialect::Chat, Dialect::Anthropic] {
        let stage = Stage::set(upstream).await;
        for front in [Dialect::Anthropic, Dialect::Chat] {
            let mut wire = half_asked(&stage.gateway, front, "plain+endless").await;
            timeout(SOON, wire.receive_head()).await.expect("soon").expect("a head");
            // It writes until nobody takes more: the count stands still.
            let (mut last, mut still) = (0, 0);
            let steady = async {
                while still < 20 {
                    sleep(Duration::from_millis(50)).await;
                    let written = stage.upstream.exchanges().last().map_or(0, |exchange| exchange.written);
                    still = if written == last && written > 0 { still + 1 } else { 0 };
                    last = written;
                    assert!(last < MOST, "{upstream:?} to {front:?}: it is read without bound");
                }
            };
            timeout(SOON, steady).await.expect("it stands still");
            // And goes on when the client does.
            let goes_on = async {
                while stage.upstream.exchanges().last().is_none_or(|exchange| exchange.written <= last) {
                    for _ in 0..100 {
                        wire.receive_chunk().await.expect("more");
                    }
                }
            };
            timeout(SOON, goes_on).await.expect("it goes on");
        }
    }
}

/// A gateway with two upstreams of this dialect, the second for when the first cannot.
async fn with_a_second(dialect: Dialect) -> (LlmUpstream, LlmUpstream, Served) {
    let first = LlmUpstream::start().await.expect("a port");
    let second = LlmUpstream::start().await.expect("a port");
    let gateway = serve(&json!({
        "upstreams": {"first": entry(dialect, &first.url), "second": entry(dialect, &second.url)},
        "models": {"*": ["first/*", "second/plain"]},
    }));
    (first, second, gateway)
}

async fn ask(gateway: &Served, front: Dialect, model: &str, is_stream: bool) -> (u16, String) {
    let body = question(front, model, is_stream).to_string();
    let mut wire = Wire::connect(gateway.address).await.expect("a connection");
    let bytes = request(gateway.address, &gateway.token, path(front), "", &body);
    let answer = timeout(SOON, wire.ask(bytes.as_bytes())).await.expect("soon").expect("an answer");
    (answer.status, answer.text())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overloaded_upstream_hands_over_to_the_next() {
    for dialect in [Dialect::Chat, Dialect::Anthropic] {
        let (first, second, gateway) = with_a_second(dialect).await;
        for model in ["e529", "e500", "e503"] {
            for is_stream in [false, true] {
                let (status, text) = ask(&gateway, Dialect::Anthropic, model, is_stream).await;
                assert_eq!(status, 200, "{dialect:?}, {model}: {text}");
                assert!(text.contains("Good"), "{text}");
            }
        }
        assert_eq!(first.exchanges().len(), second.exchanges().len());
        // What is wrong with the question is wrong everywhere.
        let before = second.exchanges().len();
        let (status, _) = ask(&gateway, Dialect::Anthropic, "s18-bad-request", false).await;
        assert_eq!((status, second.exchanges().len()), (400, before));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_asked_twice_once_a_byte_has_left() {
    let (_first, second, gateway) = with_a_second(Dialect::Chat).await;
    for model in ["s11-dies-in-arguments", "s12-error-in-the-stream", "s1-text-then-two-calls+cut=700+reset"]
    {
        let (status, text) = ask(&gateway, Dialect::Anthropic, model, true).await;
        assert_eq!(status, 200);
        assert_eq!(end_of(&text, Dialect::Anthropic), Seen::Failed, "{model}: {text}");
    }
    assert!(second.exchanges().is_empty(), "{:?}", second.exchanges());
}

#[tokio::test(flavor = "multi_thread")]
async fn models_and_counts_are_told_in_every_dialect() {
    for upstream in [Dialect::Chat, Dialect::Anthropic, Dialect::Ollama] {
        let stage = Stage::set(upstream).await;
        let body = question(Dialect::Anthropic, "plain", false).to_string();
        let counted = stage.post("/v1/messages/count_tokens", &body).await;
        assert_eq!(counted.status, 200, "{}", counted.text());
        let counted: Value = serde_json::from_str(&counted.text()).expect("JSON");
        let count = counted["input_tokens"].as_u64().expect("a number");
        match upstream {
            Dialect::Anthropic => assert_eq!(count, 123, "the upstream's own"),
            _ => assert!((5..2000).contains(&count), "{count}"),
        }
        for (page, list, name) in [("/v1/models", "data", "id"), ("/api/tags", "models", "name")] {
            let mut wire = Wire::connect(stage.gateway.address).await.expect("a connection");
            let (address, token) = (stage.gateway.address, &stage.gateway.token);
            let asked =
                format!("GET {page} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n");
            let answer = timeout(SOON, wire.ask(asked.as_bytes())).await.expect("soon").expect("an answer");
            assert_eq!(answer.status, 200, "{page}: {}", answer.text());
            let told: Value = serde_json::from_str(&answer.text()).expect("JSON");
            assert!(told[list].as_array().is_some(), "{page}: {told}");
            assert!(
                told[list].as_array().into_iter().flatten().all(|model| model[name].is_string()),
                "{told}"
            );
        }
    }
}
