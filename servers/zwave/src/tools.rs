//! The tools: one file each, and the table of all.

pub mod arguments;
mod check_zwave_health;
mod control_zwave_device;
mod get_device_sensor_data;
mod list_devices;
mod list_zwave_devices;
mod verify_device;

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use crate::gateway::ZwaveGateway;
use arguments::ToolArguments;

/// The result of a tool: the text, or an error that says what to send instead.
pub type ToolAnswer = Result<String, String>;

/// The definition of a tool.
struct ToolSpec {
    name: &'static str,
    description: &'static str,
    /// A JSON Schema.
    input: &'static str,
    effect: ToolEffect,
}

/// The effect of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ToolEffect {
    /// It is read-only.
    Looks,
    /// It changes something; it is idempotent.
    Changes,
}

const TOOLS: [&ToolSpec; 6] = [
    &list_zwave_devices::SPEC,
    &list_devices::SPEC,
    &verify_device::SPEC,
    &control_zwave_device::SPEC,
    &get_device_sensor_data::SPEC,
    &check_zwave_health::SPEC,
];

/// The definitions of all tools.
pub fn all() -> Vec<Tool> {
    TOOLS.iter().map(|spec| spec.tool()).collect()
}

/// Calls a tool; `None` if there is none of this name.
pub async fn call(gateway: &ZwaveGateway, name: &str, arguments: &JsonObject) -> Option<ToolAnswer> {
    let spec = TOOLS.iter().find(|spec| spec.name == name)?;
    let arguments = match ToolArguments::of(spec.name, spec.input, arguments) {
        Ok(arguments) => arguments,
        Err(problem) => return Some(Err(problem)),
    };
    Some(match spec.name {
        list_zwave_devices::NAME => list_zwave_devices::call(gateway, &arguments).await,
        list_devices::NAME => list_devices::call(gateway, &arguments).await,
        verify_device::NAME => verify_device::call(gateway, &arguments).await,
        control_zwave_device::NAME => control_zwave_device::call(gateway, &arguments).await,
        get_device_sensor_data::NAME => get_device_sensor_data::call(gateway, &arguments).await,
        check_zwave_health::NAME => check_zwave_health::call(gateway).await,
        _ => return None,
    })
}

impl ToolSpec {
    fn tool(&self) -> Tool {
        let annotations = ToolAnnotations::new().open_world(false);
        let annotations = match self.effect {
            ToolEffect::Looks => annotations.read_only(true),
            ToolEffect::Changes => annotations.read_only(false).destructive(false).idempotent(true),
        };
        Tool::new(self.name, self.description, Arc::new(schema(self.input))).with_annotations(annotations)
    }
}

/// Parses a built-in schema; a test covers them all.
fn schema(text: &str) -> JsonObject {
    match serde_json::from_str(text) {
        Ok(Value::Object(schema)) => schema,
        _ => JsonObject::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_schema() {
        let names: Vec<&str> = TOOLS.iter().map(|spec| spec.name).collect();
        assert_eq!(
            names,
            [
                "list_zwave_devices",
                "list_devices",
                "verify_device",
                "control_zwave_device",
                "get_device_sensor_data",
                "check_zwave_health"
            ]
        );
        for tool in all() {
            assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
            assert_eq!(tool.input_schema["additionalProperties"], false, "{}", tool.name);
        }
    }
}
