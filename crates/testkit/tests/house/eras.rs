//! Both eras of the protocol, with the official SDK and line by line.

use std::process::Stdio;

use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt};
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::timeout;
use toolwright_testkit::house::{House, device};

use crate::program;
use crate::server::{MODERN, PATIENCE, Server, said};

#[tokio::test(flavor = "multi_thread")]
async fn both_eras_switch_the_same_switch() {
    let house = House::begin().await;
    let legacy = ClientLifecycleMode::Initialize;
    let modern = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    for (lifecycle, action, state) in [(legacy, "on", true), (modern, "off", false)] {
        by_the_sdk(&house, lifecycle, action).await;
        assert_eq!(house.state(device::SWITCH_ONE), json!(state));
    }
    line_by_line(&house).await;
}

async fn by_the_sdk(house: &House, lifecycle: ClientLifecycleMode, action: &str) {
    let mut child = Command::new(program())
        .envs(house.variables())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("the server starts");
    let pipes = (child.stdout.take().expect("its stdout"), child.stdin.take().expect("its stdin"));
    let client =
        timeout(PATIENCE, ().serve_with_lifecycle(pipes, lifecycle)).await.expect("in time").expect("met");
    let tools = client.list_all_tools().await.expect("tools");
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(
        names,
        [
            "list_zwave_devices",
            "list_devices",
            "verify_device",
            "control_zwave_device",
            "get_device_sensor_data",
            "check_zwave_health"
        ]
    );
    let arguments = json!({"deviceName": "Switch One", "action": action});
    let mut call = CallToolRequestParams::new("control_zwave_device");
    call.arguments = arguments.as_object().cloned();
    let result = timeout(PATIENCE, client.call_tool(call)).await.expect("in time").expect("a result");
    let result = serde_json::to_value(result).expect("JSON");
    let said = said(&result).expect("a text");
    assert!(said.text.starts_with("Successfully sent command to turn"), "{}", said.text);
    client.cancel().await.expect("an end");
    let status = timeout(PATIENCE, child.wait()).await.expect("an end").expect("it was waited for");
    assert_eq!(status.code(), Some(0));
}

/// As 2026-07-28 has it: nothing is begun, and every request says what it is.
async fn line_by_line(house: &House) {
    let variables = house.variables();
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut server = Server::start(&variables);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    let about = server.ask("server/discover", json!({"_meta": meta})).await;
    let versions = about["result"]["supportedVersions"].as_array().cloned().unwrap_or_default();
    assert!(versions.contains(&Value::from(MODERN)), "{about}");
    let params = json!({
        "_meta": meta, "name": "control_zwave_device", "arguments": {"deviceName": "Switch One", "action": "on"},
    });
    let answer = server.ask("tools/call", params).await;
    let said = said(&answer["result"]).unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(said.text, "Successfully sent command to turn on Switch One. It reports ON.");
    assert_eq!(house.state(device::SWITCH_ONE), json!(true));
    let (code, _, _) = server.end().await;
    assert_eq!(code, 0);
}
