//! The scenarios' server is right where it means to be: the SDKs take what is not broken on purpose, without a proxy.

use serde_json::json;
use toolwright_testkit::llm_upstream::{Dialect, Ended, LlmUpstream};

use crate::expected;
use crate::stage::{FRONTS, SOON, question, sdks};

/// The scenarios that every official SDK takes as they are.
const SOUND: [&str; 6] = ["s1", "s7", "s9", "s13", "s17", "s18"];

#[tokio::test(flavor = "multi_thread")]
async fn the_official_sdks_take_what_is_not_broken_on_purpose() {
    let upstream = LlmUpstream::start().await.expect("a port");
    let mut cases = Vec::new();
    for (front, dialect) in FRONTS {
        for scenario in expected::of(dialect).iter().filter(|scenario| SOUND.contains(&scenario.key)) {
            for is_stream in [true, false] {
                cases.push(json!({"front": front, "model": scenario.name, "stream": is_stream}));
            }
        }
    }
    let mut faults = Vec::new();
    for facts in sdks(&upstream.url, "any", &cases).await {
        let dialect = FRONTS.into_iter().find(|(name, _)| facts["front"] == *name).expect("known").1;
        let model = facts["model"].as_str().unwrap_or_default();
        let key = model.split('-').next().unwrap_or_default();
        let wanted = expected::of_scenario(key, dialect, dialect, facts["stream"] == true);
        let found = expected::faults(&wanted, &facts, dialect, dialect);
        faults.extend(found.into_iter().map(|fault| format!("{dialect:?}, {model}: {fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_scenario_is_seen_as_broken_without_the_proxy() {
    let upstream = LlmUpstream::start().await.expect("a port");
    let broken = ["s2", "s3", "s5", "s6", "s8", "s10", "s11", "s14"];
    let names: Vec<&str> = expected::of(Dialect::Chat)
        .iter()
        .filter(|scenario| broken.contains(&scenario.key) && scenario.key != "s2")
        .map(|scenario| scenario.name)
        .collect();
    let cases: Vec<_> =
        names.iter().map(|name| json!({"front": "chat", "model": name, "stream": true})).collect();
    for facts in sdks(&upstream.url, "any", &cases).await {
        let model = facts["model"].as_str().unwrap_or_default();
        let key = model.split('-').next().unwrap_or_default();
        let wanted = expected::of_scenario(key, Dialect::Chat, Dialect::Chat, true);
        let faults = expected::faults(&wanted, &facts, Dialect::Chat, Dialect::Chat);
        assert!(!faults.is_empty(), "{model} breaks nothing: {facts}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_remembers_what_it_was_asked_and_how_that_ended() {
    let upstream = LlmUpstream::start().await.expect("a port");
    let client = reqwest::Client::new();
    let url = format!("{}/v1/chat/completions", upstream.url);
    let body = question(Dialect::Chat, "s1+cut=50+reset", true).to_string();
    let answer = client.post(&url).body(body).send().await.expect("a head");
    assert!(answer.bytes().await.is_err(), "a reset is an error");
    let body = question(Dialect::Chat, "s1", false).to_string();
    assert!(client.post(&url).body(body).send().await.expect("an answer").bytes().await.is_ok());
    let body = question(Dialect::Chat, "s1+hold=2", true).to_string();
    drop(client.post(&url).body(body).send().await.expect("a head"));
    let exchanges =
        upstream.until("its client is gone", SOON, |all| all.len() == 3 && all[2].ended == Ended::Gone).await;
    assert_eq!((exchanges[0].written, exchanges[0].ended), (50, Ended::Cut));
    assert_eq!(exchanges[1].ended, Ended::Whole);
    assert_eq!(exchanges[2].asked.json("/model"), "s1+hold=2");
}
