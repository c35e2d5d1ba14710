//! The tool that does something: what the devices themselves are afterwards.

use serde_json::{Value, json};
use toolwright_testkit::house::{House, device};

use crate::server::Server;

const CONTROL: &str = "control_zwave_device";

fn order(name: &str, action: &str) -> Value {
    json!({"deviceName": name, "action": action})
}

fn dim(name: &str, level: Value) -> Value {
    json!({"deviceName": name, "action": "dim", "level": level})
}

#[tokio::test(flavor = "multi_thread")]
async fn devices_do_what_they_are_told_and_nothing_else() {
    let house = House::begin().await;
    let mut server = Server::in_house(&house, &[("ZWAVE_CONFIRM_TIMEOUT_MS", "3000")]).await;
    switches_and_dimmers_obey(&house, &mut server).await;
    every_spelling_of_a_name_is_one_device(&house, &mut server).await;
    a_light_is_not_one_of_two(&house, &mut server).await;
    two_with_the_same_topics_are_told_apart(&house, &mut server).await;
    what_cannot_be_done_is_not_sent(&house, &mut server).await;
    what_is_not_confirmed_is_not_called_done(&house, &mut server).await;
    a_device_that_dies_is_told(&house, &mut server).await;
}

async fn switches_and_dimmers_obey(house: &House, server: &mut Server) {
    let told = server.told(CONTROL, order("Switch One", "on")).await;
    assert_eq!(told, "Successfully sent command to turn on Switch One. It reports ON.");
    assert_eq!(house.state(device::SWITCH_ONE), json!(true));
    let told = server.told(CONTROL, order("Switch One", "off")).await;
    assert_eq!(told, "Successfully sent command to turn off Switch One. It reports OFF.");
    assert_eq!(house.state(device::SWITCH_ONE), json!(false));
    let lamp = "Living Room/Lamp";
    for (level, state, told) in
        [(42, 42, "ON (42%)"), (100, 99, "ON (100%)"), (0, 0, "OFF"), (1, 1, "ON (1%)")]
    {
        let said = server.told(CONTROL, dim(lamp, json!(level))).await;
        assert_eq!(said, format!("Successfully sent command to dim Lamp to {level}%. It reports {told}."));
        assert_eq!(house.state(device::LIVING_ROOM_LAMP), json!(state));
    }
    // Off and on again is as bright as it was.
    server.told(CONTROL, dim(lamp, json!(30))).await;
    server.told(CONTROL, order(lamp, "off")).await;
    let told = server.told(CONTROL, order(lamp, "on")).await;
    assert_eq!(told, "Successfully sent command to turn on Lamp. It reports ON (30%).");
    assert_eq!(house.state(device::LIVING_ROOM_LAMP), json!(30));
    assert_eq!(house.state(device::BEDROOM_LAMP), json!(0));
}

async fn every_spelling_of_a_name_is_one_device(house: &House, server: &mut Server) {
    for (name, node) in [
        ("switch one", device::SWITCH_ONE),
        ("SWITCH_ONE", device::SWITCH_ONE),
        ("Porch Light", device::PORCH_LIGHT),
        ("the hall light", device::HALL_LIGHT),
        ("nodeID_11", device::NAMELESS),
    ] {
        for (action, state) in [("on", true), ("off", false)] {
            server.told(CONTROL, order(name, action)).await;
            assert_eq!(house.state(node), json!(state), "{name}");
        }
    }
    server.told(CONTROL, dim("the lamp in the bedroom", json!(7))).await;
    assert_eq!(house.state(device::BEDROOM_LAMP), json!(7));
}

async fn a_light_is_not_one_of_two(house: &House, server: &mut Server) {
    let problem = server.refused(CONTROL, order("light", "on")).await;
    assert_eq!(
        problem,
        "\"light\" could be \"Hall/Hall Light\" or \"Porch/Porch Light\". Send one of these names."
    );
    let problem = server.refused(CONTROL, order("Lamp", "on")).await;
    assert_eq!(
        problem,
        "\"Lamp\" could be \"Living Room/Lamp\" or \"Bedroom/Lamp\". Send one of these names."
    );
    let problem = server.refused(CONTROL, order("Swich One", "on")).await;
    assert_eq!(problem, "Device \"Swich One\" not found. Did you mean: Switch One?");
    let problem = server.refused(CONTROL, order("dishwasher", "on")).await;
    assert_eq!(problem, "Device \"dishwasher\" not found. list_zwave_devices names all of them.");
    for node in [device::HALL_LIGHT, device::PORCH_LIGHT, device::SWITCH_ONE] {
        assert_eq!(house.state(node), json!(false));
    }
}

