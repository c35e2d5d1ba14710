//! Clients that ask every model to think, before models that do not.

use serde_json::{Value, json};
use toolwright_testkit::llm_upstream::{Dialect, Exchange};

use crate::stage::{Stage, path, question};

/// What Claude Code and Codex send with every request.
fn thoughtful(front: Dialect, model: &str, is_stream: bool) -> Value {
    let mut body = question(front, model, is_stream);
    match front {
        Dialect::Anthropic => {
            body["thinking"] = json!({"type": "adaptive"});
            body["output_config"] = json!({"effort": "high"});
        }
        Dialect::Responses => body["reasoning"] = json!({"effort": "medium", "summary": "auto"}),
        Dialect::Chat => body["reasoning_effort"] = json!("high"),
        Dialect::Ollama => body["think"] = json!(true),
    }
    body
}

/// Whether a request asks to think.
fn is_thoughtful(exchange: &Exchange) -> bool {
    let body: Value = serde_json::from_str(&exchange.asked.body).expect("JSON");
    ["think", "reasoning_effort", "reasoning", "thinking"].iter().any(|key| body.get(key).is_some())
}

const FOREIGN: [(Dialect, Dialect); 6] = [
    (Dialect::Anthropic, Dialect::Chat),
    (Dialect::Anthropic, Dialect::Responses),
    (Dialect::Anthropic, Dialect::Ollama),
    (Dialect::Responses, Dialect::Ollama),
    (Dialect::Responses, Dialect::Chat),
    (Dialect::Chat, Dialect::Ollama),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_does_not_think_is_asked_once_more_without_it_and_remembered() {
    for (front, upstream) in FOREIGN {
        let stage = Stage::set(upstream).await;
        // Without `/api/show` Ollama is like the others: only the refusal tells.
        let model = "s1-text-then-two-calls+nothink+noshow";
        for is_stream in [true, false] {
            let answer = stage.post(path(front), &thoughtful(front, model, is_stream).to_string()).await;
            assert_eq!(answer.status, 200, "{front:?} to {upstream:?}: {}", answer.text());
            assert!(answer.text().contains("get_weather"), "{}", answer.text());
        }
        let mut exchanges = stage.upstream.exchanges();
        exchanges.retain(|exchange| exchange.asked.path.ends_with(path(upstream)));
        let asked: Vec<bool> = exchanges.iter().map(is_thoughtful).collect();
        assert_eq!(asked, [true, false, false], "{front:?} to {upstream:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ollama_says_itself_which_model_thinks() {
    let stage = Stage::set(Dialect::Ollama).await;
    for (model, thinks) in [("plain+nothink", false), ("plain", true)] {
        for _ in 0..3 {
            let body = thoughtful(Dialect::Anthropic, model, false).to_string();
            let answer = stage.post("/v1/messages", &body).await;
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
        let mut asked = stage.upstream.exchanges();
        asked.retain(|exchange| exchange.asked.json("/model") == model);
        let paths: Vec<&str> = asked.iter().map(|exchange| exchange.asked.path.as_str()).collect();
        assert_eq!(paths, ["/api/show", "/api/chat", "/api/chat", "/api/chat"], "{model}");
        assert!(asked[1..].iter().all(|exchange| is_thoughtful(exchange) == thinks), "{model}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn models_of_openai_that_do_not_think_are_known_by_name() {
    let stage = Stage::set(Dialect::Chat).await;
    for (model, thinks) in
        [("gpt-4.1+nothink", false), ("gpt-4o-mini", false), ("gpt-5-mini", true), ("o3", true)]
    {
        let answer =
            stage.post("/v1/messages", &thoughtful(Dialect::Anthropic, model, false).to_string()).await;
        assert_eq!(answer.status, 200, "{model}: {}", answer.text());
        let asked = stage.upstream.exchanges().pop().expect("it was asked");
        assert_eq!(is_thoughtful(&asked), thinks, "{model}");
    }
    assert_eq!(stage.upstream.exchanges().len(), 4, "none was asked twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_configuration_has_the_last_word_on_thinking() {
    let off = Stage::set_with(Dialect::Ollama, json!({"quirks": {"think": false}})).await;
    let body = thoughtful(Dialect::Anthropic, "plain", false).to_string();
    assert_eq!(off.post("/v1/messages", &body).await.status, 200);
    let asked = off.upstream.exchanges();
    assert_eq!((asked.len(), is_thoughtful(&asked[0])), (1, false));

    // Who says that the model thinks is told when it does not.
    let on = Stage::set_with(Dialect::Chat, json!({"quirks": {"think": true}})).await;
    let body = thoughtful(Dialect::Anthropic, "plain+nothink", false).to_string();
    let answer = on.post("/v1/messages", &body).await;
    assert_eq!(answer.status, 400, "{}", answer.text());
    assert!(answer.text().contains("reasoning_effort"), "{}", answer.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn other_refusals_and_the_clients_own_words_are_not_tried_again() {
    let stage = Stage::set(Dialect::Chat).await;
    let answer = stage.post("/v1/messages", &thoughtful(Dialect::Anthropic, "e400", false).to_string()).await;
    assert_eq!((answer.status, stage.upstream.exchanges().len()), (400, 1), "{}", answer.text());
    // What a client of the same dialect sends is its own to change.
    let body = thoughtful(Dialect::Chat, "plain+nothink", false).to_string();
    let answer = stage.post("/v1/chat/completions", &body).await;
    assert_eq!((answer.status, stage.upstream.exchanges().len()), (400, 2), "{}", answer.text());
}
