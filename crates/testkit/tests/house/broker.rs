//! A broker or a gateway that is away: told at once, never taken for done, and found again.

use std::net::TcpListener;

use serde_json::{Value, json};
use toolwright_testkit::house::{House, Plan, Ways, device};

use crate::server::Server;

const CONTROL: &str = "control_zwave_device";
/// How often the broker is killed.
const ROUNDS: usize = 10;

fn on() -> Value {
    json!({"deviceName": "Switch One", "action": "on"})
}

/// An address where nobody listens.
fn nowhere() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    format!("mqtt://{}", listener.local_addr().expect("an address"))
}

#[tokio::test]
async fn without_a_broker_the_server_starts_and_says_what_is_wrong() {
    let url = nowhere();
    let mut server = Server::start(&[("MQTT_BROKER_URL", &url)]);
    let about = server.initialize().await;
    assert_eq!(about["serverInfo"]["name"], "zwave-mcp-server");
    let listed = server.ask("tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(6));
    let missing = format!("The MQTT broker {url} cannot be reached: ");
    for (tool, arguments) in [
        ("list_zwave_devices", json!({})),
        ("list_devices", json!({})),
        ("verify_device", json!({"deviceName": "Lamp"})),
        ("get_device_sensor_data", json!({"deviceName": "Lamp"})),
    ] {
        let problem = server.refused(tool, arguments).await;
        assert!(problem.starts_with(&missing) && problem.contains("MQTT_BROKER_URL"), "{problem}");
    }
    let problem = server.refused(CONTROL, on()).await;
    assert!(problem.starts_with(&missing) && problem.ends_with("Nothing was sent."), "{problem}");
    assert!(!problem.to_lowercase().contains("would"), "{problem}");
    let problem = server.refused("check_zwave_health", json!({})).await;
    assert!(problem.starts_with(&format!("Z-Wave is unavailable. {missing}")), "{problem}");
    assert!(server.stderr().contains("no connection"), "{}", server.stderr());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_is_killed_and_started_again_is_found_again() {
    let house = House::begin().await;
    let mut server = Server::in_house(&house, &[]).await;
    server.told(CONTROL, on()).await;
    for round in 0..ROUNDS {
        let order = json!({"deviceName": "Switch One", "action": if round % 2 == 0 { "off" } else { "on" }});
        let before = house.state(device::SWITCH_ONE);
        house.kill_broker();
        let said = server.until(CONTROL, order.clone(), |said| said.is_error).await;
        assert!(said.text.contains("cannot be reached"), "{}", said.text);
        house.restart_broker();
        // What was asked while it was away is not done later.
        server.until("check_zwave_health", json!({}), |said| !said.is_error).await;
        assert_eq!(house.state(device::SWITCH_ONE), before);
        server.until(CONTROL, order, |said| !said.is_error).await;
        assert_ne!(house.state(device::SWITCH_ONE), before);
    }
    house.gateway_leaves();
    let said = server.until(CONTROL, on(), |said| said.is_error).await;
    assert!(said.text.starts_with("Z-Wave JS UI \"house\" is offline"), "{}", said.text);
    house.gateway_comes_back();
    server.until("check_zwave_health", json!({}), |said| !said.is_error).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_call_after_the_broker_came_back_does_not_fail_with_what_was_before() {
    let house = House::begin().await;
    let mut server = Server::in_house(&house, &[]).await;
    server.told(CONTROL, on()).await;
    for _ in 0..3 {
        house.kill_broker();
        // The loss is known, and so is that nobody listens.
        server.until(CONTROL, on(), |said| said.text.contains("Connection refused")).await;
        house.restart_broker();
        // The house's own gateway may be away a little longer, and then that is what is told.
        let first = server.call("check_zwave_health", json!({})).await;
        assert!(!first.text.contains("cannot be reached"), "{}", first.text);
        server.until("check_zwave_health", json!({}), |said| !said.is_error).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_gateway_is_found_by_its_name_behind_a_login_and_by_tls() {
    let login = ("keeper".to_owned(), "open-sesame".to_owned());
    let plan = Plan {
        prefix: "my/house".into(),
        gateway: "attic".into(),
        login: Some(login),
        ways: Ways::AlsoEncrypted,
    };
    let house = House::begin_as(plan).await;
    let mut server = Server::in_house(&house, &[("ZWAVE_GATEWAY_NAME", "attic")]).await;
    server.told(CONTROL, on()).await;
    assert_eq!(house.state(device::SWITCH_ONE), json!(true));
    let (_, _, stderr) = server.end().await;
    assert!(!stderr.contains("open-sesame"), "{stderr}");

    let mut server = Server::in_house(&house, &[("ZWAVE_GATEWAY_NAME", "cellar")]).await;
    let problem = server.refused("check_zwave_health", json!({})).await;
    assert!(
        problem.contains("No Z-Wave JS UI has reported") && problem.contains("\"my/house\""),
        "{problem}"
    );

    let mut server = Server::in_house(&house, &[("MQTT_PASSWORD", "wrong-word")]).await;
    let problem = server.refused("check_zwave_health", json!({})).await;
    assert!(problem.contains("it refuses the login; check MQTT_USERNAME and MQTT_PASSWORD"), "{problem}");
    assert!(!problem.contains("wrong-word") && !server.stderr().contains("wrong-word"), "{problem}");

    let mut server = Server::in_house(&house, &[("MQTT_TOPIC_PREFIX", "zwave")]).await;
    let problem = server.refused(CONTROL, on()).await;
    assert!(
        problem.contains("below the prefix \"zwave\"") && problem.contains("MQTT_TOPIC_PREFIX"),
        "{problem}"
    );

    let (url, authority) = house.encrypted();
    let authority = authority.to_str().expect("UTF-8");
    let encrypted = [("MQTT_BROKER_URL", url.as_str()), ("MQTT_CA_FILE", authority)];
    let mut server = Server::in_house(&house, &encrypted).await;
    server.told(CONTROL, json!({"deviceName": "Switch One", "action": "off"})).await;
    assert_eq!(house.state(device::SWITCH_ONE), json!(false));
    let mut server = Server::in_house(&house, &encrypted[..1]).await;
    let problem = server.refused(CONTROL, on()).await;
    assert!(problem.contains("TLS failed") && problem.contains("UnknownIssuer"), "{problem}");
    assert_eq!(house.state(device::SWITCH_ONE), json!(false));
}
