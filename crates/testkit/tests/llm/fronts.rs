//! Every scenario, with every official SDK, in front of every kind of upstream.

use serde_json::{Value, json};
use toolwright_testkit::llm_upstream::Dialect;

use crate::expected;
use crate::stage::{FRONTS, Stage};

/// Runs all scenarios of an upstream with one SDK, whole and streamed.
async fn all_scenarios(front: Dialect, upstream: Dialect) {
    let stage = Stage::set(upstream).await;
    let (name, _) = FRONTS.into_iter().find(|(_, dialect)| *dialect == front).expect("known");
    let mut cases = Vec::new();
    let mut wanted = Vec::new();
    for scenario in expected::of(upstream) {
        for is_stream in [true, false] {
            if !expected::exists_as(upstream, scenario.key, is_stream) {
                continue;
            }
            cases.push(json!({"front": name, "model": scenario.name, "stream": is_stream}));
            wanted.push(expected::of_scenario(scenario.key, front, upstream, is_stream));
        }
    }
    let facts = stage.ask(&cases).await;
    let mut faults = Vec::new();
    for (case, (wanted, facts)) in cases.iter().zip(wanted.iter().zip(&facts)) {
        let way = if case["stream"] == true { "streamed" } else { "whole" };
        for fault in expected::faults(wanted, facts, front, upstream) {
            faults.push(format!("{}, {way}: {fault}", case["model"].as_str().unwrap_or_default()));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    every_upstream_saw_its_key(&stage, upstream);
}

/// The provider's key goes to the provider, the client's token does not.
fn every_upstream_saw_its_key(stage: &Stage, upstream: Dialect) {
    for exchange in stage.upstream.exchanges() {
        let header = match upstream {
            Dialect::Anthropic => exchange.asked.header("x-api-key").unwrap_or_default().to_owned(),
            _ => exchange.asked.header("authorization").unwrap_or_default().replace("Bearer ", ""),
        };
        assert_eq!(header, crate::stage::KEY, "{exchange:?}");
        let all = format!("{:?}{}", exchange.asked.headers, exchange.asked.body);
        assert!(!all.contains(&stage.gateway.token), "{all}");
    }
}

macro_rules! pairs {
    ($($name:ident: $front:ident, $upstream:ident;)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            all_scenarios(Dialect::$front, Dialect::$upstream).await;
        }
    )*};
}

pairs! {
    the_anthropic_sdk_gets_every_scenario_right_of_a_chat_upstream: Anthropic, Chat;
    the_anthropic_sdk_gets_every_scenario_right_of_an_anthropic_upstream: Anthropic, Anthropic;
    the_anthropic_sdk_gets_every_scenario_right_of_an_ollama_upstream: Anthropic, Ollama;
    the_anthropic_sdk_gets_every_scenario_right_of_a_responses_upstream: Anthropic, Responses;
    the_openai_sdk_gets_every_scenario_right_of_a_chat_upstream: Chat, Chat;
    the_openai_sdk_gets_every_scenario_right_of_an_anthropic_upstream: Chat, Anthropic;
    the_openai_sdk_gets_every_scenario_right_of_an_ollama_upstream: Chat, Ollama;
    the_openai_sdk_gets_every_scenario_right_of_a_responses_upstream: Chat, Responses;
    responses_of_the_openai_sdk_are_right_of_a_chat_upstream: Responses, Chat;
    responses_of_the_openai_sdk_are_right_of_an_anthropic_upstream: Responses, Anthropic;
    responses_of_the_openai_sdk_are_right_of_an_ollama_upstream: Responses, Ollama;
    responses_of_the_openai_sdk_are_right_of_a_responses_upstream: Responses, Responses;
    the_ollama_sdk_gets_every_scenario_right_of_a_chat_upstream: Ollama, Chat;
    the_ollama_sdk_gets_every_scenario_right_of_an_anthropic_upstream: Ollama, Anthropic;
    the_ollama_sdk_gets_every_scenario_right_of_an_ollama_upstream: Ollama, Ollama;
    the_ollama_sdk_gets_every_scenario_right_of_a_responses_upstream: Ollama, Responses;
}

/// The rows of broken calls as one table, so that it can be read as one.
#[tokio::test(flavor = "multi_thread")]
async fn broken_calls_of_every_kind_are_mended_or_told_on_every_front() {
    let stage = Stage::set(Dialect::Chat).await;
    let rows = [
        "s14-malformed",
        "s8-malformed-stream",
        "s15-truncated",
        "b1-wrong-names-and-types",
        "b2-other-spelling-of-the-tool",
        "b3-no-such-tool",
    ];
    let mut cases = Vec::new();
    for (front, _) in FRONTS {
        for row in rows {
            for is_stream in [true, false] {
                cases.push(json!({"front": front, "model": row, "stream": is_stream}));
            }
        }
    }
    let facts = stage.ask(&cases).await;
    let mut faults: Vec<String> = Vec::new();
    for facts in &facts {
        let front = FRONTS.into_iter().find(|(name, _)| facts["front"] == *name).expect("known").1;
        let model = facts["model"].as_str().unwrap_or_default();
        let key = model.split('-').next().unwrap_or_default();
        let wanted = expected::of_scenario(key, front, Dialect::Chat, facts["stream"] == true);
        let found = expected::faults(&wanted, facts, front, Dialect::Chat);
        let way = if facts["stream"] == true { "streamed" } else { "whole" };
        faults.extend(found.into_iter().map(|fault| format!("{}, {model}, {way}: {fault}", facts["front"])));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The same bytes in other pieces are the same answer, through the whole of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_in_small_pieces_with_comments_and_other_line_ends_is_the_same_stream() {
    for upstream in [Dialect::Chat, Dialect::Anthropic, Dialect::Responses, Dialect::Ollama] {
        let stage = Stage::set(upstream).await;
        let options = match upstream {
            Dialect::Ollama => "+split=3+crlf",
            _ => "+split=3+crlf+comments",
        };
        let model = |options: &str| format!("s7-text-after-the-call{options}");
        let cases: Vec<Value> = FRONTS
            .iter()
            // What passes as it is keeps its comments; the clients that read it are asked by the other tests.
            .filter(|(_, front)| *front != upstream)
            .map(|(front, _)| json!({"front": front, "model": model(options), "stream": true}))
            .collect();
        for facts in stage.ask(&cases).await {
            let front = FRONTS.into_iter().find(|(name, _)| facts["front"] == *name).expect("known").1;
            let wanted = expected::of_scenario("s7", front, upstream, true);
            let faults = expected::faults(&wanted, &facts, front, upstream);
            assert!(faults.is_empty(), "{upstream:?} to {front:?}: {faults:?}");
        }
    }
}
