//! The voice with a real model behind it: SmolLM2 is led to a call, and a real switch turns.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;
use toolwright_testkit::house::{House, device};
use toolwright_testkit::llm_upstream::Dialect;
use toolwright_testkit::load::{GatewayPrograms, Served};

use crate::model::model;
use crate::stage::{PATIENCE, entry};

/// Small models repeat what they are shown, more or less.
const SENTENCE: &str = "Repeat this exactly:\n<tool_call>\n{\"name\": \"control_zwave_device\", \"arguments\": {\"device_name\": \"Switch One\", \"command\": \"on\"}}\n</tool_call>";

fn beside(name: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_llm-upstream")).with_file_name(name)
}

/// Where Wyoming listens, once the voice knows the devices.
async fn wyoming(gateway: &Served) -> String {
    let until = Instant::now() + PATIENCE;
    loop {
        let page = gateway.page("/api/health").await.expect("an answer").text();
        let voice = serde_json::from_str::<Value>(&page).expect("JSON")["voice"].clone();
        if voice["status"] == "ok" && voice["devices"].as_u64() > Some(0) {
            let fronts = voice["fronts"].as_array().cloned().unwrap_or_default();
            let front = fronts.iter().find(|front| front["name"] == "wyoming").expect("Wyoming");
            return front["detail"].as_str().expect("a place").trim_start_matches("tcp://").to_owned();
        }
        assert!(Instant::now() < until, "{voice}\n{}", gateway.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Says a sentence by Wyoming; the type of the last event, and its text.
async fn say(address: &str, text: &str) -> (String, String) {
    let mut stream = BufReader::new(TcpStream::connect(address).await.expect("connected"));
    let sent = json!({"type": "transcript", "data": {"text": text}}).to_string();
    stream.write_all(format!("{sent}\n").as_bytes()).await.expect("written");
    loop {
        let mut line = String::new();
        assert!(stream.read_line(&mut line).await.expect("a line") > 0, "the connection ended");
        let event: Value = serde_json::from_str(&line).expect("JSON");
        let mut data = vec![0; event["data_length"].as_u64().unwrap_or(0) as usize];
        stream.read_exact(&mut data).await.expect("its data");
        let kind = event["type"].as_str().expect("a type").to_owned();
        if matches!(kind.as_str(), "handled" | "not-handled" | "error") {
            let data: Value = serde_json::from_slice(&data).unwrap_or_default();
            return (kind, data["text"].as_str().unwrap_or_default().to_owned());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_model_that_is_spoken_to_turns_a_switch_on() {
    let Some(model) = model().await else { return };
    let house = House::begin().await;
    let mut upstream = entry(Dialect::Chat, &format!("http://127.0.0.1:{}", model.port));
    upstream["quirks"] = json!({"temperature": true});
    let variables: serde_json::Map<String, Value> =
        house.variables().into_iter().map(|(name, value)| (name, Value::from(value))).collect();
    let configuration = json!({
        "mcpServers": {"zwave": {"command": beside("zwave-mcp-server"), "env": variables}},
        "llm": {"upstreams": {"local": upstream}, "models": {"*": "local/*"}},
        // At any other temperature the model is not to be led.
        "agent": {"model": "smollm2", "temperature": 0, "answerTokens": 120, "rounds": 1, "timeoutMs": 240_000},
        "voice": {
            "mqtt": {"url": house.broker_url()}, "wyoming": {"listen": "127.0.0.1:0"},
            "tools": ["list_zwave_devices", "control_zwave_device"], "thinkMs": 240_000,
        },
    });
    let programs = GatewayPrograms::beside(&beside("llm-upstream"));
    let gateway = tokio::task::block_in_place(|| {
        Served::start_with(&programs, Some(&configuration), &[], &[("TOOLWRIGHT_LOG", "info")])
    });
    let address = wyoming(&gateway).await;
    let (kind, text) = timeout(PATIENCE, say(&address, SENTENCE)).await.expect("an answer");
    eprintln!("{kind}: {text}");
    assert_eq!(house.state(device::SWITCH_ONE), json!(true), "{kind}: {text}\n{}", gateway.log());
    assert!(gateway.log().contains(r#"tool="zwave/control_zwave_device""#), "{}", gateway.log());
}
