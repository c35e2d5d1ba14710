//! The server behind Toolwright: founding document 000's scenarios with the real server and a real switch.

use std::path::Path;

use serde_json::{Value, json};
use toolwright_testkit::house::{House, device};
use toolwright_testkit::load::{Era, GatewayPrograms, Served};

use crate::caller::Caller;
use crate::program;

/// A gateway with this house's server behind it.
fn gateway(house: &House) -> Served {
    let variables: serde_json::Map<String, Value> =
        house.variables().into_iter().map(|(name, value)| (name, Value::from(value))).collect();
    let entry = json!({"command": program(), "env": variables});
    let programs = GatewayPrograms::beside(Path::new(env!("CARGO_BIN_EXE_load-server")));
    let configuration = json!({"mcpServers": {"zwave": entry}});
    Served::start_with(&programs, Some(&configuration), &[], &[("TOOLWRIGHT_LOG", "info")])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_writes_device_name_and_command_switches_the_switch() {
    let house = House::begin().await;
    let gateway = tokio::task::block_in_place(|| gateway(&house));
    for (era, command, state) in [(Era::Legacy, "on", true), (Era::Modern, "off", false)] {
        let mut caller = Caller::meet(&gateway, "/mcp/all", era).await;
        let sent = json!({"device_name": "Switch One", "command": command}).to_string();
        let reply = caller.call("zwave__control_zwave_device", &sent).await;
        let result = reply.result().unwrap_or_else(|body| panic!("{body}"));
        assert!(result.as_str().contains("Successfully sent command to turn"), "{result}");
        assert_eq!(house.state(device::SWITCH_ONE), json!(state));
    }
    let log = gateway.log();
    assert!(
        log.contains(r#"{device_name: "...", command: "..."} → {deviceName: "...", action: "..."}"#),
        "{log}"
    );

    let mut caller = Caller::meet(&gateway, "/mcp/all", Era::Modern).await;
    let sent = json!({"device_name": "Living Room/Lamp", "command": "dim", "brightness": 40}).to_string();
    caller.call("zwave__control_zwave_device", &sent).await.result().expect("a result");
    assert_eq!(house.state(device::LIVING_ROOM_LAMP), json!(40));
    let sent = json!({"device_name": "Porch Sensor"}).to_string();
    let told = caller.call("zwave__get_device_sensor_data", &sent).await.result().expect("a result");
    assert!(told.as_str().contains("21.5"), "{told}");

    // What the server refuses arrives in its own words.
    let sent = json!({"device_name": "light", "command": "on"}).to_string();
    let told = caller.call("zwave__control_zwave_device", &sent).await.result().expect("a result");
    let words =
        r#"\"light\" could be \"Hall/Hall Light\" or \"Porch/Porch Light\". Send one of these names."#;
    assert!(told.as_str().contains(words) && told.as_str().contains(r#""isError":true"#), "{told}");

    // Its look-alike: both names at once, with two devices. Nobody knows which one is meant.
    let sent = json!({"device_name": "Hall Light", "deviceName": "Porch Light", "command": "on"}).to_string();
    let reply = caller.call("zwave__control_zwave_device", &sent).await;
    assert!(!reply.body.contains("Successfully"), "{}", reply.body);
    for node in [device::HALL_LIGHT, device::PORCH_LIGHT] {
        assert_eq!(house.state(node), json!(false));
    }

    by_hand(&house, &gateway);
}

/// `toolwright call`, as people use it.
fn by_hand(house: &House, gateway: &Served) {
    let file = gateway.folder().join("toolwright.json");
    let file = file.to_str().expect("UTF-8");
    let sent = r#"{"device_name":"Switch One","command":"on"}"#;
    let (code, said, told) = gateway.run(&["call", "zwave/control_zwave_device", sent, "--config", file]);
    assert_eq!(code, 0, "{told}");
    assert_eq!(said.trim(), "Successfully sent command to turn on Switch One. It reports ON.");
    assert!(
        told.contains(r#"+ control_zwave_device {"deviceName":"Switch One","action":"on"}"#)
            || told.contains(r#"{"deviceName":"Switch One","action":"on"}"#),
        "{told}"
    );
    assert_eq!(house.state(device::SWITCH_ONE), json!(true));
    let (code, said, told) = gateway.run(&[
        "call",
        "zwave/control_zwave_device",
        r#"{"deviceName":"Old Heater","action":"on"}"#,
        "--config",
        file,
    ]);
    assert_ne!(code, 0, "{said}");
    let words = "Device \"Old Heater\" is offline or not ready: it does not answer. Nothing was sent.";
    assert!(told.contains(words) || said.contains(words), "{said}{told}");
}
