//! `verify_device`: whether a device of this name exists.

use super::{ToolAnswer, ToolArguments, ToolEffect, ToolSpec};
use crate::devices::{Presence, ZwaveDevice};
use crate::gateway::ZwaveGateway;
use crate::names::find;
use crate::texts::{ago, missing, now, place};

pub const NAME: &str = "verify_device";

pub const SPEC: ToolSpec = ToolSpec {
    name: NAME,
    description: "Tells whether a Z-Wave device of this name exists, with its type, location and status; suggests names \
                  when there is none.",
    input: r#"{
        "type": "object",
        "properties": {
            "deviceName": {"type": "string", "minLength": 1, "description": "The name of a device, or Location/Name."}
        },
        "required": ["deviceName"],
        "additionalProperties": false
    }"#,
    effect: ToolEffect::Looks,
};

pub async fn call(gateway: &ZwaveGateway, arguments: &ToolArguments<'_>) -> ToolAnswer {
    let requested = arguments.text("deviceName")?.ok_or("deviceName is required")?;
    let devices = gateway.devices().await.map_err(|error| error.to_string())?;
    match find(&devices, requested) {
        Ok(device) => Ok(description(device)),
        // A missing device is a valid result of this tool.
        Err(reason) => Ok(missing(requested, &reason)),
    }
}

fn description(device: &ZwaveDevice) -> String {
    let (status, warning) = match device.presence {
        Presence::Online => ("online", None),
        Presence::Asleep => ("asleep", Some("it hears commands when it wakes up")),
        Presence::Dead => ("offline", Some("it does not answer, so commands to it are refused")),
        Presence::NotReady => ("not ready", Some("the network does not know yet what it is")),
    };
    let mut answer = format!(
        "Device \"{}\" exists.\nType: {}\nLocation: {}\nStatus: {status}\nLast seen: {}",
        device.name,
        device.kind,
        place(&device.location),
        ago(device.last_seen, now()),
    );
    if let Some(warning) = warning {
        answer.push_str(&format!("\nWarning: {warning}."));
    }
    answer
}
