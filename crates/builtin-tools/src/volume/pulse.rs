//! PulseAudio, by `pactl`.

use super::{Mute, State, System, words};

const SINK: &str = "@DEFAULT_SINK@";

pub(super) const SYSTEM: System = System {
    name: "PulseAudio",
    program: "pactl",
    get: || vec![words(&["get-sink-volume", SINK]), words(&["get-sink-mute", SINK])],
    read,
    set: |level| words(&["set-sink-volume", SINK, &format!("{level}%")]),
    mute: |mute| {
        let how = match mute {
            Mute::On => "1",
            Mute::Off => "0",
            Mute::Toggle => "toggle",
        };
        words(&["set-sink-mute", SINK, how])
    },
};

/// `Volume: front-left: 26214 /  40% / -23.88 dB,   front-right: …` and `Mute: no`
fn read(printed: &str) -> Option<State> {
    let volume = printed.lines().find_map(|line| line.trim().strip_prefix("Volume:"))?;
    let mute = printed.lines().find_map(|line| line.trim().strip_prefix("Mute:"))?;
    let level = volume.split_whitespace().find_map(|word| word.strip_suffix('%')?.parse().ok())?;
    Some(State { level, muted: mute.trim() == "yes" })
}
