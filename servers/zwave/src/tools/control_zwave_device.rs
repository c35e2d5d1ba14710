//! `control_zwave_device`: switches and dims, and returns the reported state.

use serde_json::{Value, json};

use super::{About, Answer, Arguments, Effect};
use crate::devices::{Device, Kind, Presence, state_of};
use crate::gateway::{Gateway, Written};
use crate::names::{find, told};
use crate::texts::missing;

pub const NAME: &str = "control_zwave_device";

pub const ABOUT: About = About {
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
    effect: Effect::Changes,
};

/// The Z-Wave level for "restore the last level".
const LAST_LEVEL: u64 = 255;
/// The maximum Z-Wave level; users send 100.
const FULL_LEVEL: u64 = 99;

/// The requested action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    On,
    Off,
    Dim(u64),
}

pub async fn call(gateway: &Gateway, arguments: &Arguments<'_>) -> Answer {
    let (Some(asked), Some(action)) = (arguments.text("deviceName")?, arguments.text("action")?) else {
        return Err("deviceName and action are required".into());
    };
    let action = Action::read(action, arguments.integer("level", 0..=100)?)?;
    let devices = gateway.devices().await.map_err(|trouble| format!("{trouble} Nothing was sent."))?;
    let device = find(&devices, asked).map_err(|reason| missing(asked, &reason))?;
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
    tracing::info!(device = %told(device), node = device.id, %value, "{what}");
    let written = gateway.write(device, target, &value).await.map_err(|trouble| trouble.to_string())?;
    let (reported, is_confirmed) = gateway.confirm(device, &current.value, |it| action.is_done(it)).await;
    let state = state_of(&reported);
    if is_confirmed {
        return Ok(format!("Successfully sent command to {what}. It reports {state}."));
    }
    let why = match (written, device.presence) {
        (_, Presence::Asleep) => "it is asleep and gets the command when it wakes up",
        (Written::Unanswered, _) => "Z-Wave JS UI has not said yet whether the device took it",
        (Written::Taken, _) => "the device has not reported it yet",
    };
    Ok(format!(
        "Sent the command to {what}, but it is not confirmed: {why}. The last reported state is {state}."
    ))
}

impl Action {
    fn read(action: &str, level: Option<u64>) -> Result<Action, String> {
        match (action, level) {
            // Some models send a level with every action; a consistent one is accepted.
            ("on", None | Some(100)) => Ok(Action::On),
            ("off", None | Some(0)) => Ok(Action::Off),
            ("dim", Some(level)) => Ok(Action::Dim(level)),
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
    fn value(self, device: &Device) -> Result<Value, String> {
        match (device.kind, self) {
            (Kind::Dimmer, Action::On) => Ok(json!(LAST_LEVEL)),
            (Kind::Dimmer, Action::Off) => Ok(json!(0)),
            (Kind::Dimmer, Action::Dim(level)) => Ok(json!(level.min(FULL_LEVEL))),
            (Kind::Switch, Action::On) => Ok(json!(true)),
            (Kind::Switch, Action::Off) => Ok(json!(false)),
            (Kind::Switch, Action::Dim(_)) => Err(format!(
                "Device \"{}\" is a switch and cannot be dimmed. Use \"on\" or \"off\".",
                device.name
            )),
            (Kind::Thermostat | Kind::Sensor | Kind::Other, _) => Err(cannot(device)),
        }
    }

    /// Whether the reported value confirms the action.
    fn is_done(self, reported: &Value) -> bool {
        match (self, reported.as_bool(), reported.as_u64()) {
            (Action::On, Some(is_on), _) => is_on,
            (Action::Off, Some(is_on), _) => !is_on,
            (Action::On, None, Some(level)) => level > 0,
            (Action::Off, None, Some(level)) => level == 0,
            (Action::Dim(wanted), None, Some(level)) => level == wanted.min(FULL_LEVEL),
            _ => false,
        }
    }

    fn words(self, device: &Device) -> String {
        match self {
            Action::On => format!("turn on {}", device.name),
            Action::Off => format!("turn off {}", device.name),
            Action::Dim(level) => format!("dim {} to {level}%", device.name),
        }
    }
}

fn cannot(device: &Device) -> String {
    format!("Device \"{}\" is a {} and cannot be switched or dimmed.", device.name, device.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_belongs_to_dim() {
        assert_eq!(Action::read("dim", Some(0)), Ok(Action::Dim(0)));
        assert_eq!(Action::read("on", Some(100)), Ok(Action::On));
        assert_eq!(Action::read("off", Some(0)), Ok(Action::Off));
        for (action, level) in
            [("dim", None), ("on", Some(0)), ("off", Some(50)), ("toggle", None), ("ON", None)]
        {
            assert!(Action::read(action, level).is_err(), "{action} {level:?}");
        }
    }

    #[test]
    fn a_report_counts_when_it_says_what_was_wanted() {
        assert!(Action::Dim(100).is_done(&json!(99)) && Action::Dim(42).is_done(&json!(42)));
        assert!(!Action::Dim(42).is_done(&json!(41)) && !Action::Dim(42).is_done(&json!(true)));
        assert!(Action::On.is_done(&json!(1)) && !Action::On.is_done(&json!(0)));
        assert!(Action::Off.is_done(&json!(false)) && !Action::Off.is_done(&Value::Null));
    }
}
