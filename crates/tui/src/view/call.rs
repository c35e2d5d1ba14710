//! Details of one call: arguments before and after, changes with their rules, error.

use ratatui::style::Style;
use ratatui::text::Line;

use super::Look;
use super::words::{duration, labelled};
use crate::api_types::{ApiCall, CallChange};

pub(super) fn lines(call: &ApiCall, look: &Look, room: usize) -> Vec<Line<'static>> {
    let (plain, bold) = (look.theme.plain(), look.theme.heading());
    let mut out = Vec::new();
    let mut add = |label: &str, text: &str, style: Style| out.extend(labelled(label, text, style, room));
    add("tool", call.tool.as_str(), bold);
    let outcome = format!("{} after {}", call.outcome.word(), duration(call.milliseconds));
    add("outcome", &outcome, look.theme.outcome(call.outcome));
    if let Some((code, words)) = &call.error {
        add("error", code.as_str(), look.theme.wrong());
        for line in words {
            add("", line.as_str(), look.theme.plain());
        }
    }
    match &call.after {
        Some(after) => {
            add("before", call.before.as_str(), plain);
            add("after", after.as_str(), bold);
        }
        None => add("sent", call.before.as_str(), plain),
    }
    for (number, change) in call.changes.iter().enumerate() {
        add(if number == 0 { "changes" } else { "" }, &change_line(change), plain);
    }
    if call.more_changes > 0 {
        add("", &format!("and {} more", call.more_changes), plain);
    }
    let at = call.at.map(|at| at.to_zoned(look.zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string());
    let mut who = vec![at.unwrap_or_default(), call.client.as_str().to_owned()];
    who.push(if call.front.is_empty() { String::new() } else { format!("by {}", call.front) });
    who.retain(|part| !part.is_empty());
    add("when", &who.join(" · "), plain);
    if !call.session.is_empty() {
        add("session", call.session.as_str(), plain);
    }
    add("id", &format!("{} (toolwright explain {})", call.id, call.id), plain);
    out
}

/// Formats a change: `N4 /file_path: "a" -> "b", rule r1`
fn change_line(change: &CallChange) -> String {
    let place = if change.path.is_empty() { "/" } else { change.path.as_str() };
    let mut line = format!("{:<3} {place}", change.code);
    match (&change.from, &change.to) {
        (Some(from), Some(to)) => line.push_str(&format!(": {from} -> {to}")),
        (Some(from), None) => line.push_str(&format!(": {from} left out")),
        (None, Some(to)) => line.push_str(&format!(": {to}")),
        (None, None) => {}
    }
    if let Some(rule) = &change.rule {
        line.push_str(&format!(", rule {rule}"));
    }
    line
}
