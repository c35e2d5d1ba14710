//! `control_zwave_device`: switches and dims, and returns the reported state.

use serde_json::{Value, json};

use super::{ToolAnswer, ToolArguments, ToolEffect, ToolSpec};
use crate::devices::{DeviceKind, Presence, ZwaveDevice, state_of};
use crate::gateway::{WriteResult, ZwaveGateway};
use crate::names::{find, quoted_name};
use crate::texts::missing;

pub const NAME: &str = "control_zwave_device";

pub const SPEC: ToolSpec = ToolSpec {
    name: NAME,
    description: "Turns a Z-Wave device on or off, or dims it, and reports the state that the device confirms.",
    input: r#"{
        "type": "object",
        "properties": {
            "deviceName": {"type": "string", "minLength": 1, "description": "The name of a device, or Location/Name."},
            "action": {"type": "string", "enum": ["on", "off", "dim"], "description": "dim needs level and a dimmer."},
            "level": {"type": "integer", "minimum": 0, "maximum": 100, "description": "Brightness in percent, for dim."}
        },
        "required": ["deviceName", "action"],
        "additionalProperties": false
    }"#,
    effect: ToolEffect::Changes,
};

/// The Z-Wave level for "restore the last level".
const LAST_LEVEL: u64 = 255;
/// The maximum Z-Wave level; users send 100.
const FULL_LEVEL: u64 = 99;

/// The requested action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeviceAction {
    On,
    Off,
    Dim(u64),
}

pub async fn call(gateway: &ZwaveGateway, arguments: &ToolArguments<'_>) -> ToolAnswer {
    let (Some(requested), Some(action)) = (arguments.text("deviceName")?, arguments.text("action")?) else {
        return Err("deviceName and action are required".into());
    };
    let action = DeviceAction::read(action, arguments.integer("level", 0..=100)?)?;
    let devices = gateway.devices().await.map_err(|error| format!("{error} Nothing was sent."))?;
    let device = find(&devices, requested).map_err(|reason| missing(requested, &reason))?;
    if !device.is_online() {
        let offline =
            if device.presence == Presence::Dead { "it does not answer" } else { "it is not set up yet" };
        return Err(format!(
            "Device \"{}\" is offline or not ready: {offline}. Nothing was sent.",
            device.name
        ));
    }
    let value = action.value(device)?;
    let Some((target, current)) = device.control() else { return Err(cannot(device)) };
    let what = action.words(device);
    let _turn = gateway.turn(device.id).await;
    tracing::info!(device = %quoted_name(device), node = device.id, %value, "{what}");
    let written = gateway.write(device, target, &value).await.map_err(|error| error.to_string())?;
    let (reported, is_confirmed) = gateway.confirm(device, &current.value, |it| action.is_done(it)).await;
    let state = state_of(&reported);
    if is_confirmed {
        return Ok(format!("Successfully sent command to {what}. It reports {state}."));
    }
    let why = match (written, device.presence) {
        (_, Presence::Asleep) => "it is asleep and gets the command when it wakes up",
        (WriteResult::Unanswered, _) => "Z-Wave JS UI has not said yet whether the device took it",
        (WriteResult::Taken, _) => "the device has not reported it yet",
    };
    Ok(format!(
        "Sent the command to {what}, but it is not confirmed: {why}. The last reported state is {state}."
    ))
}

impl DeviceAction {
    fn read(action: &str, level: Option<u64>) -> Result<DeviceAction, String> {
        match (action, level) {
            // Some models send a level with every action; a consistent one is accepted.
            ("on", None | Some(100)) => Ok(DeviceAction::On),
            ("off", None | Some(0)) => Ok(DeviceAction::Off),
            ("dim", Some(level)) => Ok(DeviceAction::Dim(level)),
            ("dim", None) => {
                Err("level is required for the action \"dim\": a whole number between 0 and 100".into())
            }
            ("on" | "off", Some(level)) => Err(format!(
                "level {level} does not go with the action \"{action}\"; use the action \"dim\" to set a level"
            )),
            (other, _) => {
                let other: String = other.chars().take(40).collect();
                Err(format!("Invalid action \"{other}\". Use \"on\", \"off\" or \"dim\"."))
            }
        }
    }

    /// The value to write.
    fn value(self, device: &ZwaveDevice) -> Result<Value, String> {
        match (device.kind, self) {
            (DeviceKind::Dimmer, DeviceAction::On) => Ok(json!(LAST_LEVEL)),
            (DeviceKind::Dimmer, DeviceAction::Off) => Ok(json!(0)),
            (DeviceKind::Dimmer, DeviceAction::Dim(level)) => Ok(json!(level.min(FULL_LEVEL))),
            (DeviceKind::Switch, DeviceAction::On) => Ok(json!(true)),
            (DeviceKind::Switch, DeviceAction::Off) => Ok(json!(false)),
            (DeviceKind::Switch, DeviceAction::Dim(_)) => Err(format!(
                "Device \"{}\" is a switch and cannot be dimmed. Use \"on\" or \"off\".",
                device.name
            )),
            (DeviceKind::Thermostat | DeviceKind::Sensor | DeviceKind::Other, _) => Err(cannot(device)),
        }
    }

    /// Whether the reported value confirms the action.
    fn is_done(self, reported: &Value) -> bool {
        match (self, reported.as_bool(), reported.as_u64()) {
            (DeviceAction::On, Some(is_on), _) => is_on,
            (DeviceAction::Off, Some(is_on), _) => !is_on,
            (DeviceAction::On, None, Some(level)) => level > 0,
            (DeviceAction::Off, None, Some(level)) => level == 0,
            (DeviceAction::Dim(wanted), None, Some(level)) => level == wanted.min(FULL_LEVEL),
            _ => false,
        }
    }

    fn words(self, device: &ZwaveDevice) -> String {
        match self {
            DeviceAction::On => format!("turn on {}", device.name),
            DeviceAction::Off => format!("turn off {}", device.name),
            DeviceAction::Dim(level) => format!("dim {} to {level}%", device.name),
        }
    }
}

fn cannot(device: &ZwaveDevice) -> String {
    format!("Device \"{}\" is a {} and cannot be switched or dimmed.", device.name, device.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_belongs_to_dim() {
        assert_eq!(DeviceAction::read("dim", Some(0)), Ok(DeviceAction::Dim(0)));
        assert_eq!(DeviceAction::read("on", Some(100)), Ok(DeviceAction::On));
        assert_eq!(DeviceAction::read("off", Some(0)), Ok(DeviceAction::Off));
        for (action, level) in
            [("dim", None), ("on", Some(0)), ("off", Some(50)), ("toggle", None), ("ON", None)]
        {
            assert!(DeviceAction::read(action, level).is_err(), "{action} {level:?}");
        }
    }

    #[test]
    fn a_report_counts_when_it_says_what_was_wanted() {
        assert!(DeviceAction::Dim(100).is_done(&json!(99)) && DeviceAction::Dim(42).is_done(&json!(42)));
        assert!(!DeviceAction::Dim(42).is_done(&json!(41)) && !DeviceAction::Dim(42).is_done(&json!(true)));
        assert!(DeviceAction::On.is_done(&json!(1)) && !DeviceAction::On.is_done(&json!(0)));
        assert!(DeviceAction::Off.is_done(&json!(false)) && !DeviceAction::Off.is_done(&Value::Null));
    }
}
