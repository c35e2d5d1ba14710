//! `get_device_sensor_data`: sensor values with their source and age.

use super::{ToolAnswer, ToolArguments, ToolEffect, ToolSpec};
use crate::devices::{DeviceValue, ReadingSource};
use crate::gateway::ZwaveGateway;
use crate::names::find;
use crate::texts::{age, missing, now, timestamp};

pub const NAME: &str = "get_device_sensor_data";

pub const SPEC: ToolSpec = ToolSpec {
    name: NAME,
    description: "Tells what a Z-Wave sensor measures (temperature, humidity, ...) and how old each value is.",
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
    let device = find(&devices, requested).map_err(|reason| missing(requested, &reason))?;
    let sensors = device.sensors();
    if sensors.is_empty() {
        return Err(format!("Device \"{}\" is a {} and measures nothing.", device.name, device.kind));
    }
    let now = now();
    let mut blocks: Vec<String> = sensors.iter().map(|known| block(&device.name, known, now)).collect();
    if !device.is_online() {
        blocks.push(format!("Warning: \"{}\" is offline, so these values are old.", device.name));
    }
    Ok(blocks.join("\n\n"))
}

fn block(device: &str, known: &DeviceValue, now: u64) -> String {
    let source = match known.source {
        ReadingSource::Mqtt => "MQTT",
        ReadingSource::Api => "API",
    };
    let (age, time) = match known.reading.time {
        Some(time) => (age(time, now), timestamp(time)),
        None => ("unknown".to_owned(), "unknown".to_owned()),
    };
    let (name, value) = (&known.value.property_name, known.shown());
    format!("Sensor: {device} {name}\nValue: {value}\nSource: {source}\nAge: {age}\nTimestamp: {time}")
}
