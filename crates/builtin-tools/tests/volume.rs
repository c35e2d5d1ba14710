//! `control_speaker_volume` against programs that record their arguments and print what the real ones print.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright_base::IgnorePoison;
use toolwright_builtin_tools::{BuiltinConfig, BuiltinTool, VolumeConfig, builtin_tools};
use toolwright_executor::{ToolFailure, ToolOutput};
use toolwright_model::Origin;
use toolwright_normalizer::Tool;

/// `wpctl` 0.5 of WirePlumber: state in two files, output as printed on Debian 13.
const WPCTL: &str = r#"
case "$1" in
get-volume) printf 'Volume: %s%s\n' "$(cat level)" "$(cat muted)" ;;
set-volume) printf '0.%02d' "${5%\%}" | sed 's/0\.100/1.00/' > level ;;
set-mute) case "$3" in
    1) printf ' [MUTED]' > muted ;;
    0) : > muted ;;
    toggle) if [ -s muted ]; then : > muted; else printf ' [MUTED]' > muted; fi ;;
  esac ;;
esac
"#;

/// `pactl` 16: two channels, decibels and a balance line.
const PACTL: &str = r#"
level=$(cat level)
case "$1" in
get-sink-volume)
  printf 'Volume: front-left: 26214 /  %s%% / -23.88 dB,   front-right: 26214 /  %s%% / -23.88 dB\n' "$level" "$level"
  printf '        balance 0.00\n' ;;
get-sink-mute) printf 'Mute: %s\n' "$(cat muted)" ;;
set-sink-volume) printf '%s' "${3%\%}" > level ;;
set-sink-mute) case "$3" in
    1) printf yes > muted ;;
    0) printf no > muted ;;
    toggle) if [ "$(cat muted)" = yes ]; then printf no > muted; else printf yes > muted; fi ;;
  esac ;;
esac
"#;

/// `amixer` 1.2: the block of a simple control.
const AMIXER: &str = r#"
if [ "$2" = sset ]; then case "$4" in
    mute) printf off > muted ;;
    unmute) printf on > muted ;;
    toggle) if [ "$(cat muted)" = on ]; then printf off > muted; else printf on > muted; fi ;;
    *%) printf '%s' "${4%\%}" > level ;;
  esac; fi
printf "Simple mixer control 'Master',0\n"
printf '  Capabilities: pvolume pswitch pswitch-joined\n  Playback channels: Front Left - Front Right\n'
printf '  Limits: Playback 0 - 65536\n  Mono:\n'
printf '  Front Left: Playback 26214 [%s%%] [%s]\n' "$(cat level)" "$(cat muted)"
printf '  Front Right: Playback 26214 [%s%%] [%s]\n' "$(cat level)" "$(cat muted)"
"#;

/// One machine at a time: a program cannot be started while another thread has it open for writing, and a
/// process started meanwhile has for a moment all that we have open.
static ONE: Mutex<()> = Mutex::new(());

struct Machine {
    bin: TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl Machine {
    fn new() -> Machine {
        let alone = ONE.lock().ignore_poison();
        Machine { bin: tempfile::tempdir().unwrap(), _alone: alone }
    }

    /// Installs a program: a shell script that records its arguments and then does its part.
    fn with(self, name: &str, script: &str) -> Self {
        let folder = self.bin.path();
        let path = folder.join(name);
        let dir = folder.display();
        let script =
            format!("#!/bin/sh\nPATH=/usr/bin:/bin\ncd '{dir}'\necho \"{name} $*\" >> calls\n{script}");
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    fn at(self, level: &str, muted: &str) -> Self {
        fs::write(self.bin.path().join("level"), level).unwrap();
        fs::write(self.bin.path().join("muted"), muted).unwrap();
        self
    }

    fn tool(&self) -> BuiltinTool {
        let volume = VolumeConfig { path: Some(self.bin.path().as_os_str().to_owned()) };
        let tools = builtin_tools(&BuiltinConfig { volume, ..BuiltinConfig::default() }).unwrap();
        tools.into_iter().find(|tool| tool.definition.name == "control_speaker_volume").unwrap()
    }

    fn call(&self, arguments: Value) -> Result<ToolOutput, ToolFailure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(Arc::clone(&self.tool().function).call(arguments.to_string()))
    }

    fn state(&self, arguments: Value) -> (u64, bool) {
        let output = self.call(arguments).unwrap();
        let structured = output.structured.unwrap();
        let schema = self.tool().definition.output_schema.unwrap();
        let checker = toolwright_model::ToolDefinition { input_schema: schema, ..Default::default() };
        assert!(Tool::compile(&checker).unwrap().accepts(&structured), "{structured}");
        let read: Value = serde_json::from_str(&structured).unwrap();
        (read["level"].as_u64().unwrap(), read["muted"].as_bool().unwrap())
    }

    fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.bin.path().join("calls")).unwrap_or_default();
        fs::remove_file(self.bin.path().join("calls")).ok();
        calls.lines().map(str::to_owned).collect()
    }
}

