//! The tools that look: who there is, what they are, what they measure.

use serde_json::{Value, json};
use toolwright_testkit::house::{House, device};

use crate::server::Server;

#[tokio::test(flavor = "multi_thread")]
async fn the_house_is_told_as_it_is() {
    let house = House::begin().await;
    let mut server = Server::in_house(&house, &[]).await;
    devices_are_listed(&mut server).await;
    pages_have_bounds(&mut server).await;
    a_device_is_verified(&mut server).await;
    a_sensor_is_read(&house, &mut server).await;
    the_house_is_healthy(&mut server).await;
    what_somebody_does_by_hand_is_told(&house, &mut server).await;
    wrong_arguments_are_told(&mut server).await;
}

async fn devices_are_listed(server: &mut Server) {
    let listed = server.told("list_zwave_devices", json!({})).await;
    assert_eq!(
        listed,
        "Available Z-Wave devices (9 total):\n\
         - \"Switch One\" is online\n\
         - \"Lamp\" in Living Room is online\n\
         - \"Lamp\" in Bedroom is online\n\
         - \"Hall Light\" in Hall is online\n\
         - \"Porch Light\" in Porch is online\n\
         - \"Porch Sensor\" in Porch is online\n\
         - \"Fan 1\" is online\n\
         - \"Fan_1\" is online\n\
         - \"nodeID_11\" is online\n\
         1 offline and not listed; includeInactive lists them too."
    );
    let all = server.told("list_zwave_devices", json!({"includeInactive": true})).await;
    assert!(all.starts_with("Available Z-Wave devices (10 total):"), "{all}");
    assert!(all.contains("- \"Old Heater\" in Cellar is offline"), "{all}");
    let porch = server.told("list_zwave_devices", json!({"filter": "porch"})).await;
    assert!(porch.starts_with("Available Z-Wave devices (2 total):"), "{porch}");
    let none = server.told("list_zwave_devices", json!({"filter": "garage"})).await;
    assert!(none.contains("No device has \"garage\""), "{none}");
}

async fn pages_have_bounds(server: &mut Server) {
    let page = server.told("list_devices", json!({"limit": 2})).await;
    let lines: Vec<&str> = page.lines().collect();
    assert_eq!(lines[0], "Showing 2 of 10 Z-Wave devices:");
    assert!(lines[1].starts_with("- \"Switch One\" (switch): OFF, active, last seen "), "{page}");
    assert!(lines[2].starts_with("- \"Lamp\" in Living Room (dimmer): OFF, "), "{page}");
    assert_eq!(lines[3], "8 more devices available. Use offset=2 to see them.");
    let page = server.told("list_devices", json!({"offset": 5, "limit": 2})).await;
    assert!(page.contains("\"Porch Sensor\" in Porch (sensor): 21.5°C"), "{page}");
    assert!(page.contains("\"Old Heater\" in Cellar (switch): OFF, offline"), "{page}");
    let whole = server.told("list_devices", json!({})).await;
    assert!(whole.starts_with("Showing 10 of 10") && !whole.contains("more devices"), "{whole}");
    let behind = server.told("list_devices", json!({"offset": 1_000_000})).await;
    assert_eq!(behind, "Showing 0 of 10 Z-Wave devices:\noffset 1000000 is behind the last device.");
    for wrong in [
        json!({"limit": 0}),
        json!({"limit": 101}),
        json!({"limit": -1}),
        json!({"limit": 2.5}),
        json!({"limit": "5"}),
    ] {
        let problem = server.refused("list_devices", wrong).await;
        assert_eq!(problem, "limit must be between 1 and 100, as a whole number");
    }
    let problem = server.refused("list_devices", json!({"offset": -1})).await;
    assert_eq!(problem, "offset must be a whole number of at least 0");
}

async fn a_device_is_verified(server: &mut Server) {
    let told = server.told("verify_device", json!({"deviceName": "switch_one"})).await;
    let expected = "Device \"Switch One\" exists.\nType: switch\nLocation: none\nStatus: online\nLast seen: ";
    assert!(told.starts_with(expected), "{told}");
    let told = server.told("verify_device", json!({"deviceName": "Old Heater"})).await;
    assert!(told.contains("Status: offline") && told.contains("Warning: it does not answer"), "{told}");
    let told = server.told("verify_device", json!({"deviceName": "Swich One"})).await;
    assert_eq!(told, "Device \"Swich One\" not found. Did you mean: Switch One?");
    let told = server.told("verify_device", json!({"deviceName": "light"})).await;
    assert_eq!(
        told,
        "\"light\" could be \"Hall/Hall Light\" or \"Porch/Porch Light\". Send one of these names."
    );
    assert_eq!(server.refused("verify_device", json!({})).await, "deviceName is required");
}

async fn a_sensor_is_read(house: &House, server: &mut Server) {
    let told = server.told("get_device_sensor_data", json!({"deviceName": "porch sensor"})).await;
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(
        lines[..3],
        ["Sensor: Porch Sensor Air temperature", "Value: 21.5°C", "Source: MQTT"],
        "{told}"
    );
    assert!(lines[3].starts_with("Age: ") && lines[4].starts_with("Timestamp: 20"), "{told}");
    assert!(told.contains("Sensor: Porch Sensor Humidity\nValue: 48%"), "{told}");
    house.measure(device::PORCH_SENSOR, 1, -3.5);
    let asked = json!({"deviceName": "Porch Sensor"});
    let said =
        server.until("get_device_sensor_data", asked, |said| said.text.contains("Value: -3.5°C")).await;
    assert!(said.text.contains("Source: MQTT"), "{}", said.text);
    let problem = server.refused("get_device_sensor_data", json!({"deviceName": "Switch One"})).await;
    assert_eq!(problem, "Device \"Switch One\" is a switch and measures nothing.");
}

async fn the_house_is_healthy(server: &mut Server) {
    let told = server.told("check_zwave_health", json!({})).await;
    assert!(told.starts_with("Z-Wave is healthy. Z-Wave JS UI \"house\" at mqtt://127.0.0.1:"), "{told}");
    assert!(told.ends_with("has 10 devices, 9 of them online.\nOffline: Cellar/Old Heater."), "{told}");
}

async fn what_somebody_does_by_hand_is_told(house: &House, server: &mut Server) {
    house.press(device::HALL_LIGHT, json!(true));
    let asked = json!({"limit": 100});
    server
        .until("list_devices", asked, |said| said.text.contains("\"Hall Light\" in Hall (switch): ON"))
        .await;
}

async fn wrong_arguments_are_told(server: &mut Server) {
    for (tool, arguments, problem) in [
        (
            "verify_device",
            json!({"device_name": "Lamp"}),
            "Unknown argument \"device_name\". verify_device takes deviceName.",
        ),
        (
            "check_zwave_health",
            json!({"x": 1}),
            "Unknown argument \"x\". check_zwave_health takes no arguments.",
        ),
        ("verify_device", json!({"deviceName": 7}), "deviceName must be a string"),
        ("list_zwave_devices", json!({"includeInactive": "yes"}), "includeInactive must be true or false"),
    ] {
        assert_eq!(server.refused(tool, arguments).await, problem);
    }
    let answer = server.ask("tools/call", json!({"name": "open_the_door", "arguments": {}})).await;
    let problem = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(
        problem.starts_with("Unknown tool \"open_the_door\". Available tools: list_zwave_devices"),
        "{answer}"
    );
    assert_eq!(answer["error"]["code"], Value::from(-32602));
}
