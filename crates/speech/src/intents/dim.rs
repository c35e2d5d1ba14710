//! Brightness: "dim the lamp to 40 percent", "set the lamp to 40 percent".
//!
//! Not: "dim the lamp" (how far?), "set the heating to 20" (of what?), "dim the lamp to 140 percent".

use super::{CommandPhrase, Does, without_article};

/// All interpretations of the words as this command.
pub(super) fn read(words: &[String]) -> Vec<CommandPhrase<'_>> {
    let Some((verb, rest)) = words.split_first() else { return Vec::new() };
    let needs_unit = match verb.as_str() {
        "dim" => false,
        "set" | "turn" | "put" => true,
        _ => return Vec::new(),
    };
    let (rest, has_unit) = match rest.split_last() {
        Some((last, rest)) if last == "percent" => (rest, true),
        _ => (rest, false),
    };
    let [device @ .., to, level] = rest else { return Vec::new() };
    let level = level.parse::<u8>().ok().filter(|level| *level <= 100);
    let (Some(level), true) = (level, to == "to" && (has_unit || !needs_unit)) else { return Vec::new() };
    // "set the brightness of the lamp to", "set the lamp brightness to"
    let device = without_article(device);
    let of = ["brightness", "of"];
    let device = match device {
        [first, second, rest @ ..] if [first.as_str(), second.as_str()] == of => without_article(rest),
        [rest @ .., last] if !rest.is_empty() && ["brightness", "down", "up"].contains(&last.as_str()) => {
            rest
        }
        device => device,
    };
    if device.is_empty() { Vec::new() } else { vec![CommandPhrase { does: Does::Dim(level), device }] }
}