/// Every action on one system, with the commands that change something.
fn every_action(machine: &Machine, set: &str, mute: &str) {
    assert_eq!(machine.state(json!({"action": "get"})), (40, false));
    assert_eq!(machine.state(json!({"action": "set", "level": 55})), (55, false));
    assert_eq!(machine.state(json!({"action": "up"})), (65, false));
    assert_eq!(machine.state(json!({"action": "down", "level": 5})), (60, false));
    assert_eq!(machine.state(json!({"action": "up", "level": 90})), (100, false), "not over 100");
    assert_eq!(machine.state(json!({"action": "set", "level": 3})), (3, false));
    assert_eq!(machine.state(json!({"action": "down"})), (0, false), "not under 0");
    assert_eq!(machine.state(json!({"action": "set", "level": 1})), (1, false), "1 is one percent");
    assert_eq!(machine.state(json!({"action": "mute"})), (1, true));
    assert_eq!(machine.state(json!({"action": "toggle"})), (1, false));
    assert_eq!(machine.state(json!({"action": "toggle"})), (1, true));
    assert_eq!(machine.state(json!({"action": "unmute"})), (1, false), "the level from before");
    let calls = machine.calls();
    for command in [set, mute] {
        assert!(calls.iter().any(|call| call == command), "{command:?} is not in {calls:#?}");
    }
}

#[test]
fn pipewire() {
    let machine = Machine::new().with("wpctl", WPCTL).at("0.40", "");
    every_action(
        &machine,
        "wpctl set-volume -l 1.0 @DEFAULT_AUDIO_SINK@ 55%",
        "wpctl set-mute @DEFAULT_AUDIO_SINK@ toggle",
    );
}

#[test]
fn pulseaudio() {
    let machine = Machine::new().with("pactl", PACTL).at("40", "no");
    every_action(
        &machine,
        "pactl set-sink-volume @DEFAULT_SINK@ 55%",
        "pactl set-sink-mute @DEFAULT_SINK@ 1",
    );
}

#[test]
fn alsa() {
    let machine = Machine::new().with("amixer", AMIXER).at("40", "on");
    every_action(&machine, "amixer -M sset Master 55%", "amixer -M sset Master unmute");
}

#[test]
fn the_first_system_that_answers_is_used() {
    let broken = "echo 'Could not connect to PipeWire' >&2; exit 2";
    let machine =
        Machine::new().with("wpctl", broken).with("pactl", PACTL).with("amixer", AMIXER).at("40", "no");
    assert_eq!(machine.state(json!({"action": "get"})), (40, false));
    assert!(machine.calls().iter().all(|call| !call.starts_with("amixer")));
}

#[test]
fn results_can_be_spoken() {
    let machine = Machine::new().with("wpctl", WPCTL).at("0.40", " [MUTED]");
    let said = |arguments| machine.call(arguments).unwrap().text;
    assert_eq!(said(json!({"action": "get"})), "The volume is 40 percent, and the speaker is muted.");
    assert_eq!(said(json!({"action": "unmute"})), "The volume is now 40 percent.");
}

#[test]
fn without_a_sound_system_it_says_what_to_install() {
    let failure = Machine::new().call(json!({"action": "get"})).unwrap_err();
    assert!(matches!(&failure, ToolFailure::NotReady { .. }));
    let text = failure.to_string();
    for word in ["no sound system", "wpctl, pactl, amixer", "Install PipeWire"] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn systems_that_do_not_answer_are_named_with_what_they_said() {
    let machine = Machine::new()
        .with("wpctl", "echo 'Could not connect to PipeWire' >&2; exit 2")
        .with("pactl", "echo 'Connection failure: Connection refused' >&2; exit 1")
        .with("amixer", "echo 'no such thing'");
    let text = machine.call(json!({"action": "up"})).unwrap_err().to_string();
    for word in ["Could not connect to PipeWire", "Connection refused", "unexpected: no such thing", "Check"]
    {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn a_change_that_fails_is_said() {
    let script = r#"case "$1" in get-volume) echo 'Volume: 0.40' ;; *) echo 'denied' >&2; exit 1 ;; esac"#;
    let machine = Machine::new().with("wpctl", script);
    let text = machine.call(json!({"action": "mute"})).unwrap_err().to_string();
    assert!(text.contains("not changed") && text.contains("wpctl said: denied"), "{text}");
}

#[test]
fn a_program_that_hangs_is_given_up() {
    let machine = Machine::new().with("wpctl", "exec sleep 60");
    let began = std::time::Instant::now();
    let text = machine.call(json!({"action": "get"})).unwrap_err().to_string();
    assert!(text.contains("no answer within 5 seconds"), "{text}");
    assert!(began.elapsed().as_secs() < 20);
}

#[test]
fn programs_do_not_get_our_whole_environment() {
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let machine = Machine::new().with("wpctl", &format!("env > environment\n{WPCTL}")).at("0.40", "");
    assert_eq!(machine.state(json!({"action": "get"})), (40, false));
    let environment = fs::read_to_string(machine.bin.path().join("environment")).unwrap();
    assert!(environment.contains("LC_ALL=C") && !environment.contains("CARGO"), "{environment}");
}

#[test]
fn levels_that_make_no_sense_are_explained() {
    let machine = Machine::new().with("wpctl", WPCTL).at("0.40", "");
    for (arguments, words) in [
        (json!({"action": "set"}), "needs a level"),
        (json!({"action": "set", "level": 101}), "0 to 100"),
        (json!({"action": "up", "level": 0}), "changes nothing"),
        (json!({"action": "mute", "level": 5}), "set, up and down only"),
        (json!({"action": "louder"}), "unknown variant \"louder\""),
        (json!({}), "\"action\" is missing"),
    ] {
        let failure = machine.call(arguments).unwrap_err();
        assert!(matches!(&failure, ToolFailure::InvalidArguments { .. }));
        assert!(failure.to_string().contains(words), "{failure}");
    }
    assert!(machine.calls().is_empty(), "no program was started");
}

#[test]
fn it_is_a_tool_of_our_own() {
    let definition = Machine::new().tool().definition;
    assert_eq!((definition.origin, definition.server.as_deref()), (Origin::BuiltIn, None));
}
