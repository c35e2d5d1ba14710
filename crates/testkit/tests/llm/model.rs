//! A real model behind the gateway: SmolLM2, served by llama.cpp, asked by the official SDKs.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{Instant, timeout};
use toolwright_testkit::llm_upstream::Dialect;

use crate::installed;
use crate::stage::{entry, sdks_with, serve};

/// Longer than the weights take to load on a busy machine.
const LOADING: Duration = Duration::from_secs(120);

pub struct Model {
    /// It ends with its stdin, which this holds.
    process: Child,
    pub port: u16,
}

/// The model, or nothing where it cannot be had; then it says so.
pub async fn model() -> Option<Model> {
    let server = match installed::llm_model() {
        Ok(server) => server,
        Err(reason) => {
            eprintln!("SKIPPED: no real model was asked, for its packages cannot be had: {reason}");
            return None;
        }
    };
    let mut process = Command::new(server.program)
        .args(server.args)
        .kill_on_drop(true)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(process.stdout.take().expect("its stdout")).lines();
    let ready = async {
        while let Some(line) = lines.next_line().await.expect("UTF-8") {
            if let Ok(said) = serde_json::from_str::<Value>(&line) {
                return said;
            }
        }
        panic!("the model's server ended before it was ready");
    };
    let ready = timeout(LOADING, ready).await.expect("the weights are loaded");
    eprintln!("the model is ready: {ready}");
    // Whatever it says later is read, so that it never waits.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    let port = ready["port"].as_u64().and_then(|port| u16::try_from(port).ok()).expect("a port");
    Some(Model { process, port })
}

/// One question for each front, streamed and not. Ollama's clients cannot force a call: there the model is led to it.
fn cases(fronts: &[&str]) -> Vec<Value> {
    let mut cases = Vec::new();
    for front in fronts.iter().copied() {
        for is_stream in [false, true] {
            let question = match front {
                "ollama" => {
                    "Repeat this exactly:\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\", \"days\": 3}}\n</tool_call>"
                }
                _ => "What is the weather in Paris for 3 days?",
            };
            cases.push(json!({
                "front": front, "model": "smollm2", "stream": is_stream, "force": true, "tools": ["get_weather"],
                "question": question, "max_tokens": 200, "temperature": 0,
            }));
        }
    }
    cases
}

async fn calls_a_tool(upstream: Dialect, fronts: &[&str]) {
    let Some(model) = model().await else { return };
    let url = format!("http://127.0.0.1:{}", model.port);
    let mut entry = entry(upstream, &url);
    // At any other the model is not to be led.
    entry["quirks"] = json!({"temperature": true});
    let gateway = serve(&json!({"upstreams": {"local": entry}, "models": {"*": "local/*"}}));
    let base = format!("http://{}", gateway.address);
    let begin = Instant::now();
    let facts = sdks_with(&base, &gateway.token, &cases(fronts), json!({"once": true, "at_once": 1})).await;
    let status = std::fs::read_to_string(format!("/proc/{}/status", model.process.id().unwrap_or(0)));
    let status = status.unwrap_or_default();
    let memory = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default();
    eprintln!("{} answers in {:?}; memory of the model's server: {memory}", facts.len(), begin.elapsed());
    let mut faults = Vec::new();
    for facts in &facts {
        let front = facts["front"].as_str().unwrap_or_default();
        let stop = match front {
            "anthropic" => "tool_use",
            "chat" => "tool_calls",
            "responses" => "completed",
            _ => "stop",
        };
        let call = &facts["calls"][0];
        let is_right = call["name"] == "get_weather"
            && call["arguments"]["city"].is_string()
            && call["arguments"]["days"].is_i64()
            && facts["calls"].as_array().is_some_and(|calls| calls.len() == 1)
            && facts["stop"] == stop
            && facts["error"].is_null()
            && facts["problems"] == json!([])
            && facts["usage"]["output"].as_u64().is_some_and(|count| count > 0);
        if !is_right {
            faults.push(facts.to_string());
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_model_over_chat_calls_a_tool_on_every_front() {
    calls_a_tool(Dialect::Chat, &["anthropic", "chat", "responses", "ollama"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_model_over_messages_calls_a_tool_on_every_front_that_can_force_it() {
    calls_a_tool(Dialect::Anthropic, &["anthropic", "chat", "responses"]).await;
}
