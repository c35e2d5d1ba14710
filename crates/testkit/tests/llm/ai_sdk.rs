//! The stream scenarios with the AI SDK, whose checks are the strictest of all clients.

use serde_json::{Value, json};
use toolwright_testkit::llm_upstream::Dialect;

use crate::expected::{self, Expected};
use crate::stage::{FRONTS, Stage, with_ai_sdk};

const SCENARIOS: std::ops::RangeInclusive<usize> = 1..=12;

/// What the SDK calls the reasons.
fn reason(expected: &Expected) -> &'static str {
    if expected.calls.is_empty() { "stop" } else { "tool-calls" }
}

fn faults(expected: &Expected, facts: &Value, upstream: Dialect) -> Vec<String> {
    let mut faults: Vec<String> =
        facts["problems"].as_array().into_iter().flatten().map(Value::to_string).collect();
    let mut differ = |what: &str, is: &Value, wanted: Value| {
        if *is != wanted {
            faults.push(format!("{what} is {is} instead of {wanted}"));
        }
    };
    differ("text", &facts["text"], json!(expected.text));
    if let Some(error) = &expected.error {
        // This SDK shows what it has of a call when a stream fails, as one that cannot be executed.
        faults.retain(|fault| !fault.contains("an invalid call"));
        if !facts["error"]["message"].as_str().is_some_and(|message| message.contains(error.says)) {
            faults.push(format!("the error is {}", facts["error"]));
        }
        return faults;
    }
    differ("the error", &facts["error"], Value::Null);
    differ("thinking", &facts["thinking"], json!(expected.thinking));
    let calls: Vec<Value> = facts["calls"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|call| json!([call["name"], call["arguments"]]))
        .collect();
    let wanted: Vec<Value> =
        expected.calls.iter().map(|(name, arguments)| json!([name, arguments])).collect();
    differ("the list of calls", &json!(calls), json!(wanted));
    differ("the reason", &facts["stop"], json!(reason(expected)));
    let cached = if upstream == Dialect::Ollama { 0 } else { 64 };
    differ("usage", &facts["usage"], json!({"input": 100, "cached": cached, "output": 20}));
    faults
}

async fn all_streams(upstream: Dialect) {
    let stage = Stage::set(upstream).await;
    let keys: Vec<String> = SCENARIOS.map(|number| format!("s{number}")).collect();
    let mut cases = Vec::new();
    for (front, dialect) in FRONTS {
        if dialect == Dialect::Ollama {
            continue;
        }
        for scenario in
            expected::of(upstream).iter().filter(|scenario| keys.iter().any(|key| key == scenario.key))
        {
            cases.push(json!({"front": front, "model": scenario.name, "stream": true}));
        }
    }
    let address = format!("http://{}", stage.gateway.address);
    let facts = with_ai_sdk(&address, &stage.gateway.token, &cases).await;
    let mut all = Vec::new();
    for facts in &facts {
        let front = FRONTS.into_iter().find(|(name, _)| facts["front"] == *name).expect("known").1;
        let model = facts["model"].as_str().unwrap_or_default();
        let key = model.split('-').next().unwrap_or_default();
        let wanted = expected::of_scenario(key, front, upstream, true);
        let found = faults(&wanted, facts, upstream);
        all.extend(found.into_iter().map(|fault| format!("{}, {model}: {fault}", facts["front"])));
    }
    assert!(all.is_empty(), "{} faults:\n{}", all.len(), all.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ai_sdk_gets_every_stream_right_of_a_chat_upstream() {
    all_streams(Dialect::Chat).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ai_sdk_gets_every_stream_right_of_an_anthropic_upstream() {
    all_streams(Dialect::Anthropic).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ai_sdk_gets_every_stream_right_of_an_ollama_upstream() {
    all_streams(Dialect::Ollama).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ai_sdk_gets_every_stream_right_of_a_responses_upstream() {
    all_streams(Dialect::Responses).await;
}
