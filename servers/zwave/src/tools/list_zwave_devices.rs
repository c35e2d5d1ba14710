//! `list_zwave_devices`: devices and whether they are online.

use super::{ToolAnswer, ToolArguments, ToolEffect, ToolSpec};
use crate::devices::ZwaveDevice;
use crate::gateway::ZwaveGateway;
use crate::names::quoted_name;

pub const NAME: &str = "list_zwave_devices";

pub const SPEC: ToolSpec = ToolSpec {
    name: NAME,
    description: "Lists the Z-Wave devices of the house with their locations and whether they are online. Use it to learn \
                  the exact name of a device.",
    input: r#"{
        "type": "object",
        "properties": {
            "includeInactive": {"type": "boolean", "default": false, "description": "Also list devices that are offline."},
            "filter": {"type": "string", "description": "Only devices with this text in their name or location."}
        },
        "additionalProperties": false
    }"#,
    effect: ToolEffect::Looks,
};

pub async fn call(gateway: &ZwaveGateway, arguments: &ToolArguments<'_>) -> ToolAnswer {
    let with_offline = arguments.is_set("includeInactive")?;
    let filter = arguments.text("filter")?.unwrap_or_default();
    let devices = gateway.devices().await.map_err(|error| error.to_string())?;
    let fits: Vec<&ZwaveDevice> = devices.iter().filter(|device| has(device, filter)).collect();
    let shown: Vec<&&ZwaveDevice> = fits.iter().filter(|device| with_offline || device.is_online()).collect();
    let hidden = fits.len() - shown.len();
    let mut answer = format!("Available Z-Wave devices ({} total):", shown.len());
    for device in &shown {
        answer.push_str(&format!("\n- {}", line(device)));
    }
    if shown.is_empty() && !filter.is_empty() {
        answer.push_str(&format!("\nNo device has \"{filter}\" in its name or location."));
    }
    if hidden > 0 {
        answer.push_str(&format!("\n{hidden} offline and not listed; includeInactive lists them too."));
    }
    Ok(answer)
}

/// Guarded devices are marked, so that a voice assistant can ask for confirmation.
fn line(device: &ZwaveDevice) -> String {
    let state = if device.is_online() { "online" } else { "offline" };
    match device.guards() {
        Some(what) => format!("{} is {state} ({what})", quoted_name(device)),
        None => format!("{} is {state}", quoted_name(device)),
    }
}

fn has(device: &ZwaveDevice, filter: &str) -> bool {
    let filter = filter.to_lowercase();
    [&device.name, &device.location].iter().any(|text| text.to_lowercase().contains(&filter))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::devices::{Heard, assemble};
    use crate::nodes;

    #[test]
    fn a_lock_is_marked_and_a_lamp_is_not() {
        let node = |id: u64, classes: &[u64]| {
            let value = |class: &u64| {
                (format!("{class}-0-x"), json!({"commandClass": class, "property": "x", "propertyName": "x"}))
            };
            let values: serde_json::Map<String, Value> = classes.iter().map(value).collect();
            json!({"id": id, "name": "Entry", "loc": "Hall", "ready": true, "available": true, "values": values})
        };
        let list = json!([
            node(2, &[37, 113, 152]),
            node(3, &[37, 98, 99]),
            node(4, &[38, 106]),
            node(5, &[121, 113]),
        ]);
        let devices = assemble(&nodes::read(&list).expect("a list"), &Heard::default());
        let lines: Vec<String> = devices.iter().map(line).collect();
        assert_eq!(
            lines,
            [
                "\"Entry\" in Hall is online",
                "\"Entry\" in Hall is online (door lock)",
                "\"Entry\" in Hall is online (window covering)",
                "\"Entry\" in Hall is online (siren)",
            ]
        );
    }
}
