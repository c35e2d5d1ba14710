//! PipeWire, by `wpctl`.

use super::{Mute, State, System, words};

const SINK: &str = "@DEFAULT_AUDIO_SINK@";

pub(super) const SYSTEM: System = System {
    name: "PipeWire",
    program: "wpctl",
    get: || vec![words(&["get-volume", SINK])],
    read,
    set: |level| words(&["set-volume", "-l", "1.0", SINK, &format!("{level}%")]),
    mute: |mute| {
        let how = match mute {
            Mute::On => "1",
            Mute::Off => "0",
            Mute::Toggle => "toggle",
        };
        words(&["set-mute", SINK, how])
    },
};

/// `Volume: 0.40 [MUTED]`
fn read(printed: &str) -> Option<State> {
    let rest = printed.lines().find_map(|line| line.trim().strip_prefix("Volume:"))?;
    let share: f64 = rest.split_whitespace().next()?.parse().ok()?;
    let level = (share * 100.0).round();
    if !(0.0..=1000.0).contains(&level) {
        return None;
    }
    Some(State { level: level as u16, muted: rest.contains("[MUTED]") })
}
