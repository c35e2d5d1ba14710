//! ALSA, by `amixer` on its control `Master`.

use super::{Mute, State, System, words};

const CONTROL: &str = "Master";

pub(super) const SYSTEM: System = System {
    name: "ALSA",
    program: "amixer",
    // `-M`: percent as the ear hears them, as alsamixer shows them.
    get: || vec![words(&["-M", "sget", CONTROL])],
    read,
    set: |level| words(&["-M", "sset", CONTROL, &format!("{level}%")]),
    mute: |mute| {
        let how = match mute {
            Mute::On => "mute",
            Mute::Off => "unmute",
            Mute::Toggle => "toggle",
        };
        words(&["-M", "sset", CONTROL, how])
    },
};

/// `  Front Left: Playback 26214 [40%] [-23.88dB] [on]`, or `Mono: Playback 87 [69%] [on]`
fn read(printed: &str) -> Option<State> {
    let line = printed.lines().find(|line| line.contains("Playback") && line.contains("%]"))?;
    let brackets: Vec<&str> = line.split('[').skip(1).filter_map(|part| part.split(']').next()).collect();
    let level = brackets.iter().find_map(|text| text.strip_suffix('%')?.parse().ok())?;
    Some(State { level, muted: brackets.contains(&"off") })
}
