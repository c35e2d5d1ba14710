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

use crate::gateway::Gateway;
use arguments::Arguments;

/// The result of a tool: the text, or an error that says what to send instead.
pub type Answer = Result<String, String>;

/// The definition of a tool.
struct About {
    name: &'static str,
    description: &'static str,
    /// A JSON Schema.
    input: &'static str,
    effect: Effect,
}

/// The effect of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// It is read-only.
    Looks,
    /// It changes something; it is idempotent.
    Changes,
}

const TOOLS: [&About; 6] = [
    &list_zwave_devices::ABOUT,
    &list_devices::ABOUT,
    &verify_device::ABOUT,
    &control_zwave_device::ABOUT,
    &get_device_sensor_data::ABOUT,
    &check_zwave_health::ABOUT,
];

/// The definitions of all tools.
pub fn all() -> Vec<Tool> {
    TOOLS.iter().map(|about| about.tool()).collect()
}

/// Calls a tool; `None` if there is none of this name.
pub async fn call(gateway: &Gateway, name: &str, arguments: &JsonObject) -> Option<Answer> {
    let about = TOOLS.iter().find(|about| about.name == name)?;
    let arguments = match Arguments::of(about.name, about.input, arguments) {
        Ok(arguments) => arguments,
        Err(problem) => return Some(Err(problem)),
    };
    Some(match about.name {
        list_zwave_devices::NAME => list_zwave_devices::call(gateway, &arguments).await,
        list_devices::NAME => list_devices::call(gateway, &arguments).await,
        verify_device::NAME => verify_device::call(gateway, &arguments).await,
        control_zwave_device::NAME => control_zwave_device::call(gateway, &arguments).await,
        get_device_sensor_data::NAME => get_device_sensor_data::call(gateway, &arguments).await,
        check_zwave_health::NAME => check_zwave_health::call(gateway).await,
        _ => return None,
    })
}

impl About {
    fn tool(&self) -> Tool {
        let annotations = ToolAnnotations::new().open_world(false);
        let annotations = match self.effect {
            Effect::Looks => annotations.read_only(true),
            Effect::Changes => annotations.read_only(false).destructive(false).idempotent(true),
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
    fn every_tool_is_told_with_its_schema() {
        let names: Vec<&str> = TOOLS.iter().map(|about| about.name).collect();
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