async fn two_with_the_same_topics_are_told_apart(house: &House, server: &mut Server) {
    let told = server.told(CONTROL, order("Fan_1", "on")).await;
    assert_eq!(told, "Successfully sent command to turn on Fan_1. It reports ON.");
    assert_eq!(
        (house.state(device::FAN_1), house.state(device::FAN_UNDERSCORE_1)),
        (json!(false), json!(true))
    );
    server.told(CONTROL, order("Fan 1", "on")).await;
    server.told(CONTROL, order("Fan_1", "off")).await;
    assert_eq!(
        (house.state(device::FAN_1), house.state(device::FAN_UNDERSCORE_1)),
        (json!(true), json!(false))
    );
    let problem = server.refused(CONTROL, order("fan 1", "off")).await;
    assert_eq!(problem, "\"fan 1\" could be \"Fan 1\" or \"Fan_1\". Send one of these names.");
    assert_eq!(house.state(device::FAN_1), json!(true));
}

async fn what_cannot_be_done_is_not_sent(house: &House, server: &mut Server) {
    let before = house.state(device::LIVING_ROOM_LAMP);
    let lamp = "Living Room/Lamp";
    for wrong in [json!(101), json!(-1), json!(50.5), json!("50"), json!(1e9)] {
        let problem = server.refused(CONTROL, dim(lamp, wrong)).await;
        assert_eq!(problem, "level must be between 0 and 100, as a whole number");
    }
    for (arguments, problem) in [
        (json!({"deviceName": lamp}), "deviceName and action are required"),
        (json!({"action": "on"}), "deviceName and action are required"),
        (json!({"deviceName": "", "action": "on"}), "deviceName and action are required"),
        (order(lamp, "toggle"), "Invalid action \"toggle\". Use \"on\", \"off\" or \"dim\"."),
        (order(lamp, "dim"), "level is required for the action \"dim\": a whole number between 0 and 100"),
        (
            json!({"deviceName": lamp, "action": "on", "level": 20}),
            "level 20 does not go with the action \"on\"; use the action \"dim\" to set a level",
        ),
        (
            json!({"device_name": lamp, "action": "on"}),
            "Unknown argument \"device_name\". control_zwave_device takes deviceName, action, level.",
        ),
        (
            dim("Hall Light", json!(50)),
            "Device \"Hall Light\" is a switch and cannot be dimmed. Use \"on\" or \"off\".",
        ),
        (
            order("Porch Sensor", "on"),
            "Device \"Porch Sensor\" is a sensor and cannot be switched or dimmed.",
        ),
        (
            order("Old Heater", "on"),
            "Device \"Old Heater\" is offline or not ready: it does not answer. Nothing was sent.",
        ),
    ] {
        assert_eq!(server.refused(CONTROL, arguments).await, problem);
    }
    assert_eq!(house.state(device::LIVING_ROOM_LAMP), before);
    assert_eq!(house.state(device::HALL_LIGHT), json!(false));
    assert_eq!(house.state(device::OLD_HEATER), json!(false));
}

async fn what_is_not_confirmed_is_not_called_done(house: &House, server: &mut Server) {
    server.told(CONTROL, order("Bedroom/Lamp", "off")).await;
    house.mute(device::BEDROOM_LAMP);
    let told = server.told(CONTROL, order("Bedroom/Lamp", "on")).await;
    assert_eq!(
        told,
        "Sent the command to turn on Lamp, but it is not confirmed: the device has not reported it yet. \
         The last reported state is OFF."
    );
    assert_eq!(house.state(device::BEDROOM_LAMP), json!(7));
}

async fn a_device_that_dies_is_told(house: &House, server: &mut Server) {
    house.silence(device::PORCH_LIGHT);
    let asked = json!({"deviceName": "Porch Light"});
    server.until("verify_device", asked, |said| said.text.contains("Status: offline")).await;
    let problem = server.refused(CONTROL, order("Porch Light", "on")).await;
    assert!(problem.starts_with("Device \"Porch Light\" is offline or not ready"), "{problem}");
    assert_eq!(house.state(device::PORCH_LIGHT), json!(false));
}
