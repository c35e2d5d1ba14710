//! Founding document 001, "MCP Server Logging Compliance": each scenario under its name.

use serde_json::{Value, json};
use toolwright_testkit::house::House;

use crate::server::Server;

/// Nobody listens there.
const NOWHERE: (&str, &str) = ("MQTT_BROKER_URL", "mqtt://127.0.0.1:1");
const LOUD: (&str, &str) = ("LOG_LEVEL", "trace");

fn assert_pure(lines: &[String]) {
    assert!(!lines.is_empty(), "something was said");
    for line in lines {
        let message: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        // What answers a line that is no message has no id.
        assert!(["id", "method", "error"].iter().any(|key| message.get(key).is_some()), "{line}");
    }
}

#[tokio::test]
async fn debug_logs_use_stderr() {
    let mut server = Server::start(&[NOWHERE, LOUD]);
    server.initialize().await;
    server.refused("check_zwave_health", json!({})).await;
    let (code, lines, stderr) = server.end().await;
    assert_eq!(code, 0);
    for told in ["started", "no connection", "check_zwave_health"] {
        assert!(stderr.contains(told), "{told} is not in {stderr}");
        assert!(!lines.iter().any(|line| line.contains("INFO") || line.contains("WARN")), "{lines:?}");
    }
}

#[tokio::test]
async fn json_rpc_messages_use_stdout() {
    let mut server = Server::start(&[NOWHERE]);
    server.initialize().await;
    server.ask("tools/list", json!({})).await;
    let (_, lines, stderr) = server.end().await;
    assert_eq!(lines.len(), 2, "one line for each answer: {lines:?}");
    assert_pure(&lines);
    assert!(!stderr.contains("\"jsonrpc\""), "{stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn prevent_stdout_pollution() {
    let house = House::begin().await;
    let mut server = Server::in_house(&house, &[LOUD, ("ZWAVE_UI_URL", "http://127.0.0.1:8091")]).await;
    server.told("list_devices", json!({})).await;
    for noise in ["", "hello", "{\"jsonrpc\":\"2.0\"", "[1,2,3]", "\u{1b}[31mred\u{1b}[0m", "{}"] {
        server.write(noise).await;
    }
    server.told("control_zwave_device", json!({"deviceName": "Switch One", "action": "on"})).await;
    server.refused("control_zwave_device", json!({"deviceName": "light", "action": "on"})).await;
    server.ask("no/such/method", json!({})).await;
    house.kill_broker();
    server.until("check_zwave_health", json!({}), |said| said.is_error).await;
    house.restart_broker();
    server.until("check_zwave_health", json!({}), |said| !said.is_error).await;
    let (code, lines, stderr) = server.end().await;
    assert_eq!(code, 0);
    assert_pure(&lines);
    assert!(stderr.contains("ZWAVE_UI_URL is not used"), "{stderr}");
}
