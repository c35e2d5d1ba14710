//! `check_zwave_health`: the state of broker, gateway and devices.

use super::{ToolAnswer, ToolEffect, ToolSpec};
use crate::gateway::{GatewayError, ZwaveGateway};
use crate::names::address;

/// Limit of offline devices by name; further ones are counted.
const NAMED: usize = 5;

pub const NAME: &str = "check_zwave_health";

pub const SPEC: ToolSpec = ToolSpec {
    name: NAME,
    description: "Tells whether the Z-Wave network can be reached, how many devices it has, and which of them are offline.",
    input: r#"{"type": "object", "properties": {}, "additionalProperties": false}"#,
    effect: ToolEffect::Looks,
};

pub async fn call(gateway: &ZwaveGateway) -> ToolAnswer {
    looked(gateway).await.map_err(|error| format!("Z-Wave is unavailable. {error}"))
}

async fn looked(gateway: &ZwaveGateway) -> Result<String, GatewayError> {
    let devices = gateway.devices().await?;
    let offline: Vec<String> = devices.iter().filter(|device| !device.is_online()).map(address).collect();
    let (name, broker) = (gateway.name().await?, &gateway.settings().broker);
    let mut answer = format!(
        "Z-Wave is healthy. Z-Wave JS UI \"{name}\" at {broker} has {} devices, {} of them online.",
        devices.len(),
        devices.len() - offline.len()
    );
    if !offline.is_empty() {
        let named = offline[..offline.len().min(NAMED)].join(", ");
        let more = offline.len().saturating_sub(NAMED);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        answer.push_str(&format!("\nOffline: {named}{more}."));
    }
    Ok(answer)
}
