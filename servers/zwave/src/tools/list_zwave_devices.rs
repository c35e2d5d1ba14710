//! `list_zwave_devices`: who there is, and who can be reached.

use super::{About, Answer, Arguments, Effect};
use crate::devices::Device;
use crate::gateway::Gateway;
use crate::names::told;

pub const NAME: &str = "list_zwave_devices";

pub const ABOUT: About = About {
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
    effect: Effect::Looks,
};

pub async fn call(gateway: &Gateway, arguments: &Arguments<'_>) -> Answer {
    let with_offline = arguments.is_set("includeInactive")?;
    let filter = arguments.text("filter")?.unwrap_or_default();
    let devices = gateway.devices().await.map_err(|trouble| trouble.to_string())?;
    let fits: Vec<&Device> = devices.iter().filter(|device| has(device, filter)).collect();
    let shown: Vec<&&Device> = fits.iter().filter(|device| with_offline || device.is_online()).collect();
    let hidden = fits.len() - shown.len();
    let mut answer = format!("Available Z-Wave devices ({} total):", shown.len());
    for device in &shown {
        let state = if device.is_online() { "online" } else { "offline" };
        answer.push_str(&format!("\n- {} is {state}", told(**device)));
    }
    if shown.is_empty() && !filter.is_empty() {
        answer.push_str(&format!("\nNo device has \"{filter}\" in its name or location."));
    }
    if hidden > 0 {
        answer.push_str(&format!("\n{hidden} offline and not listed; includeInactive lists them too."));
    }
    Ok(answer)
}

fn has(device: &Device, filter: &str) -> bool {
    let filter = filter.to_lowercase();
    [&device.name, &device.location].iter().any(|text| text.to_lowercase().contains(&filter))
}
