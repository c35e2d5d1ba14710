//! Topics and payloads of a Z-Wave house, which any device of it and any client of its broker can write.

use serde_json::Value;
use zwave_mcp_server::devices::{Heard, Reading, assemble};
use zwave_mcp_server::names::{Missing, address, find};
use zwave_mcp_server::topics::{Topic, parse};
use zwave_mcp_server::{nodes, payload};

/// The first line is a topic, what follows its payload. Any topic is about one thing or nothing, and a value's topic is
/// made of its parts; any payload says something; whatever a list of nodes has, every device of it is found by its
/// address, or told together with those that have the same.
pub fn zwave(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let topic = String::from_utf8_lossy(&data[..end]);
    let bytes = data.get(end + 1..).unwrap_or_default();
    let said = payload::read(bytes);
    let mut heard = Heard::default();
    if let Some(Topic::Value(value)) = parse("zwave", &topic) {
        let (node, class, endpoint, property) = (&value.node, &value.class, value.endpoint, &value.property);
        let made = format!("zwave/{node}/{class}/endpoint_{endpoint}/{property}");
        assert_eq!(parse("zwave", &made), Some(Topic::Value(value.clone())), "{topic}");
        heard.value(value, Reading { value: said.value, time: said.time });
    }
    let Ok(list) = serde_json::from_slice::<Value>(bytes) else { return };
    let Some(nodes) = nodes::read(&list) else { return };
    let devices = assemble(&nodes, &heard);
    assert_eq!(devices.len(), nodes.len());
    for device in &devices {
        let _ = (device.state(), device.sensors().len(), device.control().is_some());
        let asked = address(device);
        match find(&devices, &asked) {
            Ok(found) => assert!(address(found) == asked || found.name == asked, "{asked:?} is {found:?}"),
            Err(Missing::Ambiguous(names)) => assert!(names.len() > 1, "{names:?}"),
            Err(Missing::Unknown(_)) => {
                assert!(asked.trim().is_empty() || asked.len() > 100, "{asked:?} is unknown")
            }
        }
    }
}
