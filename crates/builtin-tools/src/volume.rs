//! `control_speaker_volume`: the loudness of the default speaker, on PipeWire, PulseAudio or ALSA.

mod alsa;
mod pipewire;
mod program;
mod pulse;

use std::ffi::OsString;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;
use toolwright_executor::{ToolFailure, ToolFunction, ToolOutput};
use toolwright_model::{Origin, ToolDefinition};

use super::BuiltinTool;
use super::arguments::{invalid, parse};
use program::{Program, ProgramError};

const NAME: &str = "control_speaker_volume";

/// How far `up` and `down` go, in percent, when the call does not say.
const STEP_PERCENT: u8 = 10;

const INPUT: &str = r#"{
  "type": "object",
  "properties": {
    "action": {"enum": ["get", "set", "up", "down", "mute", "unmute", "toggle"], "description": "What to do; toggle mutes or unmutes"},
    "level": {"type": "integer", "minimum": 0, "maximum": 100, "description": "Percent: the new volume for set, the size of the step for up and down (10 when left out)"}
  },
  "required": ["action"],
  "additionalProperties": false
}"#;

const OUTPUT: &str = r#"{
  "type": "object",
  "properties": {
    "level": {"type": "integer", "description": "Percent"},
    "muted": {"type": "boolean"},
    "system": {"enum": ["PipeWire", "PulseAudio", "ALSA"]}
  },
  "required": ["level", "muted", "system"],
  "additionalProperties": false
}"#;

/// Where the programs that control the sound are looked for.
#[derive(Clone, Debug, Default)]
pub struct VolumeConfig {
    /// Folders as in `PATH`; the `PATH` of this process when not set.
    pub path: Option<OsString>,
}

/// How loud the speaker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    /// Percent. Sound systems can go over 100.
    level: u16,
    muted: bool,
}

/// What to do about muting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mute {
    On,
    Off,
    Toggle,
}

/// One sound system: the arguments of its program, and how to read what it prints.
struct System {
    name: &'static str,
    program: &'static str,
    /// The calls that tell the state; their outputs are read together.
    get: fn() -> Vec<Vec<String>>,
    read: fn(&str) -> Option<State>,
    set: fn(u8) -> Vec<String>,
    mute: fn(Mute) -> Vec<String>,
}

/// In the order in which they are tried: the newer one speaks for the older where both are installed.
const SYSTEMS: [System; 3] = [pipewire::SYSTEM, pulse::SYSTEM, alsa::SYSTEM];

/// The tool's line in the table.
pub(super) fn tool(config: &VolumeConfig) -> BuiltinTool {
    BuiltinTool {
        definition: ToolDefinition {
            name: NAME.to_owned(),
            origin: Origin::BuiltIn,
            description: "Tells or changes the volume of the speaker of this machine.".to_owned(),
            input_schema: INPUT.to_owned(),
            output_schema: Some(OUTPUT.to_owned()),
            ..ToolDefinition::default()
        },
        function: Arc::new(Volume { config: config.clone() }),
    }
}

struct Volume {
    config: VolumeConfig,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    action: Action,
    level: Option<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    Get,
    Set,
    Up,
    Down,
    Mute,
    Unmute,
    Toggle,
}

impl ToolFunction for Volume {
    fn call(self: Arc<Self>, arguments: String) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        async move {
            let arguments: Arguments = parse(NAME, &arguments)?;
            check(&arguments)?;
            self.control(&arguments).await
        }
        .boxed()
    }
}

/// What the schema cannot say.
fn check(arguments: &Arguments) -> Result<(), ToolFailure> {
    match (arguments.action, arguments.level) {
        (_, Some(level)) if level > 100 => {
            Err(invalid(format!("level is {level}, but the volume goes from 0 to 100 percent")))
        }
        (Action::Set, None) => {
            Err(invalid("action \"set\" needs a level: the new volume from 0 to 100 percent"))
        }
        (Action::Up | Action::Down, Some(0)) => {
            Err(invalid("a step of 0 changes nothing. Send a level from 1 to 100, or none for a step of 10"))
        }
        (Action::Get | Action::Mute | Action::Unmute | Action::Toggle, Some(_)) => {
            Err(invalid("level goes with the actions set, up and down only. Leave it out"))
        }
        _ => Ok(()),
    }
}

impl Volume {
    /// Does it on the first sound system that answers.
    async fn control(&self, arguments: &Arguments) -> Result<ToolOutput, ToolFailure> {
        let mut tried = Vec::new();
        for system in &SYSTEMS {
            let Some(program) = Program::find(system.program, self.config.path.as_deref()) else {
                continue;
            };
            match get(system, &program).await {
                Ok(state) => return act(system, &program, arguments, state).await,
                // Installed but not running: the next one may be.
                Err(error) => tried.push(format!("{} ({error})", system.program)),
            }
        }
        let programs: Vec<&str> = SYSTEMS.iter().map(|system| system.program).collect();
        let message = match tried.is_empty() {
            true => format!(
                "no sound system was found: none of {} is installed. Install PipeWire (wpctl), PulseAudio \
                 (pactl) or ALSA (amixer) on this machine",
                programs.join(", ")
            ),
            false => format!(
                "no sound system answers: {}. Check that sound works for the user who runs this program",
                tried.join("; ")
            ),
        };
        Err(ToolFailure::NotReady { message })
    }
}

async fn act(
    system: &System,
    program: &Program,
    arguments: &Arguments,
    before: State,
) -> Result<ToolOutput, ToolFailure> {
    let step = u16::from(arguments.level.unwrap_or(STEP_PERCENT));
    let percent = |level: u16| u8::try_from(level.min(100)).unwrap_or(100);
    let command = match arguments.action {
        Action::Get => None,
        Action::Set => Some((system.set)(arguments.level.unwrap_or_default())),
        Action::Up => Some((system.set)(percent(before.level.saturating_add(step)))),
        Action::Down => Some((system.set)(percent(before.level.saturating_sub(step)))),
        Action::Mute => Some((system.mute)(Mute::On)),
        Action::Unmute => Some((system.mute)(Mute::Off)),
        Action::Toggle => Some((system.mute)(Mute::Toggle)),
    };
    let mut state = before;
    if let Some(command) = command {
        let failed = |error: ProgramError| {
            ToolFailure::tool(format!("the volume was not changed: {} said: {error}", system.program))
        };
        program.run(&command).await.map_err(failed)?;
        state = get(system, program).await.map_err(failed)?;
    }
    let verb = if arguments.action == Action::Get { "is" } else { "is now" };
    let muted = if state.muted { ", and the speaker is muted" } else { "" };
    let text = format!("The volume {verb} {} percent{muted}.", state.level);
    let structured = json!({"level": state.level, "muted": state.muted, "system": system.name});
    Ok(ToolOutput::structured(text, structured.to_string()))
}

async fn get(system: &System, program: &Program) -> Result<State, ProgramError> {
    let mut printed = String::new();
    for command in (system.get)() {
        printed.push_str(&program.run(&command).await?);
        printed.push('\n');
    }
    (system.read)(&printed).ok_or(ProgramError::Unclear(printed))
}

/// The words of a command line.
fn words(command: &[&str]) -> Vec<String> {
    command.iter().map(|word| (*word).to_owned()).collect()
}
